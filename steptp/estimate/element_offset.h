#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "steptp/ir/index.h"
#include "steptp/ir/program.h"

namespace steptp::estimation {

/// One way in which an offset moves: so many values, so many elements apart.
struct Stride {
  std::int64_t elements = 0;
  double values = 1;
};

/// Where an access goes, counted in elements of its tensor, as a function of the loops around it. Loops are numbered by
/// their position, outermost first; a set of loops is a mask. An estimate needs no exact sets: quotients, remainders
/// and indices from data are seen as loops of their own.
class ElementOffset {
 public:
  ElementOffset();
  ElementOffset(const Index& offset, const std::vector<const Loop*>& loops);

  /// The offset at one iteration. Data is replaced by a number that looks random and depends on the iteration only.
  [[nodiscard]] std::int64_t at(const std::vector<std::int64_t>& point) const;
  /// The loops that it depends on.
  [[nodiscard]] std::uint64_t loops() const { return loops_; }
  /// How it moves over the loops, whose numbers of iterations are given; 1 for those that stand still.
  [[nodiscard]] std::vector<Stride> strides(const std::vector<std::int64_t>& extents) const;
  /// By how much one step of a loop moves it, other loops at 0.
  [[nodiscard]] std::int64_t step_of(std::size_t loop, std::size_t loops) const;

 private:
  struct Term;
  struct Factor;
  struct Sum;
  [[nodiscard]] static std::shared_ptr<const Sum> sum_of(const Index& index, const std::vector<const Loop*>& loops);
  [[nodiscard]] static std::int64_t value_of(const Sum& sum, const std::vector<std::int64_t>& point);
  [[nodiscard]] static std::int64_t value_of(const Factor& factor, const std::vector<std::int64_t>& point);
  struct Span {
    double low = 0;
    double high = 0;
  };
  [[nodiscard]] static Span span_of(const Sum& sum, const std::vector<std::int64_t>& extents);
  [[nodiscard]] static Span span_of(const Factor& factor, const std::vector<std::int64_t>& extents);

  std::shared_ptr<const Sum> sum_;
  std::uint64_t loops_ = 0;
};

/// The bytes that such an access touches in units of `granule` bytes (its own size: exactly its elements; a sector, a
/// line: what memory moves), all of its strides together; at most `most`.
[[nodiscard]] double footprint(std::vector<Stride> strides, double element_bytes, double granule, double most);

/// The bit of a loop; loops beyond the sixty-third share one.
[[nodiscard]] inline std::uint64_t loop_bit(std::size_t position) {
  return std::uint64_t{1} << (position < 63 ? position : 63);
}

}  // namespace steptp::estimation
