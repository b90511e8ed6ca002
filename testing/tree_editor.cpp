#include "testing/tree_editor.h"

#include <utility>

namespace steptp::testing {

namespace {

template <typename Chain>
ExprPtr flat_chain(const Chain& chain) {
  const auto* first = std::get_if<Chain>(&chain.operands[0]->node);
  if (!first) return nullptr;
  Chain flat = *first;
  flat.operands.insert(flat.operands.end(), chain.operands.begin() + 1, chain.operands.end());
  flat.operators.insert(flat.operators.end(), chain.operators.begin(), chain.operators.end());
  return make_expr(std::move(flat));
}

ExprPtr flat_logic(const Logic& logic) {
  Logic flat{logic.op, {}};
  bool changed = false;
  for (const ExprPtr& operand : logic.operands) {
    const auto* inner = std::get_if<Logic>(&operand->node);
    if (inner && inner->op == logic.op) {
      changed = true;
      flat.operands.insert(flat.operands.end(), inner->operands.begin(), inner->operands.end());
    } else {
      flat.operands.push_back(operand);
    }
  }
  return changed ? make_expr(std::move(flat)) : nullptr;
}

}  // namespace

ExprPtr flattened(const ExprPtr& expr) {
  ExprPtr flat;
  if (const auto* sum = std::get_if<Sum>(&expr->node)) flat = flat_chain(*sum);
  if (const auto* product = std::get_if<Product>(&expr->node)) flat = flat_chain(*product);
  if (const auto* logic = std::get_if<Logic>(&expr->node)) flat = flat_logic(*logic);
  return flat ? flat : expr;
}

RefPtr edit(const RefPtr& ref, bool indexes, const TreeHooks& hooks) {
  IndexRewriter rewriter;
  rewriter.read = [&hooks](const RefPtr& inner) { return edit(inner, true, hooks); };
  RefPtr rebuilt = rewrite(ref, rewriter);
  if (!rebuilt) rebuilt = ref;
  return hooks.ref ? hooks.ref(rebuilt, indexes) : rebuilt;
}

ExprPtr edit(const ExprPtr& expr, const TreeHooks& hooks) {
  ExprPtr rebuilt = expr;
  if (const auto* read = std::get_if<Read>(&expr->node)) {
    RefPtr ref = edit(read->ref, false, hooks);
    if (ref != read->ref) rebuilt = read_expr(std::move(ref));
  }
  std::vector<ExprPtr> children;
  for (std::size_t i = 0; i < child_count(*expr); ++i) children.push_back(edit(child(*expr, i), hooks));
  rebuilt = flattened(with_children(rebuilt, children));
  return hooks.expr ? flattened(hooks.expr(rebuilt)) : rebuilt;
}

NestPtr edit(const NestPtr& nest, const TreeHooks& hooks) {
  Nest copy{nest->loops, nest->guard ? edit(nest->guard, hooks) : nullptr, {}};
  for (const Item& item : nest->items) {
    if (const auto* equation = std::get_if<EquationPtr>(&item)) {
      RefPtr left = edit((*equation)->left, false, hooks);
      copy.items.emplace_back(make_equation(std::move(left), edit((*equation)->right, hooks)));
    } else {
      copy.items.emplace_back(edit(std::get<NestPtr>(item), hooks));
    }
  }
  if (hooks.nest) hooks.nest(copy);
  return make_nest(std::move(copy.loops), std::move(copy.guard), std::move(copy.items));
}

Program edit(Program program, const TreeHooks& hooks) {
  for (NestPtr& nest : program.nests) nest = edit(nest, hooks);
  return program;
}

Item rename_index(const Item& item, const std::string& from, const std::string& to) {
  IndexRewriter rewriter;
  rewriter.variable = [&](const std::string& name) -> std::optional<Index> {
    return name == from ? std::optional(Index::variable(to)) : std::nullopt;
  };
  TreeHooks hooks;
  hooks.expr = [&](const ExprPtr& expr) {
    const auto* value = std::get_if<IndexValue>(&expr->node);
    return value && value->index == from ? make_expr(IndexValue{to}) : expr;
  };
  hooks.ref = [&](const RefPtr& ref, bool) {
    RefPtr renamed = rewrite(ref, rewriter);
    return renamed ? renamed : ref;
  };
  const NestPtr wrapped = edit(make_nest({}, nullptr, {item}), hooks);
  return wrapped->items[0];
}

}  // namespace steptp::testing
