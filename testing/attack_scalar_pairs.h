#pragma once

// Scalar expressions that differ at one point or in one region, and programs to hide them in.

#include <string_view>
#include <vector>

namespace steptp::testing {

/// $x and $y are elements of float inputs, $C is a constant of few digits, and the two expressions differ where x and y
/// have these values. `x_is_c`: x has the value of $C instead.
struct ScalarPair {
  std::string_view group;
  std::string_view before;
  std::string_view after;
  double x = 0;
  double y = 1.5;
  bool x_is_c = false;
  std::string_view domain = {};  ///< of A, which $x reads
};
[[nodiscard]] const std::vector<ScalarPair>& scalar_pairs();

/// A program around an expression $e. Inputs have `shape`, $x reads A and $y reads C at `subscript`; the special
/// values stand at `place` (names of numbers: K, R, ...), where the output shows the difference at `element`.
struct Carrier {
  std::string_view name;
  std::string_view shape;
  std::string_view subscript;
  std::string_view place;
  std::string_view output;
  std::string_view program;
  std::string_view element;
  std::string_view more = {};  ///< further signature lines
  std::string_view set = {};   ///< "G@K=200": one further special value, by name, place and value
  std::string_view x = "A";    ///< the tensor that $x reads, where it is a copy of A
};
[[nodiscard]] const std::vector<Carrier>& carriers();

}  // namespace steptp::testing
