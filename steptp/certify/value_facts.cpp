// What the values of each statement can be whatever the inputs are, in one pass through the text: finite, nonzero,
// nonnegative. A window may cut a statement off only where an input can stand for all of its values.
// docs/decisions/0025-windows-with-hazards.md.
#include "steptp/certify/value_facts.h"

#include "steptp/machine/shifted_sums.h"

namespace steptp::certify {

namespace {

ValueFacts both(const ValueFacts& a, const ValueFacts& b) {
  return {a.is_finite && b.is_finite, a.is_nonzero && b.is_nonzero, a.is_nonnegative && b.is_nonnegative,
          a.is_never_infinite && b.is_never_infinite};
}

constexpr ValueFacts kAnyNumber{true, false, false, true};

class Evaluator {
 public:
  Evaluator(const Code& code, const InputModel& model) : code_(code), model_(model) {}

  std::vector<StatementFacts> run() {
    for (const StatementCode& statement : code_.statements) {
      is_partial_ = false;
      for (const std::uint32_t guard : statement.guards) look_into(guard);
      const ValueFacts value = !is_float(statement.dtype) ? of_integer(statement)
                               : statement.accumulates    ? accumulated(statement)
                                                          : of(statement.right);
      facts_.push_back({holds_its_maximum(code_, current()) ? at_least_one(value) : value, is_partial_});
    }
    return std::move(facts_);
  }

 private:
  [[nodiscard]] std::uint32_t current() const { return static_cast<std::uint32_t>(facts_.size()); }

  /// One of the summands is exp(0), or all are NaN.
  [[nodiscard]] static ValueFacts at_least_one(ValueFacts value) {
    value.is_nonzero = true;
    return value;
  }

  ValueFacts of_integer(const StatementCode& statement) {
    look_into(statement.right);
    for (const Writer& writer : statement.earlier) {
      if (writer.statement == facts_.size() || is_to_come(writer.statement)) continue;
      static_cast<void>(written_by(writer.statement));
    }
    return {};
  }

  ValueFacts accumulated(const StatementCode& statement) {
    if (statement.terms.empty()) {
      look_into(statement.right);
      return {};
    }
    // Of several terms and rounds: what one of them makes sure, and what all of them do.
    ValueFacts all{true, true, true, true};
    bool has_positive = false;
    bool has_nonnegative = false;
    for (const FoldTerm& term : statement.terms) {
      ValueFacts value = of(term.node);
      if (term.is_subtracted) value.is_nonnegative = false;
      // A NaN says nothing about the others.
      has_positive = has_positive || (value.is_finite && value.is_positive());
      has_nonnegative = has_nonnegative || (value.is_finite && value.is_nonnegative);
      all = both(all, value);
    }
    for (const Writer& writer : statement.earlier) {
      if (writer.statement != current() && !is_to_come(writer.statement)) all = both(all, written_by(writer.statement));
    }
    ValueFacts out{all.is_finite, false, all.is_nonnegative, all.is_never_infinite};
    switch (statement.accumulation) {
      case ArithmeticOp::add: out.is_nonzero = all.is_nonnegative && has_positive; break;
      case ArithmeticOp::multiply: out.is_nonzero = all.is_nonzero; break;
      case ArithmeticOp::max:
        out.is_nonnegative = has_nonnegative;
        out.is_nonzero = has_positive;
        out.is_never_infinite = all.is_finite;  // of NaN alone it is what it started from
        break;
      case ArithmeticOp::min:
        out.is_nonzero = all.is_positive();
        out.is_never_infinite = all.is_finite;
        break;
      case ArithmeticOp::subtract:
      case ArithmeticOp::divide:
      case ArithmeticOp::floor_divide:
      case ArithmeticOp::modulo:
      case ArithmeticOp::power: return {};
    }
    return out;
  }

