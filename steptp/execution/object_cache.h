#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "steptp/base/hash.h"

namespace steptp {

/// What compiled code is found by: everything it depends on, as hashes that share nothing, and a length.
struct CacheKey {
  Hash first = 0;
  Hash second = 0;
  std::uint64_t bytes = 0;
  bool operator==(const CacheKey&) const = default;
};
/// The text, the compiler with its version, the machine with its features, the options: in this order.
[[nodiscard]] CacheKey cache_key(std::initializer_list<std::string_view> parts);

/// A folder of compiled code that processes share. An entry appears whole under its name or not at all, carries its
/// key and a hash of its bytes, and counts only where both are right and the file is ours; anything else is as if it
/// were not there. A folder that cannot be written, or a full disk, costs time and nothing else.
class ObjectCache {
 public:
  /// More than this in the folder, and the entries that were not used for longest go.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

  /// An empty name: nothing is kept.
  explicit ObjectCache(std::string folder = {}, std::uint64_t most_bytes = kMostBytes)
      : folder_(std::move(folder)), most_bytes_(most_bytes) {}

  /// $STEPTP_CACHE ("off": none), otherwise $XDG_CACHE_HOME/steptp, otherwise ~/.cache/steptp.
  [[nodiscard]] static std::string default_folder();

  [[nodiscard]] std::optional<std::string> find(const CacheKey& key) const;
  void put(const CacheKey& key, std::string_view object) const;

  /// Removes what was not used for longest, where there is too much.
  void prune() const;

  /// Why nothing was kept the first time that happened; empty where all is well.
  [[nodiscard]] std::string problem() const;
  [[nodiscard]] std::string path_of(const CacheKey& key) const;

 private:
  void note(std::string problem) const;

  std::string folder_;
  std::uint64_t most_bytes_;
  mutable std::mutex mutex_;
  mutable std::string problem_;
};

}  // namespace steptp
