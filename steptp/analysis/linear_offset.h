#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "steptp/analysis/index_map.h"

namespace steptp {

/// How many elements lie between two neighbours along each dimension of an array that is stored row by row. Nothing
/// where a number does not fit.
[[nodiscard]] std::optional<std::vector<std::int64_t>> row_major_strides(const std::vector<std::int64_t>& shape);

/// The number of an element in its array as one index: the sum of the subscripts times the strides, with // and %
/// resolved as far as the box shows, and with digits put together again: x//5*5+x%5 is x. Nothing where a coefficient
/// does not fit.
[[nodiscard]] std::optional<Index> linear_offset(const std::vector<Index>& subscripts,
                                                 const std::vector<std::int64_t>& strides,
                                                 const std::vector<BoxVariable>& box);

}  // namespace steptp
