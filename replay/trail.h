#pragma once

// What happens to a value on its way through a program, as far as the types that hold it go.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

#include "steptp/ir/dtype.h"

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

enum class OperationKind : std::uint8_t { sum, product, quotient, other, conversion };
inline constexpr std::size_t kOperationKinds = 5;

/// What happens to the values of a source on one way through a program; widths are the narrowest met.
struct Trail {
  bool decides = false;  ///< a comparison, a subscript, which integer it is
  bool is_used = false;  ///< a literal or an index that met data in an operation
  Width origin;          ///< what holds the value where it enters the program
  Width now;             ///< what holds the value as it is
  bool is_exact = true;  ///< it was not computed, or it was stored since
  std::array<Width, kOperationKinds> computed;
  std::array<Width, kOperationKinds> early;  ///< the same until an operation is wider than the first
  Width first;                               ///< the type of the first operation
  bool is_early = true;
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

/// The value goes into an operation of this type, which rounds what it makes.
void compute(Trail& trail, OperationKind step, DType dtype);
/// The value decides something.
void decide(Trail& trail);
/// The value is stored in a tensor of this type.
void put(Trail& trail, DType dtype);

}  // namespace steptp::replayer
