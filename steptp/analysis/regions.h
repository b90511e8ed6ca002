#pragma once

#include <optional>
#include <vector>

#include "steptp/analysis/accesses.h"
#include "steptp/analysis/interval.h"

namespace steptp {

/// A product of intervals.
using Box = std::vector<Interval>;

/// Where two statements stand to each other: how many nests they share, how many loops that is, and whether, in one
/// iteration of the shared loops, the first runs before the second.
struct Relation {
  std::size_t shared_nests = 0;
  std::size_t shared_loops = 0;
  bool before = false;
};
[[nodiscard]] Relation relate(const Statement& first, const Statement& second);

/// An index split by the loops it uses: `shared` + `own`, where `own` holds the terms over the other loops and the
/// constant. Nothing where a term mixes both.
struct SplitIndex {
  Index shared;
  Index own;
};
[[nodiscard]] std::optional<SplitIndex> split_by(const Index& index, const std::vector<const Loop*>& loops,
                                                 std::size_t shared_loops);

/// The values of a sum of loop variables, where they are all the integers of one interval: 4a+c with c<4, 3-a.
/// Variables that occur are added to `used`; nothing where one occurs that is used already, or the values have gaps.
[[nodiscard]] std::optional<Interval> dense_values(const Index& index, const Ranges& box,
                                                   std::vector<std::string>& used);

/// Removes the parts from the whole; true where nothing is left. Boxes have equal rank.
[[nodiscard]] bool boxes_cover(const Box& whole, const std::vector<Box>& parts);

}  // namespace steptp
