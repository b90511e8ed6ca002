#pragma once

// What strategies on value expressions share.

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "steptp/strategies/strategy.h"
#include "steptp/strategies/view.h"

namespace steptp {

/// A sub-expression of a right side, in its place.
struct PlacedExpr {
  const Statement* statement = nullptr;
  std::size_t number = 0;  ///< of the statement
  Site site;
  ExprPtr expr;
  bool is_branch = false;  ///< inside a branch of an if_then_else, or behind one of its conditions
};

/// Every sub-expression of every right side, the whole ones included, in the order of the text.
[[nodiscard]] std::vector<PlacedExpr> all_expressions(View& view);
/// The sub-expression at an address, or a refusal.
[[nodiscard]] Result<PlacedExpr, Refusal> find_expression(View& view, const Site& site);

/// The part is a product that is computed in the type of the sum that it is added to (docs/language.md R22): by itself
/// it would be computed in halves.
[[nodiscard]] bool is_wide_product(const PlacedExpr& part);
/// An equation that has such a product and one that is to stand for it and has none: it would be rounded to halves.
[[nodiscard]] bool narrows_product(const Equation& before, const Ref& left, const ExprPtr& right);

/// The expression with the part at a path replaced.
[[nodiscard]] ExprPtr with_part(const ExprPtr& expr, std::span<const std::uint32_t> path, const ExprPtr& part);

[[nodiscard]] std::set<std::string> variables_of(const Expr& expr);
[[nodiscard]] std::set<std::string> tensors_of(const Expr& expr);
[[nodiscard]] std::size_t node_count(const Expr& expr);
/// A number, an index or one read: nothing to compute.
[[nodiscard]] bool is_leaf(const Expr& expr);

/// The product of extents, or more than the limit.
[[nodiscard]] std::int64_t elements_of(const std::vector<const Loop*>& loops, std::int64_t limit);
inline constexpr std::int64_t kMaxTensorElements = std::int64_t{1} << 31;

}  // namespace steptp
