#include "steptp/strategies/padding.h"

#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/rewrite.h"
#include "steptp/strategies/storage.h"

namespace steptp {

namespace {

/// index - constant, where the expression is that.
struct Shifted {
  std::string variable;
  std::int64_t constant = 0;
};
std::optional<Shifted> shifted(const Expr& expr) {
  const auto index = to_index(expr);
  const auto bare = index ? Index::subtract(*index, Index::constant(index->constant_term())) : std::nullopt;
  if (!bare || !bare->as_variable()) return std::nullopt;
  return Shifted{*bare->as_variable(), index->constant_term()};
}

std::optional<std::int64_t> constant(const Expr& expr) {
  const auto index = to_index(expr);
  if (!index || !index->is_constant()) return std::nullopt;
  return index->constant_term();
}

/// The values of one variable between bounds, both included.
struct Bounds {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// Narrows the bounds by `left op right`, one of which is the variable and the other a number. Numbers are small: they
/// are compared with extents of loops.
bool narrow(const Expr& left, CompareOp op, const Expr& right, const std::string& variable, Bounds& bounds) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 40;
  const auto on_left = shifted(left);
  const auto on_right = shifted(right);
  const auto number = on_left ? constant(right) : constant(left);
  if (!number || (!on_left && !on_right) || std::abs(*number) > kLarge) return false;
  const Shifted& one = on_left ? *on_left : *on_right;
  if (one.variable != variable || std::abs(one.constant) > kLarge) return false;
  const std::int64_t limit = *number - one.constant;
  if (!on_left) {
    switch (op) {
      case CompareOp::less: op = CompareOp::greater; break;
      case CompareOp::less_equal: op = CompareOp::greater_equal; break;
      case CompareOp::greater: op = CompareOp::less; break;
      case CompareOp::greater_equal: op = CompareOp::less_equal; break;
      case CompareOp::equal:
      case CompareOp::not_equal: break;
    }
  }
  switch (op) {
    case CompareOp::less: bounds.high = std::min(bounds.high, limit - 1); return true;
    case CompareOp::less_equal: bounds.high = std::min(bounds.high, limit); return true;
    case CompareOp::greater: bounds.low = std::max(bounds.low, limit + 1); return true;
    case CompareOp::greater_equal: bounds.low = std::max(bounds.low, limit); return true;
    case CompareOp::equal:
    case CompareOp::not_equal: return false;
  }
  return false;
}

/// Narrows the ranges by one condition, which is on one loop.
bool narrow(const Expr& condition, const std::vector<Loop>& loops, std::vector<Padding::Range>& ranges) {
  const auto* compare = std::get_if<Compare>(&condition.node);
  const std::set<std::string> variables = variables_of(condition);
  if (!compare || variables.size() != 1) return false;
  const auto loop =
      std::find_if(loops.begin(), loops.end(), [&](const Loop& one) { return one.index == *variables.begin(); });
  if (loop == loops.end()) return false;
  Padding::Range& range = ranges[static_cast<std::size_t>(loop - loops.begin())];
  Bounds bounds{range.low, range.low + range.count - 1};
  for (std::size_t i = 0; i < compare->operators.size(); ++i) {
    if (!narrow(*compare->operands[i], compare->operators[i], *compare->operands[i + 1], loop->index, bounds)) {
      return false;
    }
  }
  range = {bounds.low, bounds.high - bounds.low + 1, true};
  return range.count >= 1;
}

}  // namespace

Result<Padding, std::string> find_padding(View& view, const PlacedNest& place) {
  Padding out;
  out.place = &place;
  if (place.nest->items.size() != 1 || !std::holds_alternative<EquationPtr>(place.nest->items[0])) {
    return std::string("the nest is not one equation");
  }
  std::vector<std::uint32_t> items = place.items;
  items.push_back(0);
  out.statement = view.find_statement(items);
  const auto* select = std::get_if<Select>(&out.statement->equation->right->node);
  const auto* read = select ? std::get_if<Read>(&select->if_true->node) : nullptr;
  if (!read || !out.statement->guards.empty()) return std::string("the nest does not pad");
  out.source = read->ref;
  out.fill = select->if_false;
  if (!variables_of(*out.fill).empty() || !tensors_of(*out.fill).empty()) {
    return std::string("it pads with something else than a number");
  }
  const Ref& left = *out.left();
  const std::vector<Loop>& loops = out.loops();
  const TensorFacts& facts = view.table().tensors.at(left.tensor);
  const bool plain = left.scope == Scope::global && out.source->scope == Scope::global && facts.writes.size() == 1 &&
                     !facts.known && left.subscripts.size() == loops.size();
  if (!plain) return concat(left.tensor, " is not a padded copy in g");
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const std::string* name = left.subscripts[i].as_variable();
    if (!name || *name != loops[i].index) return concat(left.tensor, " has other subscripts than its loops");
    out.ranges.push_back({0, loops[i].extent, false});
  }
  for (const ExprPtr& condition : conjuncts(select->condition)) {
    if (!narrow(*condition, loops, out.ranges)) return std::string("the condition is not a range of each loop");
  }
  return out;
}

ExprPtr padded(const std::vector<Loop>& loops, const std::vector<Padding::Range>& ranges, const std::string& source,
               DType dtype, const ExprPtr& fill) {
  std::vector<Index> subscripts;
  std::vector<ExprPtr> conditions;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const Index index = Index::variable(loops[i].index);
    subscripts.push_back(*Index::subtract(index, Index::constant(ranges[i].low)));
    if (!ranges[i].is_stated) continue;
    conditions.push_back(make_expr(
        Compare{{integer_literal(ranges[i].low), to_expr(index), integer_literal(ranges[i].low + ranges[i].count)},
                {CompareOp::less_equal, CompareOp::less}}));
  }
  const ExprPtr value = read_expr(make_ref(source, dtype, Scope::global, std::move(subscripts)));
  const ExprPtr condition = conjunction_of(conditions);
  return condition ? make_expr(Select{condition, value, fill}) : value;
}

}  // namespace steptp
