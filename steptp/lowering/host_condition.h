#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "steptp/lowering/value.h"

namespace steptp::lowering {

/// Whether a condition on host loops holds: it reads loop indices and integers only.
[[nodiscard]] bool holds(const Value& condition, const std::map<std::string, std::int64_t>& point);

}  // namespace steptp::lowering
