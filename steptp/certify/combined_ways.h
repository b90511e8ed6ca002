#pragma once

#include "steptp/certify/combinations.h"
#include "steptp/certify/inquiry.h"
#include "steptp/certify/progress.h"

namespace steptp::certify {

/// Compares both programs on every way on which their comparisons lead to an element, where these are few and the
/// programs were not shown to agree in every way at once. Undecided where a combination of outcomes was never seen.
class CombinedWays {
 public:
  explicit CombinedWays(Inquiry& inquiry) : inquiry_(inquiry) {}

  [[nodiscard]] Progress compare();

 private:
  [[nodiscard]] Progress compare_at(const OutputPoint& point);
  /// One draw: whether its way is new, and if so whether the programs agree on it.
  [[nodiscard]] Progress add_way(const OutputPoint& point, const Draw& draw, Combinations& ways);
  [[nodiscard]] Progress refuse(const Combinations& ways, const Combinations::Missing& missing);

  Inquiry& inquiry_;
};

}  // namespace steptp::certify
