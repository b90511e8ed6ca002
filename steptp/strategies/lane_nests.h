#pragma once

// Nests that the lanes of a unit run side by side: copies, mostly. Before a kernel's threads become units (decision
// 0185) their lanes are a serial loop of 32 right inside the loops over threads.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "steptp/strategies/loops.h"
#include "steptp/strategies/rewrite.h"
#include "steptp/strategies/view.h"

namespace steptp {

inline constexpr std::int64_t kLanesOfUnit = 32;

/// A nest whose first loops are those over threads and the one over lanes.
struct LaneNest {
  const PlacedNest* nest = nullptr;
  std::size_t first = 0;    ///< the outermost loop over threads
  std::size_t threads = 0;  ///< how many there are
};

/// The nest around a statement that binds its threads, so many loops, if it can be spread over lanes.
[[nodiscard]] std::optional<LaneNest> find_lane_nest(View& view, const Statement& statement, std::size_t threads);

/// Its loops over threads and lanes become one over tx: thread 32u+i is lane i of unit u. Nothing where a subscript
/// would not fit.
[[nodiscard]] std::optional<NestPtr> spread_over_lanes(View& view, const LaneNest& lanes);

}  // namespace steptp
