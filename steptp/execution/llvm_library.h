#pragma once

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/execution/llvm_engine.h"

namespace steptp {

/// The engine, loaded once: from STEPTP_LLVM_ENGINE, from beside this program or library, from the folder above, or
/// from lib/steptp beside bin. Diagnostic `no-engine`.
[[nodiscard]] Result<const SteptpLlvmEngine*, Diagnostic> load_llvm_engine();

}  // namespace steptp
