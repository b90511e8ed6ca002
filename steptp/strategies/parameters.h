#pragma once

// A choice compared with the parameters that a strategy, or a move, says it has.

#include <span>
#include <string>

#include "steptp/strategies/strategy.h"

namespace steptp {

/// The reason why a choice cannot be one with these parameters, or nothing.
[[nodiscard]] std::string misfit(std::span<const Parameter> parameters, const Choice& choice);
/// Only whether one is missing or of the wrong kind: there may be others.
[[nodiscard]] std::string missing_parameter(std::span<const Parameter> parameters, const Choice& choice);
/// The choice with the fallbacks of what it leaves out.
[[nodiscard]] Choice with_fallbacks(std::span<const Parameter> parameters, const Choice& choice);

}  // namespace steptp
