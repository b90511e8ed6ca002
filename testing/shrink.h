#pragma once

#include <optional>

#include "steptp/ir/program.h"

namespace steptp::testing {

/// A program of the same form with small extents: extents, dimensions and the numbers in subscripts and conditions are
/// mapped alike. Nothing where no map that was tried gives a program that check calls ok and that is small.
[[nodiscard]] std::optional<Program> shrink(const Program& program);

}  // namespace steptp::testing
