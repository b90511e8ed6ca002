#include "steptp/reasoning/guarded_rounds.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <variant>

namespace steptp {

namespace {

using Count = std::optional<std::int64_t>;
using Point = std::map<std::string, std::int64_t>;

constexpr std::int64_t kMostPoints = 1 << 16;

/// Values are small: indices of a few loops and numbers beside them. What does not fit is no answer.
Count arithmetic(ArithmeticOp op, std::int64_t left, std::int64_t right) {
  std::int64_t out = 0;
  switch (op) {
    case ArithmeticOp::add: return __builtin_add_overflow(left, right, &out) ? Count() : out;
    case ArithmeticOp::subtract: return __builtin_sub_overflow(left, right, &out) ? Count() : out;
    case ArithmeticOp::multiply: return __builtin_mul_overflow(left, right, &out) ? Count() : out;
    case ArithmeticOp::floor_divide:
    case ArithmeticOp::modulo: {
      if (right <= 0) return std::nullopt;
      const std::int64_t rest = (left % right + right) % right;
      return op == ArithmeticOp::modulo ? rest : (left - rest) / right;
    }
    default: return std::nullopt;
  }
}

bool compares(CompareOp op, std::int64_t left, std::int64_t right) {
  switch (op) {
    case CompareOp::less: return left < right;
    case CompareOp::less_equal: return left <= right;
    case CompareOp::greater: return left > right;
    case CompareOp::greater_equal: return left >= right;
    case CompareOp::equal: return left == right;
    case CompareOp::not_equal: return left != right;
  }
  return false;
}

/// A condition is 1 where it holds and 0 where not.
Count value_at(const Expr& expr, const Point& point);

template <class Chain>
Count fold(const Chain& chain, const Point& point) {
  Count out = value_at(*chain.operands[0], point);
  for (std::size_t i = 0; i < chain.operators.size() && out; ++i) {
    const Count next = value_at(*chain.operands[i + 1], point);
    out = next ? arithmetic(chain.operators[i], *out, *next) : std::nullopt;
  }
  return out;
}

struct ValueAt {
  const Point& point;

  Count operator()(const Literal& node) const { return node.is_integer ? Count(node.integer) : std::nullopt; }
  Count operator()(const IndexValue& node) const {
    const auto found = point.find(node.index);
    return found == point.end() ? std::nullopt : Count(found->second);
  }
  Count operator()(const Sum& node) const { return fold(node, point); }
  Count operator()(const Product& node) const { return fold(node, point); }
  Count operator()(const Compare& node) const {
    bool holds = true;
    Count left = value_at(*node.operands[0], point);
    for (std::size_t i = 0; i < node.operators.size(); ++i) {
      const Count right = value_at(*node.operands[i + 1], point);
      if (!left || !right) return std::nullopt;
      holds = holds && compares(node.operators[i], *left, *right);
      left = right;
    }
    return holds ? 1 : 0;
  }
  Count operator()(const Logic& node) const {
    const bool is_all = node.op == LogicOp::conjunction;
    bool holds = is_all;
    for (const ExprPtr& operand : node.operands) {
      const Count one = value_at(*operand, point);
      if (!one) return std::nullopt;
      holds = is_all ? holds && *one != 0 : holds || *one != 0;
    }
    return holds ? 1 : 0;
  }
  Count operator()(const Call& node) const {
    const Count inner = node.function == Function::negate ? value_at(*node.argument, point) : std::nullopt;
    return inner ? arithmetic(ArithmeticOp::subtract, 0, *inner) : std::nullopt;
  }
  template <class Other>
  Count operator()(const Other& /*other*/) const {
    return std::nullopt;
  }
};

Count value_at(const Expr& expr, const Point& point) { return std::visit(ValueAt{point}, expr.node); }

/// Whether all guards hold there; nothing where that is not seen.
Count passes(const std::vector<ExprPtr>& guards, const Point& point) {
  std::int64_t holds = 1;
  for (const ExprPtr& guard : guards) {
    const Count one = value_at(*guard, point);
    if (!one) return std::nullopt;
    holds = holds != 0 && *one != 0 ? 1 : 0;
  }
  return holds;
}

Count count_points(const std::vector<const Loop*>& asked, const std::vector<ExprPtr>& guards) {
  Point point;
  for (const Loop* loop : asked) point[loop->index] = 0;
  std::int64_t passing = 0;
  while (true) {
    const Count one = passes(guards, point);
    if (!one) return std::nullopt;
    passing += *one;
    std::size_t digit = 0;
    while (digit < asked.size() && ++point[asked[digit]->index] == asked[digit]->extent) {
      point[asked[digit++]->index] = 0;
    }
    if (digit == asked.size()) return passing;
  }
}

}  // namespace

Count iterations_that_pass(const std::vector<const Loop*>& loops, const std::vector<ExprPtr>& guards) {
  std::set<std::string> mentioned;
  for (const ExprPtr& guard : guards) {
    for_each_variable(*guard, [&](const std::string& index) { mentioned.insert(index); });
  }
  std::vector<const Loop*> asked;
  std::int64_t others = 1;
  std::int64_t points = 1;
  for (const Loop* loop : loops) {
    const bool is_asked = mentioned.contains(loop->index);
    if (is_asked) asked.push_back(loop);
    if (loop->extent < 1) return 0;
    if (__builtin_mul_overflow(is_asked ? points : others, loop->extent, is_asked ? &points : &others)) {
      return std::nullopt;
    }
    if (points > kMostPoints) return std::nullopt;
  }
  const Count passing = count_points(asked, guards);
  std::int64_t out = 0;
  if (!passing || __builtin_mul_overflow(*passing, others, &out)) return std::nullopt;
  return out;
}

}  // namespace steptp
