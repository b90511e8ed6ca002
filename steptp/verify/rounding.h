#pragma once

#include "steptp/ir/program.h"

namespace steptp {

/// For programs that do the same operations on the same operands, in another order: whether no operation of `after`
/// rounds more than the one of `before` that it stands for. That is so where all data of `before` has one type and all
/// of `after` has it or a wider one. What is computed from literals alone, such as a factor 1/sqrt(d), may have a wider
/// type, as long as `before` does no more than one operation with it before it rounds again, and `after`
/// does not compute it anew beside data, in the type of the data.
[[nodiscard]] bool rounds_no_more(const Program& before, const Program& after);

}  // namespace steptp
