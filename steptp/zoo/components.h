#pragma once

#include <span>
#include <string_view>

#include "steptp/base/random.h"
#include "steptp/zoo/maker.h"

namespace steptp::zoo {

/// What a component needs while it is added to a composition.
struct Scene {
  Maker& m;
  Random& random;
  int inputs = 0;  ///< further inputs so far

  /// One of the dimensions of x.
  std::int64_t any_dim(const Value& x);
  std::int64_t pick(std::initializer_list<std::int64_t> choices);
  /// A further input of the program.
  Value another(Shape shape);
  /// One that broadcasts to x: of its shape, or a row of it.
  Value companion(const Value& x);
  Value positive_companion(const Value& x);

 private:
  Shape companion_shape(const Value& x);
};

/// One kind of component: for which numbers of dimensions it is there (bit r: a tensor with r dimensions), how many the
/// result has, and how it is added. A new kind is a new line.
struct Component {
  std::string_view name;
  unsigned ranks;
  int rank_change;
  Value (*add)(Scene& scene, const Value& x);
};

std::span<const Component> all_components();
/// Those that are written as one expression or one kernel (formulas.cpp).
std::span<const Component> formula_components();

inline constexpr unsigned ranks(int low, int high) {
  unsigned out = 0;
  for (int rank = low; rank <= high; ++rank) out |= 1U << rank;
  return out;
}

inline constexpr int kLeastRank = 1;
inline constexpr int kMostRank = 5;

}  // namespace steptp::zoo
