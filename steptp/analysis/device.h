#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace steptp {

/// What a launch may ask of a device. A new device is one line in the table in device.cpp.
struct Device {
  std::string_view name;
  std::array<std::int64_t, 3> grid;   ///< blocks along bx, by, bz
  std::array<std::int64_t, 3> block;  ///< threads along tx, ty, tz
  std::int64_t threads;               ///< in a block, in all
  std::int64_t shared_bytes;          ///< in a block, with opt-in
  std::int64_t registers;             ///< of four bytes, in a block
  std::int64_t local_bytes;           ///< of `l` data in a thread that may be kept in registers
  std::int64_t unrolled_iterations;   ///< of loops that subscript `l` data, before it is left in memory
};

/// Null where the table has no such device.
[[nodiscard]] const Device* find_device(std::string_view name);
/// What launches are measured by where no device is named: the widest of the GPUs in the table.
[[nodiscard]] const Device& default_device();
/// "nvidia-h200 nvidia-a100 plain-cpu cpu", for messages.
[[nodiscard]] std::string device_names();

}  // namespace steptp
