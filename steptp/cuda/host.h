#pragma once

#include <string>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/cuda/lower.h"

namespace steptp::cuda {

/// The kernels that give accumulators in `g` the value an undefined one reads as.
[[nodiscard]] std::string fill_kernels(const lowering::Arrangement& arrangement);
[[nodiscard]] std::vector<FillLaunch> fill_launches(const lowering::Arrangement& arrangement);

/// The C entry point: steptp_workspace_bytes and steptp_launch.
[[nodiscard]] std::string entry_point(const lowering::Arrangement& arrangement, const std::vector<KernelText>& kernels);

/// The launch list as data.
[[nodiscard]] Json launch_list(const lowering::Arrangement& arrangement, const std::vector<KernelText>& kernels);

/// A main() around the entry point.
[[nodiscard]] std::string main_function(const lowering::Arrangement& arrangement);

}  // namespace steptp::cuda
