#pragma once

#include "steptp/base/json.h"
#include "steptp/strategies/strategy.h"

namespace steptp {

/// The facts of a step as data, with the texts (paper profile) of the parts that have one.
[[nodiscard]] Json to_json(const Facts& facts, const Program& before, const Program& after);
/// {"precondition","check","at","message","values"}
[[nodiscard]] Json to_json(const Refusal& refusal);

}  // namespace steptp
