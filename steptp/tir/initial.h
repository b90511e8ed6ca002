#pragma once

#include <set>
#include <string>

#include "steptp/lowering/arrangement.h"

namespace steptp::tir {

/// The accumulating statements whose implicit initialisation is what TVM's T.init does: it initialises where all
/// reduction axes are at 0. That agrees where the statement alone writes its tensor, each element belongs to one point
/// of the other axes, and no guard can leave out that first iteration.
[[nodiscard]] std::set<std::size_t> statements_with_init(const lowering::Arrangement& arrangement);

/// Whether a loop around a statement is a spatial axis: the left subscripts use it, or it is a hidden subscript.
[[nodiscard]] bool is_spatial(const lowering::Arrangement& arrangement, const Statement& statement, const Loop& loop);

}  // namespace steptp::tir
