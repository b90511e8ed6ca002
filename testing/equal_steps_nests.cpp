// Steps that move equations between nests, and nests among each other.
#include <algorithm>

#include "testing/equal_steps.h"
#include "testing/generator_context.h"
#include "testing/tree_editor.h"

namespace steptp::testing {

namespace {

using Place = std::vector<NestPtr>::difference_type;

bool disjoint(const std::set<std::string>& left, const std::set<std::string>& right) {
  return std::none_of(left.begin(), left.end(), [&](const std::string& name) { return right.contains(name); });
}

/// Every touch of the tensor in the equation is at exactly these subscripts.
bool touches_only(const Equation& equation, const Ref& element) {
  bool only = true;
  const auto look = [&](const RefPtr& ref) {
    if (ref->tensor == element.tensor) only = only && ref->subscripts == element.subscripts;
  };
  for_each_ref(equation.left, look);
  for_each_ref(*equation.right, look);
  return only;
}

/// Two equations under the same loops, each without a tie between its own iterations, may be run together or one after
/// the other if what one writes the other touches only at its own element.
bool may_share_a_nest(const Nest& first, const Nest& second) {
  if (!is_injective(first) || !is_injective(second)) return false;
  const Equation& one = *only_equation(first);
  const Equation& two = *only_equation(second);
  return touches_only(two, *one.left) && touches_only(one, *two.left);
}

/// The second nest with the loops of the first; nothing where the loops are not the same.
std::optional<NestPtr> with_loops_of(const Nest& first, const Nest& second) {
  if (first.loops.size() != second.loops.size()) return std::nullopt;
  IndexMap map;
  for (std::size_t i = 0; i < first.loops.size(); ++i) {
    if (first.loops[i].extent != second.loops[i].extent) return std::nullopt;
    map.emplace_back(second.loops[i].index, Index::variable(first.loops[i].index));
  }
  return substituted_body(second, first.loops, map);
}

bool fuse(Program& program, Random& random) {
  if (program.nests.size() < 2) return false;
  const std::size_t at = random.below(program.nests.size() - 1);
  const Nest& first = *program.nests[at];
  const auto second = with_loops_of(first, *program.nests[at + 1]);
  if (!second || first.guard || (*second)->guard || !is_global(first) || !is_global(**second)) return false;
  if (!may_share_a_nest(first, **second)) return false;
  program.nests[at] = make_nest(first.loops, nullptr, {first.items[0], (*second)->items[0]});
  program.nests.erase(program.nests.begin() + static_cast<Place>(at) + 1);
  return true;
}

bool distribute(Program& program, Random& random) {
  const std::size_t at = random.below(program.nests.size());
  const NestPtr nest = program.nests[at];
  if (nest->items.size() < 2 || !is_global(*nest)) return false;
  std::vector<NestPtr> parts;
  for (const Item& item : nest->items) {
    if (!std::holds_alternative<EquationPtr>(item)) return false;
    parts.push_back(make_nest(nest->loops, nest->guard, {item}));
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = i + 1; j < parts.size(); ++j) {
      if (!may_share_a_nest(*parts[i], *parts[j])) return false;
    }
  }
  program.nests.erase(program.nests.begin() + static_cast<Place>(at));
  program.nests.insert(program.nests.begin() + static_cast<Place>(at), parts.begin(), parts.end());
  return true;
}

bool reorder(Program& program, Random& random) {
  if (program.nests.size() < 2) return false;
  const std::size_t at = random.below(program.nests.size() - 1);
  const Nest& first = *program.nests[at];
  const Nest& second = *program.nests[at + 1];
  if (!disjoint(tensors_written(first), tensors_read(second)) ||
      !disjoint(tensors_written(second), tensors_read(first)) ||
      !disjoint(tensors_written(first), tensors_written(second))) {
    return false;
  }
  std::swap(program.nests[at], program.nests[at + 1]);
  return true;
}

/// The inner loops go into a nest of their own.
bool nest_inner(Program& program, Random& random) {
  NestPtr& nest = program.nests[random.below(program.nests.size())];
  if (nest->loops.size() < 2 || !is_global(*nest)) return false;
  const std::size_t at = 1 + random.below(nest->loops.size() - 1);
  const std::vector<Loop> outer(nest->loops.begin(), nest->loops.begin() + static_cast<Place>(at));
  const std::vector<Loop> inner(nest->loops.begin() + static_cast<Place>(at), nest->loops.end());
  // A bound loop below items at block level is another program: only a flat nest without inner axes.
  if (std::any_of(inner.begin(), inner.end(), [](const Loop& loop) { return loop.kind == LoopKind::bound; })) {
    return false;
  }
  nest = make_nest(outer, nullptr, {make_nest(inner, nest->guard, nest->items)});
  return true;
}

/// Loops and intermediates get other names.
bool rename(Program& program, Random& random) {
  NestPtr& nest = program.nests[random.below(program.nests.size())];
  std::vector<Loop> loops = nest->loops;
  Loop& loop = loops[random.below(loops.size())];
  const std::string old = loop.index;
  if (loop.kind == LoopKind::bound) return false;
  loop.index = fresh_index(*nest);
  nest = substituted_body(*nest, loops, {{old, Index::variable(loop.index)}});
  std::set<std::string> names;
  for (const NestPtr& each : program.nests) names.merge(tensors_written(*each));
  std::vector<std::string> candidates;
  for (const std::string& name : names) {
    if (is_intermediate(program, name)) candidates.push_back(name);
  }
  if (candidates.empty()) return true;
  const std::string from = pick(random, candidates);
  const std::string to = fresh_tensor(program);
  TreeHooks hooks;
  hooks.ref = [&](const RefPtr& ref, bool) {
    return ref->tensor == from ? make_ref(to, ref->dtype, ref->scope, ref->subscripts) : ref;
  };
  program = edit(std::move(program), hooks);
  return true;
}

}  // namespace

const std::vector<EqualStep>& nest_steps() {
  static const std::vector<EqualStep> steps = {{"fused", fuse},        {"distributed", distribute},
                                               {"reordered", reorder}, {"inner nest", nest_inner},
                                               {"renamed", rename},    {"fused", fuse}};
  return steps;
}

}  // namespace steptp::testing
