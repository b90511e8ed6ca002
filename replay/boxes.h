#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "replay/form.h"

namespace steptp::replayer {

/// Finds elements of a region by halving the box of all elements.
class RegionSearch {
 public:
  /// `shape`: of the tensor; conditions speak of i0, i1, ... only.
  RegionSearch(const Form& where, const std::vector<std::int64_t>& shape) : where_(where), shape_(shape) {}

  /// An element of the region with the least, or greatest, index of this dimension. Nothing where there is none, or
  /// where it was not found in so many steps (is_certain).
  [[nodiscard]] std::optional<std::vector<std::int64_t>> extreme(std::size_t dimension, bool least);
  /// The last search went to its end.
  [[nodiscard]] bool is_certain() const { return steps_ < kMostSteps; }

 private:
  static constexpr std::uint64_t kMostSteps = 20'000;
  [[nodiscard]] std::optional<std::vector<std::int64_t>> search(IndexBox box, std::size_t dimension, bool least);

  const Form& where_;
  const std::vector<std::int64_t>& shape_;
  std::uint64_t steps_ = 0;
};

/// Whether a condition on indices holds on a box: everywhere, nowhere, or perhaps somewhere.
enum class Truth : std::uint8_t { never, maybe, always };
[[nodiscard]] Truth truth_on(const Form& condition, const IndexBox& box);

/// Which values an index, written with variables by number, has on a box; nothing where that is not seen.
[[nodiscard]] std::optional<Range> range_on(const Form& index, const IndexBox& box);

/// Whether conditions are the leaves of a tree whose branches are a condition and its negation: then every element is
/// in exactly one of them, whatever the conditions say.
[[nodiscard]] bool are_leaves_of_a_tree(const std::vector<FormPtr>& conditions);

/// The same text, up to blanks.
[[nodiscard]] bool is_same_form(const Form& left, const Form& right);

}  // namespace steptp::replayer
