#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "replay/place.h"

namespace steptp::replayer {

struct EdgesFound {
  std::map<std::string, std::vector<std::vector<std::int64_t>>> elements;  ///< by output
  std::string undecided;                                                   ///< see ConditionRounds
};
/// Elements of each output at which something of a program begins or ends: first and last rounds of loops, both sides
/// of conditions on indices, of the statements that write the output and of those that write what these read.
[[nodiscard]] EdgesFound edges_of(const Layout& layout, std::uint64_t seed);

}  // namespace steptp::replayer
