// Two expressions are compared as trees in which operands of + * max min may stand in any order. Loops are matched
// by trying every assignment of equal extents, those that keep the order first; the numbers of loops are small.
#include "steptp/strategies/matching.h"

#include <algorithm>
#include <utility>

#include "steptp/strategies/rewrite.h"

namespace steptp {

namespace {

bool is_negation(const Expr& expr) {
  const auto* call = std::get_if<Call>(&expr.node);
  return call && call->function == Function::negate;
}

void add_summands(const ExprPtr& expr, bool is_inverse, std::vector<Operand>& out) {
  if (const auto* sum = std::get_if<Sum>(&expr->node)) {
    for (std::size_t i = 0; i < sum->operands.size(); ++i) {
      const bool subtracted = i > 0 && sum->operators[i - 1] == ArithmeticOp::subtract;
      add_summands(sum->operands[i], is_inverse != subtracted, out);
    }
  } else if (is_negation(*expr) && !std::holds_alternative<Infinity>(std::get<Call>(expr->node).argument->node)) {
    add_summands(std::get<Call>(expr->node).argument, !is_inverse, out);
  } else {
    out.push_back({is_inverse, expr});
  }
}

bool is_quotient(const Product& product) {
  return std::all_of(product.operators.begin(), product.operators.end(),
                     [](ArithmeticOp op) { return op == ArithmeticOp::multiply || op == ArithmeticOp::divide; });
}

void add_factors(const ExprPtr& expr, bool is_inverse, std::vector<Operand>& out) {
  const auto* product = std::get_if<Product>(&expr->node);
  if (!product || !is_quotient(*product)) {
    out.push_back({is_inverse, expr});
    return;
  }
  for (std::size_t i = 0; i < product->operands.size(); ++i) {
    const bool divided = i > 0 && product->operators[i - 1] == ArithmeticOp::divide;
    add_factors(product->operands[i], is_inverse != divided, out);
  }
}

void add_extrema(const ExprPtr& expr, bool is_max, std::vector<ExprPtr>& out) {
  const auto* extremum = std::get_if<Extremum>(&expr->node);
  if (!extremum || extremum->is_max != is_max) {
    out.push_back(expr);
    return;
  }
  add_extrema(extremum->left, is_max, out);
  add_extrema(extremum->right, is_max, out);
}

/// Each operand of one has a partner in the other. `same_value` is transitive, so that the first partner will do.
bool same_operands(const std::vector<Operand>& left, const std::vector<Operand>& right) {
  if (left.size() != right.size()) return false;
  std::vector<bool> taken(right.size(), false);
  return std::all_of(left.begin(), left.end(), [&](const Operand& one) {
    for (std::size_t i = 0; i < right.size(); ++i) {
      if (taken[i] || one.is_inverse != right[i].is_inverse || !same_value(one.expr, right[i].expr)) continue;
      taken[i] = true;
      return true;
    }
    return false;
  });
}

std::vector<Operand> plain(const std::vector<ExprPtr>& operands) {
  std::vector<Operand> out;
  out.reserve(operands.size());
  for (const ExprPtr& operand : operands) out.push_back({false, operand});
  return out;
}

Rewriter renaming(const LoopNames& names) {
  Rewriter out;
  for (const auto& [from, to] : names) out.variables.emplace(from, Index::variable(to));
  return out;
}

Rewriter origin(const std::vector<Loop>& loops) {
  Rewriter out;
  for (const Loop& loop : loops) {
    if (loop.extent == 1) out.variables.emplace(loop.index, Index());
  }
  return out;
}

bool try_renamings(const std::vector<Loop>& from, const std::vector<Loop>& to, std::vector<bool>& taken,
                   LoopNames& names, const std::function<bool(const LoopNames&)>& visit) {
  if (names.size() == from.size()) return visit(names);
  const Loop& loop = from[names.size()];
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (taken[i] || to[i].extent != loop.extent) continue;
    taken[i] = true;
    LoopNames more = names;
    more.emplace(loop.index, to[i].index);
    if (try_renamings(from, to, taken, more, visit)) return true;
    taken[i] = false;
  }
  return false;
}

}  // namespace

std::vector<Operand> summands(const ExprPtr& expr) {
  std::vector<Operand> out;
  add_summands(expr, false, out);
  return out;
}

