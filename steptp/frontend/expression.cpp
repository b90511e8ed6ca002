#include "steptp/frontend/expression.h"

#include <cmath>
#include <optional>
#include <stdexcept>

namespace steptp::frontend {

namespace {

Subscript checked(std::optional<Index> index) {
  if (!index) throw std::overflow_error("a subscript does not fit in 64 bits");
  return Subscript(std::move(*index));
}

ExprPtr nonnegative(double number) {
  constexpr double kExact = 9007199254740992.0;
  if (std::isinf(number)) return make_expr(Infinity{});
  if (number == std::floor(number) && number < kExact) return integer_literal(static_cast<std::int64_t>(number));
  return real_literal(number);
}

ExprPtr literal(double number) {
  if (std::isnan(number)) throw std::logic_error("a literal cannot be NaN");
  return std::signbit(number) && number != 0 ? make_call(Function::negate, nonnegative(-number))
                                             : nonnegative(std::abs(number));
}

ExprPtr index_expr(const Index& index);

ExprPtr atom_expr(const IndexAtom& atom) {
  if (const auto* variable = std::get_if<LoopVariable>(&atom)) return make_expr(IndexValue{variable->name});
  if (const auto* quotient = std::get_if<FloorQuotient>(&atom)) {
    return make_product(index_expr(*quotient->dividend), ArithmeticOp::floor_divide, index_expr(*quotient->divisor));
  }
  if (const auto* remainder = std::get_if<FloorRemainder>(&atom)) {
    return make_product(index_expr(*remainder->dividend), ArithmeticOp::modulo, index_expr(*remainder->divisor));
  }
  return read_expr(std::get<IndirectRead>(atom).ref);
}

ExprPtr index_expr(const Index& index) {
  ExprPtr out;
  const auto append = [&out](ExprPtr part, bool negative) {
    if (!out)
      out = negative ? make_call(Function::negate, std::move(part)) : std::move(part);
    else
      out = make_sum(std::move(out), negative ? ArithmeticOp::subtract : ArithmeticOp::add, std::move(part));
  };
  for (const IndexTerm& term : index.terms()) {
    ExprPtr product = atom_expr(term.factors.front());
    for (std::size_t at = 1; at < term.factors.size(); ++at) {
      product = make_product(std::move(product), ArithmeticOp::multiply, atom_expr(term.factors[at]));
    }
    const std::int64_t scale = std::abs(term.coefficient);
    if (scale != 1) product = make_product(std::move(product), ArithmeticOp::multiply, integer_literal(scale));
    append(std::move(product), term.coefficient < 0);
  }
  const std::int64_t constant = index.constant_term();
  if (constant != 0 || !out) append(integer_literal(std::abs(constant)), constant < 0);
  return out;
}

Value logic(LogicOp op, const std::vector<Value>& conditions) {
  if (conditions.size() == 1) return conditions.front();
  Logic node{op, {}};
  for (const Value& condition : conditions) node.operands.push_back(condition.expr());
  return Value(make_expr(std::move(node)));
}

}  // namespace

Subscript operator+(const Subscript& left, const Subscript& right) {
  return checked(Index::add(left.index(), right.index()));
}
Subscript operator-(const Subscript& left, const Subscript& right) {
  return checked(Index::subtract(left.index(), right.index()));
}
Subscript operator*(const Subscript& left, const Subscript& right) {
  return checked(Index::multiply(left.index(), right.index()));
}
Subscript operator/(const Subscript& left, std::int64_t right) {
  return right == 1 ? left : checked(Index::floor_divide(left.index(), Index::constant(right)));
}
Subscript operator%(const Subscript& left, std::int64_t right) {
  return right == 1 ? Subscript(0) : checked(Index::modulo(left.index(), Index::constant(right)));
}

Value::Value(std::int64_t number) : expr_(literal(static_cast<double>(number))) {}
Value::Value(double number) : expr_(literal(number)) {}
Value::Value(const Subscript& subscript) : expr_(index_expr(subscript.index())) {}

Value decimal(double number) {
  if (std::isinf(number) || std::signbit(number)) return Value(number);
  return Value(real_literal(number));
}
Value infinity() { return Value(make_expr(Infinity{})); }

Value operator-(const Value& value) { return call(Function::negate, value); }
Value operator+(const Value& left, const Value& right) {
  return Value(make_sum(left.expr(), ArithmeticOp::add, right.expr()));
}
Value operator-(const Value& left, const Value& right) {
  return Value(make_sum(left.expr(), ArithmeticOp::subtract, right.expr()));
}
Value operator*(const Value& left, const Value& right) {
  return Value(make_product(left.expr(), ArithmeticOp::multiply, right.expr()));
}
Value operator/(const Value& left, const Value& right) {
  return Value(make_product(left.expr(), ArithmeticOp::divide, right.expr()));
}
Value operator%(const Value& left, const Value& right) {
  return Value(make_product(left.expr(), ArithmeticOp::modulo, right.expr()));
}
Value floor_divide(const Value& left, const Value& right) {
  return Value(make_product(left.expr(), ArithmeticOp::floor_divide, right.expr()));
}
Value power(const Value& base, const Value& exponent) { return Value(make_expr(Power{base.expr(), exponent.expr()})); }
Value max(const Value& left, const Value& right) { return Value(make_expr(Extremum{true, left.expr(), right.expr()})); }
Value min(const Value& left, const Value& right) {
  return Value(make_expr(Extremum{false, left.expr(), right.expr()}));
}
Value call(Function function, const Value& argument) { return Value(make_call(function, argument.expr())); }

Value compare(CompareOp op, const Value& left, const Value& right) {
  return Value(make_expr(Compare{{left.expr(), right.expr()}, {op}}));
}
Value between(const Value& low, const Value& middle, const Value& high) {
  return Value(make_expr(Compare{{low.expr(), middle.expr(), high.expr()}, {CompareOp::less_equal, CompareOp::less}}));
}
Value all_of(const std::vector<Value>& conditions) { return logic(LogicOp::conjunction, conditions); }
Value any_of(const std::vector<Value>& conditions) { return logic(LogicOp::disjunction, conditions); }
Value select(const Value& condition, const Value& if_true, const Value& if_false) {
  return Value(make_expr(Select{condition.expr(), if_true.expr(), if_false.expr()}));
}

Value tanh(const Value& x) { return Value(1) - Value(2) / (exp(Value(2) * x) + 1); }
Value softplus(const Value& x) { return max(x, 0) + log(Value(1) + exp(-abs(x))); }
Value sigmoid(const Value& x) { return Value(1) / (Value(1) + exp(-x)); }

}  // namespace steptp::frontend
