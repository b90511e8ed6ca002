#pragma once

#include <optional>
#include <string>

#include "steptp/ir/program.h"

namespace steptp {

/// A way from a known variable to an output that goes through a narrower float type in `after` than any (or than the
/// narrowest) in `before`: as real functions the programs may agree, but digits or range are thrown away. Nothing
/// where there is none. Wider is allowed.
[[nodiscard]] std::optional<std::string> lost_precision(const Program& before, const Program& after);

}  // namespace steptp
