#pragma once

#include <cstddef>
#include <functional>

namespace steptp::certify {

inline constexpr std::size_t kBigStackBytes = std::size_t{512} << 20;

/// Runs a function on a stack of half a gigabyte, of which only what is touched costs memory: definitions that follow
/// one another through 16384 elements are evaluated recursively. False where no such stack could be had.
[[nodiscard]] bool run_on_big_stack(const std::function<void()>& work);

}  // namespace steptp::certify
