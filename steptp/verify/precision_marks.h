#pragma once

#include "steptp/ir/program.h"
#include "steptp/verify/precision_way.h"

namespace steptp {

/// The widest float type of a program: of its tensors and of its operations.
[[nodiscard]] Width widest_float(const Program& program);

/// The program with marks where something is rounded to a float type that does not hold `widest`. A mark is a function
/// of which nothing is known but that it is one, so that a proof that goes through with them rounds the same things in
/// both programs. Marked is what is read of tensors that hold less than what was stored in them. With
/// `marks_operations` marked are also values that were computed in a narrow type, where they leave it: for a wider
/// operation or tensor, for an output, or to decide something; and integers where they become floats that may not hold
/// them.
[[nodiscard]] Program with_marks(const Program& program, const Width& widest, bool marks_operations);

}  // namespace steptp
