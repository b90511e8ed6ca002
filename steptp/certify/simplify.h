#pragma once

#include "steptp/certify/certify.h"
#include "steptp/certify/comparison.h"
#include "steptp/certify/inputs.h"

namespace steptp::certify {

/// Makes the inputs of a difference as simple as they can be found while both programs still differ at the element: one
/// number for all elements of an input, few elements besides, small integers and short fractions, all of them values of
/// their types. Deterministic, and within a budget of its own. Where nothing representable is found, the inputs stay
/// those of the draw, and `example.is_representable` says so.
void simplify(const Pair& pair, const InputModel& model, const CertifyOptions& options, Counterexample& example);

}  // namespace steptp::certify
