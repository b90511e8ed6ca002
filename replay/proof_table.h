#pragma once

#include <cstdint>
#include <set>

#include "replay/check.h"

namespace steptp::replayer {

/// Whether the table is well founded: each value is made of earlier ones, stands for versions that there are, and every
/// output is claimed once. Throws Refused.
void check_table(const Context& context);

/// The numbers that a claim is made of; a name stands for those that it is made of.
[[nodiscard]] std::set<std::int64_t> mentioned_numbers(const Certificate& certificate, const Claim& claim);

}  // namespace steptp::replayer
