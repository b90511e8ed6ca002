#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace steptp::search {

/// `work` for each number, at most so many at a time. False where one of them says so; then the others that have not
/// begun are left out.
[[nodiscard]] inline bool side_by_side(const std::vector<std::size_t>& numbers, unsigned most,
                                       const std::function<bool(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> ok = true;
  const auto take = [&] {
    for (std::size_t i = next++; i < numbers.size() && ok; i = next++) {
      if (!work(numbers[i])) ok = false;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min<std::size_t>(most, numbers.size()); ++i) threads.emplace_back(take);
    take();
  }
  return ok;
}

}  // namespace steptp::search
