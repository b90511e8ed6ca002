#include "steptp/estimate/condition_share.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "steptp/estimate/element_offset.h"

namespace steptp::estimation {

namespace {

using lowering::Value;

constexpr int kSamples = 48;

/// A condition with its indices made ready to be evaluated at many iterations.
struct Prepared {
  const Value* value = nullptr;
  ElementOffset index;
  std::vector<Prepared> operands;
};

Prepared prepare(const Value& value, const std::vector<const Loop*>& loops) {
  Prepared out;
  out.value = &value;
  if (value.kind == Value::Kind::index) out.index = ElementOffset(value.index, loops);
  for (const lowering::ValuePtr& operand : value.operands) out.operands.push_back(prepare(*operand, loops));
  return out;
}

bool holds(CompareOp op, double a, double b) {
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

/// Nothing where data, or an operation that conditions on indices seldom have, decides.
std::optional<double> number(const Prepared& prepared, const std::vector<std::int64_t>& point);

std::optional<double> arithmetic(const Prepared& prepared, const std::vector<std::int64_t>& point) {
  const auto a = number(prepared.operands[0], point);
  const auto b = number(prepared.operands[1], point);
  if (!a || !b) return std::nullopt;
  switch (prepared.value->op) {
    case ArithmeticOp::add: return *a + *b;
    case ArithmeticOp::subtract: return *a - *b;
    case ArithmeticOp::multiply: return *a * *b;
    case ArithmeticOp::floor_divide: return *b == 0 ? std::optional<double>() : std::floor(*a / *b);
    case ArithmeticOp::modulo: return *b == 0 ? std::optional<double>() : *a - *b * std::floor(*a / *b);
    case ArithmeticOp::max: return std::max(*a, *b);
    case ArithmeticOp::min: return std::min(*a, *b);
    case ArithmeticOp::divide:
    case ArithmeticOp::power: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<double> logic(const Prepared& prepared, const std::vector<std::int64_t>& point) {
  bool is_open = false;
  const bool all = prepared.value->logic == LogicOp::conjunction;
  for (const Prepared& operand : prepared.operands) {
    const auto one = number(operand, point);
    if (!one) {
      is_open = true;
    } else if ((*one != 0) != all) {
      return all ? 0 : 1;
    }
  }
  if (is_open) return std::nullopt;
  return all ? 1 : 0;
}

std::optional<double> number(const Prepared& prepared, const std::vector<std::int64_t>& point) {
  const Value& value = *prepared.value;
  switch (value.kind) {
    case Value::Kind::integer: return static_cast<double>(value.integer);
    case Value::Kind::real: return value.real;
    case Value::Kind::index: return static_cast<double>(prepared.index.at(point));
    case Value::Kind::convert: return number(prepared.operands[0], point);
    case Value::Kind::arithmetic: return arithmetic(prepared, point);
    case Value::Kind::compare: {
      const auto a = number(prepared.operands[0], point);
      const auto b = number(prepared.operands[1], point);
      if (!a || !b) return std::nullopt;
      return holds(value.comparison, *a, *b) ? 1 : 0;
    }
    case Value::Kind::logic: return logic(prepared, point);
    case Value::Kind::load:
    case Value::Kind::integer_power:
    case Value::Kind::function:
    case Value::Kind::select: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

double share_of(const lowering::Value& condition, const std::vector<const Loop*>& loops) {
  constexpr double kGolden = 0.6180339887498949;
  const Prepared prepared = prepare(condition, loops);
  std::vector<std::int64_t> point(loops.size(), 0);
  double sum = 0;
  for (int sample = 0; sample < kSamples; ++sample) {
    for (std::size_t i = 0; i < loops.size(); ++i) {
      // Multiples of different irrational steps fill the box evenly.
      const double at = (sample + 0.5) * std::sqrt(static_cast<double>(2 * i) + kGolden);
      point[i] = static_cast<std::int64_t>((at - std::floor(at)) * static_cast<double>(loops[i]->extent));
    }
    sum += number(prepared, point).value_or(0.5);
  }
  return sum / kSamples;
}

}  // namespace steptp::estimation
