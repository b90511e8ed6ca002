#pragma once

#include <string_view>

namespace steptp {

/// The text of python/steptp/capture.py: with it the binary alone can capture a file, wherever it was copied to.
[[nodiscard]] std::string_view capture_script();

}  // namespace steptp
