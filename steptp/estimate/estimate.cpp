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
  double f32 = 0;
  double f64 = 0;
  for (const estimation::KernelSummary& kernel : estimation::summary_of(*arrangement).kernels) {
    for (const estimation::StatementSummary& statement : kernel.statements) {
      double threads = 1;
      for (const estimation::LoopSummary& loop : statement.loops) {
        if (loop.axis) threads *= static_cast<double>(loop.extent);
      }
      for (const estimation::OperationSummary& operation : statement.operations) {
        const bool counts = operation.work == estimation::Work::add || operation.work == estimation::Work::multiply ||
                            operation.work == estimation::Work::fused;
        if (!counts || !is_float(operation.dtype)) continue;
        const double times = threads * estimation::serial_times(statement, operation.loops) * statement.share *
                             operation.share * kernel.launches;
        (operation.dtype == DType::f64 ? f64 : f32) += times;
      }
    }
  }
  const double cycles = device.processors * device.clock;
  const double arithmetic = f32 / (device.f32_per_cycle * cycles) + f64 / (device.f64_per_cycle * cycles);
  return device.program_seconds + device.launch_seconds + std::max(bytes / device.memory_bandwidth, arithmetic);
}

}  // namespace steptp
