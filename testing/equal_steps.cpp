#include "testing/equal_steps.h"

#include <algorithm>

#include "steptp/ir/names.h"
#include "testing/generator_context.h"
#include "testing/tree_editor.h"

namespace steptp::testing {

namespace {

void visit_equations(const Nest& nest, const std::function<void(const Equation&)>& visit) {
  for (const Item& item : nest.items) {
    if (const auto* equation = std::get_if<EquationPtr>(&item)) {
      visit(**equation);
    } else {
      visit_equations(*std::get<NestPtr>(item), visit);
    }
  }
}

void visit_refs(const Nest& nest, const std::function<void(const RefPtr&)>& visit) {
  visit_equations(nest, [&](const Equation& equation) {
    for_each_ref(equation.left, visit);
    for_each_ref(*equation.right, visit);
  });
}

void collect_indices(const Nest& nest, std::set<std::string>& out) {
  for (const Loop& loop : nest.loops) out.insert(loop.index);
  for (const Item& item : nest.items) {
    if (const auto* inner = std::get_if<NestPtr>(&item)) collect_indices(**inner, out);
  }
}

}  // namespace

const Equation* only_equation(const Nest& nest) {
  if (nest.items.size() != 1) return nullptr;
  const auto* equation = std::get_if<EquationPtr>(&nest.items[0]);
  return equation ? equation->get() : nullptr;
}

std::set<std::string> tensors_read(const Nest& nest) {
  std::set<std::string> names;
  visit_equations(nest, [&](const Equation& equation) {
    for_each_ref(*equation.right, [&](const RefPtr& ref) { names.insert(ref->tensor); });
    for_each_ref(equation.left, [&](const RefPtr& ref) {
      if (ref != equation.left) names.insert(ref->tensor);
    });
  });
  return names;
}

std::set<std::string> tensors_written(const Nest& nest) {
  std::set<std::string> names;
  visit_equations(nest, [&](const Equation& equation) { names.insert(equation.left->tensor); });
  return names;
}

bool is_global(const Nest& nest) {
  bool all = true;
  visit_refs(nest, [&](const RefPtr& ref) { all = all && ref->scope == Scope::global; });
  return all;
}

bool is_injective(const Nest& nest) {
  const Equation* equation = only_equation(nest);
  if (!equation || reads(*equation->right, equation->left->tensor)) return false;
  return std::all_of(nest.loops.begin(), nest.loops.end(), [&](const Loop& loop) {
    return std::any_of(equation->left->subscripts.begin(), equation->left->subscripts.end(), [&](const Index& index) {
      const std::string* name = index.as_variable();
      return name && *name == loop.index;
    });
  });
}

bool is_free_accumulation(const Nest& nest) {
  const Equation* equation = only_equation(nest);
  return equation && is_float(equation->left->dtype) &&
         accumulation_operator(*equation->left, equation->right).has_value();
}

bool is_intermediate(const Program& program, const std::string& tensor) { return !program.signature.find(tensor); }

namespace {

/// Looks at what makes up the value: conditions and subscripts may hold anything.
void look_at_value(const Expr& expr, bool& has_float, bool& has_other) {
  if (const auto* read = std::get_if<Read>(&expr.node)) {
    (is_float(read->ref->dtype) ? has_float : has_other) = true;
    return;
  }
  if (is_condition(expr)) {
    has_other = true;
    return;
  }
  // A choice between numbers without a type has no type of its own either, which matters to what stands around it.
  const bool is_select = std::holds_alternative<Select>(expr.node);
  for (std::size_t i = is_select ? 1 : 0; i < child_count(expr); ++i) {
    look_at_value(*child(expr, i), has_float, has_other);
  }
}

}  // namespace

bool is_float_value(const Expr& expr) {
  bool has_float = false;
  bool has_other = false;
  look_at_value(expr, has_float, has_other);
  return has_float && !has_other;
}

bool has_infinity(const Program& program) {
  bool found = false;
  TreeHooks hooks;
  hooks.expr = [&](const ExprPtr& expr) {
    found = found || std::holds_alternative<Infinity>(expr->node);
    return expr;
  };
  (void)edit(program, hooks);
  return found;
}

bool reads(const Expr& expr, const std::string& tensor) {
  bool found = false;
  for_each_ref(expr, [&](const RefPtr& ref) { found = found || ref->tensor == tensor; });
  return found;
}

std::string fresh_tensor(const Program& program) {
  NameSource names(&steptp::tensor_name);
  for (const Variable& variable : program.signature.variables) names.reserve(variable.name);
  for (const NestPtr& nest : program.nests) {
    visit_refs(*nest, [&](const RefPtr& ref) { names.reserve(ref->tensor); });
  }
  return names.next();
}

std::string fresh_index(const Nest& nest) {
  std::set<std::string> taken;
  collect_indices(nest, taken);
  NameSource names(&steptp::index_name);
  for (const std::string& name : taken) names.reserve(name);
  return names.next();
}

namespace {

TreeHooks substitution_hooks(const IndexMap& map) {
  const auto find = [map](const std::string& name) -> std::optional<Index> {
    for (const auto& [from, to] : map) {
      if (from == name) return to;
    }
    return std::nullopt;
  };
  TreeHooks hooks;
  hooks.expr = [find](const ExprPtr& expr) {
    const auto* value = std::get_if<IndexValue>(&expr->node);
    if (!value) return expr;
    const auto to = find(value->index);
    return to ? value_of(*to) : expr;
  };
  hooks.ref = [find](const RefPtr& ref, bool) {
    IndexRewriter rewriter;
    rewriter.variable = find;
    // The editor has been inside indirect reads already; a second substitution there would be wrong.
    rewriter.read = [](const RefPtr& inner) { return inner; };
    RefPtr changed = rewrite(ref, rewriter);
    return changed ? changed : ref;
  };
  return hooks;
}

}  // namespace

ExprPtr substituted(const ExprPtr& expr, const IndexMap& map) { return edit(expr, substitution_hooks(map)); }
RefPtr substituted(const RefPtr& ref, const IndexMap& map) { return edit(ref, false, substitution_hooks(map)); }

NestPtr substituted_body(const Nest& nest, std::vector<Loop> loops, const IndexMap& map) {
  const NestPtr edited = edit(make_nest(nest.loops, nest.guard, nest.items), substitution_hooks(map));
  return make_nest(std::move(loops), edited->guard, edited->items);
}

ExprPtr conjunction(const ExprPtr& guard, ExprPtr more) {
  if (!guard) return more;
  return flattened(make_expr(Logic{LogicOp::conjunction, {guard, std::move(more)}}));
}

ExprPtr below(const Index& index, std::int64_t bound) {
  return compare_two(value_of(index), CompareOp::less, integer_literal(bound));
}

}  // namespace steptp::testing