std::vector<Operand> factors(const ExprPtr& expr) {
  std::vector<Operand> out;
  add_factors(expr, false, out);
  return out;
}

std::vector<ExprPtr> maximands(const ExprPtr& expr) {
  std::vector<ExprPtr> out;
  add_extrema(expr, true, out);
  return out;
}

ExprPtr sum_of(const std::vector<Operand>& operands) {
  ExprPtr out;
  for (const Operand& operand : operands) {
    if (!out)
      out = operand.is_inverse ? make_call(Function::negate, operand.expr) : operand.expr;
    else
      out = make_sum(out, operand.is_inverse ? ArithmeticOp::subtract : ArithmeticOp::add, operand.expr);
  }
  return out ? out : integer_literal(0);
}

ExprPtr product_of(const std::vector<Operand>& operands) {
  ExprPtr out;
  for (const Operand& operand : operands) {
    if (!out && !operand.is_inverse)
      out = operand.expr;
    else
      out = make_product(out ? out : integer_literal(1),
                         operand.is_inverse ? ArithmeticOp::divide : ArithmeticOp::multiply, operand.expr);
  }
  return out ? out : integer_literal(1);
}

ExprPtr maximum_of(const std::vector<ExprPtr>& operands) {
  ExprPtr out = operands.at(0);
  for (std::size_t i = 1; i < operands.size(); ++i) out = make_expr(Extremum{true, out, operands[i]});
  return out;
}

bool same_value(const ExprPtr& left, const ExprPtr& right) {
  if (equal(*left, *right)) return true;
  const auto either = [&](auto holds) { return holds(*left) || holds(*right); };
  if (either([](const Expr& e) { return std::holds_alternative<Sum>(e.node) || is_negation(e); })) {
    const auto a = summands(left);
    const auto b = summands(right);
    if (a.size() > 1 || b.size() > 1) return same_operands(a, b);
  }
  if (either([](const Expr& e) { return std::holds_alternative<Product>(e.node); })) {
    const auto a = factors(left);
    const auto b = factors(right);
    if (a.size() > 1 || b.size() > 1) return same_operands(a, b);
  }
  const auto* extremum = std::get_if<Extremum>(&left->node);
  if (extremum) {
    std::vector<ExprPtr> a;
    std::vector<ExprPtr> b;
    add_extrema(left, extremum->is_max, a);
    add_extrema(right, extremum->is_max, b);
    return same_operands(plain(a), plain(b));
  }
  if (left->node.index() != right->node.index()) return false;
  const std::size_t count = child_count(*left);
  if (count == 0 || count != child_count(*right)) return false;
  std::vector<ExprPtr> parts;
  for (std::size_t i = 0; i < count; ++i) {
    if (!same_value(child(*left, i), child(*right, i))) return false;
    parts.push_back(child(*left, i));
  }
  return equal(*with_children(right, parts), *left);  // the operators and functions are the same
}

bool for_each_renaming(const std::vector<Loop>& from, const std::vector<Loop>& to,
                       const std::function<bool(const LoopNames&)>& visit) {
  if (from.size() > to.size()) return false;
  std::vector<bool> taken(to.size(), false);
  LoopNames names;
  return try_renamings(from, to, taken, names, visit);
}

ExprPtr renamed(const ExprPtr& expr, const LoopNames& names) { return rewrite(expr, renaming(names)); }
RefPtr renamed(const RefPtr& ref, const LoopNames& names) { return rewrite(ref, renaming(names)); }

ExprPtr at_origin(const ExprPtr& expr, const std::vector<Loop>& loops) { return rewrite(expr, origin(loops)); }
RefPtr at_origin(const RefPtr& ref, const std::vector<Loop>& loops) { return rewrite(ref, origin(loops)); }

LoopNames composed(const LoopNames& first, const LoopNames& second) {
  LoopNames out;
  for (const auto& [from, to] : first) {
    const auto next = second.find(to);
    out.emplace(from, next == second.end() ? to : next->second);
  }
  return out;
}

LoopNames inverted(const LoopNames& names) {
  LoopNames out;
  for (const auto& [from, to] : names) out.emplace(to, from);
  return out;
}

}  // namespace steptp
