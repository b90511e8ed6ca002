#pragma once

#include <cstdint>
#include <vector>

#include "steptp/oracle/code.h"

namespace steptp::oracle {

/// How a tensor is kept: as an array over `extents`, hidden subscripts first, or as a map.
struct Layout {
  bool dense = false;
  std::vector<std::int64_t> extents;  ///< also of a map, where a shape is known
  double bytes = 0;                   ///< of an array; a map grows with what is written
};

/// `hidden`: how many axes stand before the subscripts. `whole`: every element of an output is wanted.
[[nodiscard]] Layout layout_of(const TensorCode& tensor, std::size_t hidden, bool whole);

/// The axes that stand before the subscripts of the tensor itself (the copy that a demoted one is compared with has
/// those of its scope).
[[nodiscard]] std::size_t own_axes(const TensorCode& tensor);

[[nodiscard]] double bytes_of(const Code& code, bool whole);

}  // namespace steptp::oracle
