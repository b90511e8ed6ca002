#pragma once

#include <memory>

#include "steptp/machine/code.h"

namespace steptp::certify {

/// The code with integers that are only ever chosen (C=if_then_else(A>=D,a,C), as an argmax has it) as reals, so that
/// which one is chosen can stay open like any other comparison of reals. Null where there are none.
///
/// Only what is stored as it is becomes a real: integers that are calculated with, wrapped after a choice, compared,
/// accumulated or used in subscripts stay integers.
[[nodiscard]] std::shared_ptr<const Code> choices_as_reals(const Code& code);

}  // namespace steptp::certify
