// Intervals of integers, as supersets of what a value can be. Sums and products are computed in 128 bits and
// clamped, so that nothing wraps; what is not known is the interval of everything. Integers of tensors wrap in their
// type, so a value that could leave the type of an operand counts as everything too.
#include "steptp/analysis/interval.h"

#include <algorithm>
#include <initializer_list>

namespace steptp {

namespace {

Wide clamp(Wide value) { return std::clamp(value, -kWideLimit, kWideLimit); }

/// Products of clamped values can leave 128 bits; what is that large is clamped anyway.
Wide product(Wide a, Wide b) {
  Wide result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return (a < 0) == (b < 0) ? kWideLimit : -kWideLimit;
  return clamp(result);
}

Wide floor_divide(Wide a, Wide b) {
  const Wide quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

Interval from_candidates(std::initializer_list<Wide> values) { return {std::min(values), std::max(values)}; }

Truth both(Truth a, Truth b) {
  if (a == Truth::no || b == Truth::no) return Truth::no;
  return a == Truth::yes && b == Truth::yes ? Truth::yes : Truth::maybe;
}

Truth either(Truth a, Truth b) { return !both(!a, !b); }

Truth less(const Interval& a, const Interval& b) {
  if (a.high < b.low) return Truth::yes;
  return a.low >= b.high ? Truth::no : Truth::maybe;
}

Truth equal_values(const Interval& a, const Interval& b) {
  if (a.is_point() && a == b) return Truth::yes;
  return a.high < b.low || b.high < a.low ? Truth::no : Truth::maybe;
}

Truth compare_intervals(CompareOp op, const Interval& a, const Interval& b) {
  switch (op) {
    case CompareOp::less: return less(a, b);
    case CompareOp::less_equal: return !less(b, a);
    case CompareOp::greater: return less(b, a);
    case CompareOp::greater_equal: return !less(a, b);
    case CompareOp::equal: return equal_values(a, b);
    case CompareOp::not_equal: return !equal_values(a, b);
  }
  return Truth::maybe;
}

Interval atom_range(const IndexAtom& atom, const Ranges& ranges) {
  struct Visitor {
    const Ranges& ranges;
    Interval operator()(const LoopVariable& variable) const {
      const auto known = ranges.variables.find(variable.name);
      return known == ranges.variables.end() ? Interval::everything() : known->second;
    }
    Interval operator()(const FloorQuotient& node) const {
      return floor_quotient(range_of(*node.dividend, ranges), range_of(*node.divisor, ranges));
    }
    Interval operator()(const FloorRemainder& node) const {
      return floor_remainder(range_of(*node.dividend, ranges), range_of(*node.divisor, ranges));
    }
    Interval operator()(const IndirectRead& node) const {
      const auto known = ranges.tensors.find(node.ref->tensor);
      if (known != ranges.tensors.end()) return known->second;
      const DTypeInfo& facts = info(node.ref->dtype);
      return {facts.least, facts.greatest};
    }
  };
  return std::visit(Visitor{ranges}, atom);
}

}  // namespace

Interval operator+(const Interval& a, const Interval& b) { return {clamp(a.low + b.low), clamp(a.high + b.high)}; }
Interval operator-(const Interval& a, const Interval& b) { return {clamp(a.low - b.high), clamp(a.high - b.low)}; }
Interval operator*(const Interval& a, const Interval& b) {
  return from_candidates(
      {product(a.low, b.low), product(a.low, b.high), product(a.high, b.low), product(a.high, b.high)});
}

Interval floor_quotient(const Interval& a, const Interval& b) {
  if (b.low <= 0 && b.high >= 0) return Interval::everything();
  return from_candidates({floor_divide(a.low, b.low), floor_divide(a.low, b.high), floor_divide(a.high, b.low),
                          floor_divide(a.high, b.high)});
}

Interval floor_remainder(const Interval& a, const Interval& b) {
  if (b.low <= 0 && b.high >= 0) return Interval::everything();
  if (b.is_point() && floor_divide(a.low, b.low) == floor_divide(a.high, b.low)) {
    const Wide base = product(floor_divide(a.low, b.low), b.low);
    return {a.low - base, a.high - base};  // one period: the remainder moves with the dividend
  }
  if (b.low > 0) return {0, a.low >= 0 ? std::min(b.high - 1, a.high) : b.high - 1};
  return {b.low + 1, 0};
}

Interval hull(const Interval& a, const Interval& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

Truth operator!(Truth truth) {
  switch (truth) {
    case Truth::no: return Truth::yes;
    case Truth::yes: return Truth::no;
    case Truth::maybe: return Truth::maybe;
  }
  return Truth::maybe;
}

Interval range_of(const Index& index, const Ranges& ranges) {
  Interval sum{index.constant_term(), index.constant_term()};
  for (const IndexTerm& term : index.terms()) {
    Interval value{term.coefficient, term.coefficient};
    for (const IndexAtom& factor : term.factors) value = value * atom_range(factor, ranges);
    sum = sum + value;
  }
  return sum;
}

Truth truth_of(const Expr& condition, const Ranges& ranges) {
  if (const auto* compare = std::get_if<Compare>(&condition.node)) {
    Truth truth = Truth::yes;
    for (std::size_t i = 0; i < compare->operators.size(); ++i) {
      truth = both(truth, compare_intervals(compare->operators[i], value_range(*compare->operands[i], ranges),
                                            value_range(*compare->operands[i + 1], ranges)));
    }
    return truth;
  }
  if (const auto* logic = std::get_if<Logic>(&condition.node)) {
    const bool conjunction = logic->op == LogicOp::conjunction;
    Truth truth = conjunction ? Truth::yes : Truth::no;
    for (const ExprPtr& operand : logic->operands) {
      const Truth value = truth_of(*operand, ranges);
      truth = conjunction ? both(truth, value) : either(truth, value);
    }
    return truth;
  }
  return compare_intervals(CompareOp::not_equal, value_range(condition, ranges), {0, 0});
}

namespace {

bool is_everything(const Interval& interval) { return interval == Interval::everything(); }

/// The value if it fits the integer types that take part, so that nothing wrapped on the way; everything otherwise.
Interval unwrapped(const Interval& value, const Interval& type) {
  return type.contains(value) ? value : Interval::everything();
}

/// The narrowest integer type among the tensors read: operands of an operation are at least that wide.
Interval narrowest_type(const Expr& expr) {
  Interval type{info(DType::i64).least, info(DType::i64).greatest};
  for_each_ref(expr, [&type](const RefPtr& ref) {
    const DTypeInfo& facts = info(ref->dtype);
    if (facts.family != DTypeFamily::integer) return;
    type.low = std::max<Wide>(type.low, facts.least);
    type.high = std::min<Wide>(type.high, facts.greatest);
  });
  return type;
}

/// Everything stands for "not known, perhaps NaN" and passes through every operation but max and min, which drop a
/// NaN. Each step is checked against the types that take part, since integers wrap.
struct ValueRange {
  const Ranges& ranges;
  const Expr& whole;
  Interval operator()(const Literal& literal) const {
    return literal.is_integer ? Interval{literal.integer, literal.integer} : Interval::everything();
  }
  Interval operator()(const IndexValue& value) const {
    const auto known = ranges.variables.find(value.index);
    return known == ranges.variables.end() ? Interval::everything() : known->second;
  }
  Interval operator()(const Read& read) const {
    if (is_float(read.ref->dtype)) return Interval::everything();
    const auto known = ranges.tensors.find(read.ref->tensor);
    const DTypeInfo& facts = info(read.ref->dtype);
    return known == ranges.tensors.end() ? Interval{facts.least, facts.greatest} : known->second;
  }
  Interval operator()(const Sum& sum) const { return fold(sum.operands, sum.operators); }
  Interval operator()(const Product& product) const { return fold(product.operands, product.operators); }
  Interval operator()(const Extremum& extremum) const {
    const Interval a = value_range(*extremum.left, ranges);
    const Interval b = value_range(*extremum.right, ranges);
    if (extremum.is_max) return {std::max(a.low, b.low), std::max(a.high, b.high)};
    return {std::min(a.low, b.low), std::min(a.high, b.high)};
  }
  Interval operator()(const Call& call) const {
    const Interval a = value_range(*call.argument, ranges);
    if (is_everything(a)) return a;
    const Interval negated = unwrapped(Interval{0, 0} - a, narrowest_type(whole));
    if (call.function == Function::negate) return negated;
    if (call.function != Function::abs || is_everything(negated)) return Interval::everything();
    if (a.low >= 0) return a;
    return a.high <= 0 ? negated : Interval{0, std::max(-a.low, a.high)};
  }
  Interval operator()(const Select& select) const {
    switch (truth_of(*select.condition, ranges)) {
      case Truth::yes: return value_range(*select.if_true, ranges);
      case Truth::no: return value_range(*select.if_false, ranges);
      case Truth::maybe: break;
    }
    return hull(value_range(*select.if_true, ranges), value_range(*select.if_false, ranges));
  }
  Interval operator()(const Compare&) const { return {0, 1}; }
  Interval operator()(const Logic&) const { return {0, 1}; }
  Interval operator()(const Infinity&) const { return Interval::everything(); }
  Interval operator()(const Power&) const { return Interval::everything(); }

  [[nodiscard]] Interval fold(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators) const {
    const Interval type = narrowest_type(whole);
    Interval value = value_range(*operands[0], ranges);
    for (std::size_t i = 0; i < operators.size(); ++i) {
      const Interval right = value_range(*operands[i + 1], ranges);
      if (is_everything(value) || is_everything(right)) return Interval::everything();
      switch (operators[i]) {
        case ArithmeticOp::add: value = value + right; break;
        case ArithmeticOp::subtract: value = value - right; break;
        case ArithmeticOp::multiply: value = value * right; break;
        case ArithmeticOp::floor_divide: value = floor_quotient(value, right); break;
        case ArithmeticOp::modulo: value = floor_remainder(value, right); break;
        case ArithmeticOp::divide:
        case ArithmeticOp::power:
        case ArithmeticOp::max:
        case ArithmeticOp::min: return Interval::everything();
      }
      value = unwrapped(value, type);
    }
    return value;
  }
};

}  // namespace

Interval value_range(const Expr& expr, const Ranges& ranges) { return std::visit(ValueRange{ranges, expr}, expr.node); }

bool is_index_condition(const Expr& condition) {
  if (std::holds_alternative<Compare>(condition.node) || std::holds_alternative<Logic>(condition.node)) {
    const auto parts = children(condition);
    return std::all_of(parts.begin(), parts.end(), [&condition](const ExprPtr* part) {
      return std::holds_alternative<Logic>(condition.node) ? is_index_condition(**part) : to_index(**part).has_value();
    });
  }
  return to_index(condition).has_value();
}

bool reads_tensor(const Index& index) {
  bool found = false;
  for_each_read(index, [&found](const RefPtr&) { found = true; });
  return found;
}

}  // namespace steptp