  /// A later nest has not written anything yet.
  [[nodiscard]] bool is_to_come(std::uint32_t statement) const {
    const auto& nests = code_.table.statements;
    return nests[statement].items[0] > nests[facts_.size()].items[0];
  }

  [[nodiscard]] ValueFacts written_by(std::uint32_t statement) {
    if (statement >= facts_.size()) {
      is_partial_ = true;
      return {};
    }
    is_partial_ = is_partial_ || facts_[statement].is_partial;
    return facts_[statement].value;
  }

  [[nodiscard]] ValueFacts read(const Access& access) {
    const TensorCode& tensor = code_.tensors[access.tensor];
    if (tensor.known) {
      const auto input = model_.numbers.find(tensor.name);
      if (input == model_.numbers.end()) return kAnyNumber;
      const Domain& domain = model_.inputs[input->second].domain;
      ValueFacts out = kAnyNumber;
      if (domain.kind == Domain::Kind::masked) return {};
      out.is_nonnegative =
          domain.kind == Domain::Kind::positive || (domain.kind == Domain::Kind::range && domain.low >= 0);
      out.is_nonzero = domain.kind == Domain::Kind::positive || domain.kind == Domain::Kind::nonzero ||
                       (domain.kind == Domain::Kind::range && domain.low > 0);
      return out;
    }
    ValueFacts out{true, true, true, true};
    for (const Writer& writer : access.writers) {
      if (!is_to_come(writer.statement)) out = both(out, written_by(writer.statement));
    }
    return out;
  }

  /// Of an integer: its operands may still hold reals.
  void look_into(std::uint32_t number) {
    const Node& node = code_.nodes[number];
    if (node.op == Op::integer_read) static_cast<void>(read(code_.accesses[node.payload]));
    for (const std::uint32_t operand : {node.first, node.second, node.third}) {
      if (operand == kNone) continue;
      if (is_real(code_.nodes[operand].op)) {
        static_cast<void>(of(operand));
      } else {
        look_into(operand);
      }
    }
  }

  [[nodiscard]] static bool is_real(Op op) { return op <= Op::real_select; }

  ValueFacts of(std::uint32_t number) {
    const Node& node = code_.nodes[number];
    switch (node.op) {
      case Op::real_literal: return {true, code_.literals[node.payload].digits != 0, true, true};
      case Op::real_infinity: return {false, true, true, false};
      case Op::real_of_integer: {
        look_into(number);
        const Node& integer = code_.nodes[node.first];
        if (integer.op != Op::integer_literal) return kAnyNumber;
        return {true, integer.integer != 0, integer.integer >= 0, true};
      }
      case Op::real_read: return read(code_.accesses[node.payload]);
      case Op::real_arithmetic: return arithmetic(node);
      case Op::real_function: {
        ValueFacts out = function(node.function, of(node.first));
        if (node.function == Function::exp && is_below_its_maximum(code_, current(), number)) {
          out.is_never_infinite = true;
        }
        return out;
      }
      case Op::real_select: {
        look_into(node.first);
        const ValueFacts if_true = of(node.second);
        return both(if_true, of(node.third));
      }
      case Op::real_accumulator:
      case Op::integer_literal:
      case Op::integer_slot:
      case Op::integer_index:
      case Op::integer_read:
      case Op::integer_accumulator:
      case Op::integer_of_real:
      case Op::integer_wrap:
      case Op::integer_arithmetic:
      case Op::integer_power:
      case Op::integer_function:
      case Op::integer_select:
      case Op::compare_reals:
      case Op::compare_integers:
      case Op::logic: break;
    }
    return {};
  }

  /// A whole number of at least zero as an exponent.
  [[nodiscard]] bool is_natural(std::uint32_t number, bool& is_even) const {
    const Node& node = code_.nodes[number];
    if (node.op != Op::real_of_integer) return false;
    const Node& integer = code_.nodes[node.first];
    is_even = integer.integer % 2 == 0;
    return integer.op == Op::integer_literal && integer.integer >= 0;
  }

