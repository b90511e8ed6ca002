#pragma once

#include "steptp/ir/program.h"

namespace steptp {

/// `before` has elements that are NaN or have no value at every input: whether `after` has numbers there. Asked of the
/// normal forms, then of runs at seeded inputs; true also where neither answers, because whoever accepts no filled
/// elements must not accept what may be one.
[[nodiscard]] bool fills_vacuous_elements(const Program& before, const Program& after);

}  // namespace steptp
