#include "steptp/strategies/caching.h"

#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/storage.h"

namespace steptp {

namespace {

bool is_thread_loop(const Loop& loop) {
  const auto axis = axis_of(loop.index);
  return axis && is_thread_axis(*axis);
}

}  // namespace

Result<CacheLevel, Refusal> cache_level(const CacheRequest& request, const std::vector<const Statement*>& statements) {
  CacheLevel out;
  const PlacedNest& nest = *request.at.nest;
  out.depth = loops_around(nest) + request.at.position + 1;
  if (request.at.loop().kind == LoopKind::vectorized) {
    return Refusal{&kCachePlacement, request.site(), "a V loop has no items but equations", {}};
  }
  const auto threads_of = [&](const Statement& statement) {
    std::vector<Loop> threads;
    for (std::size_t i = out.depth; i < statement.loops.size(); ++i) {
      if (is_thread_loop(*statement.loops[i])) threads.push_back(*statement.loops[i]);
    }
    return threads;
  };
  for (std::size_t i = 0; i < out.depth; ++i) {
    const Loop& loop = *statements[0]->loops[i];
    if (request.scope == Scope::shared && is_thread_loop(loop)) {
      return Refusal{&kCachePlacement, request.site(), concat("the body is inside the thread loop ", loop.index), {}};
    }
    out.still.insert(loop.index);
  }
  if (request.scope != Scope::local) return out;
  out.threads = threads_of(*statements[0]);
  for (const Statement* statement : statements) {
    if (threads_of(*statement) == out.threads) continue;
    return Refusal{&kCachePlacement, request.site(), "uses stand under different thread loops", {}};
  }
  for (const Loop& loop : out.threads) out.still.insert(loop.index);
  return out;
}

std::optional<Refusal> refuse_cache(View& before, View& after, const CacheRequest& request, const std::string& cache) {
  if (const auto conflict = placement_conflict(after, cache)) {
    return refuse(kCachePlacement, request.site(), *conflict);
  }
  if (const auto oversize = oversize_of(after, cache)) {
    return Refusal{&kCacheSize,
                   request.site(),
                   concat(oversize->bytes, " bytes in ", code(request.scope), ", of which there are ", oversize->limit),
                   {{"bytes", oversize->bytes}, {"limit", oversize->limit}}};
  }
  if (const auto conflict = race_conflict(before, after, request.at.expression())) {
    return refuse(kCacheRaces, request.site(), *conflict);
  }
  return std::nullopt;
}

Refusal refuse_large(const CacheRequest& request) {
  return {&kCacheBox, request.site(), "a subscript would not fit in 64 bits", {}};
}

std::size_t item_of(const CacheRequest& request, const Statement& statement) {
  const bool last = request.at.position + 1 == request.at.nest->nest->loops.size();
  return last ? statement.items[request.at.nest->items.size()] : 0;
}

}  // namespace steptp
