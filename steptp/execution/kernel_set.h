#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "steptp/execution/cuda_device.h"
#include "steptp/execution/llvm_program.h"
#include "steptp/execution/object_cache.h"
#include "steptp/execution/session.h"
#include "steptp/ir/program.h"
#include "steptp/lowering/target.h"

namespace steptp {

/// What one call works on. Memory of tensors and workspace begins at multiples of `kKernelAlignment` bytes, and no
/// output lies over another tensor.
struct KernelCall {
  std::span<void* const> tensors;  ///< one for each variable of the signature, in its order
  void* workspace = nullptr;       ///< `workspace_bytes()` of it
  void* stream = nullptr;          ///< CUDA: the stream to launch on, null for the default one
  unsigned threads = 1;            ///< CPU: at most so many
};

inline constexpr std::size_t kKernelAlignment = 16;

/// A compiled program that works on memory of others: nothing is copied, nothing allocated on the device, and on CUDA
/// nothing waited for, so that calls can be recorded in a CUDA graph. Any number of threads may call at a time.
class KernelSet {
 public:
  KernelSet() = default;
  KernelSet(const KernelSet&) = delete;
  KernelSet& operator=(const KernelSet&) = delete;
  virtual ~KernelSet() = default;

  [[nodiscard]] virtual const Program& program() const = 0;
  [[nodiscard]] virtual std::int64_t workspace_bytes() const = 0;
  [[nodiscard]] virtual const CompileTimes& times() const = 0;
  /// How many kernels are launched, host loops apart.
  [[nodiscard]] virtual std::size_t kernels() const = 0;

  /// One run. A failure that only data shows (a subscript outside of its dimension) is known on a CPU only.
  [[nodiscard]] virtual std::optional<ExecutionFailure> call(const KernelCall& call) = 0;
};

/// For this machine's CPU; diagnostics of LlvmProgram::compile. The program is one that `check` found ok.
[[nodiscard]] Result<std::unique_ptr<KernelSet>, Diagnostic> compile_for_cpu(Program program, const ObjectCache& cache,
                                                                             FloatRules rules);

/// For a GPU; diagnostics of CudaProgram::compile.
[[nodiscard]] Result<std::unique_ptr<KernelSet>, Diagnostic> compile_for_gpu(Program program,
                                                                             std::shared_ptr<CudaDevice> device,
                                                                             const ObjectCache& cache,
                                                                             FloatRules rules);

}  // namespace steptp
