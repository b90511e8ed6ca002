#pragma once

// A choice compared with the parameters that a strategy, or a move, says it has.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "steptp/strategies/strategy.h"

namespace steptp {

/// The reason why a choice cannot be one with these parameters, or nothing.
[[nodiscard]] std::string misfit(std::span<const Parameter> parameters, const Choice& choice);
/// Only whether one is missing or of the wrong kind: there may be others.
[[nodiscard]] std::string missing_parameter(std::span<const Parameter> parameters, const Choice& choice);
/// Where an integer is not in the range that it has at every place, whatever the others are.
[[nodiscard]] std::optional<Refusal> refuse_outside(const Choice& choice, std::string_view name, std::int64_t least,
                                                    std::int64_t most);
/// The choice with the fallbacks of what it leaves out.
[[nodiscard]] Choice with_fallbacks(std::span<const Parameter> parameters, const Choice& choice);

}  // namespace steptp
