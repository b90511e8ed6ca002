// A program on a GPU in memory of others, on their stream.
#include <utility>

#include "steptp/execution/cuda_launches.h"
#include "steptp/execution/kernel_set.h"

namespace steptp {

namespace {

class CudaKernelSet : public KernelSet {
 public:
  CudaKernelSet(Program program, std::shared_ptr<CudaDevice> device)
      : program_(std::move(program)), device_(std::move(device)) {}

  std::optional<Diagnostic> compile(const ObjectCache& cache, FloatRules rules) {
    auto compiled = CudaProgram::compile(program_, *device_, cache, rules);
    if (!compiled) return compiled.error();
    code_ = std::move(compiled).value();
    return std::nullopt;
  }

  [[nodiscard]] const Program& program() const override { return program_; }
  [[nodiscard]] std::int64_t workspace_bytes() const override { return code_->workspace().bytes; }
  [[nodiscard]] const CompileTimes& times() const override { return code_->times(); }
  [[nodiscard]] std::size_t kernels() const override { return code_->arrangement().kernels.size(); }

  std::optional<ExecutionFailure> call(const KernelCall& call) override {
    std::map<std::string, cuda_api::Pointer> pointers;
    const std::vector<Variable>& variables = program_.signature.variables;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      pointers[variables[i].name] = reinterpret_cast<cuda_api::Pointer>(call.tensors[i]);
    }
    const auto workspace = reinterpret_cast<cuda_api::Pointer>(call.workspace);
    for (const auto& [name, offset] : code_->workspace().offsets) {
      pointers[name] = workspace + static_cast<std::size_t>(offset);
    }
    CudaLaunches launches(*code_, *device_, static_cast<cuda_api::Stream*>(call.stream));
    return launches.launch_all(pointers);
  }

 private:
  Program program_;
  std::shared_ptr<CudaDevice> device_;
  std::unique_ptr<CudaProgram> code_;  ///< points into the program
};

}  // namespace

Result<std::unique_ptr<KernelSet>, Diagnostic> compile_for_gpu(Program program, std::shared_ptr<CudaDevice> device,
                                                               const ObjectCache& cache, FloatRules rules) {
  auto out = std::make_unique<CudaKernelSet>(std::move(program), std::move(device));
  if (auto problem = out->compile(cache, rules)) return *std::move(problem);
  return std::unique_ptr<KernelSet>(std::move(out));
}

}  // namespace steptp
