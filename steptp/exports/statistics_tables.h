#pragma once

#include <vector>

#include "steptp/exports/statistics.h"
#include "steptp/report/report.h"

namespace steptp::dataset {

/// All tables of the statistics, in the order in which they are shown.
[[nodiscard]] std::vector<ReportTable> tables_of(const Statistics& statistics);

}  // namespace steptp::dataset
