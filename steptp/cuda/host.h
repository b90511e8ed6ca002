#pragma once

#include <string>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/cuda/kernel.h"

namespace steptp::cuda {

/// Where the intermediates in `g` lie in one block of workspace.
struct Workspace {
  std::vector<std::pair<std::string, std::int64_t>> offsets;
  std::int64_t bytes = 0;
};
[[nodiscard]] Workspace workspace_of(const lowering::Plan& plan);

/// The kernels that give accumulators in `g` the value an undefined one reads as.
[[nodiscard]] std::string fill_kernels(const lowering::Plan& plan);

/// The C entry point: steptp_workspace_bytes and steptp_launch.
[[nodiscard]] std::string entry_point(const lowering::Plan& plan, const std::vector<KernelText>& kernels);

/// The launch list as data.
[[nodiscard]] Json launch_list(const lowering::Plan& plan, const std::vector<KernelText>& kernels);

/// A main() around the entry point.
[[nodiscard]] std::string main_function(const lowering::Plan& plan);

}  // namespace steptp::cuda
