// Which values inputs may have: as the signature states, and else, for whoever looks for differences, as their use in
// `before` demands: as subscripts, under logarithms and roots, as divisors. The numbers that either program compares
// data with are listed, because draws go there. docs/decisions/0010-certified-evaluation.md.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "steptp/analysis/accesses.h"
#include "steptp/analysis/box_search.h"
#include "steptp/analysis/shapes.h"
#include "steptp/base/text.h"
#include "steptp/certify/inputs.h"

namespace steptp::certify {

namespace {

constexpr std::string_view kEmpty = "an input has no legal value";

class Modeller {
 public:
  Modeller(const Program& before, const Program& after, Guesses guesses)
      : before_(before), after_(after), guesses_(guesses) {}

  InputModel run() {
    for (const Variable& variable : before_.signature.variables) {
      if (variable.role == Role::output) continue;
      InputFacts facts;
      facts.variable = &variable;
      facts.domain = variable.domain;
      facts.stream = mix(hash_text(variable.name));
      model_.numbers.emplace(variable.name, model_.inputs.size());
      model_.inputs.push_back(facts);
    }
    table_ = collect_accesses(before_);
    shapes_ = infer_shapes(table_);
    for (const steptp::Access& access : table_.accesses) use_as_subscripts(access);
    if (guesses_ == Guesses::from_use) {
      for (const Statement& statement : table_.statements) look_at(*statement.equation->right);
    }
    for (const Program* program : {&before_, &after_}) {
      for_each_equation(*program, [this](const Equation& equation, const std::vector<const Nest*>&) {
        // A number that is stored as it is may be what a maximum starts from.
        find_thresholds(*equation.right, true);
      });
    }
    model_.thresholds.assign(thresholds_.begin(), thresholds_.end());
    for (const double threshold : model_.thresholds) {
      // Numbers that stand for infinity (1e30) are out of reach on purpose: f16 inputs, say, never get there.
      if (std::fabs(threshold) < 0x1p16) model_.beyond = std::max(model_.beyond, 2 * std::fabs(threshold));
    }
    for (InputFacts& facts : model_.inputs) {
      if (facts.is_bounded && facts.low > facts.high) model_.problem = kEmpty;
      if (facts.domain.kind == Domain::Kind::range && !(facts.domain.low < facts.domain.high)) model_.problem = kEmpty;
      note_values(facts);
    }
    return std::move(model_);
  }

 private:
  /// A constant that holds -inf is a mask; one that holds +inf or NaN is not followed.
  void note_values(InputFacts& facts) {
    for (const double value : facts.variable->values) {
      if (std::isfinite(value)) continue;
      facts.domain.kind = Domain::Kind::masked;
      if (!(value < 0)) model_.problem = concat("the constant ", facts.variable->name, " holds +inf or NaN");
    }
  }

  InputFacts* find(const std::string& name) {
    const auto at = model_.numbers.find(name);
    return at == model_.numbers.end() ? nullptr : &model_.inputs[at->second];
  }

  /// X_{c*C_{a}+rest} keeps within the shape of X only for some values of C.
  void use_as_subscripts(const steptp::Access& access) {
    const auto shape = shapes_.find(access.ref->tensor);
    if (shape == shapes_.end()) return;
    const Ranges box = loop_box(table_.statements[access.statement]);
    for (std::size_t d = 0; d < access.ref->subscripts.size() && d < shape->second.dimensions.size(); ++d) {
      const Index& subscript = access.ref->subscripts[d];
      for (const IndexTerm& term : subscript.terms()) {
        const auto* read = term.factors.size() == 1 ? std::get_if<IndirectRead>(&term.factors[0]) : nullptr;
        if (!read) continue;
        const auto own = Index::multiply(Index::constant(term.coefficient), Index::read(read->ref));
        const auto rest = own ? Index::subtract(subscript, *own) : std::nullopt;
        if (!rest || reads_tensor(*rest) || is_asked(access, read->ref->tensor)) continue;
        const Interval others = range_of(*rest, box);
        bound(read->ref->tensor, term.coefficient, others, shape->second.dimensions[d]);
      }
    }
  }

  /// A read under a condition on its own index, if_then_else(0<=C_{a}<4,X_{C_{a}},0), asks nothing of C.
  static bool is_asked(const steptp::Access& access, const std::string& name) {
    return std::any_of(access.conditions.begin(), access.conditions.end(), [&](const PathCondition& path) {
      bool found = false;
      for_each_ref(*path.condition, [&](const RefPtr& ref) { found = found || ref->tensor == name; });
      return found;
    });
  }

