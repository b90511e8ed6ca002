#pragma once

#include <string>

#include "steptp/base/random.h"

namespace steptp::testing {

/// The text (compact profile) of a small program drawn to have accesses that meet: kernels with a block-level body or a
/// thread-level one, P and V loops, data in g and s, guards, and quasi-affine subscripts. Everything about it is
/// decidable; whether its reads are defined and in range is not its concern. The signature has one output, D of rank 2.
[[nodiscard]] std::string small_kernel(Random& random);

}  // namespace steptp::testing
