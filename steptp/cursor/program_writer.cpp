// Programs as words. The grammar is in docs/cursor.md; program_reader.cpp reads what this writes and nothing else.
#include <cmath>
#include <map>

#include "steptp/base/text.h"
#include "steptp/cursor/numbers.h"
#include "steptp/cursor/program_words.h"
#include "steptp/cursor/sentence.h"
#include "steptp/ir/canonical.h"

namespace steptp::cursor {

namespace {

/// How a tensor is written in what came before.
struct Known {
  Token slot = 0;
  DType dtype = DType::f32;
  Placement placement;
  std::size_t rank = 0;
};

class ProgramWriter {
 public:
  explicit ProgramWriter(const Program& program) : program_(program) {}

  Result<std::vector<Token>, std::string> run() {
    for (const Variable& variable : program_.signature.variables) write(variable);
    for (const NestPtr& nest : program_.nests) {
      loops_ = 0;
      slots_.clear();
      write(*nest);
    }
    if (!problem_.empty()) return problem_;
    return std::move(out_);
  }

 private:
  /// Nothing more is written after the first problem.
  void refuse(std::string why) {
    if (problem_.empty()) problem_ = std::move(why);
  }
  [[nodiscard]] bool goes_on() {
    if (out_.size() > kMostTokens)
      refuse(concat("a sentence has at most ", kMostTokens, " words; this program alone needs more"));
    return problem_.empty();
  }
  void put(Token token) { out_.push_back(token); }

  void write(const Variable& variable) {
    if (!goes_on()) return;
    if (!variable.values.empty()) refuse(concat("constant ", variable.name, " has data, for which there are no words"));
    put(word_of(variable.role));
    put(word_of(variable.dtype));
    if (variable.domain.kind != Domain::Kind::unstated) put(word_of(variable.domain.kind));
    if (variable.domain.kind == Domain::Kind::range) {
      write_real_number(variable.domain.low);
      write_real_number(variable.domain.high);
    }
    for (const std::int64_t extent : variable.shape) {
      if (goes_on()) write_integer(extent, out_);
    }
    known_[variable.name] = {next_tensor(), variable.dtype, Scope::global, variable.shape.size()};
  }

  void write_real_number(double number) {
    if (!std::isfinite(number)) return refuse("a number is not finite, for which there are no words");
    write_real(number, out_);
  }

  Token next_tensor() {
    if (tensors_ == kTensorSlots) refuse(concat("the program has more than ", kTensorSlots, " tensors"));
    return static_cast<Token>(program_words().tensor + tensors_++);
  }

  void write(const Nest& nest) {
    if (!goes_on()) return;
    const auto outer = slots_;
    put(program_words().open);
    for (const Loop& loop : nest.loops) write(loop);
    if (nest.guard) {
      put(program_words().guard);
      write(*nest.guard);
    }
    for (const Item& item : nest.items) {
      if (const auto* inner = std::get_if<NestPtr>(&item)) {
        write(**inner);
        continue;
      }
      const Equation& equation = *std::get<EquationPtr>(item);
      put(program_words().equation);
      write(*equation.left);
      write(*equation.right);
    }
    put(program_words().close);
    slots_ = outer;
  }

  void write(const Loop& loop) {
    if (!goes_on()) return;
    const auto axis = axis_of(loop.index);
    const bool is_bound = loop.kind == LoopKind::bound;
    if (axis.has_value() != is_bound) return refuse(concat("loop ", loop.index, " is not bound as its name says"));
    if (loops_ == kLoopSlots) return refuse(concat("an expression has more than ", kLoopSlots, " loops"));
    put(is_bound ? word_of(*axis) : word_of(loop.kind));
    write_integer(loop.extent, out_);
    slots_[loop.index] = static_cast<Token>(program_words().loop + loops_++);
  }

  void write_loop(const std::string& index) {
    const auto found = slots_.find(index);
    if (found == slots_.end()) return refuse(concat("no loop around ", index, " has this index"));
    put(found->second);
  }

  /// The first occurrence says what the tensor is, and so does one that differs from those before it.
  void write(const Ref& ref) {
    if (!goes_on()) return;
    const auto [entry, is_new] = known_.try_emplace(ref.tensor);
    Known& known = entry->second;
    if (is_new) known.slot = next_tensor();
    put(known.slot);
    const Known now = {known.slot, ref.dtype, ref.scope, ref.subscripts.size()};
    const bool differs =
        is_new || now.dtype != known.dtype || now.placement != known.placement || now.rank != known.rank;
    if (differs) {
      put(word_of(ref.dtype));
      put(word_of(ref.scope));
      write_integer(static_cast<std::int64_t>(now.rank), out_);
      known = now;
    }
    for (const Index& subscript : ref.subscripts) write(subscript);
  }

