#pragma once

#include <cstdint>

#include "steptp/ir/dtype.h"
#include "steptp/ir/signature.h"

namespace steptp::certify {

/// Which values a domain and a type allow.

/// The nearest thing to a wanted value that the domain allows; anywhere in a range that does not hold it, by `unit`
/// from 0 to 1.
[[nodiscard]] double nearest_inside(const Domain& domain, double wanted, double unit);
/// Drawn from all small numbers, but for zero.
[[nodiscard]] bool is_two_sided(const Domain& domain);
/// The greatest value of a float type.
[[nodiscard]] double greatest_of(DType dtype);
/// A value without its fraction, as an integer of the type: a domain may state more than fits.
[[nodiscard]] std::int64_t clamp_to(const DTypeInfo& type, double value);

}  // namespace steptp::certify
