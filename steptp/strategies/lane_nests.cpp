#include "steptp/strategies/lane_nests.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/strategies/fused_indices.h"
#include "steptp/strategies/origins.h"

namespace steptp {

std::optional<LaneNest> find_lane_nest(View& view, const Statement& statement, std::size_t threads) {
  std::size_t depth = 0;
  const auto is_thread = [](const Loop& loop) {
    const auto axis = loop.kind == LoopKind::bound ? axis_of(loop.index) : std::nullopt;
    return axis && is_thread_axis(*axis);
  };
  while (std::none_of(statement.nests[depth]->loops.begin(), statement.nests[depth]->loops.end(), is_thread)) ++depth;
  const std::vector<Loop>& loops = statement.nests[depth]->loops;
  const auto begin = std::find_if(loops.begin(), loops.end(), is_thread);
  const auto end = std::find_if_not(begin, loops.end(), is_thread);
  if (static_cast<std::size_t>(end - begin) != threads || end == loops.end()) return std::nullopt;
  if (end->kind != LoopKind::serial || end->extent != kLanesOfUnit) return std::nullopt;
  const PlacedNest* nest = view.find_nest(std::span(statement.items).first(depth + 1));
  for (const Access& access : accesses_below(view, *nest)) {
    if (access.ref->scope == Scope::local) return std::nullopt;
  }
  return LaneNest{nest, static_cast<std::size_t>(begin - loops.begin()), threads};
}

std::optional<NestPtr> spread_over_lanes(View& view, const LaneNest& lanes) {
  const Nest& nest = *lanes.nest->nest;
  const std::uint32_t expression = lanes.nest->items[0];
  const std::string last = nest.loops[lanes.first + lanes.threads].index;
  NameSource names = view.fresh_indices(expression);
  NestPtr now;
  std::map<std::string, std::string> names_now;
  for (std::size_t i = 0; i <= lanes.threads; ++i) names_now[nest.loops[lanes.first + i].index] = concat("tx", last);
  for (std::size_t left = lanes.threads; left > 0; --left) {
    const std::vector<Loop>& before = now ? now->loops : nest.loops;
    const Loop& outer = before[lanes.first];
    const Loop& inner = before[lanes.first + 1];
    const std::string name = left == 1 ? concat("tx", last) : names.next();
    const Loop fused{left == 1 ? LoopKind::bound : LoopKind::serial, outer.extent * inner.extent, name};
    LoopFuser fuser({outer.index, inner.index, inner.extent, true}, name);
    Rewriter rewriter;
    rewriter.index = [&fuser](const Index& index) { return fuser(index); };
    rewriter.value = [&fuser](const Index& index) { return fuser.undo(index); };
    rewriter.variables = {{outer.index, fuser.quotient()}, {inner.index, fuser.remainder()}};
    std::vector<Loop> loops = before;
    loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(lanes.first));
    loops[lanes.first] = fused;
    const NestPtr kept = now;
    const PlacedNest placed{lanes.nest->items, kept ? kept.get() : &nest, lanes.nest->around};
    auto body = reindexed(placed, loops, rewriter);
    if (!body || fuser.failed()) return std::nullopt;
    now = stands_for(make_nest(std::move(loops), std::move(body->guard), std::move(body->items)), nest, names_now);
  }
  return now;
}

}  // namespace steptp
