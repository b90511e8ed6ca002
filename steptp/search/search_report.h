#pragma once

#include <vector>

#include "steptp/base/json.h"
#include "steptp/report/report.h"

namespace steptp::search {

/// Rows of any number of searches as tables and curves: each search by itself; per algorithm beside the published
/// figures; over PyTorch where the rows have its times; by class and dtype. Only what is alike is put together: the
/// same algorithm, settings, proposer and device. Searches that did not come to their end, and times below the floor,
/// are shown and in no average. A search that found nothing counts as 1.
[[nodiscard]] Report report_of(const std::vector<Json>& rows);

}  // namespace steptp::search
