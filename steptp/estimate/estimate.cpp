#include "steptp/estimate/estimate.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "steptp/base/text.h"
#include "steptp/estimate/models.h"

namespace steptp {

using estimation::CacheContent;

namespace estimation {

bool CacheContent::holds(const std::string& tensor) const {
  double sum = 0;
  for (const auto& [name, bytes] : recent_) {
    sum += bytes;
    if (sum > bytes_) return false;
    if (name == tensor) return true;
  }
  return false;
}

void CacheContent::touch(const std::string& tensor, double bytes) {
  std::erase_if(recent_, [&](const auto& one) { return one.first == tensor; });
  recent_.insert(recent_.begin(), {tensor, bytes});
}

double together(const std::vector<EstimatePart>& parts) {
  constexpr double kPower = 3;
  double most = 0;
  for (const EstimatePart& part : parts) most = std::max(most, part.seconds);
  if (most == 0) return 0;
  double sum = 0;
  for (const EstimatePart& part : parts) sum += std::pow(part.seconds / most, kPower);
  return most * std::pow(sum, 1 / kPower);
}

std::string largest(const std::vector<EstimatePart>& parts) {
  const auto found = std::max_element(
      parts.begin(), parts.end(), [](const EstimatePart& a, const EstimatePart& b) { return a.seconds < b.seconds; });
  return found == parts.end() ? std::string() : std::string(found->name);
}

double serial_times(const StatementSummary& statement, std::uint64_t loops) {
  double out = 1;
  for (std::size_t i = 0; i < statement.loops.size(); ++i) {
    if (!statement.loops[i].axis && (loops & loop_bit(i))) out *= static_cast<double>(statement.loops[i].extent);
  }
  return out;
}

}  // namespace estimation

Estimate estimate_of(const estimation::ProgramSummary& summary, const DeviceRates& device) {
  Estimate out;
  out.device = device.name;
  CacheContent content(device.l3_bytes);
  for (const estimation::FillSummary& fill : summary.fills) {
    out.fill_seconds += device.launch_seconds + fill.bytes / device.memory_bandwidth;
    content.touch(fill.tensor, fill.bytes);
  }
  out.seconds = device.program_seconds + out.fill_seconds;
  for (const estimation::KernelSummary& kernel : summary.kernels) {
    KernelEstimate one = device.is_gpu() ? estimation::gpu_estimate(kernel, device, content)
                                         : estimation::cpu_estimate(kernel, device, content);
    one.name = kernel.name;
    one.launches = kernel.launches;
    one.blocks = kernel.blocks();
    one.threads = kernel.threads();
    one.registers = kernel.registers;
    one.shared_bytes = kernel.shared_bytes;
    one.barriers = kernel.barriers;
    out.seconds += one.seconds;
    out.kernels.push_back(std::move(one));
  }
  return out;
}

Result<Estimate, std::string> estimate(const Program& program, const DeviceRates& device) {
  const auto summary = estimation::summary_of(program);
  if (!summary) return summary.error();
  for (const estimation::KernelSummary& kernel : summary->kernels) {
    if (kernel.has_units && (device.matrix_half_per_cycle == 0 || device.matrix_double_per_cycle == 0)) {
      return concat("matrix nests (T loops) have no estimate for ", device.name,
                    ", whose rates have no mma_f16_per_cycle "
                    "and mma_f64_per_cycle");
    }
  }
  return estimate_of(*summary, device);
}

double floor_seconds(const Program& vanilla, const DeviceRates& device) {
  const auto arrangement = lowering::arrangement_of(vanilla);
  if (!arrangement) return device.program_seconds + device.launch_seconds;
  double bytes = 0;
  for (const Variable& variable : vanilla.signature.variables) {
    const auto found = arrangement->buffers.find(variable.name);
    if (found != arrangement->buffers.end()) bytes += static_cast<double>(found->second.bytes);
  }
  // By matrix instructions, where the device has them and they may be used.
  double cycles = 0;
  // Groups of four warps multiply halves twice as fast as warps do, which is what the rate says.
  const double half = std::max(device.f32_per_cycle, 2 * device.matrix_half_per_cycle);
  const double wide = std::max(device.f64_per_cycle, device.matrix_double_per_cycle);
  for (const estimation::KernelSummary& kernel : estimation::summary_of(*arrangement).kernels) {
    for (const estimation::StatementSummary& statement : kernel.statements) {
      double threads = 1;
      for (const estimation::LoopSummary& loop : statement.loops) {
        if (loop.axis) threads *= static_cast<double>(loop.extent);
      }
      if (statement.matrix && statement.matrix->products > 0) {
        // Each iteration of its T loops is a product, and they have an axis.
        cycles += threads * estimation::serial_times(statement, ~std::uint64_t{0}) * statement.share * kernel.launches /
                  (statement.matrix->factors == DType::f64 ? wide : half);
      }
      for (const estimation::OperationSummary& operation : statement.operations) {
        const bool counts = operation.work == estimation::Work::add || operation.work == estimation::Work::multiply ||
                            operation.work == estimation::Work::fused;
        if (!counts || !is_float(operation.dtype)) continue;
        const double times = threads * estimation::serial_times(statement, operation.loops) * statement.share *
                             operation.share * kernel.launches;
        const bool has_halves = std::any_of(statement.accesses.begin(), statement.accesses.end(),
                                            [](const auto& access) { return access.element_bytes == 2; });
        cycles += times / (operation.dtype == DType::f64 ? wide : has_halves ? half : device.f32_per_cycle);
      }
    }
  }
  const double arithmetic = cycles / (device.processors * device.clock);
  return device.program_seconds + device.launch_seconds + std::max(bytes / device.memory_bandwidth, arithmetic);
}

}  // namespace steptp
