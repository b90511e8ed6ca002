#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "steptp/estimate/estimate.h"
#include "steptp/estimate/summary.h"

namespace steptp::estimation {

/// The tensors that the shared cache holds when a kernel begins, since kernels before it touched them: the last ones,
/// as far as they fit together.
class CacheContent {
 public:
  explicit CacheContent(double bytes) : bytes_(bytes) {}
  [[nodiscard]] bool holds(const std::string& tensor) const;
  void touch(const std::string& tensor, double bytes);

 private:
  double bytes_;
  std::vector<std::pair<std::string, double>> recent_;  ///< the last one first
};

[[nodiscard]] KernelEstimate gpu_estimate(const KernelSummary& kernel, const DeviceRates& device,
                                          CacheContent& content);
[[nodiscard]] KernelEstimate cpu_estimate(const KernelSummary& kernel, const DeviceRates& device,
                                          CacheContent& content);

/// Several limits at once take a little more than the largest of them.
[[nodiscard]] double together(const std::vector<EstimatePart>& parts);
/// The name of the largest part.
[[nodiscard]] std::string largest(const std::vector<EstimatePart>& parts);

/// How often a thread makes what these loops repeat: their serial iterations.
[[nodiscard]] double serial_times(const StatementSummary& statement, std::uint64_t loops);

}  // namespace steptp::estimation
