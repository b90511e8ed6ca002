#pragma once

#include <cstdint>
#include <vector>

#include "steptp/certify/code.h"

namespace steptp::certify {

/// For each statement of the second program, one of the first that stores the same value at the same iteration,
/// whatever the inputs; kNone where none is known.
struct Sharing {
  std::vector<std::uint32_t> all;
  /// Only where neither the statement nor anything it depends on can go two ways, so that there is nothing to note.
  std::vector<std::uint32_t> plain;
};

/// Statements are told apart by what stands in them, and by the statements that write what they read, in order: those
/// that this never tells apart are the same. So names, dead code and the order of independent nests play no part.
[[nodiscard]] Sharing find_shared(const Code& before, const Code& after);

}  // namespace steptp::certify
