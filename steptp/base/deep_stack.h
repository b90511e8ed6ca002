#pragma once

#include <cstddef>
#include <functional>

namespace steptp {

inline constexpr std::size_t kBigStackBytes = std::size_t{512} << 20;

/// Runs a function on a stack of half a gigabyte, of which only what is touched costs memory: definitions that follow
/// one another through 16384 elements are evaluated recursively. Where the caller is on such a stack already and most
/// of it is left, the function runs there. False where no such stack could be had.
[[nodiscard]] bool run_on_big_stack(const std::function<void()>& work);

/// Whether so little of this thread's stack is left that a recursion has to end. Limits that count come first, because
/// they are the same on every machine; this is for whoever calls with little stack.
[[nodiscard]] bool stack_is_short();

}  // namespace steptp
