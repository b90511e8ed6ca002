#pragma once

// What a step saves and what it costs, counted in both programs as they are written.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "steptp/ir/program.h"

namespace steptp {

/// Before and after, of each kind: launches of kernels; bytes of intermediates in global memory; scalar operations;
/// reads and writes of global tensors; threads of the widest launch, where there are as many kernels as before. Of
/// operations and accesses only those of equations that one of the two programs has alone, in the iterations that pass
/// their guards, and in both branches of a condition. Nothing where a count is not exact: under a guard that cannot be
/// counted, in a shape that is only bounded, beyond 63 bits. Then both numbers are equal.
struct Effect {
  static constexpr std::size_t kLaunches = 0;
  static constexpr std::size_t kBytes = 1;
  static constexpr std::size_t kOperations = 2;
  static constexpr std::size_t kAccesses = 3;
  static constexpr std::size_t kThreads = 4;
  std::array<std::pair<std::int64_t, std::int64_t>, 5> counts = {};
  bool has_branches = false;      ///< a condition is among the operations and accesses that were counted
  bool has_idle_threads = false;  ///< a guard looks at blocks or threads: not all of them may have work

  [[nodiscard]] bool improves(std::size_t kind) const {
    const auto& [was, is] = counts[kind];
    return kind == kThreads ? is > was : is < was;
  }
  [[nodiscard]] bool worsens(std::size_t kind) const {
    return counts[kind].first != counts[kind].second && !improves(kind);
  }
};
[[nodiscard]] Effect effect_of(const Program& before, const Program& after);

/// "9,831"
[[nodiscard]] std::string grouped(std::int64_t number);
/// "48 bytes", "3.5 KiB", "2 MiB": rounded to three digits where it is no whole number.
[[nodiscard]] std::string bytes_words(std::int64_t bytes);

}  // namespace steptp
