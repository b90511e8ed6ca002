#pragma once

#include "steptp/frontend/call_lowering.h"

namespace steptp::frontend {

/// One copy nest between two shapes with the same elements in row-major order. Where the boundaries of both shapes
/// have a common refinement the loops run over that, and both sides are affine; elsewhere over the target's
/// dimensions, with quotients and remainders on the source.
void reshape(const CallLowering& call, const Tensor& source, const Tensor& target);

/// Padding in all its modes; the modes other than constant take one nest per padded dimension.
void pad(const CallLowering& call);

/// A copy with `before` and `after` further elements in each dimension, filled with a number. Negative amounts crop.
void pad_constant(const CallLowering& call, const Tensor& source, const Tensor& target,
                  const std::vector<std::int64_t>& before, const Value& fill);

}  // namespace steptp::frontend
