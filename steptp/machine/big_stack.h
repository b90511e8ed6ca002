#pragma once

#include <functional>

#include "steptp/base/deep_stack.h"

namespace steptp::certify {

/// The same as steptp::run_on_big_stack for work that calls FLINT, which keeps caches per thread: they go with it.
[[nodiscard]] bool run_on_big_stack(const std::function<void()>& work);

}  // namespace steptp::certify
