#pragma once

#include <functional>

namespace steptp::testing {

/// Calls the function where recursion may go deep: on a thread with a stack of one gigabyte, of which only what is
/// touched is used. Already there, it is called directly.
void on_deep_stack(const std::function<void()>& function);

}  // namespace steptp::testing
