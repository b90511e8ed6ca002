#pragma once

#include "steptp/base/hash.h"
#include "steptp/ir/program.h"

namespace steptp {

/// What leaks are looked for by. Two programs have the same form where they are equal up to the names of loops and
/// tensors and the order of expressions that do not depend on each other: a tensor is known by how it is made.
/// Shapes, dtypes and numbers count.
[[nodiscard]] Hash form_of(const Program& program);

/// The same without shapes, dtypes and numbers: extents, constants in subscripts and literals are left out, so that
/// all programs of a type that differ in sizes only have one pattern.
[[nodiscard]] Hash pattern_of(const Program& program);

/// The form up to the order of what may stand in any: terms of a sum, factors between two divisions, both sides of a
/// maximum, brackets of sums. Nothing that is written is left out: dead equations, zeros, ones and loops of one
/// iteration count. A program in which a step was made and nothing else has the written form of the step's result.
[[nodiscard]] Hash written_form_of(const Program& program);

/// The form without what changes nothing: dead equations, loops of one iteration, the order and the brackets of sums
/// and products, zeros that are added, ones that multiply or divide, numbers of one product taken together, choices
/// whose condition is known or whose branches are the same. Programs of equal plain forms compute the same in the same
/// loops; a rewrite that keeps the plain form is none.
[[nodiscard]] Hash plain_form_of(const Program& program);

}  // namespace steptp
