#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

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

/// What an operation does, as far as its rounding is compared with another program's.
enum class Rounding : std::uint8_t { sum, product, quotient, function, conversion };
inline constexpr std::size_t kRoundings = 5;
using Widths = std::array<Width, kRoundings>;

/// What happened to the values of a source on one way to where they are looked at. Widths are the narrowest on the way.
struct Way {
  /// The values decide something (a comparison, a subscript): what is stored behind it does not matter to them.
  bool decides = false;
  /// The value is held exactly by whatever holds `own`: an input, a copy of it, an integer, something just stored.
  bool is_exact = true;
  Width own;
  Widths computed;    ///< types of operations
  Width stored;       ///< types of all stores that were not exact
  Width lost;         ///< types of stores that are narrower than what was stored
  Widths kept;        ///< types of stores that hold what was computed, by the last operation
  Width accumulated;  ///< types of sums and products over loops
  Rounding last = Rounding::conversion;
  /// The last store, while the value is only copied; the type of an output is given, and may be used before it.
  Width pending;
  bool pending_lost = false;
  auto operator<=>(const Way&) const = default;  // NOLINT(modernize-use-nullptr): what the compiler generates

  /// What may be expected of a store on this way.
  [[nodiscard]] Width held() const;
};

/// By source: the name of a known variable, a literal ("literal 0.1") or "index".
using WaysOf = std::map<std::string, std::set<Way>>;

/// All ways to the outputs of a program, by output: through values, conditions and subscripts. Nothing where there are
/// too many to be listed.
[[nodiscard]] std::optional<std::map<std::string, WaysOf>> ways_to_outputs(const Program& program);

}  // namespace steptp
