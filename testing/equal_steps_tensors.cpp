// Steps that add, remove and lay out tensors.
#include <algorithm>

#include "testing/equal_steps.h"
#include "testing/generator_context.h"
#include "testing/tree_editor.h"

namespace steptp::testing {

namespace {

using Place = std::vector<NestPtr>::difference_type;

/// T_{i,j,...}=e over the loops i, j, ..., each of them one subscript, no guard: the definition of a whole tensor.
bool defines_elementwise(const Nest& nest) {
  if (nest.guard || !is_global(nest) || !is_injective(nest)) return false;
  const Equation& equation = *only_equation(nest);
  return equation.left->subscripts.size() == nest.loops.size();
}

bool writes(const Nest& nest, const std::string& tensor) { return tensors_written(nest).contains(tensor); }

/// Reads of T become its definition; T goes.
bool inline_definition(Program& program, Random& random) {
  const std::size_t at = random.below(program.nests.size());
  const NestPtr nest = program.nests[at];
  if (!defines_elementwise(*nest)) return false;
  const Equation& definition = *only_equation(*nest);
  const std::string& tensor = definition.left->tensor;
  if (!is_intermediate(program, tensor) || !is_float(definition.left->dtype) || !is_float_value(*definition.right)) {
    return false;
  }
  const std::set<std::string> sources = tensors_read(*nest);
  for (std::size_t i = 0; i < program.nests.size(); ++i) {
    if (i == at) continue;
    if (writes(*program.nests[i], tensor) || (i < at && tensors_read(*program.nests[i]).contains(tensor))) return false;
    // A source that changes later is not what the definition saw.
    for (const std::string& source : sources) {
      if (i > at && writes(*program.nests[i], source)) return false;
    }
  }
  TreeHooks hooks;
  hooks.expr = [&](const ExprPtr& expr) {
    const auto* read = std::get_if<Read>(&expr->node);
    if (!read || read->ref->tensor != tensor) return expr;
    IndexMap map;
    for (std::size_t d = 0; d < read->ref->subscripts.size(); ++d) {
      map.emplace_back(*definition.left->subscripts[d].as_variable(), read->ref->subscripts[d]);
    }
    return substituted(definition.right, map);
  };
  Program result = program;
  result.nests.erase(result.nests.begin() + static_cast<Place>(at));
  result = edit(std::move(result), hooks);
  if (operation_count(result) > 4 * operation_count(program)) return false;
  program = std::move(result);
  return true;
}

/// Where an expression is always evaluated, and does not read what its own equation writes.
void collect_strict(const ExprPtr& expr, const std::string& left, std::vector<ExprPtr>& out) {
  if (std::holds_alternative<Select>(expr->node) || is_condition(*expr)) return;
  if (child_count(*expr) > 0 && !reads(*expr, left) && is_float_value(*expr)) out.push_back(expr);
  for (std::size_t i = 0; i < child_count(*expr); ++i) collect_strict(child(*expr, i), left, out);
}

/// The float type that loses nothing of what the nest computes with.
DType widest(const Nest& nest) {
  std::optional<DType> only;
  bool mixed = false;
  TreeHooks hooks;
  hooks.ref = [&](const RefPtr& ref, bool) {
    if (is_float(ref->dtype)) {
      mixed = mixed || (only && *only != ref->dtype);
      only = ref->dtype;
    }
    return ref;
  };
  (void)edit(make_nest(nest.loops, nest.guard, nest.items), hooks);
  return mixed || !only ? DType::f64 : *only;
}

/// A part of the right side becomes a tensor over all loops of the nest.
bool extract(Program& program, Random& random) {
  const std::size_t at = random.below(program.nests.size());
  const NestPtr nest = program.nests[at];
  const Equation* equation = only_equation(*nest);
  if (!equation || nest->guard || !is_global(*nest)) return false;
  std::vector<ExprPtr> parts;
  collect_strict(equation->right, equation->left->tensor, parts);
  if (parts.empty()) return false;
  const ExprPtr part = pick(random, parts);
  std::vector<Index> subscripts;
  for (const Loop& loop : nest->loops) subscripts.push_back(Index::variable(loop.index));
  const RefPtr element = make_ref(fresh_tensor(program), widest(*nest), Scope::global, subscripts);
  TreeHooks hooks;
  hooks.expr = [&](const ExprPtr& expr) { return expr == part || equal(*expr, *part) ? read_expr(element) : expr; };
  // Only outside of conditions that decide whether a part is evaluated at all would the part be needed; elsewhere the
  // new tensor is read for nothing, which changes no value.
  const ExprPtr right = edit(equation->right, hooks);
  program.nests[at] = make_nest(nest->loops, nullptr, {make_equation(equation->left, right)});
  program.nests.insert(program.nests.begin() + static_cast<Place>(at),
                       make_nest(nest->loops, nullptr, {make_equation(element, part)}));
  return true;
}

/// How the elements of a tensor are numbered in its copy.
std::vector<Index> laid_out(const std::vector<Index>& subscripts, const std::vector<std::int64_t>& shape,
                            std::uint64_t layout) {
  std::vector<Index> result = subscripts;
  if (layout == 1) std::reverse(result.begin(), result.end());
  if (layout == 2) {
    Index flat;
    for (std::size_t d = 0; d < subscripts.size(); ++d) flat = plus(times(flat, shape[d]), subscripts[d]);
    result = {flat};
  }
  if (layout == 3) result.insert(result.begin(), Index::constant(0));
  return result;
}

/// An input is read through a copy, in another layout perhaps.
bool cache_input(Program& program, Random& random) {
  std::vector<Variable> candidates;
  for (const Variable& variable : program.signature.variables) {
    const bool is_read = std::any_of(program.nests.begin(), program.nests.end(),
                                     [&](const NestPtr& nest) { return tensors_read(*nest).contains(variable.name); });
    if (variable.role != Role::output && is_float(variable.dtype) && !variable.shape.empty() && is_read) {
      candidates.push_back(variable);
    }
  }
  if (candidates.empty()) return false;
  const Variable& source = pick(random, candidates);
  const std::string copy = fresh_tensor(program);
  const std::uint64_t layout = random.below(4);
  TreeHooks hooks;
  hooks.ref = [&](const RefPtr& ref, bool) {
    if (ref->tensor != source.name) return ref;
    return make_ref(copy, source.dtype, Scope::global, laid_out(ref->subscripts, source.shape, layout));
  };
  Program result = edit(program, hooks);
  std::vector<Loop> loops;
  std::vector<Index> subscripts;
  for (std::size_t d = 0; d < source.shape.size(); ++d) {
    const bool bound = d == 0 && random.chance(1, 2);
    loops.push_back({bound ? LoopKind::bound : LoopKind::serial, source.shape[d], bound ? "tx" : index_name(d)});
    subscripts.push_back(Index::variable(loops.back().index));
  }
  const RefPtr to = make_ref(copy, source.dtype, Scope::global, laid_out(subscripts, source.shape, layout));
  const RefPtr from = make_ref(source.name, source.dtype, Scope::global, subscripts);
  result.nests.insert(result.nests.begin(), make_nest(loops, nullptr, {make_equation(to, read_expr(from))}));
  program = std::move(result);
  return true;
}

/// The shape of a tensor that is written by definitions over plain loops only; nothing where it is written otherwise.
std::optional<std::vector<std::int64_t>> written_shape(const Program& program, const std::string& tensor) {
  std::optional<std::vector<std::int64_t>> shape;
  bool known = true;
  for_each_equation(program, [&](const Equation& equation, const std::vector<const Nest*>& around) {
    if (equation.left->tensor != tensor) return;
    if (!shape) shape.emplace(equation.left->subscripts.size(), 0);
    for (std::size_t d = 0; known && d < shape->size(); ++d) {
      const std::string* name = equation.left->subscripts[d].as_variable();
      std::int64_t extent = 0;
      for (const Nest* nest : around) {
        for (const Loop& loop : nest->loops) {
          if (name && loop.index == *name) extent = loop.extent;
        }
      }
      known = known && extent > 0;
      (*shape)[d] = std::max((*shape)[d], extent);
    }
  });
  return known ? shape : std::nullopt;
}

/// An intermediate is stored in another layout; every access follows.
bool change_layout(Program& program, Random& random) {
  std::set<std::string> names;
  for (const NestPtr& nest : program.nests) {
    if (is_global(*nest)) names.merge(tensors_written(*nest));
  }
  std::vector<std::string> candidates;
  for (const std::string& name : names) {
    if (is_intermediate(program, name)) candidates.push_back(name);
  }
  if (candidates.empty()) return false;
  const std::string tensor = pick(random, candidates);
  const auto shape = written_shape(program, tensor);
  if (!shape || shape->empty()) return false;
  const std::uint64_t layout = 1 + random.below(3);
  bool is_float_only = true;
  TreeHooks hooks;
  hooks.ref = [&](const RefPtr& ref, bool indexes) {
    if (ref->tensor != tensor) return ref;
    is_float_only = is_float_only && !indexes && is_float(ref->dtype);
    return make_ref(tensor, ref->dtype, ref->scope, laid_out(ref->subscripts, *shape, layout));
  };
  Program result = edit(program, hooks);
  if (!is_float_only) return false;
  program = std::move(result);
  return true;
}

}  // namespace

const std::vector<EqualStep>& tensor_steps() {
  static const std::vector<EqualStep> steps = {{"inlined", inline_definition}, {"extracted", extract},
                                               {"input cached", cache_input},  {"layout changed", change_layout},
                                               {"inlined", inline_definition}, {"extracted", extract}};
  return steps;
}

}  // namespace steptp::testing
