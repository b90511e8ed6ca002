#pragma once

#include <cstdint>

namespace steptp::cli {

/// Exit statuses, a promise to scripts.
enum class Status : std::uint8_t {
  yes = 0,        ///< equal, ok, done
  no = 1,         ///< differs, errors found, refused
  bad_input = 2,  ///< or wrong usage
  undecided = 3,  ///< or beyond the budget
  failed = 4,     ///< the machine failed us: no space, no device
};

/// Of many records: the first of 4, 2, 1, 3, 0 that occurred.
[[nodiscard]] constexpr Status worse(Status a, Status b) {
  constexpr int kRank[] = {0, 2, 3, 1, 4};
  return kRank[static_cast<int>(a)] >= kRank[static_cast<int>(b)] ? a : b;
}

}  // namespace steptp::cli
