#pragma once

#include "replay/check.h"

namespace steptp::replayer {

/// Whether the table is well founded: each value is made of earlier ones, stands for versions that there are, and every
/// output is claimed once. Throws Refused.
void check_table(const Context& context);

}  // namespace steptp::replayer
