#pragma once

#include <string>
#include <vector>

#include "steptp/evaluate/metrics.h"

namespace steptp {

/// The counts of an evaluation as plots; a plot without anything in it is left out. `is_run`: whether programs ran.
[[nodiscard]] std::vector<std::string> figures_of(const EvaluationSummary& summary, bool is_run);

}  // namespace steptp
