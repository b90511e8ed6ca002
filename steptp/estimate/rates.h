#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/lowering/target.h"

namespace steptp {

/// What a device does in what time: all that the model of expected times asks of it. Each member but the first three
/// is a row of rate_rows(), by which tables are written, read and explained.
struct DeviceRates {
  std::string name;
  DeviceKind kind = DeviceKind::cuda;
  std::string source;  ///< where the figures come from, in words

  double processors = 1;          ///< multiprocessors, or threads that a CPU runs at once
  double clock = 1e9;             ///< cycles per second under load
  double memory_bandwidth = 1e9;  ///< bytes per second
  double memory_latency = 1e-7;   ///< seconds
  double l3_bytes = 0;            ///< the last cache of all processors together: L2 of a GPU
  double l3_bandwidth = 1e9;
  double l3_latency = 1e-8;
  double l2_bytes = 0;        ///< of one CPU core
  double l2_bandwidth = 1e9;  ///< of one core or multiprocessor, to the level behind its own
  double l1_bytes = 0;        ///< of one core or multiprocessor, shared memory included
  double l1_latency = 1e-9;
  double program_seconds = 0;  ///< of an empty program
  double launch_seconds = 0;   ///< of each further kernel
  double barrier_cycles = 0;
  double scatter_cycles = 0;  ///< for each line that a store writes (GPU), or that comes by itself (CPU)
  // GPU: what one multiprocessor holds.
  double threads = 0;
  double blocks = 0;
  double registers = 0;  ///< of four bytes
  double shared_bytes = 0;
  // Operations of a processor per cycle.
  double f32_per_cycle = 1;
  double f64_per_cycle = 1;
  double convert_per_cycle = 1;
  double special_per_cycle = 1;        ///< steps of functions: exp, log, tanh and others
  double issue_per_cycle = 1;          ///< instructions: of 32 threads on a GPU
  double matrix_half_per_cycle = 0;    ///< products of f16 and bf16 by matrix instructions; 0: the device has none
  double matrix_double_per_cycle = 0;  ///< likewise of f64
  double vector_bytes = 0;             ///< CPU
  double chain_cycles = 4;             ///< from one sum to the next that needs it

  [[nodiscard]] bool is_gpu() const { return kind == DeviceKind::cuda; }
};

/// One figure of a table.
struct RateRow {
  std::string_view name;
  double DeviceRates::*member;
  std::string_view unit;
  std::string_view words;
};
[[nodiscard]] const std::vector<RateRow>& rate_rows();

/// The tables that are shipped.
[[nodiscard]] const std::vector<DeviceRates>& shipped_rates();

/// By a name of the one table of devices: a shipped one, or `cpu` and `cuda`, which are this machine as `steptp device`
/// measured it; without that, `cpu` is the shipped plain CPU and `cuda` has no rates. The error says what to do.
[[nodiscard]] Result<DeviceRates, std::string> find_rates(std::string_view name);
/// All names, for messages.
[[nodiscard]] std::string rate_names();

[[nodiscard]] Json to_json(const DeviceRates& rates);
/// Refuses what is missing, unknown, or no positive number, by name.
[[nodiscard]] Result<DeviceRates, std::string> rates_of_json(const Json& json);

/// Where this machine's own rates are kept: $STEPTP_CONFIG, otherwise $XDG_CONFIG_HOME/steptp or ~/.config/steptp.
/// Empty where none of them is there.
[[nodiscard]] std::string rates_file(DeviceKind kind);
/// Writes them as a whole or not at all; the text says why not.
[[nodiscard]] Result<bool, std::string> keep_rates(const DeviceRates& rates);

}  // namespace steptp
