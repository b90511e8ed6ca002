// Facts of expressions: operations by their rules, reads by their tensors, narrowed by the conditions on the way.
#include <algorithm>
#include <cmath>
#include <optional>

#include "steptp/algebra/fact_rules.h"
#include "steptp/structure/types.h"

namespace steptp::algebra {

namespace {

/// What a comparison with a number says about its other side.
struct Bound {
  ExprPtr subject;
  double low = -kUnbounded;
  double high = kUnbounded;
  bool nonzero = false;
};

std::optional<double> number_of(const ExprPtr& expr) {
  if (const auto* literal = std::get_if<Literal>(&expr->node)) return literal->real;
  const auto* call = std::get_if<Call>(&expr->node);
  if (!call || call->function != Function::negate) return std::nullopt;
  const auto inner = number_of(call->argument);
  return inner ? std::optional(-*inner) : std::nullopt;
}

CompareOp mirrored(CompareOp op) {
  switch (op) {
    case CompareOp::less: return CompareOp::greater;
    case CompareOp::less_equal: return CompareOp::greater_equal;
    case CompareOp::greater: return CompareOp::less;
    case CompareOp::greater_equal: return CompareOp::less_equal;
    case CompareOp::equal:
    case CompareOp::not_equal: break;
  }
  return op;
}

CompareOp opposite(CompareOp op) {
  switch (op) {
    case CompareOp::less: return CompareOp::greater_equal;
    case CompareOp::less_equal: return CompareOp::greater;
    case CompareOp::greater: return CompareOp::less_equal;
    case CompareOp::greater_equal: return CompareOp::less;
    case CompareOp::equal: return CompareOp::not_equal;
    case CompareOp::not_equal: return CompareOp::equal;
  }
  return op;
}

Bound bound_of(const ExprPtr& subject, CompareOp op, double number) {
  Bound out{subject};
  switch (op) {
    case CompareOp::less:
    case CompareOp::less_equal:
      out.high = above(number);
      out.nonzero = number < 0 || (number == 0 && op == CompareOp::less);
      break;
    case CompareOp::greater:
    case CompareOp::greater_equal:
      out.low = below(number);
      out.nonzero = number > 0 || (number == 0 && op == CompareOp::greater);
      break;
    case CompareOp::equal:
      out.low = below(number);
      out.high = above(number);
      out.nonzero = number != 0;
      break;
    case CompareOp::not_equal: out.nonzero = number == 0; break;
  }
  return out;
}

/// A literal beside an integer takes its type: -1 is 255 beside u8, and says nothing that its digits say.
bool is_of_its_type(const ExprPtr& subject, double number) {
  const auto type = is_condition(*subject) ? std::nullopt : type_of(*subject);
  if (!type || type->weak || is_float(type->dtype)) return true;
  return number >= static_cast<double>(info(type->dtype).least) &&
         number <= static_cast<double>(info(type->dtype).greatest);
}

/// A conjunction that holds, or a disjunction that fails, says something of each part.
void add_bounds(const ExprPtr& condition, bool holds, std::vector<Bound>& out) {
  if (const auto* logic = std::get_if<Logic>(&condition->node)) {
    if ((logic->op == LogicOp::conjunction) != holds) return;
    for (const ExprPtr& operand : logic->operands) add_bounds(operand, holds, out);
    return;
  }
  const auto* compare = std::get_if<Compare>(&condition->node);
  if (!compare || (!holds && compare->operators.size() > 1)) return;
  for (std::size_t i = 0; i < compare->operators.size(); ++i) {
    const ExprPtr& left = compare->operands[i];
    const ExprPtr& right = compare->operands[i + 1];
    const CompareOp op = holds ? compare->operators[i] : opposite(compare->operators[i]);
    if (const auto number = number_of(right); number && is_of_its_type(left, *number)) {
      out.push_back(bound_of(left, op, *number));
    }
    if (const auto number = number_of(left); number && is_of_its_type(right, *number)) {
      out.push_back(bound_of(right, mirrored(op), *number));
    }
  }
}

class Evaluation {
 public:
  Evaluation(const Facts& facts, const Place& place) : facts_(facts), place_(place) {
    for (const PathCondition& item : place.conditions) add_bounds(item.condition, item.holds, bounds_);
    if (!place.statement) return;
    for (const ExprPtr& guard : place.statement->guards) add_bounds(guard, true, bounds_);
  }

  Fact of(const ExprPtr& expr) {
    if (const auto dtype = wrapping(expr)) return whole_number(*dtype);
    Fact out = std::visit([this](const auto& node) { return value(node); }, expr->node);
    // Conditions narrow what is a number; what may be NaN passes some of them.
    if (!out.finite) return out;
    for (const Bound& bound : bounds_) {
      if (!equal(*bound.subject, *expr)) continue;
      out.low = std::max(out.low, bound.low);
      out.high = std::min(out.high, bound.high);
      out.nonzero = out.nonzero || bound.nonzero;
    }
    return out;
  }

 private:
  /// Arithmetic of integers wraps: nothing but the dtype is known of it.
  [[nodiscard]] std::optional<DType> wrapping(const ExprPtr& expr) const {
    if (!facts_.has_integers() || child_count(*expr) == 0 || is_condition(*expr)) return std::nullopt;
    const auto type = type_of(*expr);
    if (!type || type->weak || is_float(type->dtype)) return std::nullopt;
    return type->dtype;
  }
  static Fact whole_number(DType dtype) {
    Fact out;
    out.finite = true;
    out.low = static_cast<double>(info(dtype).least);
    out.high = static_cast<double>(info(dtype).greatest);
    return out;
  }

