#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "steptp/execution/cuda_program.h"
#include "steptp/lowering/host_walk.h"

namespace steptp {

/// The launches of a program on a stream, in order: what has to be filled first, then its kernels, as the host's loops
/// and guards say. It waits for nothing.
class CudaLaunches {
 public:
  CudaLaunches(const CudaProgram& program, CudaDevice& device, cuda_api::Stream* stream)
      : program_(program), device_(device), stream_(stream) {}

  /// More launches than this are a failure. Nothing: as many as there are.
  void limit(std::optional<std::int64_t> most) { most_ = most; }

  /// The whole program on the memory that `pointers` names. Each buffer in `g` is among them.
  [[nodiscard]] std::optional<ExecutionFailure> launch_all(std::map<std::string, cuda_api::Pointer>& pointers);

 private:
  void launch_kernel(std::size_t number);
  void launch(cuda_api::Function* function, const std::string& name, const std::array<std::int64_t, 3>& grid,
              const std::array<std::int64_t, 3>& block, std::int64_t shared_bytes, void** parameters);

  const CudaProgram& program_;
  CudaDevice& device_;
  cuda_api::Stream* stream_;
  std::map<std::string, cuda_api::Pointer>* pointers_ = nullptr;
  lowering::HostWalk<int> host_;
  std::optional<ExecutionFailure> failure_;
  std::optional<std::int64_t> most_;
  std::int64_t launches_ = 0;
};

}  // namespace steptp
