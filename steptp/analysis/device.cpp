#include "steptp/analysis/device.h"

#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr std::int64_t kNoLimit = INT64_MAX;
constexpr std::int64_t kKiB = 1024;
constexpr std::array<std::int64_t, 3> kCudaGrid = {2147483647, 65535, 65535};
constexpr std::array<std::int64_t, 3> kCudaBlock = {1024, 1024, 64};
constexpr std::array<std::int64_t, 3> kFree = {kNoLimit, kNoLimit, kNoLimit};

/// Shared memory: 227 KiB of the 228 of sm_90, 163 KiB of the 164 of sm_80 (CUDA programming guide, compute
/// capabilities). A CPU runs threads item by item and keeps `s` and `l` data in memory.
constexpr Device kDevices[] = {
    {"nvidia-h200", kCudaGrid, kCudaBlock, 1024, 227 * kKiB, 65536, kKiB, 1024},
    {"nvidia-a100", kCudaGrid, kCudaBlock, 1024, 163 * kKiB, 65536, kKiB, 1024},
    {"plain-cpu", kFree, kFree, kNoLimit, kNoLimit, kNoLimit, kNoLimit, kNoLimit},
    {"cpu", kFree, kFree, kNoLimit, kNoLimit, kNoLimit, kNoLimit, kNoLimit},
};

}  // namespace

const Device* find_device(std::string_view name) {
  for (const Device& device : kDevices) {
    if (device.name == name) return &device;
  }
  return nullptr;
}

const Device& default_device() { return kDevices[0]; }

std::string device_names() {
  return join(kDevices, " ", [](const Device& device) { return device.name; });
}

}  // namespace steptp
