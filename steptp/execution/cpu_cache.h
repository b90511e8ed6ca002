#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace steptp {

/// Empties the caches of this machine of some data.
class CpuCache {
 public:
  /// Little data is flushed line by line where the processor can; much, or elsewhere, is driven out by other data.
  void evict(const std::vector<std::pair<const void*, std::size_t>>& parts);

  /// Of the last level; a guess where the system does not say.
  [[nodiscard]] static std::size_t bytes();

 private:
  std::vector<std::size_t> other_;
};

}  // namespace steptp
