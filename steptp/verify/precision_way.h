#pragma once

// What happens to a value on its way through a program, as far as the types that hold it go.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

#include "steptp/analysis/interval.h"
#include "steptp/ir/dtype.h"
#include "steptp/ir/program.h"

namespace steptp {

/// What a type can hold: bits of the significand, and binary exponents. The default holds everything.
struct Width {
  static constexpr int kNoLimit = 1 << 20;
  int precision = kNoLimit;
  int exponent = kNoLimit;
  [[nodiscard]] bool is_limited() const { return precision < kNoLimit; }
  /// Whatever `other` holds is held here too.
  [[nodiscard]] bool holds(const Width& other) const {
    return precision >= other.precision && exponent >= other.exponent;
  }
  auto operator<=>(const Width&) const = default;  // NOLINT(modernize-use-nullptr): what the compiler generates
};
[[nodiscard]] Width narrower(const Width& a, const Width& b);
[[nodiscard]] Width wider(const Width& a, const Width& b);
[[nodiscard]] Width width_of(DType dtype);
/// What holds a number exactly. A decimal counts as the double next to it.
[[nodiscard]] Width width_of(double value);
/// What holds every integer of a range. The greatest may be a power of two, which takes no more digits than what is
/// below it: eleven bits hold all of [0,2048], and 2049 is the first that they do not.
[[nodiscard]] Width width_of(const Interval& range);
/// What holds every value of a known variable: of an integer those of its domain.
[[nodiscard]] Width width_of(const Variable& variable);

/// What an operation does, as far as its rounding is compared with another program's.
enum class Rounding : std::uint8_t { sum, product, quotient, function, conversion };
inline constexpr std::size_t kRoundings = 5;
using Widths = std::array<Width, kRoundings>;

/// What happened to the values of a source on one way to where they are looked at. Widths are the narrowest on the way.
struct Way {
  /// The values decide something (a comparison, a subscript): what is stored behind it does not matter to them.
  bool decides = false;
  /// A literal or an index that took part in an operation with data: the ways of the data lead on from there.
  bool is_used = false;
  /// The value is held exactly by whatever holds `own`: an input, a copy of it, an integer, something just stored.
  bool is_exact = true;
  Width source;  ///< what holds the value where it enters the program
  Width own;
  Widths computed;                                                                    ///< types of operations
  Widths widest = {Width{0, 0}, Width{0, 0}, Width{0, 0}, Width{0, 0}, Width{0, 0}};  ///< the widest of them
  /// The same as long as no operation was wider than the first: f16 products that are summed up in f32.
  Widths leading;
  Width first;  ///< the type of the first operation
  bool is_leading = true;
  Width stored;       ///< types of all stores that were not exact
  Width lost;         ///< types of stores that are narrower than what was stored
  Widths kept;        ///< types of stores that hold what was computed, by the last operation
  Widths kept_first;  ///< those of them that were made while no operation was wider than the first
  Width accumulated;  ///< types of sums and products over loops
  Width counted;      ///< the same, of integers
  Rounding last = Rounding::conversion;
  /// The last store, while the value is only copied; the type of an output is given, and may be used before it.
  Width pending;
  bool pending_lost = false;
  auto operator<=>(const Way&) const = default;  // NOLINT(modernize-use-nullptr): what the compiler generates

  /// Nothing that happens further on matters to the values.
  [[nodiscard]] bool is_over() const { return decides || is_used; }
  /// Some operation of floats rounds the values.
  [[nodiscard]] bool is_computed() const;
  /// What may be expected of a store on this way: the narrowest that it holds, and the widest.
  [[nodiscard]] Width held() const;
  [[nodiscard]] Width widest_held() const;
};

/// The value is used in an operation, so that the last store was not the end of the way.
void settle(Way& way);
/// The value is used in an operation of this type, which rounds.
void operate(Way& way, Rounding rounding, DType dtype);
/// To the type of an operation that rounds nothing of its own: a maximum, a choice, a comparison.
void convert(Way& way, DType dtype);
/// The value decides something.
void decide(Way& way);
/// The value is stored in a tensor of this type.
void store(Way& way, DType dtype);

}  // namespace steptp
