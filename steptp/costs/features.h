#pragma once

// What the cost model sees of a kernel: some sixty numbers from its summary and from what the analytic model says.

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "steptp/estimate/estimate.h"
#include "steptp/estimate/summary.h"

namespace steptp::costs {

inline constexpr std::size_t kFeatures = 60;
using Features = std::array<float, kFeatures>;

/// By position: what each number is.
[[nodiscard]] const std::array<std::string_view, kFeatures>& feature_names();

/// A kernel as the cost model learns from it.
struct KernelCase {
  Features features{};
  double expected = 0;  ///< seconds that the analytic model says, all launches together
};

/// A program: its kernels, and the seconds that no kernel is to blame for (an empty program, fills).
struct ProgramCase {
  std::vector<KernelCase> kernels;
  double besides = 0;

  [[nodiscard]] double expected() const;
};

[[nodiscard]] ProgramCase case_of(const estimation::ProgramSummary& summary, const DeviceRates& device);

}  // namespace steptp::costs
