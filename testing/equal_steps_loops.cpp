// Steps on the loops of one top-level nest.
#include <algorithm>

#include "testing/equal_steps.h"
#include "testing/generator_context.h"
#include "testing/tree_editor.h"

namespace steptp::testing {

namespace {

using Place = std::vector<Loop>::difference_type;

/// A loop as a value takes the type of what it meets, an expression of loops has one of its own: beside integers these
/// may wrap differently, so such loops stay.
bool may_be_replaced(const Nest& nest, const std::string& index) {
  bool as_value = false;
  bool has_integers = false;
  TreeHooks hooks;
  hooks.expr = [&](const ExprPtr& expr) {
    if (const auto* value = std::get_if<IndexValue>(&expr->node)) as_value = as_value || value->index == index;
    if (const auto* read = std::get_if<Read>(&expr->node)) has_integers = has_integers || !is_float(read->ref->dtype);
    return expr;
  };
  (void)edit(make_nest(nest.loops, nest.guard, nest.items), hooks);
  return !(as_value && has_integers);
}

/// Loops over hardware axes decide where `s` and `l` data live and where items stand: only a flat nest on `g` may have
/// its bound loops changed.
bool is_flat(const Nest& nest) {
  return is_global(nest) && std::all_of(nest.items.begin(), nest.items.end(),
                                        [](const Item& item) { return std::holds_alternative<EquationPtr>(item); });
}

bool may_touch(const Nest& nest, const Loop& loop) { return loop.kind != LoopKind::bound || is_flat(nest); }

bool names_axis(const Nest& nest, Axis axis) {
  return std::any_of(nest.loops.begin(), nest.loops.end(),
                     [&](const Loop& loop) { return axis_of(loop.index) == axis; });
}

/// A free hardware axis of the nest; nothing where all are taken.
std::optional<std::string> free_axis(const Nest& nest, Random& random) {
  const auto first = random.below(6);
  for (std::uint64_t i = 0; i < 6; ++i) {
    const auto axis = static_cast<Axis>((first + i) % 6);
    if (!names_axis(nest, axis)) return std::string(name_of(axis));
  }
  return std::nullopt;
}

std::size_t pick_nest(const Program& program, Random& random) { return random.below(program.nests.size()); }

/// i becomes o*f+j, under a guard where f does not divide the extent. The order of iterations stays.
bool split(Program& program, Random& random) {
  NestPtr& nest = program.nests[pick_nest(program, random)];
  const std::size_t at = random.below(nest->loops.size());
  const Loop old = nest->loops[at];
  if (!may_touch(*nest, old) || !may_be_replaced(*nest, old.index) || old.extent < 2) return false;
  const std::int64_t factor = random.between(1, old.extent);
  const std::int64_t outer = (old.extent + factor - 1) / factor;
  Loop first{old.kind, outer, fresh_index(*nest)};
  Loop second{old.kind == LoopKind::bound ? LoopKind::serial : old.kind, factor, old.index};
  if (old.kind == LoopKind::bound) {
    // The axis stays with the inner loop or goes to the outer one; the other is a plain loop.
    second = {LoopKind::bound, factor, old.index};
    first.kind = LoopKind::serial;
  }
  const Index whole = plus(times(Index::variable(first.index), factor), Index::variable(second.index));
  std::vector<Loop> loops = nest->loops;
  loops[at] = second;
  loops.insert(loops.begin() + static_cast<Place>(at), first);
  const NestPtr body = substituted_body(*nest, loops, {{old.index, whole}});
  const ExprPtr guard = outer * factor == old.extent ? body->guard : conjunction(body->guard, below(whole, old.extent));
  nest = make_nest(body->loops, guard, body->items);
  return true;
}

/// i, j become k//m, k%m.
bool merge(Program& program, Random& random) {
  NestPtr& nest = program.nests[pick_nest(program, random)];
  if (nest->loops.size() < 2) return false;
  const std::size_t at = random.below(nest->loops.size() - 1);
  const Loop outer = nest->loops[at];
  const Loop inner = nest->loops[at + 1];
  if (outer.kind != inner.kind || outer.kind == LoopKind::bound) return false;
  if (!may_be_replaced(*nest, outer.index) || !may_be_replaced(*nest, inner.index)) return false;
  const Loop merged{outer.kind, outer.extent * inner.extent, fresh_index(*nest)};
  const Index whole = Index::variable(merged.index);
  std::vector<Loop> loops = nest->loops;
  loops.erase(loops.begin() + static_cast<Place>(at));
  loops[at] = merged;
  nest = substituted_body(
      *nest, loops, {{outer.index, quotient(whole, inner.extent)}, {inner.index, remainder(whole, inner.extent)}});
  return true;
}

bool interchange(Program& program, Random& random) {
  NestPtr& nest = program.nests[pick_nest(program, random)];
  if (nest->loops.size() < 2 || !is_global(*nest)) return false;
  if (!is_injective(*nest) && !is_free_accumulation(*nest)) return false;
  std::vector<Loop> loops = nest->loops;
  const std::size_t at = random.below(loops.size() - 1);
  std::swap(loops[at], loops[at + 1]);
  nest = make_nest(std::move(loops), nest->guard, nest->items);
  return true;
}

/// i runs backwards.
bool reverse(Program& program, Random& random) {
  NestPtr& nest = program.nests[pick_nest(program, random)];
  if (!is_global(*nest) || (!is_injective(*nest) && !is_free_accumulation(*nest))) return false;
  const Loop loop = nest->loops[random.below(nest->loops.size())];
  if (!may_be_replaced(*nest, loop.index)) return false;
  nest = substituted_body(*nest, nest->loops,
                          {{loop.index, minus(Index::constant(loop.extent - 1), Index::variable(loop.index))}});
  return true;
}

/// A longer loop under a guard.
bool overrun(Program& program, Random& random) {
  NestPtr& nest = program.nests[pick_nest(program, random)];
  std::vector<Loop> loops = nest->loops;
  Loop& loop = loops[random.below(loops.size())];
  if (!may_touch(*nest, loop)) return false;
  const ExprPtr guard = conjunction(nest->guard, below(Index::variable(loop.index), loop.extent));
  loop.extent += random.between(1, 5);
  nest = make_nest(std::move(loops), guard, nest->items);
  return true;
}

/// A loop of one iteration around everything.
bool wrap(Program& program, Random& random) {
  NestPtr& nest = program.nests[pick_nest(program, random)];
  if (!is_flat(*nest)) return false;
  std::vector<Loop> loops = nest->loops;
  loops.insert(loops.begin() + static_cast<Place>(random.below(loops.size() + 1)),
               Loop{LoopKind::serial, 1, fresh_index(*nest)});
  nest = make_nest(std::move(loops), nest->guard, nest->items);
  return true;
}

bool change_kind(Program& program, Random& random) {
  NestPtr& nest = program.nests[pick_nest(program, random)];
  std::vector<Loop> loops = nest->loops;
  Loop& loop = loops[random.below(loops.size())];
  if (loop.kind == LoopKind::bound || !is_global(*nest)) return false;
  static constexpr LoopKind kKinds[] = {LoopKind::unrolled, LoopKind::serial, LoopKind::parallel, LoopKind::vectorized};
  const bool is_free = is_injective(*nest) || is_free_accumulation(*nest);
  const LoopKind kind = kKinds[random.below(is_free ? 4 : 2)];
  if (kind == loop.kind) return false;
  loop.kind = kind;
  nest = make_nest(std::move(loops), nest->guard, nest->items);
  return true;
}

/// A plain loop that is a subscript of the left side gets an axis, or gives it back.
bool rebind(Program& program, Random& random) {
  NestPtr& nest = program.nests[pick_nest(program, random)];
  if (!is_global(*nest) || !is_injective(*nest)) return false;
  std::vector<Loop> loops = nest->loops;
  Loop& loop = loops[random.below(loops.size())];
  const std::string old = loop.index;
  if (loop.kind == LoopKind::bound) {
    loop = {LoopKind::serial, loop.extent, fresh_index(*nest)};
  } else {
    const auto axis = free_axis(*nest, random);
    if (!axis) return false;
    loop = {LoopKind::bound, loop.extent, *axis};
  }
  nest = substituted_body(*nest, loops, {{old, Index::variable(loop.index)}});
  return true;
}

/// The range of a reduction in two parts, each in a nest of its own.
bool split_range(Program& program, Random& random) {
  const std::size_t at = pick_nest(program, random);
  const NestPtr nest = program.nests[at];
  if (!is_global(*nest) || !is_free_accumulation(*nest)) return false;
  std::vector<Loop> loops = nest->loops;
  Loop& loop = loops[random.below(loops.size())];
  if (loop.extent < 2 || !may_be_replaced(*nest, loop.index)) return false;
  const std::int64_t whole = loop.extent;
  const std::int64_t first = random.between(1, whole - 1);
  loop.extent = first;
  const NestPtr lower = make_nest(loops, nest->guard, nest->items);
  loop.extent = whole - first;
  const NestPtr upper =
      substituted_body(*nest, loops, {{loop.index, plus(Index::variable(loop.index), Index::constant(first))}});
  const bool swapped = random.chance(1, 2);
  program.nests[at] = swapped ? upper : lower;
  program.nests.insert(program.nests.begin() + static_cast<Place>(at) + 1, swapped ? lower : upper);
  return true;
}

}  // namespace

const std::vector<EqualStep>& loop_steps() {
  static const std::vector<EqualStep> steps = {
      {"loop split", split},
      {"loops merged", merge},
      {"loops interchanged", interchange},
      {"loop reversed", reverse},
      {"loop overrun", overrun},
      {"loop of one", wrap},
      {"loop kind changed", change_kind},
      {"loop rebound", rebind},
      {"range split", split_range},
      {"loop split", split},
      {"loops interchanged", interchange},
  };
  return steps;
}

}  // namespace steptp::testing
