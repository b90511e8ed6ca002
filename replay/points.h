#pragma once

#include <cstdint>
#include <vector>

#include "replay/certificate.h"

namespace steptp::replayer {

/// Where to look at a claim.
struct PointSet {
  std::vector<std::vector<std::int64_t>> elements;
  std::size_t needed = 0;  ///< so many of the first: corners, and a point of every region
  bool is_every_element = false;
  std::uint64_t regions = 0;            ///< of which an element was found, or shown that there is none
  std::uint64_t regions_not_found = 0;  ///< neither
};

/// Chooses elements: all of a small tensor; otherwise corners, points of every region, points on both sides of the
/// index conditions in the forms, and random ones. Throws Refused where the regions do not cover the tensor.
[[nodiscard]] PointSet choose_points(const Claim& claim, const Certificate& certificate, std::uint64_t seed,
                                     std::uint64_t& budget);

}  // namespace steptp::replayer
