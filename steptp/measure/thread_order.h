#pragma once

#include <optional>

#include "steptp/ir/program.h"
#include "steptp/machine/code.h"
#include "steptp/machine/thread_fold.h"

namespace steptp {

/// In which order the CUDA text of a program accumulates over threads and blocks, where that is not the order of the
/// text: what threads of a block do (lowering/collectives.h), and launches for one index of a block axis after another.
/// Nothing where that order is not known; then nothing may be said of a run. `code` is the program's.
[[nodiscard]] std::optional<certify::ThreadFolds> thread_order(const Program& program, const certify::Code& code);

}  // namespace steptp
