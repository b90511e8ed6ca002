// Whether a tensor can be computed in a copy and written back. The body of the level must make everything that it
// reads of the tensor, or accumulate from the identity; registers must belong to one thread. Decision 0018.
#include "steptp/strategies/write_target.h"

#include <algorithm>

#include "steptp/analysis/coincidence.h"
#include "steptp/analysis/index_map.h"
#include "steptp/analysis/instances.h"
#include "steptp/base/text.h"
#include "steptp/strategies/pieces.h"
#include "steptp/strategies/storage.h"

namespace steptp {

namespace {

/// What subscripts show at once: instances in the same round of the first `same` loops that touch one element are in
/// the same round of the first `depth` loops too, and of all loops over one axis.
bool meet_only_in_one_round(const AccessTable& table, const Access& first, const Access& second, std::size_t same,
                            std::size_t depth) {
  const Statement& one = table.statements[first.statement];
  const Statement& other = table.statements[second.statement];
  if (relate(one, other).shared_loops < depth) return false;
  const Coincidence meet = coincide(table, first, second, pair_loops(one, other, same));
  return meet.impossible || std::all_of(meet.pairs.begin(), meet.pairs.end(), [&](const LoopPair& pair) {
           const bool counts = pair.first < depth || axis_of(one.loops[pair.first]->index);
           const bool trivial = one.loops[pair.first]->extent == 1 && other.loops[pair.second]->extent == 1;
           return pair.equal || !counts || trivial;
         });
}

/// An unconditional update under a serial loop around the body that its subscripts do not follow: the round before has
/// left its value there. Sums over several loops, for which most places are looked at, are seen without isl.
bool goes_on_around(const AccessTable& table, const Access& update, std::size_t depth) {
  const Statement& statement = table.statements[update.statement];
  // Data in `s` and `l` has hidden subscripts.
  if (update.ref->scope != Scope::global || !statement.guards.empty() || !update.conditions.empty()) return false;
  const std::vector<Index>& subscripts = update.ref->subscripts;
  for (std::size_t i = 0; i < depth; ++i) {
    const Loop& loop = *statement.loops[i];
    const bool is_serial = loop.kind == LoopKind::serial || loop.kind == LoopKind::unrolled;
    const bool follows = std::any_of(subscripts.begin(), subscripts.end(),
                                     [&](const Index& subscript) { return uses_variable(subscript, loop.index); });
    if (is_serial && loop.extent > 1 && !follows) return true;
  }
  return false;
}

/// An instance of a write that runs before the update, in another round of the loops around the body.
bool may_hold_a_value(View& view, const Access& update, std::size_t depth) {
  const AccessTable& table = view.table();
  if (goes_on_around(table, update, depth)) return true;
  for (const std::size_t number : table.tensors.at(update.ref->tensor).writes) {
    const Access& write = table.accesses[number];
    if (meet_only_in_one_round(table, write, update, 0, depth)) continue;
    const Relation relation = relate(table.statements[write.statement], table.statements[update.statement]);
    const bool apart = relation.shared_loops < depth;
    if (apart && relation.before && meet_at_origin(table, write, update)) return true;
    IntegerSet set;
    const auto a = add_instance(set, table, view.facts(), write, true);
    const auto b = a ? add_instance(set, table, view.facts(), update, true) : std::nullopt;
    if (!b || a->subscripts.size() != b->subscripts.size()) return true;
    set.dimensions = set.variables();
    require_same_element(set, *a, *b);
    set.require(runs_before(table, write, *a, update, *b));
    if (!apart) {
      Formula differ;
      for (std::size_t i = 0; i < depth; ++i) {
        const Linear x = Linear::variable(a->variables[i]);
        const Linear y = Linear::variable(b->variables[i]);
        differ.push_back({less(x, y)});
        differ.push_back({less(y, x)});
      }
      set.require(std::move(differ));
    }
    if (view.isl().least_point(set).kind != Presburger::Sample::Kind::empty) return true;
  }
  return false;
}

/// Two accesses in one round of the body that touch one element from different threads.
const Access* shared_with_a_thread(View& view, const WriteTarget& target, const Access& write) {
  const AccessTable& table = view.table();
  const auto variable = [&](const Access& access, const Instance& instance, const std::string& name) {
    const std::vector<const Loop*>& loops = table.statements[access.statement].loops;
    const auto at = std::find_if(loops.begin(), loops.end(),
                                 [&](const Loop* loop) { return axis_of(loop->index) == axis_of(name); });
    return Linear::variable(instance.variables[static_cast<std::size_t>(at - loops.begin())]);
  };
  for (const Access* other : target.accesses) {
    if (meet_only_in_one_round(table, write, *other, target.level.depth, target.level.depth)) continue;
    IntegerSet set;
    const auto a = add_instance(set, table, view.facts(), write, true);
    const auto b = a ? add_instance(set, table, view.facts(), *other, true) : std::nullopt;
    if (!b) return other;
    set.dimensions = set.variables();
    require_same_element(set, *a, *b);
    for (std::size_t i = 0; i < target.level.depth; ++i) {
      set.require(equals(Linear::variable(a->variables[i]), Linear::variable(b->variables[i])));
    }
    Formula differ;
    for (const Loop& loop : target.level.threads) {
      const Linear x = variable(write, *a, loop.index);
      const Linear y = variable(*other, *b, loop.index);
      differ.push_back({less(x, y)});
      differ.push_back({less(y, x)});
    }
    set.require(std::move(differ));
    if (view.isl().least_point(set).kind != Presburger::Sample::Kind::empty) return other;
  }
  return nullptr;
}

/// Different iterations of the loops in the subscripts have different elements, so that a copy that goes point by point
/// has one place for each.
bool is_one_place_for_each_element(View& view, const Statement& statement, const std::vector<Index>& subscripts) {
  const auto map = index_map_of(statement, subscripts);
  return map && is_injective(*map, view.isl()) == Truth::yes;
}

}  // namespace

Result<WriteTarget, Refusal> find_write_target(View& view, const CacheRequest& request) {
  const AccessTable& table = view.table();
  const auto refuse_uses = [&] {
    return Refusal{
        &kCacheUses, request.site(), concat(request.of, " is not written in the body"), {{"tensor", request.of}}};
  };
  const auto found = table.tensors.find(request.of);
  if (found == table.tensors.end()) return refuse_uses();
  WriteTarget out;
  out.tensor = &found->second;
  bool written = false;
  std::vector<SubscriptUse> uses;
  for (const Access& access : accesses_below(view, *request.at.nest)) {
    if (access.ref->tensor != request.of) continue;
    const Statement& statement = table.statements[access.statement];
    out.accesses.push_back(&access);
    out.statements.push_back(&statement);
    // What is read was written in the same round: look_at_reads makes sure of it.
    uses.push_back({&statement, access.ref->subscripts, !access.is_write});
    written = written || access.is_write;
  }
  if (!written) return refuse_uses();
  if (out.tensor->scope == Scope::local && request.scope != Scope::local) {
    return Refusal{&kCachePlacement, request.site(), concat(request.of, " is a thread's own"), {}};
  }
  auto level = cache_level(request, out.statements);
  if (!level) return level.error();
  out.level = *std::move(level);
  for (SubscriptUse& use : uses) use.subscripts = out.level.in_common_names(std::move(use.subscripts));
  auto box = request.points ? point_footprint_of(uses, out.level.still) : footprint_of(uses, out.level.still);
  if (!box && !request.points) {
    out.level.join_single_iterations(*out.statements[0]);
    for (SubscriptUse& use : uses) use.subscripts = out.level.in_common_names(std::move(use.subscripts));
    box = footprint_of(uses, out.level.still);
  }
  if (!box) return Refusal{&kCacheBox, request.site(), concat(request.of, ": ", box.error()), {}};
  out.footprint = *std::move(box);
  if (request.points && !is_one_place_for_each_element(view, *out.statements[0], uses[0].subscripts)) {
    return Refusal{&kCacheBox, request.site(), concat(request.of, ": an element may have several places"), {}};
  }
  return out;
}

Result<WriteStart, Refusal> look_at_reads(View& view, const CacheRequest& request, const WriteTarget& target) {
  const auto refuse_because = [&](const Access& access, std::string_view why) {
    return Refusal{
        &kCacheWhole, request.site(), concat(request.of, why, to_text(access.site)), {{"tensor", request.of}}};
  };
  WriteStart out;
  // Where every write is an update, the first one finds nothing that the body has made.
  const bool only_updates = std::all_of(target.accesses.begin(), target.accesses.end(), [&](const Access* access) {
    return !access->is_write || view.table().statements[access->statement].accumulates;
  });
  for (const Access* access : target.accesses) {
    if (access->is_write) {
      if (request.scope != Scope::local) continue;
      if (const Access* other = shared_with_a_thread(view, target, *access)) {
        return refuse_because(*other, " is another thread's too at ");
      }
      continue;
    }
    const bool starts = access->is_accumulator && only_updates;
    if (!starts && is_defined(view, *access, target.level.depth)) continue;
    if (!access->is_accumulator) return refuse_because(*access, " is read from outside the body at ");
    if (may_hold_a_value(view, *access, target.level.depth)) {
      return refuse_because(*access, " holds a value from outside the body at ");
    }
    const auto op = view.table().statements[access->statement].accumulates;
    if (out.op && out.op != op) return refuse_because(*access, " is accumulated by several operators, at ");
    out.op = op;
  }
  if (!out.op) return out;
  for (std::size_t i = 0; i < target.level.depth; ++i) {
    const Loop& loop = *target.statements[0]->loops[i];
    const auto axis = axis_of(loop.index);
    const bool once = i < target.statements[0]->kernel.host_loops || loop.extent == 1 ||
                      (axis && (request.scope == Scope::local || !is_thread_axis(*axis)));
    out.needs_identity = out.needs_identity || !once;
  }
  return out;
}

}  // namespace steptp
