#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/estimate/rates.h"
#include "steptp/ir/program.h"

namespace steptp {

namespace estimation {
struct KernelSummary;
struct ProgramSummary;
}  // namespace estimation

/// A share of a kernel's expected time: what it would take if nothing else did.
struct EstimatePart {
  std::string_view name;  ///< "memory", "operations", ...: one of a short list, which docs/devices.md explains
  double seconds = 0;
};

/// What a kernel is expected to take, and why.
struct KernelEstimate {
  std::string name;
  double seconds = 0;      ///< all of its launches
  std::string limited_by;  ///< the name of its largest part, or "launch"
  std::vector<EstimatePart> parts;
  // What the parts come from.
  double launches = 1;
  double blocks = 1;
  double threads = 1;    ///< in a block
  double waves = 1;      ///< of blocks that a GPU runs at once
  double occupancy = 1;  ///< threads on a processor, of those that it could hold
  double registers = 0;
  double shared_bytes = 0;
  double barriers = 0;
  double memory_bytes = 0;  ///< moved from and to memory
  double cache_bytes = 0;   ///< moved between the processors' own caches and the one that they share
  double operations = 0;
};

struct Estimate {
  std::string device;
  double seconds = 0;  ///< the whole program, its caches cold
  double fill_seconds = 0;
  std::vector<KernelEstimate> kernels;
};

/// What a program takes that `check` finds ok. The text says why nobody can tell. Pure: the same answer everywhere.
[[nodiscard]] Result<Estimate, std::string> estimate(const Program& program, const DeviceRates& device);
/// The same of a summary, in microseconds.
[[nodiscard]] Estimate estimate_of(const estimation::ProgramSummary& summary, const DeviceRates& device);

/// What no program with this signature and work can be faster than: its bytes or its operations at the device's peak,
/// and one launch.
[[nodiscard]] double floor_seconds(const Program& vanilla, const DeviceRates& device);

/// {"device","seconds","kernels":[{"name","seconds","limited_by","parts":{...},...}]}
[[nodiscard]] Json to_json(const Estimate& estimate);
/// In words, a line for each kernel and one for each of its parts that matters.
[[nodiscard]] std::string to_text(const Estimate& estimate);

/// "3.2 us", for people.
[[nodiscard]] std::string seconds_text(double seconds);

}  // namespace steptp
