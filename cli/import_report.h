#pragma once

#include <string>

#include "cli/status.h"
#include "steptp/import/import_model.h"

namespace steptp::cli {

/// Says why a model gives no program, and answers with the status that this means.
[[nodiscard]] Status report_import(const ImportFailure& failure, const std::string& file, bool json);

}  // namespace steptp::cli
