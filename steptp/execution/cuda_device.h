#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "steptp/analysis/device.h"
#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/execution/cuda_library.h"
#include "steptp/execution/session.h"

namespace steptp {

/// One GPU, with its context in this process. Everything happens on the thread that opened it.
class CudaDevice {
 public:
  /// Diagnostic `no-device`: no driver, no GPU, one that is too old for it, or no such number.
  [[nodiscard]] static Result<std::unique_ptr<CudaDevice>, Diagnostic> open(int ordinal);
  /// The same without a context: what it is and what it can do, for compiling ahead. Nothing runs on it.
  [[nodiscard]] static Result<std::unique_ptr<CudaDevice>, Diagnostic> describe(int ordinal);
  [[nodiscard]] static Result<int, Diagnostic> count();
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;
  ~CudaDevice();

  [[nodiscard]] const std::string& name() const { return name_; }
  /// What a launch may ask of it, for lowering.
  [[nodiscard]] const Device& limits() const { return limits_; }
  [[nodiscard]] int compute_capability() const { return major_ * 10 + minor_; }
  [[nodiscard]] std::int64_t l2_bytes() const { return l2_bytes_; }
  [[nodiscard]] int driver_version() const { return driver_version_; }
  [[nodiscard]] const cuda_api::Driver& driver() const { return driver_; }
  [[nodiscard]] cuda_api::Stream* stream() const { return stream_; }

  /// By the clocks and widths that the driver tells: bytes per second of its memory, and operations per second of a
  /// float type without tensor cores, a fused multiply-add being two. 0 where they are not known.
  [[nodiscard]] double peak_bytes_per_second() const;
  [[nodiscard]] double peak_flops(DType dtype) const;

  /// The failure of a call; after some errors (an illegal address, a launch that died) the context answers nothing
  /// else any more, and the process has to go: `is_lost`.
  [[nodiscard]] std::optional<ExecutionFailure> check(cuda_api::Result result, const std::string& what);
  [[nodiscard]] bool is_lost() const { return is_lost_; }

 private:
  explicit CudaDevice(const cuda_api::Driver& driver) : driver_(driver) {}
  std::optional<Diagnostic> read_attributes(int ordinal);
  std::optional<Diagnostic> start();
  [[nodiscard]] int attribute(cuda_api::DeviceAttribute attribute) const;

  const cuda_api::Driver& driver_;
  cuda_api::Device device_ = 0;
  cuda_api::Context* context_ = nullptr;
  cuda_api::Stream* stream_ = nullptr;
  std::string name_;
  Device limits_{};
  int major_ = 0;
  int minor_ = 0;
  int driver_version_ = 0;
  std::int64_t l2_bytes_ = 0;
  bool is_lost_ = false;
};

/// Memory of the device.
class CudaMemory {
 public:
  explicit CudaMemory(CudaDevice& device) : device_(device) {}
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;
  ~CudaMemory();
  [[nodiscard]] std::optional<ExecutionFailure> allocate(std::int64_t bytes);
  [[nodiscard]] cuda_api::Pointer begin() const { return begin_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  CudaDevice& device_;
  cuda_api::Pointer begin_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace steptp
