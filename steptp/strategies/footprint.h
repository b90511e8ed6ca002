#pragma once

// Which part of a tensor some accesses touch while the loops around them stand still, as a box.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "steptp/analysis/accesses.h"
#include "steptp/base/result.h"
#include "steptp/strategies/moving_points.h"

namespace steptp {

/// Subscripts, with the statement whose loops they use.
struct SubscriptUse {
  const Statement* statement = nullptr;
  std::vector<Index> subscripts;
  /// It touches only what others of them do: X_{k-1} behind a condition does not reach X_{-1}.
  bool is_inside = false;
};

/// One dimension of a copy: it contributes step*t to a subscript, for t from 0 to extent-1.
struct FootprintPart {
  std::int64_t step = 1;
  std::int64_t extent = 1;
};

/// The values of one subscript: fixed, and a multiple of each part's step. There is one part, the hull of all values,
/// or none where there is one value; or one for each loop, where all uses are the same sum of loops that leaves gaps
/// (a*64+c with c<4), so that the copy has none.
struct FootprintDimension {
  Index fixed;  ///< over loops that stand still
  std::vector<FootprintPart> parts;
};

/// What accesses with the same subscripts touch, point by point.
struct PointFootprint {
  std::vector<Index> subscripts;
  MovingPoints points;
};

/// What several accesses touch: one entry for each subscript. A copy of it has a dimension for each part. Or point by
/// point: then there are no such entries.
struct Footprint {
  std::vector<FootprintDimension> dimensions;
  std::optional<PointFootprint> points = {};

  /// Where the copy holds what an access touches. Nothing where a subscript would not fit in 64 bits.
  [[nodiscard]] std::optional<std::vector<Index>> inside(const std::vector<Index>& subscripts) const;
  /// The subscripts of what the copy holds at a point, which has a coordinate for each dimension of the copy.
  [[nodiscard]] std::optional<std::vector<Index>> outside(const std::vector<Index>& point) const;
  [[nodiscard]] std::vector<std::int64_t> extents() const;
};

/// All uses have equally many subscripts, and one of them is not inside. The text says why there is no such box: a
/// subscript reads a tensor, or what stands still differs between uses.
[[nodiscard]] Result<Footprint, std::string> footprint_of(const std::vector<SubscriptUse>& uses,
                                                          const std::set<std::string>& still);

/// The same point by point: all uses have the same subscripts, and the copy has a dimension for each of the sums of
/// loops that move in them, also inside of // and %. Different points may be one element.
[[nodiscard]] Result<Footprint, std::string> point_footprint_of(const std::vector<SubscriptUse>& uses,
                                                                const std::set<std::string>& still);

/// An index in terms of loops that stand still and others: its value is still + factor*moving + constant, where the
/// coefficients of `moving` have no common divisor and the first of its terms, in sorted order, is positive. A term
/// over loops of both kinds is moving.
struct MovingIndex {
  Index still;
  Index moving;
  std::int64_t factor = 0;  ///< 0: nothing moves
  std::int64_t constant = 0;
};
/// Nothing where the index reads a tensor or would not fit.
[[nodiscard]] std::optional<MovingIndex> split_moving(const Index& index, const std::set<std::string>& still);

}  // namespace steptp
