#pragma once

// Two reductions of windows of padded copies, alike but for their inputs: what partially_equivalent_then_correct looks
// for.

#include <cstdint>
#include <optional>
#include <string>

#include "steptp/strategies/online.h"
#include "steptp/strategies/padding.h"

namespace steptp {

/// A reduction of windows of a padded copy, both expressions of their own.
struct Windows {
  Reduction reduction;
  Padding padding;
};
[[nodiscard]] std::optional<Windows> find_windows(View& view, const PlacedNest& nest);

/// Two of them that differ in what is padded only.
struct WindowPair {
  Windows first;
  Windows second;
  LoopNames names;  ///< from the loops of the first reduction to those of the second
};
/// Obstacles: pair.
[[nodiscard]] Result<WindowPair, Obstacle> find_window_pair(View& view, const PlacedNest& one, const PlacedNest& other);

/// What happens along one dimension of the padded copies when the inputs come to lie side by side.
struct Border {
  std::size_t dimension = 0;
  std::string loop;               ///< of the first reduction's output
  std::int64_t extent = 0;        ///< its iterations
  std::int64_t shift = 0;         ///< where the results of the second begin: the length of an input by the stride
  std::int64_t first_end = 0;     ///< the first result is right before this one
  std::int64_t second_begin = 0;  ///< the second result is right from this one on
};
/// Obstacles: window, stride, kept.
[[nodiscard]] Result<Border, Obstacle> find_border(const WindowPair& pair, std::int64_t dimension);

/// The reference to another tensor with the same subscripts, where it is to `from`.
[[nodiscard]] RefPtr instead(const RefPtr& ref, const std::string& from, const std::string& to);

}  // namespace steptp
