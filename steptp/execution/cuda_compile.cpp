#include <algorithm>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/execution/cuda_program.h"

namespace steptp {

namespace {

constexpr std::size_t kKeptLog = 1500;

/// A program of NVRTC that is given back.
class Compilation {
 public:
  Compilation(const cuda_api::Nvrtc& api, const std::string& text) : api_(api) {
    result_ = api.create(&program_, text.c_str(), "program.cu", 0, nullptr, nullptr);
  }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;
  ~Compilation() {
    if (program_) api_.destroy(&program_);
  }

  bool run(const std::vector<std::string>& options) {
    if (result_ != 0) return false;
    std::vector<const char*> list;
    for (const std::string& option : options) list.push_back(option.c_str());
    result_ = api_.compile(program_, static_cast<int>(list.size()), list.data());
    return result_ == 0;
  }
  bool take(cuda_api::Result (*size_of)(cuda_api::NvrtcProgram*, std::size_t*),
            cuda_api::Result (*content_of)(cuda_api::NvrtcProgram*, char*), std::string& out) {
    std::size_t bytes = 0;
    result_ = size_of(program_, &bytes);
    if (result_ != 0 || bytes == 0) return false;
    out.resize(bytes);
    result_ = content_of(program_, out.data());
    return result_ == 0;
  }
  /// What the compiler said: the errors come first.
  std::string message() {
    std::string log;
    const cuda_api::Result reason = result_;
    if (program_ && take(api_.log_bytes, api_.log, log)) log.resize(std::min(log.size(), kKeptLog));
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    return concat(std::string(api_.error_text(reason)), log.empty() ? "" : "\n", log);
  }

 private:
  const cuda_api::Nvrtc& api_;
  cuda_api::NvrtcProgram* program_ = nullptr;
  cuda_api::Result result_ = 0;
};

/// The newest architecture that this NVRTC knows and the device runs; 0 where it cannot say.
int known_architecture(const cuda_api::Nvrtc& api, int compute_capability) {
  int count = 0;
  if (api.arch_count(&count) != 0 || count <= 0) return 0;
  std::vector<int> list(static_cast<std::size_t>(count));
  if (api.archs(list.data()) != 0) return 0;
  int best = 0;
  for (const int arch : list) {
    if (arch <= compute_capability) best = std::max(best, arch);
  }
  return best;
}

}  // namespace

Result<std::string, Diagnostic> compile_cuda(const std::string& text, int compute_capability, const NvrtcLibrary& nvrtc,
                                             const ObjectCache& cache, bool& from_cache, Arithmetic arithmetic) {
  const int known = known_architecture(nvrtc.api, compute_capability);
  if (known == 0) {
    return make_error("no-nvrtc",
                      concat("NVRTC ", nvrtc.major, ".", nvrtc.minor, " at ", nvrtc.path,
                             " compiles for no architecture up to sm_", compute_capability),
                      "install the version of NVRTC that goes with the driver");
  }
  // An older compiler leaves the last step to the driver.
  const bool is_exact = known == compute_capability;
  // Instructions of groups of warps belong to one architecture only; without its letter units work by themselves.
  const bool has_groups = is_exact && known == 90 && text.find("stp_group_begin();") != std::string::npos;
  std::vector<std::string> options = {
      concat("--gpu-architecture=", is_exact ? "sm_" : "compute_", known, has_groups ? "a" : ""), "--std=c++17"};
  if (arithmetic == Arithmetic::exact) options.emplace_back("--fmad=false");
  if (text.find("#include <cuda_fp16.h>") != std::string::npos ||
      text.find("#include <cuda_bf16.h>") != std::string::npos) {
    if (nvrtc.include_folder.empty()) {
      return make_error("no-nvrtc", "f16 and bf16 need the headers of CUDA (cuda_fp16.h), which are not there",
                        "pip install nvidia-cuda-runtime, or set CUDA_HOME to a toolkit");
    }
    options.push_back(concat("--include-path=", nvrtc.include_folder));
  }
  const std::string all = join(options, " ", [](const std::string& option) { return option; });
  const CacheKey key = cache_key({text, concat("nvrtc ", nvrtc.major, ".", nvrtc.minor), all});
  if (auto kept = cache.find(key)) {
    from_cache = true;
    return *std::move(kept);
  }
  from_cache = false;
  Compilation compilation(nvrtc.api, text);
  std::string image;
  const bool done =
      compilation.run(options) && (is_exact ? compilation.take(nvrtc.api.cubin_bytes, nvrtc.api.cubin, image)
                                            : compilation.take(nvrtc.api.ptx_bytes, nvrtc.api.ptx, image));
  if (!done) return make_error("nvrtc", concat("NVRTC refuses the program: ", compilation.message()));
  cache.put(key, image);
  return image;
}

}  // namespace steptp
