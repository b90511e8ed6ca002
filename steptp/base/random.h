#pragma once

#include <cstdint>

#include "steptp/base/hash.h"

namespace steptp {

/// A counter-based generator: the n-th draw of a stream is a function of (seed, n), so that any part of a stream can
/// be produced without the rest, by any thread, on any machine.
constexpr std::uint64_t random_at(std::uint64_t seed, std::uint64_t position) {
  return mix(seed ^ mix(position ^ 0xd1b54a32d192ed03ULL));
}

/// A sequence of draws from one stream.
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : seed_(mix(seed)) {}

  constexpr std::uint64_t next() { return random_at(seed_, position_++); }

  /// Uniform in [0, bound), without bias; bound is at least 1.
  constexpr std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
    std::uint64_t draw = next();
    while (draw >= limit) draw = next();
    return draw % bound;
  }

  /// Uniform in [low, high], both included.
  constexpr std::int64_t between(std::int64_t low, std::int64_t high) {
    // In unsigned arithmetic, where the width of a range beyond half of int64 does not overflow.
    const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const std::uint64_t draw = width == UINT64_MAX ? next() : below(width + 1);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + draw);
  }

  /// True with probability numerator / denominator.
  constexpr bool chance(std::uint64_t numerator, std::uint64_t denominator) { return below(denominator) < numerator; }

  /// An independent stream, named by a number.
  [[nodiscard]] constexpr Random fork(std::uint64_t name) const { return Random(combine(seed_, name)); }

 private:
  std::uint64_t seed_;
  std::uint64_t position_ = 0;
};

}  // namespace steptp
