#pragma once

#include "steptp/ir/program.h"

namespace steptp {

/// The program with every decimal as the nearest value of the type in which it is used: each has moved by at most half
/// a unit in the last place. A decimal among decimals only is f64 and stays.
[[nodiscard]] Program with_rounded_literals(const Program& program);

}  // namespace steptp
