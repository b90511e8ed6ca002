#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "steptp/base/result.h"
#include "steptp/strategies/view.h"

namespace steptp {

/// A nest that copies a tensor into a larger one and puts a number around it:
///   L_{a}L_{c}[H_{a,c}=if_then_else(1<=c<7,A_{a,c-1},0);]
struct Padding {
  /// Where the copy has elements of its source along one loop: from low on, count of them.
  struct Range {
    std::int64_t low = 0;
    std::int64_t count = 0;
    bool is_stated = false;  ///< by the condition; otherwise everywhere
  };
  const PlacedNest* place = nullptr;
  const Statement* statement = nullptr;
  RefPtr source;
  ExprPtr fill;
  std::vector<Range> ranges;  ///< for each loop of the nest, which are the subscripts of the copy, in this order

  [[nodiscard]] const RefPtr& left() const { return statement->equation->left; }
  [[nodiscard]] const std::vector<Loop>& loops() const { return place->nest->loops; }
};
/// The text says why the nest is none.
[[nodiscard]] Result<Padding, std::string> find_padding(View& view, const PlacedNest& place);

/// if_then_else(ranges,source,fill) over loops; the source is read relative to the lows.
[[nodiscard]] ExprPtr padded(const std::vector<Loop>& loops, const std::vector<Padding::Range>& ranges,
                             const std::string& source, DType dtype, const ExprPtr& fill);

}  // namespace steptp
