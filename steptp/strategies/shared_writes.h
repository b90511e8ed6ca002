#pragma once

// Elements that iterations share which run at the same time: allowed where one equation reduces into them, or writes
// the same to all of them (docs/language.md R10), and so to be looked at by every step that makes a second equation of
// one, or a guard on a loop.

#include "steptp/strategies/loops.h"
#include "steptp/strategies/view.h"

namespace steptp {

/// The first equation below a loop that iterations which run at the same time may share an element of. A copy of it
/// beside the loop would be a second one, and the two may race: under a loop outside of both whose iterations run
/// together, or among the threads of a loop inside where no barrier stands between the copies. What is not known
/// counts.
[[nodiscard]] const Statement* shared_by_one_equation(View& view, const PlacedLoop& at);

/// The first equation below a loop that iterations which run at the same time may share an element of, whatever loop
/// they are of. What is not known counts.
[[nodiscard]] const Statement* shared_by_some(View& view, const PlacedLoop& at);

/// The first equation below a loop of which iterations that run at the same time may write the same to one element: a
/// guard on the loop would tell them apart. What is not known counts.
[[nodiscard]] const Statement* written_alike(View& view, const PlacedLoop& at);

}  // namespace steptp
