#pragma once

#include <string>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"

namespace steptp {

/// Removes what an answer before has left under this name, so that nobody takes it for the answer to come; fine where
/// there is nothing. What is no plain file stays. Errors: id `write`.
[[nodiscard]] Result<bool, Diagnostic> remove_old(const std::string& path);

}  // namespace steptp