  void bound(const std::string& name, std::int64_t coefficient, const Interval& others, std::int64_t size) {
    InputFacts* facts = find(name);
    constexpr Wide kTooFar = static_cast<Wide>(1) << 60;
    if (!facts || others.low < -kTooFar || others.high > kTooFar) return;
    const auto least = static_cast<std::int64_t>(-others.low);
    const auto greatest = static_cast<std::int64_t>(static_cast<Wide>(size) - 1 - others.high);
    std::int64_t low = coefficient > 0 ? -floor_quotient(-least, coefficient) : -floor_quotient(-greatest, coefficient);
    std::int64_t high = coefficient > 0 ? floor_quotient(greatest, coefficient) : floor_quotient(least, coefficient);
    if (low > high) {
      // Loops and data together must be in range; a single value that always fits does not exist. Guards may help.
      low = 0;
      high = size - 1;
    }
    if (facts->domain.kind == Domain::Kind::range) return;  // stated, and the static checks have used it
    if (!facts->is_bounded) {
      facts->is_bounded = true;
      facts->low = low;
      facts->high = high;
    } else {
      facts->low = std::max(facts->low, low);
      facts->high = std::min(facts->high, high);
    }
    model_.assumes.push_back(concat(name, " lies in [", facts->low, ",", facts->high + 1, "), used as an index"));
  }

  void assume(const std::string& name, Domain::Kind kind, std::string_view why) {
    InputFacts* facts = find(name);
    if (!facts || !facts->variable->values.empty()) return;
    const bool weaker = facts->domain.kind == Domain::Kind::unstated ||
                        (facts->domain.kind == Domain::Kind::nonzero && kind == Domain::Kind::positive &&
                         facts->variable->domain.kind == Domain::Kind::unstated);
    if (!weaker) return;
    facts->domain.kind = kind;
    model_.assumes.push_back(concat(name, kind == Domain::Kind::positive ? " is positive, " : " is not zero, ", why));
  }

  /// The inputs of which an argument is made by + and * alone: all positive makes it positive.
  void assume_all(const Expr& argument, Domain::Kind kind, std::string_view why) {
    if (const auto* read = std::get_if<Read>(&argument.node)) return assume(read->ref->tensor, kind, why);
    if (const auto* sum = std::get_if<Sum>(&argument.node)) {
      if (std::all_of(sum->operators.begin(), sum->operators.end(),
                      [](ArithmeticOp op) { return op == ArithmeticOp::add; })) {
        for (const ExprPtr& operand : sum->operands) assume_all(*operand, kind, why);
      }
    }
  }

  void look_at(const Expr& expr) {
    if (const auto* call = std::get_if<Call>(&expr.node)) {
      const bool log = call->function == Function::log;
      const bool root = call->function == Function::sqrt || call->function == Function::rsqrt;
      if (log || root) assume_all(*call->argument, Domain::Kind::positive, log ? "argument of log" : "under a root");
    }
    if (const auto* power = std::get_if<Power>(&expr.node)) {
      const auto* literal = std::get_if<Literal>(&power->exponent->node);
      if (!literal || !literal->is_integer) assume_all(*power->base, Domain::Kind::positive, "base of a real power");
    }
    if (const auto* product = std::get_if<Product>(&expr.node)) {
      for (std::size_t i = 0; i < product->operators.size(); ++i) {
        if (product->operators[i] == ArithmeticOp::multiply) continue;
        const auto* read = std::get_if<Read>(&product->operands[i + 1]->node);
        if (read) assume(read->ref->tensor, Domain::Kind::nonzero, "a divisor");
      }
    }
    if (const auto* select = std::get_if<Select>(&expr.node)) {
      // What is evaluated only sometimes asks nothing of the inputs the rest of the time.
      return look_at(*select->condition);
    }
    for (const ExprPtr* child : children(expr)) look_at(**child);
  }

  /// A number with its sign, as written.
  static std::optional<double> literal_value(const Expr& expr) {
    if (const auto* literal = std::get_if<Literal>(&expr.node)) return literal->real;
    const auto* call = std::get_if<Call>(&expr.node);
    if (!call || call->function != Function::negate) return std::nullopt;
    const auto inner = literal_value(*call->argument);
    return inner ? std::optional(-*inner) : std::nullopt;
  }

  /// A divisor x-c is zero at c, and x+c at -c.
  void find_poles(const Expr& divisor) {
    const auto* sum = std::get_if<Sum>(&divisor.node);
    if (!sum) return;
    for (const ExprPtr& operand : sum->operands) {
      const auto value = literal_value(*operand);
      if (value) thresholds_.insert({*value, -*value});
    }
  }

  void find_thresholds(const Expr& expr, bool compared) {
    if (const auto value = literal_value(expr); value && compared) thresholds_.insert(*value);
    if (const auto* product = std::get_if<Product>(&expr.node)) {
      for (std::size_t i = 0; i < product->operators.size(); ++i) {
        if (product->operators[i] == ArithmeticOp::divide) find_poles(*product->operands[i + 1]);
      }
    }
    const bool compares = std::holds_alternative<Compare>(expr.node) || std::holds_alternative<Extremum>(expr.node) ||
                          std::holds_alternative<Select>(expr.node);
    for (const ExprPtr* child : children(expr)) find_thresholds(**child, compares || (compared && literal_value(expr)));
  }

  const Program& before_;
  const Program& after_;
  Guesses guesses_;
  InputModel model_;
  AccessTable table_;
  std::map<std::string, InferredShape> shapes_;
  std::set<double> thresholds_;
};

}  // namespace

InputModel model_inputs(const Program& before, const Program& after, Guesses guesses) {
  return Modeller(before, after, guesses).run();
}

}  // namespace steptp::certify
