#include "steptp/strategies/expressions.h"

#include <algorithm>

#include "steptp/ir/accumulation.h"

namespace steptp {

namespace {

void collect(const Statement& statement, std::size_t number, const ExprPtr& expr, Site& site, bool is_branch,
             std::vector<PlacedExpr>& out) {
  out.push_back({&statement, number, site, expr, is_branch});
  const bool select = std::holds_alternative<Select>(expr->node);
  for (std::uint32_t i = 0; i < child_count(*expr); ++i) {
    site.path.push_back(i);
    collect(statement, number, child(*expr, i), site, is_branch || (select && i > 0), out);
    site.path.pop_back();
  }
}

}  // namespace

std::vector<PlacedExpr> all_expressions(View& view) {
  std::vector<PlacedExpr> out;
  const std::vector<Statement>& statements = view.table().statements;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    Site site{statements[i].items, Site::Part::right, {}, {}};
    collect(statements[i], i, statements[i].equation->right, site, false, out);
  }
  return out;
}

Result<PlacedExpr, Refusal> find_expression(View& view, const Site& site) {
  const Statement* statement = view.find_statement(site.items);
  const Refusal nothing{&kPlace, site, "there is no expression at this address", {}};
  if (!statement || site.part != Site::Part::right || site.number) return nothing;
  PlacedExpr out{statement, static_cast<std::size_t>(statement - view.table().statements.data()), site,
                 statement->equation->right, false};
  for (const std::uint32_t number : site.path) {
    if (number >= child_count(*out.expr)) return nothing;
    out.is_branch = out.is_branch || (std::holds_alternative<Select>(out.expr->node) && number > 0);
    out.expr = ExprPtr(child(*out.expr, number));
  }
  return out;
}

ExprPtr with_part(const ExprPtr& expr, std::span<const std::uint32_t> path, const ExprPtr& part) {
  if (path.empty()) return part;
  std::vector<ExprPtr> parts;
  for (std::size_t i = 0; i < child_count(*expr); ++i) parts.push_back(child(*expr, i));
  parts[path[0]] = with_part(parts[path[0]], path.subspan(1), part);
  return with_children(expr, parts);
}

std::set<std::string> variables_of(const Expr& expr) {
  std::set<std::string> out;
  for_each_variable(expr, [&out](const std::string& name) { out.insert(name); });
  return out;
}

std::set<std::string> tensors_of(const Expr& expr) {
  std::set<std::string> out;
  for_each_ref(expr, [&out](const RefPtr& ref) { out.insert(ref->tensor); });
  return out;
}

std::size_t node_count(const Expr& expr) {
  std::size_t count = 1;
  for (std::size_t i = 0; i < child_count(expr); ++i) count += node_count(*child(expr, i));
  return count;
}

bool is_leaf(const Expr& expr) { return child_count(expr) == 0; }

std::int64_t elements_of(const std::vector<const Loop*>& loops, std::int64_t limit) {
  std::int64_t product = 1;
  for (const Loop* loop : loops) {
    if (loop->extent > limit / product) return limit + 1;
    product *= loop->extent;
  }
  return product;
}

bool is_wide_product(const PlacedExpr& part) {
  const Equation& equation = *part.statement->equation;
  const auto wide = wide_product(*equation.left, equation.right);
  return wide && wide->product == std::get_if<Product>(&part.expr->node);
}

bool narrows_product(const Equation& before, const Ref& left, const ExprPtr& right) {
  return wide_product(*before.left, before.right) && !wide_product(left, right);
}

}  // namespace steptp
