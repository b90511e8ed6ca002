#pragma once

#include <optional>
#include <vector>

#include "replay/whole.h"

namespace steptp::replayer {

/// An element of an output with inputs that are given, and what of these may be moved to what is legal.
struct Probe {
  std::vector<std::int64_t> element;
  WholeCheck::Given given;
};
/// What is moved: an element of an input, or an index of the output.
struct Coordinate {
  const Variable* variable = nullptr;
  std::vector<std::int64_t> index;
  std::size_t dimension = 0;
  Value start;
};

[[nodiscard]] Value value_of_integer(std::int64_t value);
[[nodiscard]] Value value_of_real(const Real& value);
[[nodiscard]] Real real_of(const Numbers& numbers, const Value& value);

/// It is the number that its long double is: no function took part in finding it.
[[nodiscard]] bool is_plain(const Numbers& numbers, const Value& value);

/// How far the start and the two points beside it lie apart, as a power of two: reals are read off close by.
inline constexpr int kStepExponent = -10;
/// One of the other program's turns has the same residue.
[[nodiscard]] bool is_among(const Real& turn, const std::vector<Real>& others);

/// The probe with another value of the coordinate; nothing where that is not legal by the signature.
[[nodiscard]] std::optional<Probe> moved(const Certificate& certificate, const Variable& output, const Probe& probe,
                                         const Coordinate& coordinate, const Value& value);

/// Where a difference becomes zero along a coordinate.
struct Root {
  Real at;
  bool is_exact = false;
  /// Its residue is that of a square root: two such roots need not be of one square root.
  bool is_irrational = false;
};
/// Of its values at the start and one and two steps further: one root of what is affine, two of what is quadratic.
[[nodiscard]] std::vector<Root> roots_of(Numbers& numbers, const Real& first, const Real& second, const Real& third,
                                         const Real& start, const Real& step);

/// The root and what lies on both sides of it, close by and further away.
[[nodiscard]] std::vector<Value> values_near(const Numbers& numbers, const Root& root, bool is_integer);

}  // namespace steptp::replayer
