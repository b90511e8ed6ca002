#pragma once

#include "steptp/base/result.h"
#include "steptp/estimate/rates.h"
#include "steptp/measure/candidate_pool.h"

namespace steptp {

/// The rates of the machine that the pool measures on, from the times of a few small programs (each says one rate) and
/// what the system knows of its caches. What no program says is that of a shipped table; `source` says so. Failure: the
/// device is not there, or a program could not be measured.
[[nodiscard]] Result<DeviceRates, ExecutionFailure> calibrate(CandidatePool& pool, double budget_seconds);

}  // namespace steptp