  void write(const Index& index) {
    if (!goes_on()) return;
    if (index.is_constant()) return write_integer(index.constant_term(), out_);
    if (index.terms().size() == 1 && index.constant_term() == 0) return write(index.terms()[0]);
    put(program_words().sum);
    for (const IndexTerm& term : index.terms()) write(term);
    if (index.constant_term() != 0) write_integer(index.constant_term(), out_);
    put(program_words().end);
  }

  void write(const IndexTerm& term) {
    if (term.coefficient == 1 && term.factors.size() == 1) return write(term.factors[0]);
    put(program_words().product);
    write_integer(term.coefficient, out_);
    for (const IndexAtom& factor : term.factors) write(factor);
    put(program_words().end);
  }

  void write(const IndexAtom& atom) {
    if (const auto* variable = std::get_if<LoopVariable>(&atom)) {
      write_loop(variable->name);
    } else if (const auto* quotient = std::get_if<FloorQuotient>(&atom)) {
      put(program_words().quotient);
      write(*quotient->dividend);
      write(*quotient->divisor);
    } else if (const auto* remainder = std::get_if<FloorRemainder>(&atom)) {
      put(program_words().remainder);
      write(*remainder->dividend);
      write(*remainder->divisor);
    } else {
      put(program_words().read);
      write(*std::get<IndirectRead>(atom).ref);
    }
  }

  void write(const Expr& expr) {
    if (goes_on()) std::visit([this](const auto& node) { write_node(node); }, expr.node);
  }
  void write_node(const Literal& literal) {
    if (literal.is_integer) return write_integer(literal.integer, out_);
    write_real_number(literal.real);
  }
  void write_node(const Infinity&) { put(program_words().infinity); }
  void write_node(const IndexValue& value) {
    put(program_words().index);
    write_loop(value.index);
  }
  void write_node(const Read& read) { write(*read.ref); }
  /// The last operator first: ((a op1 b) op2 c) is op2 op1 a b c.
  template <class Operator>
  void write_chain(const std::vector<ExprPtr>& operands, const Operator& operator_before) {
    for (std::size_t i = operands.size(); i-- > 1;) {
      if (!goes_on()) return;
      put(operator_before(i));
    }
    for (const ExprPtr& operand : operands) write(*operand);
  }
  void write_node(const Sum& sum) {
    write_chain(sum.operands, [&](std::size_t i) { return word_of(sum.operators[i - 1]); });
  }
  void write_node(const Product& product) {
    write_chain(product.operands, [&](std::size_t i) { return word_of(product.operators[i - 1]); });
  }
  void write_node(const Logic& logic) {
    write_chain(logic.operands, [&](std::size_t) { return word_of(logic.op); });
  }
  void write_node(const Power& power) {
    put(word_of(ArithmeticOp::power));
    write(*power.base);
    write(*power.exponent);
  }
  void write_node(const Extremum& extremum) {
    put(word_of(extremum.is_max ? ArithmeticOp::max : ArithmeticOp::min));
    write(*extremum.left);
    write(*extremum.right);
  }
  void write_node(const Call& call) {
    put(word_of(call.function));
    write(*call.argument);
  }
  void write_node(const Select& select) {
    put(program_words().select);
    write(*select.condition);
    write(*select.if_true);
    write(*select.if_false);
  }
  /// A chain of several comparisons is in brackets, with its operators between the operands.
  void write_node(const Compare& compare) {
    if (compare.operands.size() == 2) {
      put(word_of(compare.operators[0]));
      write(*compare.operands[0]);
      write(*compare.operands[1]);
      return;
    }
    put(program_words().open);
    for (std::size_t i = 0; i < compare.operands.size(); ++i) {
      if (i > 0) put(word_of(compare.operators[i - 1]));
      write(*compare.operands[i]);
    }
    put(program_words().close);
  }

  const Program& program_;
  std::vector<Token> out_;
  std::string problem_;
  std::map<std::string, Known> known_;
  std::map<std::string, Token> slots_;  ///< of the loops around
  std::int64_t tensors_ = 0;
  std::int64_t loops_ = 0;  ///< in this top-level nest so far
};

}  // namespace

Result<std::vector<Token>, std::string> encode_program(const Program& program) {
  return ProgramWriter(canonical(program)).run();
}

}  // namespace steptp::cursor
