#pragma once

#include <cstdint>
#include <vector>

#include "steptp/graph/call.h"

namespace steptp::graph {

/// How a window moves over the last `rank` dimensions of a tensor: of convolutions and of pooling, by dimension.
struct Windows {
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> stride;
  std::vector<std::int64_t> before;  ///< padding on the low side
  std::vector<std::int64_t> after;   ///< padding on the high side
  std::vector<std::int64_t> dilation;
  std::vector<std::int64_t> output_padding;  ///< transposed convolutions only
  bool ceil_mode = false;
  bool transposed = false;

  [[nodiscard]] std::size_t rank() const { return kernel.size(); }
  /// The extent of the result in a dimension; Misuse where the window does not fit.
  [[nodiscard]] std::int64_t extent(const Call& call, std::size_t dimension, std::int64_t input) const;
};

/// Of aten.convNd, aten.convolution and aten.conv_transposeNd; `groups` must fit the channels.
[[nodiscard]] Windows convolution_windows(const Call& call);
/// Of aten.max_poolNd and aten.avg_poolNd.
[[nodiscard]] Windows pooling_windows(const Call& call);

}  // namespace steptp::graph