  ValueFacts arithmetic(const Node& node) {
    const ValueFacts a = of(node.first);
    const ValueFacts b = of(node.second);
    const bool finite = a.is_finite && b.is_finite;
    const bool nonnegative = a.is_nonnegative && b.is_nonnegative;
    const bool bounded = a.is_never_infinite && b.is_never_infinite;
    switch (node.arithmetic) {
      case ArithmeticOp::add: return {finite, nonnegative && (a.is_nonzero || b.is_nonzero), nonnegative, bounded};
      case ArithmeticOp::subtract: return {finite, false, false, bounded};
      case ArithmeticOp::multiply:
        is_partial_ = is_partial_ || (!a.is_never_infinite && !b.is_nonzero) || (!b.is_never_infinite && !a.is_nonzero);
        return {finite, a.is_nonzero && b.is_nonzero, nonnegative, bounded};
      case ArithmeticOp::divide:
        is_partial_ = is_partial_ || !b.is_nonzero || (!a.is_never_infinite && !b.is_never_infinite);
        return {finite, a.is_nonzero && b.is_never_infinite, nonnegative, bounded && b.is_nonzero};
      case ArithmeticOp::floor_divide:
      case ArithmeticOp::modulo:
        is_partial_ = is_partial_ || !b.is_nonzero || !finite;
        return {finite, false, false, bounded && b.is_nonzero};
      case ArithmeticOp::power: {
        bool is_even = false;
        if (is_natural(node.second, is_even)) {
          return {a.is_finite, a.is_nonzero, a.is_nonnegative || is_even, a.is_never_infinite};
        }
        is_partial_ = is_partial_ || !a.is_positive() || !finite;
        return {finite && a.is_positive(), a.is_positive(), true, finite && a.is_positive()};
      }
      case ArithmeticOp::max:
        // Of a number and NaN it is the number, so that neither sign is sure where one operand is NaN.
        return {finite, finite && (a.is_positive() || b.is_positive()),
                finite && (a.is_nonnegative || b.is_nonnegative), bounded};
      case ArithmeticOp::min: return {finite, a.is_positive() && b.is_positive(), nonnegative, bounded};
    }
    return {};
  }

  ValueFacts function(Function function, const ValueFacts& a) {
    switch (function) {
      case Function::negate: return {a.is_finite, a.is_nonzero, false, a.is_never_infinite};
      case Function::abs: return {a.is_finite, a.is_nonzero, true, a.is_never_infinite};
      case Function::exp: return {a.is_finite, a.is_never_infinite, true, a.is_never_infinite};
      case Function::log:
        is_partial_ = is_partial_ || !a.is_positive();
        return {a.is_finite && a.is_positive(), false, false, a.is_never_infinite && a.is_positive()};
      case Function::sqrt:
        is_partial_ = is_partial_ || !a.is_nonnegative;
        return {a.is_finite && a.is_nonnegative, a.is_nonzero, a.is_nonnegative, a.is_never_infinite};
      case Function::rsqrt: {
        is_partial_ = is_partial_ || !a.is_positive();
        const bool positive = a.is_never_infinite && a.is_positive();
        return {a.is_finite && a.is_positive(), positive, a.is_positive(), positive};
      }
      case Function::floor:
      case Function::ceil:
      case Function::round: return {a.is_finite, false, a.is_nonnegative, a.is_never_infinite};
      case Function::erf:
      case Function::tanh: return {a.is_finite, a.is_nonzero, a.is_nonnegative, true};
      case Function::sin:
      case Function::cos: return {a.is_finite, false, false, true};
    }
    return {};
  }

  const Code& code_;
  const InputModel& model_;
  std::vector<StatementFacts> facts_;
  bool is_partial_ = false;
};

}  // namespace

std::vector<StatementFacts> value_facts(const Code& code, const InputModel& model) {
  return Evaluator(code, model).run();
}

}  // namespace steptp::certify
