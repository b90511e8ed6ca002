#pragma once

#include <memory>
#include <vector>

#include "steptp/cuda/lower.h"
#include "steptp/execution/cuda_device.h"
#include "steptp/execution/cuda_inputs.h"
#include "steptp/execution/llvm_program.h"
#include "steptp/execution/object_cache.h"

namespace steptp {

/// A program compiled for one GPU.
class CudaProgram {
 public:
  /// Lowers within the limits of the device, compiles by NVRTC or takes the cubin from the cache, loads it, and
  /// compares what each kernel needs with what the device has. Diagnostics: `cannot-lower`, `no-nvrtc`, `nvrtc` where
  /// it refuses the text, `device-limit` with the numbers, `device`. The program and the device must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<CudaProgram>, Diagnostic> compile(const Program& program,
                                                                                CudaDevice& device,
                                                                                const ObjectCache& cache,
                                                                                FloatRules rules);
  /// Compiles for a device that nothing is to run on yet, so that `compile` finds the image in the cache. The device
  /// may be one without a context. The same diagnostics, but for `device`.
  [[nodiscard]] static std::optional<Diagnostic> compile_ahead(const Program& program, const CudaDevice& device,
                                                               const ObjectCache& cache, FloatRules rules);
  CudaProgram(const CudaProgram&) = delete;
  CudaProgram& operator=(const CudaProgram&) = delete;
  ~CudaProgram();

  /// The data on the device; `this` must outlive it. `device-limit` where its memory does not hold it. Inputs that are
  /// `kept` on the device, which must outlive it too, are taken from there.
  [[nodiscard]] Result<std::unique_ptr<Session>, ExecutionFailure> start(const Tensors& inputs,
                                                                         CudaInputs* kept = nullptr);

  [[nodiscard]] const CompileTimes& times() const { return times_; }
  [[nodiscard]] const lowering::Arrangement& arrangement() const { return lowered_.arrangement; }
  /// Where the intermediates lie in one block of memory.
  [[nodiscard]] const cuda::Workspace& workspace() const { return lowered_.workspace; }

 private:
  friend class CudaSession;
  friend class CudaLaunches;
  explicit CudaProgram(CudaDevice& device) : device_(device) {}
  std::optional<Diagnostic> load(const std::string& image);
  std::optional<Diagnostic> load_kernel(std::size_t number);

  CudaDevice& device_;
  cuda::Lowered lowered_;
  cuda_api::Module* module_ = nullptr;
  std::vector<cuda_api::Function*> kernels_;
  std::vector<cuda_api::Function*> fills_;
  CompileTimes times_;
};

/// CUDA C++ as an image for the device: a cubin, or PTX where NVRTC is older than the device. Diagnostic `nvrtc`.
[[nodiscard]] Result<std::string, Diagnostic> compile_cuda(const std::string& text, int compute_capability,
                                                           const NvrtcLibrary& nvrtc, const ObjectCache& cache,
                                                           bool& from_cache, Arithmetic arithmetic = Arithmetic::fast);

}  // namespace steptp
