#pragma once

// Which accesses go from element to neighbour as the innermost loop runs.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/ir/program.h"

namespace steptp {

struct Adjacency {
  std::int64_t all = 0;
  std::int64_t adjacent = 0;
};

/// Of the accesses below the items whose tensor is wanted, with the last loop of the nest there. Of an accumulator both
/// the read and the write count.
[[nodiscard]] Adjacency adjacency_of(const Program& program, const std::vector<std::uint32_t>& items,
                                     const std::function<bool(const std::string&)>& is_wanted);

/// Whether one loop runs fastest for all equations of the nest, and has iterations that are neighbours.
[[nodiscard]] bool has_fastest_loop(const Nest& nest);

/// "2 of 3 accesses", "all 3 accesses", "none of 3 accesses", "both
/// accesses", "neither access", "the access", "no access".
[[nodiscard]] std::string share_words(std::int64_t some, std::int64_t all, std::string_view one,
                                      std::string_view several);

}  // namespace steptp
