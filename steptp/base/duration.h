#pragma once

#include <algorithm>
#include <chrono>

namespace steptp {

/// What is as good as for ever, about thirty years: the clock still counts so far, and it can be written in JSON.
inline constexpr double kLongestSeconds = 1e9;

/// The seconds that somebody gave, infinitely many too, as so many that clocks and files can hold.
[[nodiscard]] constexpr double countable_seconds(double seconds) {
  return seconds > 0 ? std::min(seconds, kLongestSeconds) : 0;
}

/// The same as a span of the clock; a cast alone would overflow.
[[nodiscard]] constexpr std::chrono::steady_clock::duration span_of_seconds(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(countable_seconds(seconds)));
}

}  // namespace steptp
