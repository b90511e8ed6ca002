#pragma once

#include <string>

namespace steptp::cuda {

/// The text of a lowered program as one whose max and min of floats give NaN where either is NaN, as PyTorch's do. Of a
/// number and NaN LEIR's give the number.
[[nodiscard]] std::string with_nan_kept(const std::string& text);

}  // namespace steptp::cuda
