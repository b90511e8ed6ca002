#pragma once

#include "steptp/reasoning/teller.h"

namespace steptp {

/// How algebra on a part of an equation is told: slots `take`, `become`, `why` and `back` around the preconditions.
/// {part} becomes {result}, in the equation for {left} of {where}, which is {equation_after} then; {value} is what a
/// step brings in, {by} what it goes by.
void tell_scalar(Teller& teller);

}  // namespace steptp
