#pragma once

#include <functional>

namespace steptp::cli {

/// From now on Ctrl-C and SIGTERM are only noted: for verbs that ask, as early as possible.
void note_interrupts();

/// From now on Ctrl-C and SIGTERM end nothing by themselves; what is answered says whether to go on: until one of them
/// came, or so many seconds are over (0: no limit).
[[nodiscard]] std::function<bool()> go_on_until_interrupted(double seconds = 0);

}  // namespace steptp::cli
