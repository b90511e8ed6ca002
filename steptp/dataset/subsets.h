#pragma once

#include <cstdint>
#include <vector>

#include "steptp/dataset/configuration.h"

namespace steptp::dataset {

/// The entries of one state that may stand together in a multi-answer row, as numbers of candidates.
struct Pool {
  std::uint64_t state = 0;  ///< a hash
  std::vector<std::size_t> entries;
};

/// Different subsets of each pool, `configuration.subsets` for each of `states` states and of `subset_size` entries on
/// average, as far as the pools are large enough. One list of subsets for each pool.
[[nodiscard]] std::vector<std::vector<std::vector<std::size_t>>> draw_subsets(const std::vector<Pool>& pools,
                                                                              std::size_t states,
                                                                              const Configuration& configuration);

}  // namespace steptp::dataset
