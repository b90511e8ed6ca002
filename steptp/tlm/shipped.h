#pragma once

// Weights that come with the program, found by the name of the device that they were trained for.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/tlm/weights.h"

namespace steptp::tlm {

/// Where weights are looked for: the folder that $STEPTP_TLM_WEIGHTS names, or else tlm_weights beside the program,
/// beside its folder in share/steptp, and in the data of a clone.
[[nodiscard]] std::vector<std::string> weights_folders();

/// The file for a device, "nvidia-h200.weights" in the first of the folders that has it. The error says which devices
/// have one.
[[nodiscard]] Result<std::string, Diagnostic> shipped_weights(std::string_view device);

/// The weights of a file, or where `path` is empty those that come with the program for the device.
[[nodiscard]] Result<std::shared_ptr<const Weights>, Diagnostic> usable_weights(const std::string& path,
                                                                                std::string_view device);

}  // namespace steptp::tlm
