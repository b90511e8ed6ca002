#pragma once

#include <string_view>
#include <vector>

#include "steptp/ir/expr.h"
#include "steptp/reasoning/teller.h"

namespace steptp {

/// How algebra on a part of an equation is told: slots `take`, `become`, `why` and `back` around the preconditions.
/// {part} becomes {result}, in the equation for {left} of {where}, which is {equation_after} then; {value} is what a
/// step brings in, {by} what it goes by.
void tell_scalar(Teller& teller);
/// The same; the slots of this form are preferred, as `take-half`, where there are any.
void tell_scalar_as(Teller& teller, std::string_view form);
/// The part that a scalar step rewrites, before; and what it is after: several operands where it has become a part of
/// the chain around it.
[[nodiscard]] const Expr* scalar_part(const Teller& teller);
[[nodiscard]] std::vector<const Expr*> scalar_results(const Teller& teller);

}  // namespace steptp
