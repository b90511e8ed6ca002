#pragma once

#include <string>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/ir/program.h"

namespace steptp::dataset {

/// The TIR text that stands in a dataset. What TVM cannot build for a GPU it still reads with its threads as loops.
[[nodiscard]] Result<std::string, Diagnostic> tir_text_of(const Program& program);

}  // namespace steptp::dataset
