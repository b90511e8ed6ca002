#pragma once

#include <map>
#include <string>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/dataset/configuration.h"
#include "steptp/dataset/entry.h"
#include "steptp/dataset/plan.h"
#include "steptp/strategies/strategy.h"

namespace steptp::dataset {

/// Milliseconds of processor time by stage: "plan", "list", "apply", "judge", "lower", "tokens".
using StageTimes = std::map<std::string, double>;

/// Those that the configuration names; all published ones where it names none.
[[nodiscard]] std::vector<const Strategy*> wanted_strategies(const Configuration& configuration);

/// All that a build makes of one planned program: the program in its forms, and its verified entries. Depends on the
/// configuration and the plan only. A program that cannot be used comes back with the reason in `excluded`.
[[nodiscard]] Result<ProgramRecord, Diagnostic> make_record(const PlannedProgram& planned,
                                                            const Configuration& configuration,
                                                            const ImportPaths& imports, StageTimes& times);

}  // namespace steptp::dataset
