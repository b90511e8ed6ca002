#pragma once

#include <string>

#include "steptp/evaluate/evaluate.h"
#include "steptp/report/report.h"

namespace steptp {

/// What an evaluation found. `name`: of the model, or of the file with its answers.
[[nodiscard]] Report report_of(const Evaluation& evaluation, const std::string& name);

}  // namespace steptp
