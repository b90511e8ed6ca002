#pragma once

#include <cstdint>
#include <optional>

#include "steptp/ir/dtype.h"

namespace steptp {

/// Subscripts are exact: 128 bits hold every sum of products that anybody means, and what does not fit is noticed.
__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): only a typedef can be marked an extension

[[nodiscard]] Wide floor_quotient_wide(Wide dividend, Wide divisor);
[[nodiscard]] Wide floor_remainder_wide(Wide dividend, Wide divisor);

/// Between which two integers, both included, an index lies, however its loops run; nothing where that is unknown or
/// beyond 2^100. Plain interval arithmetic: guards and relations between loops play no part.
struct Reach {
  Wide low = 0;
  Wide high = 0;
};
using MaybeReach = std::optional<Reach>;

[[nodiscard]] MaybeReach reach_of(DType dtype);
[[nodiscard]] MaybeReach add(const MaybeReach& left, const MaybeReach& right);
[[nodiscard]] MaybeReach multiply(const MaybeReach& left, const MaybeReach& right);
[[nodiscard]] MaybeReach quotient(const MaybeReach& dividend, const MaybeReach& divisor);
[[nodiscard]] MaybeReach remainder(const MaybeReach& dividend, const MaybeReach& divisor);

}  // namespace steptp
