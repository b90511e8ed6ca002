#pragma once

#include <algorithm>
#include <cstddef>

#include "steptp/base/hash.h"
#include "steptp/moves/move.h"
#include "testing/soak.h"

namespace steptp::testing {

/// The types of the zoo on which a test tries a move: one in so many, from the first on.
struct ZooShare {
  std::size_t step = 1;
  std::size_t first = 0;

  [[nodiscard]] bool has(std::size_t type) const { return type % step == first; }
};

/// One type in eight, other ones for each move, because all of them take minutes; more of them where few have a place
/// for the move. With STEPTP_SOAK it is every type.
inline ZooShare zoo_share(const Move& move) {
  const std::size_t step = soaked(1) > 1 ? 1 : std::clamp<std::size_t>(move.zoo_types / 10, 1, 8);
  return {step, static_cast<std::size_t>(hash_text(move.name) % step)};
}

}  // namespace steptp::testing
