#include "steptp/execution/cuda_program.h"

#include <chrono>

#include "steptp/base/text.h"
#include "steptp/cuda/nan_stays.h"

namespace steptp {

namespace {

using cuda_api::FunctionAttribute;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point& start) {
  const auto now = Clock::now();
  const double out = std::chrono::duration<double, std::milli>(now - start).count();
  start = now;
  return out;
}

Diagnostic limit(std::string message, std::string hint) {
  return make_error("device-limit", std::move(message), std::move(hint));
}

Result<cuda::Lowered, Diagnostic> lowered_for(const Program& program, const CudaDevice& device, FloatRules rules) {
  auto out = cuda::lower(program, {&device.limits(), false});
  if (out && rules.nan_stays) out->text = cuda::with_nan_kept(out->text);
  return out;
}

}  // namespace

Result<std::unique_ptr<CudaProgram>, Diagnostic> CudaProgram::compile(const Program& program, CudaDevice& device,
                                                                      const ObjectCache& cache, FloatRules rules) {
  const auto nvrtc = load_nvrtc();
  if (!nvrtc) return nvrtc.error();
  std::unique_ptr<CudaProgram> out(new CudaProgram(device));
  auto start = Clock::now();
  auto lowered = lowered_for(program, device, rules);
  if (!lowered) return lowered.error();
  out->lowered_ = std::move(lowered).value();
  out->times_.lower_milliseconds = milliseconds_since(start);
  bool from_cache = false;
  auto image =
      compile_cuda(out->lowered_.text, device.compute_capability(), **nvrtc, cache, from_cache, rules.arithmetic);
  if (!image) return image.error();
  out->times_.from_cache = from_cache;
  (from_cache ? out->times_.load_milliseconds : out->times_.compile_milliseconds) = milliseconds_since(start);
  auto problem = out->load(*image);
  if (problem && from_cache && !device.is_lost()) {
    // Whatever is wrong with what was kept, a fresh one decides.
    image = compile_cuda(out->lowered_.text, device.compute_capability(), **nvrtc, ObjectCache(), from_cache,
                         rules.arithmetic);
    if (!image) return image.error();
    out->times_.from_cache = false;
    out->times_.compile_milliseconds = milliseconds_since(start);
    problem = out->load(*image);
  }
  if (problem) return *std::move(problem);
  out->times_.load_milliseconds += milliseconds_since(start);
  return out;
}

std::optional<Diagnostic> CudaProgram::compile_ahead(const Program& program, const CudaDevice& device,
                                                     const ObjectCache& cache, FloatRules rules) {
  const auto nvrtc = load_nvrtc();
  if (!nvrtc) return nvrtc.error();
  const auto lowered = lowered_for(program, device, rules);
  if (!lowered) return lowered.error();
  bool from_cache = false;
  const auto image =
      compile_cuda(lowered->text, device.compute_capability(), **nvrtc, cache, from_cache, rules.arithmetic);
  return image ? std::nullopt : std::optional(image.error());
}

CudaProgram::~CudaProgram() {
  if (module_ && !device_.is_lost()) device_.driver().module_unload(module_);
}

std::optional<Diagnostic> CudaProgram::load(const std::string& image) {
  const cuda_api::Driver& driver = device_.driver();
  const auto loaded = driver.module_load(&module_, image.c_str());
  if (auto failure = device_.check(loaded, "the driver does not load the program")) {
    module_ = nullptr;
    if (loaded == cuda_api::kUnsupportedPtx || loaded == cuda_api::kNoBinaryForGpu) {
      failure->diagnostic.hint = "the driver is older than NVRTC: update it, or use the NVRTC of its version";
    }
    return failure->diagnostic;
  }
  kernels_.clear();
  fills_.clear();
  for (std::size_t i = 0; i < lowered_.kernels.size(); ++i) {
    if (auto problem = load_kernel(i)) return problem;
  }
  for (const cuda::FillLaunch& fill : lowered_.fills) {
    cuda_api::Function* function = nullptr;
    if (auto failure = device_.check(driver.module_function(&function, module_, fill.kernel.c_str()), fill.kernel)) {
      return failure->diagnostic;
    }
    fills_.push_back(function);
  }
  return std::nullopt;
}

std::optional<Diagnostic> CudaProgram::load_kernel(std::size_t number) {
  const cuda_api::Driver& driver = device_.driver();
  const cuda::KernelText& kernel = lowered_.kernels[number];
  const std::string& name = lowered_.arrangement.kernels[number].name;
  cuda_api::Function* function = nullptr;
  if (auto failure = device_.check(driver.module_function(&function, module_, name.c_str()), name)) {
    return failure->diagnostic;
  }
  kernels_.push_back(function);
  const auto attribute = [&](FunctionAttribute which) {
    int value = 0;
    driver.function_attribute(&value, static_cast<int>(which), function);
    return static_cast<std::int64_t>(value);
  };
  const std::int64_t threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
  const std::int64_t most_threads = attribute(FunctionAttribute::max_threads_per_block);
  if (threads > most_threads) {
    return limit(
        concat(name, " launches ", threads, " threads in a block with ", attribute(FunctionAttribute::registers),
               " registers each, but ", device_.name(), " runs at most ", most_threads, " of them"),
        "bind fewer iterations to tx, ty and tz");
  }
  const std::int64_t shared = attribute(FunctionAttribute::shared_bytes) + kernel.dynamic_shared_bytes;
  if (shared > device_.limits().shared_bytes) {
    return limit(concat(name, " needs ", shared, " bytes of shared memory in a block, but ", device_.name(), " has ",
                        device_.limits().shared_bytes),
                 "make the tiles smaller");
  }
  if (kernel.dynamic_shared_bytes > 0) {
    const auto set =
        driver.function_set_attribute(function, static_cast<int>(FunctionAttribute::max_dynamic_shared_bytes),
                                      static_cast<int>(kernel.dynamic_shared_bytes));
    if (auto failure = device_.check(set, concat(name, ": ", kernel.dynamic_shared_bytes, " bytes of shared memory"))) {
      return failure->diagnostic;
    }
  }
  return std::nullopt;
}

}  // namespace steptp
