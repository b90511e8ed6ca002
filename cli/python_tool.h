#pragma once

#include <string>
#include <vector>

#include "cli/status.h"

namespace steptp::cli {

/// Becomes a tool of the Python package (`steptp.torch_out.kernelbench`) with these words, run by a Python that has it
/// and PyTorch. Returns only where there is no such Python.
[[nodiscard]] Status become_python_tool(const std::string& python, const std::string& module,
                                        const std::vector<std::string>& words);

}  // namespace steptp::cli
