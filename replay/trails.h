#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "replay/place.h"

namespace steptp::replayer {

/// What a type holds: significand bits, and binary exponents. The default is no type at all, and holds everything.
struct Width {
  static constexpr std::int64_t kAny = std::int64_t{1} << 40;
  std::int64_t digits = kAny;
  std::int64_t exponent = kAny;
  [[nodiscard]] bool is_type() const { return digits < kAny; }
  [[nodiscard]] bool holds(const Width& other) const { return digits >= other.digits && exponent >= other.exponent; }
  /// What both of them hold.
  void meet(const Width& other);
  auto operator<=>(const Width&) const = default;  // NOLINT(modernize-use-nullptr): what the compiler generates
};
[[nodiscard]] Width width_of(DType dtype);

enum class OperationKind : std::uint8_t { sum, product, quotient, other };
inline constexpr std::size_t kOperationKinds = 4;

/// What happens to the values of a source on one way through a program; widths are the narrowest met.
struct Trail {
  bool decides = false;  ///< a comparison, a subscript, which integer it is
  bool is_used = false;  ///< a literal or an index that met data in an operation
  Width now;             ///< what holds the value as it is
  bool is_exact = true;  ///< it was not computed, or it was stored since
  std::array<Width, kOperationKinds> computed;
  Width stored;                             ///< floats that were stored and read again
  Width lossy;                              ///< those that hold less than what was stored
  std::array<Width, kOperationKinds> kept;  ///< those that hold what such an operation computed
  Width rounds;                             ///< floats that sums and products over loops are kept in
  Width counts;                             ///< integers likewise
  OperationKind last = OperationKind::other;
  Width resting;  ///< the last store, as long as nothing is made of it
  bool rests_lossily = false;
  auto operator<=>(const Trail&) const = default;  // NOLINT(modernize-use-nullptr): what the compiler generates

  [[nodiscard]] bool is_over() const { return decides || is_used; }
  /// What the program holds of the values: the narrowest store, else the narrowest operation, else the source.
  [[nodiscard]] Width held() const;
  /// Something is made of the value that was stored last.
  void wake();
};

/// By source: a known variable, "literal 0.1 in f32" or "index in f32", with the type of the first operation.
using Trails = std::map<std::string, std::set<Trail>>;

/// The ways of every source to a tensor, through values, conditions and subscripts. Throws Undecided where there are
/// too many.
[[nodiscard]] Trails trails_to(const Layout& layout, const std::string& tensor);
/// The name of a source as trails have it: numbers are written in one way.
[[nodiscard]] std::string source_name(const std::string& written);

}  // namespace steptp::replayer
