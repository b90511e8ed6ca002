#pragma once

#include <string>

namespace steptp::cuda {

/// The headers and functions that the text of kernels uses, and no others, in a fixed order.
[[nodiscard]] std::string prelude_for(const std::string& kernels);

}  // namespace steptp::cuda
