#pragma once

#include "steptp/base/hash.h"
#include "steptp/ir/program.h"

namespace steptp::dataset {

/// What leaks are looked for by. Two programs have the same form where they are equal up to the names of loops and
/// tensors and the order of expressions that do not depend on each other: a tensor is known by how it is made.
/// Shapes, dtypes and numbers count.
[[nodiscard]] Hash form_of(const Program& program);

/// The same without shapes, dtypes and numbers: extents, constants in subscripts and literals are left out, so that
/// all programs of a type that differ in sizes only have one pattern.
[[nodiscard]] Hash pattern_of(const Program& program);

}  // namespace steptp::dataset
