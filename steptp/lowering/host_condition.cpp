#include "steptp/lowering/host_condition.h"

#include <stdexcept>

namespace steptp::lowering {

namespace {

std::int64_t number(const Value& value, const std::map<std::string, std::int64_t>& point);

std::int64_t number(const Index& index, const std::map<std::string, std::int64_t>& point) {
  std::int64_t sum = index.constant_term();
  for (const IndexTerm& term : index.terms()) {
    std::int64_t product = term.coefficient;
    for (const IndexAtom& factor : term.factors) {
      if (const auto* variable = std::get_if<LoopVariable>(&factor)) {
        product *= point.at(variable->name);
      } else if (const auto* quotient = std::get_if<FloorQuotient>(&factor)) {
        product *= floor_quotient(number(*quotient->dividend, point), number(*quotient->divisor, point));
      } else if (const auto* remainder = std::get_if<FloorRemainder>(&factor)) {
        product *= floor_remainder(number(*remainder->dividend, point), number(*remainder->divisor, point));
      } else {
        throw std::logic_error("a guard reads a tensor");
      }
    }
    sum += product;
  }
  return sum;
}

bool compared(CompareOp op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case CompareOp::less: return a < b;
    case CompareOp::less_equal: return a <= b;
    case CompareOp::greater: return a > b;
    case CompareOp::greater_equal: return a >= b;
    case CompareOp::equal: return a == b;
    case CompareOp::not_equal: return a != b;
  }
  return false;
}

std::int64_t arithmetic(ArithmeticOp op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case ArithmeticOp::add: return a + b;
    case ArithmeticOp::subtract: return a - b;
    case ArithmeticOp::multiply: return a * b;
    case ArithmeticOp::floor_divide: return floor_quotient(a, b);
    case ArithmeticOp::modulo: return floor_remainder(a, b);
    case ArithmeticOp::max: return a > b ? a : b;
    case ArithmeticOp::min: return a < b ? a : b;
    case ArithmeticOp::divide:
    case ArithmeticOp::power: break;
  }
  throw std::logic_error("a guard computes with reals");
}

std::int64_t number(const Value& value, const std::map<std::string, std::int64_t>& point) {
  switch (value.kind) {
    case Value::Kind::integer: return value.integer;
    case Value::Kind::index: return number(value.index, point);
    case Value::Kind::arithmetic:
      return arithmetic(value.op, number(*value.operands[0], point), number(*value.operands[1], point));
    case Value::Kind::convert: {
      const std::int64_t operand = number(*value.operands[0], point);
      return value.dtype == DType::boolean ? (operand != 0 ? 1 : 0) : operand;
    }
    case Value::Kind::function:
      if (value.function != Function::negate) break;
      return -number(*value.operands[0], point);
    case Value::Kind::compare:
      return compared(value.comparison, number(*value.operands[0], point), number(*value.operands[1], point)) ? 1 : 0;
    case Value::Kind::logic: {
      const bool all = value.logic == LogicOp::conjunction;
      for (const ValuePtr& operand : value.operands) {
        if ((number(*operand, point) != 0) != all) return all ? 0 : 1;
      }
      return all ? 1 : 0;
    }
    case Value::Kind::real:
    case Value::Kind::load:
    case Value::Kind::integer_power:
    case Value::Kind::select: break;
  }
  throw std::logic_error("a guard computes with more than indices");
}

}  // namespace

bool holds(const Value& condition, const std::map<std::string, std::int64_t>& point) {
  return number(condition, point) != 0;
}

}  // namespace steptp::lowering
