#include "replay/index_condition.h"

#include <algorithm>

namespace steptp::replayer {

namespace {

Wide floor_of(Wide a, Wide b) {
  const Wide quotient = a / b;
  return quotient - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

/// Beyond this nothing is computed: the rounds of programs are far from it.
constexpr Wide kMost = Wide{1} << 62;

Wide held(Wide value) {
  if (value > kMost || value < -kMost) throw Undecided{"an index beyond 62 bits"};
  return value;
}

}  // namespace

std::optional<IndexCondition> IndexCondition::of(const Expr& condition, const SlotOf& slot_of) {
  IndexCondition out;
  try {
    out.add(condition, slot_of);
  } catch (const Undecided&) {
    return std::nullopt;
  }
  return out;
}

Wide IndexCondition::value(std::size_t at, const Iteration& round) const {
  const Node& node = nodes_[at];
  const auto left = [&] { return value(node.left, round); };
  const auto right = [&] { return value(node.right, round); };
  switch (node.kind) {
    case Kind::number: return node.number;
    case Kind::slot: return round[static_cast<std::size_t>(node.number)];
    case Kind::add: return held(left() + right());
    case Kind::subtract: return held(left() - right());
    case Kind::multiply: return held(left() * right());
    case Kind::quotient:
    case Kind::remainder: {
      const Wide divisor = right();
      if (divisor == 0) throw Undecided{"an index divided by zero"};
      const Wide dividend = left();
      const Wide quotient = floor_of(dividend, divisor);
      return node.kind == Kind::quotient ? quotient : dividend - quotient * divisor;
    }
    case Kind::least: return std::min(left(), right());
    case Kind::greatest: return std::max(left(), right());
    case Kind::magnitude: {
      const Wide of = left();
      return of < 0 ? -of : of;
    }
    case Kind::less: return left() < right() ? 1 : 0;
    case Kind::less_equal: return left() <= right() ? 1 : 0;
    case Kind::equal: return left() == right() ? 1 : 0;
    case Kind::conjunction: return left() != 0 && right() != 0 ? 1 : 0;
    case Kind::disjunction: return left() != 0 || right() != 0 ? 1 : 0;
    case Kind::negation: return left() == 0 ? 1 : 0;
  }
  return 0;
}

std::size_t IndexCondition::push(Kind kind, std::size_t left, std::size_t right, std::int64_t number) {
  nodes_.push_back({kind, number, left, right});
  return nodes_.size() - 1;
}

std::size_t IndexCondition::add(const Expr& expr, const SlotOf& slot_of) {
  if (const auto* literal = std::get_if<Literal>(&expr.node); literal && literal->is_integer)
    return push(Kind::number, 0, 0, literal->integer);
  if (const auto* index = std::get_if<IndexValue>(&expr.node))
    return push(Kind::slot, 0, 0, static_cast<std::int64_t>(slot_of(index->index)));
  if (const auto* sum = std::get_if<Sum>(&expr.node)) return add_chain(sum->operands, sum->operators, slot_of);
  if (const auto* product = std::get_if<Product>(&expr.node))
    return add_chain(product->operands, product->operators, slot_of);
  if (const auto* extremum = std::get_if<Extremum>(&expr.node)) {
    const std::size_t left = add(*extremum->left, slot_of);
    return push(extremum->is_max ? Kind::greatest : Kind::least, left, add(*extremum->right, slot_of));
  }
  if (const auto* call = std::get_if<Call>(&expr.node)) {
    const std::size_t of = add(*call->argument, slot_of);
    if (call->function == Function::abs) return push(Kind::magnitude, of);
    if (call->function == Function::negate) return push(Kind::subtract, push(Kind::number), of);
  }
  if (const auto* compare = std::get_if<Compare>(&expr.node)) return add_comparison(*compare, slot_of);
  if (const auto* logic = std::get_if<Logic>(&expr.node)) {
    const Kind kind = logic->op == LogicOp::disjunction ? Kind::disjunction : Kind::conjunction;
    std::size_t all = add(*logic->operands[0], slot_of);
    for (std::size_t i = 1; i < logic->operands.size(); ++i) {
      const std::size_t next = add(*logic->operands[i], slot_of);
      all = push(kind, all, next);
    }
    return all;
  }
  throw Undecided{"no condition on indices alone"};
}

std::size_t IndexCondition::add_chain(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators,
                                      const SlotOf& slot_of) {
  std::size_t result = add(*operands[0], slot_of);
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const std::size_t next = add(*operands[i + 1], slot_of);
    switch (operators[i]) {
      case ArithmeticOp::add: result = push(Kind::add, result, next); break;
      case ArithmeticOp::subtract: result = push(Kind::subtract, result, next); break;
      case ArithmeticOp::multiply: result = push(Kind::multiply, result, next); break;
      case ArithmeticOp::floor_divide: result = push(Kind::quotient, result, next); break;
      case ArithmeticOp::modulo: result = push(Kind::remainder, result, next); break;
      default: throw Undecided{"no operation of indices"};
    }
  }
  return result;
}

std::size_t IndexCondition::add_comparison(const Compare& compare, const SlotOf& slot_of) {
  std::vector<std::size_t> sides;
  for (const ExprPtr& operand : compare.operands) sides.push_back(add(*operand, slot_of));
  std::optional<std::size_t> all;
  for (std::size_t i = 0; i < compare.operators.size(); ++i) {
    std::size_t one = 0;
    switch (compare.operators[i]) {
      case CompareOp::less: one = push(Kind::less, sides[i], sides[i + 1]); break;
      case CompareOp::less_equal: one = push(Kind::less_equal, sides[i], sides[i + 1]); break;
      case CompareOp::greater: one = push(Kind::less, sides[i + 1], sides[i]); break;
      case CompareOp::greater_equal: one = push(Kind::less_equal, sides[i + 1], sides[i]); break;
      case CompareOp::equal: one = push(Kind::equal, sides[i], sides[i + 1]); break;
      case CompareOp::not_equal: one = push(Kind::negation, push(Kind::equal, sides[i], sides[i + 1])); break;
    }
    all = all ? push(Kind::conjunction, *all, one) : one;
  }
  return *all;
}

}  // namespace steptp::replayer
