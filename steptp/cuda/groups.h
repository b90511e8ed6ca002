#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "steptp/lowering/arrangement.h"

namespace steptp::cuda {

/// A contraction that four neighbouring units can make together, as a group of 128 lanes: 64 rows, 16 of each unit, by
/// instructions that read both factors from shared memory themselves (wgmma). Decision 0200.
struct GroupProduct {
  RefPtr left;   ///< rows of 64 halves, along k
  RefPtr right;  ///< 64 rows of columns, or a row of 64 halves along k for each column
  bool is_right_along_inner = false;
  Index unit;    ///< the index of the loop over units along wx
  Index column;  ///< the first column of a group
  std::int64_t columns = 0;
};

/// Those of a kernel, by the numbers of their statements.
[[nodiscard]] std::map<std::size_t, GroupProduct> group_products(const lowering::Arrangement& arrangement,
                                                                 const lowering::ArrangedKernel& kernel);

}  // namespace steptp::cuda