  Fact value(const Literal& literal) const { return rule_number(literal.real); }
  Fact value(const Infinity&) const { return {}; }
  Fact value(const IndexValue& index) const {
    Fact out;
    out.finite = true;
    for (const Loop* loop : place_.statement ? place_.statement->loops : std::vector<const Loop*>()) {
      if (loop->index != index.index) continue;
      out.low = 0;
      out.high = static_cast<double>(loop->extent - 1);
    }
    return out;
  }
  Fact value(const Read& read) const { return facts_.of_tensor(read.ref->tensor); }
  Fact value(const Sum& sum) {
    Fact out = of(sum.operands[0]);
    for (std::size_t i = 0; i < sum.operators.size(); ++i) {
      const Fact next = of(sum.operands[i + 1]);
      out = rule_add(out, sum.operators[i] == ArithmeticOp::add ? next : rule_negate(next));
    }
    if (is_below_maximum(sum)) out.high = std::min(out.high, 0.0);
    return begins_with_integers(sum.operands) ? without_bounds(out) : out;
  }
  /// x-y where y is the maximum of elements of which x is one.
  [[nodiscard]] bool is_below_maximum(const Sum& sum) const {
    if (!place_.statement || sum.operands.size() != 2 || sum.operators[0] != ArithmeticOp::subtract) return false;
    const auto* element = std::get_if<Read>(&sum.operands[0]->node);
    const auto* maximum = std::get_if<Read>(&sum.operands[1]->node);
    return element && maximum && facts_.maxima().covers(*place_.statement, *maximum->ref, *element->ref);
  }
  Fact value(const Product& product) {
    // Factors that are the same make a square, which their bounds would not show.
    if (product.operands.size() == 2 && product.operators[0] == ArithmeticOp::multiply &&
        equal(*product.operands[0], *product.operands[1])) {
      return rule_natural_power(of(product.operands[0]), 2);
    }
    Fact out = of(product.operands[0]);
    for (std::size_t i = 0; i < product.operators.size(); ++i) {
      const Fact next = of(product.operands[i + 1]);
      switch (product.operators[i]) {
        case ArithmeticOp::multiply: out = rule_multiply(out, next); break;
        case ArithmeticOp::divide: out = rule_multiply(out, rule_invert(next)); break;
        case ArithmeticOp::modulo:
        case ArithmeticOp::floor_divide: {
          const bool defined = out.finite && next.is_positive();
          const bool remainder = product.operators[i] == ArithmeticOp::modulo;
          Fact whole;
          whole.finite = defined;
          if (remainder || out.low >= 0) whole.low = 0;
          if (remainder) whole.high = next.high;
          whole.large = out.large - std::min(0.0, next.small);
          out = whole;
          break;
        }
        case ArithmeticOp::add:
        case ArithmeticOp::subtract:
        case ArithmeticOp::power:
        case ArithmeticOp::max:
        case ArithmeticOp::min: return {};
      }
    }
    return begins_with_integers(product.operands) ? without_bounds(out) : out;
  }
  /// A chain of floats may begin with integers, which wrap before they meet the first float.
  [[nodiscard]] bool begins_with_integers(const std::vector<ExprPtr>& operands) const {
    if (!facts_.has_integers() || operands.size() < 3) return false;
    return std::any_of(operands.begin(), operands.end(), [](const ExprPtr& operand) {
      const auto type = is_condition(*operand) ? std::nullopt : type_of(*operand);
      return !type || (!type->weak && !is_float(type->dtype));
    });
  }
  static Fact without_bounds(const Fact& fact) {
    Fact out;
    out.finite = fact.finite;
    out.large = fact.large;
    out.small = -kUnbounded;
    return out;
  }
  Fact value(const Power& power) {
    if (const auto exponent = Scalars::natural_exponent(*power.exponent)) {
      return rule_natural_power(of(power.base), *exponent);
    }
    return rule_real_power(of(power.base), of(power.exponent));
  }
  Fact value(const Extremum& extremum) { return rule_extremum(extremum.is_max, of(extremum.left), of(extremum.right)); }
  Fact value(const Call& call) { return rule_call(call.function, of(call.argument)); }
  Fact value(const Select& select) {
    const std::size_t before = bounds_.size();
    add_bounds(select.condition, true, bounds_);
    const Fact if_true = of(select.if_true);
    bounds_.resize(before);
    add_bounds(select.condition, false, bounds_);
    const Fact if_false = of(select.if_false);
    bounds_.resize(before);
    return either(if_true, if_false);
  }
  Fact value(const Compare&) const { return truth(); }
  Fact value(const Logic&) const { return truth(); }
  static Fact truth() {
    Fact out;
    out.finite = true;
    out.low = 0;
    out.high = 1;
    return out;
  }

  const Facts& facts_;
  const Place& place_;
  std::vector<Bound> bounds_;
};

}  // namespace

Fact Facts::of(const ExprPtr& expr, const Place& place) const { return Evaluation(*this, place).of(expr); }

}  // namespace steptp::algebra
