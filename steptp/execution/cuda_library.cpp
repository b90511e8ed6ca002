#include "steptp/execution/cuda_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "steptp/base/process.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

namespace fs = std::filesystem;

constexpr const char* kDriver = "libcuda.so.1";
constexpr const char* kDefaultToolkit = "/usr/local/cuda";
constexpr const char* kNvrtcNames[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
constexpr double kPythonSeconds = 20;

/// Looks functions up by their names in a library and remembers the first that is not there.
class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <typename Function>
  Symbols& operator()(const char* name, Function*& to) {
    to = reinterpret_cast<Function*>(dlsym(library_, name));
    if (!to && missing_.empty()) missing_ = name;
    return *this;
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

std::string last_error() {
  const char* text = dlerror();
  return text ? text : "unknown reason";
}

Result<const cuda_api::Driver*, Diagnostic> open_driver() {
  const char* given = std::getenv("STEPTP_CUDA_DRIVER");
  void* library = dlopen(given ? given : kDriver, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    return make_error("no-device", concat("there is no CUDA driver: ", last_error()),
                      "CUDA needs an NVIDIA GPU and its driver, which brings libcuda.so.1");
  }
  static cuda_api::Driver driver;
  Symbols symbols(library);
  symbols("cuInit", driver.init)("cuDriverGetVersion", driver.driver_version)("cuGetErrorName", driver.error_name);
  symbols("cuGetErrorString", driver.error_text)("cuDeviceGetCount", driver.device_count);
  symbols("cuDeviceGet", driver.device_get)("cuDeviceGetName", driver.device_name);
  symbols("cuDeviceGetAttribute", driver.device_attribute)("cuDeviceTotalMem_v2", driver.device_memory);
  symbols("cuDevicePrimaryCtxRetain", driver.context_retain)("cuDevicePrimaryCtxRelease_v2", driver.context_release);
  symbols("cuCtxSetCurrent", driver.context_set)("cuCtxSynchronize", driver.context_synchronize);
  symbols("cuMemGetInfo_v2", driver.memory_info)("cuMemAlloc_v2", driver.allocate)("cuMemFree_v2", driver.release);
  symbols("cuMemcpyHtoD_v2", driver.copy_to_device)("cuMemcpyDtoH_v2", driver.copy_to_host);
  symbols("cuMemsetD8Async", driver.set_bytes)("cuModuleLoadData", driver.module_load);
  symbols("cuModuleUnload", driver.module_unload)("cuModuleGetFunction", driver.module_function);
  symbols("cuFuncGetAttribute", driver.function_attribute)("cuFuncSetAttribute", driver.function_set_attribute);
  symbols("cuLaunchKernel", driver.launch)("cuStreamCreate", driver.stream_create);
  symbols("cuStreamDestroy_v2", driver.stream_destroy)("cuStreamSynchronize", driver.stream_synchronize);
  symbols("cuEventCreate", driver.event_create)("cuEventDestroy_v2", driver.event_destroy);
  symbols("cuEventRecord", driver.event_record)("cuEventSynchronize", driver.event_synchronize);
  symbols("cuEventElapsedTime", driver.event_milliseconds);
  if (!symbols.missing().empty()) {
    return make_error("no-device", concat("the CUDA driver is too old: it lacks ", symbols.missing()),
                      "a driver of CUDA 11 or newer is wanted");
  }
  // An older driver lacks graphs, and everything else works without them.
  Symbols graphs(library);
  graphs("cuStreamBeginCapture_v2", driver.capture_begin)("cuStreamEndCapture", driver.capture_end);
  graphs("cuGraphInstantiateWithFlags", driver.graph_prepare)("cuGraphUpload", driver.graph_upload);
  graphs("cuGraphLaunch", driver.graph_launch)("cuGraphDestroy", driver.graph_destroy);
  graphs("cuGraphExecDestroy", driver.prepared_graph_destroy);
  return &driver;
}

/// Folders of packages of the Python that a user gets by `python3`.
std::vector<fs::path> site_packages() {
  const auto ran = run_process(
      {"python3", "-c", "import site, sys\nprint('\\n'.join(dict.fromkeys(sys.path + site.getsitepackages())))"},
      kPythonSeconds);
  std::vector<fs::path> out;
  if (!ran || ran->status != 0) return out;
  std::size_t at = 0;
  while (at < ran->output.size()) {
    const std::size_t end = std::min(ran->output.find('\n', at), ran->output.size());
    const std::string line = ran->output.substr(at, end - at);
    std::error_code ignored;
    if (!line.empty() && fs::is_directory(line + "/nvidia", ignored)) out.emplace_back(line);
    at = end + 1;
  }
  return out;
}

/// nvidia/*/`below` of a folder of packages, sorted.
std::vector<fs::path> package_folders(const fs::path& site, const char* below) {
  std::vector<fs::path> out;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(site / "nvidia", ignored)) {
    const fs::path folder = entry.path() / below;
    if (fs::is_directory(folder, ignored)) out.push_back(folder);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<fs::path> toolkits() {
  std::vector<fs::path> out;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* given = std::getenv(name); given && *given) out.emplace_back(given);
  }
  out.emplace_back(kDefaultToolkit);
  return out;
}

/// The newest libnvrtc in a folder; the packages name it by its version only.
std::optional<fs::path> nvrtc_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("libnvrtc.so") && name.find("alt") == std::string::npos) found.push_back(entry.path());
  }
  if (found.empty()) return std::nullopt;
  return *std::max_element(found.begin(), found.end());
}

/// The library, and where it lies.
struct Opened {
  void* library = nullptr;
  std::string path;
};

Opened open_at(const std::string& path) {
  if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return {library, path};
  return {};
}

/// `packages_only`: whatever the system has.
Opened find_nvrtc(const std::vector<fs::path>& sites, bool packages_only, std::vector<std::string>& looked_at) {
  std::vector<fs::path> folders;
  if (!packages_only) {
    for (const char* name : kNvrtcNames) {
      if (Opened found = open_at(name); found.library) return found;
    }
    looked_at.emplace_back("the system's libraries");
    for (const fs::path& toolkit : toolkits()) {
      folders.push_back(toolkit / "lib64");
      folders.push_back(toolkit / "targets/x86_64-linux/lib");
      looked_at.push_back(toolkit);
    }
  }
  for (const fs::path& site : sites) {
    for (fs::path& folder : package_folders(site, "lib")) folders.push_back(std::move(folder));
    looked_at.push_back(site);
  }
  if (sites.empty()) looked_at.emplace_back("packages of python3, which has none of CUDA's");
  for (const fs::path& folder : folders) {
    const auto path = nvrtc_in(folder);
    if (!path) continue;
    if (Opened found = open_at(*path); found.library) return found;
    looked_at.push_back(concat(path->string(), " (", last_error(), ")"));
  }
  return {};
}

/// The headers that belong to the library: beside it, in a toolkit, in the packages.
std::string headers_for(const std::string& library, const std::vector<fs::path>& sites) {
  std::vector<fs::path> folders;
  if (library.find('/') != std::string::npos) {
    const fs::path above = fs::path(library).parent_path().parent_path();
    folders.push_back(above / "include");
    folders.push_back(above.parent_path() / "cuda_runtime" / "include");
  }
  for (const fs::path& site : sites) {
    for (fs::path& folder : package_folders(site, "include")) folders.push_back(std::move(folder));
  }
  for (const fs::path& toolkit : toolkits()) {
    folders.push_back(toolkit / "include");
    folders.push_back(toolkit / "targets/x86_64-linux/include");
  }
  folders.emplace_back("/usr/include");
  std::error_code ignored;
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / "cuda_fp16.h", ignored)) return folder;
  }
  return {};
}

Result<const NvrtcLibrary*, Diagnostic> open_nvrtc() {
  static NvrtcLibrary out;
  std::vector<std::string> looked_at;
  std::vector<fs::path> sites;
  Opened found;
  const char* given = std::getenv("STEPTP_NVRTC");
  const bool packages_only = given && std::string_view(given) == "python";
  if (given && !packages_only) {
    found = open_at(given);
    looked_at.push_back(concat(given, found.library ? "" : concat(" (", last_error(), ")")));
  } else {
    sites = site_packages();
    found = find_nvrtc(sites, packages_only, looked_at);
  }
  if (!found.library) {
    return make_error("no-nvrtc",
                      concat("NVRTC, the compiler of CUDA, is not there (looked at ",
                             join(looked_at, ", ", [](const std::string& place) { return place; }), ")"),
                      "pip install nvidia-cuda-nvrtc, or set CUDA_HOME to a toolkit, or STEPTP_NVRTC to libnvrtc.so");
  }
  Symbols symbols(found.library);
  cuda_api::Nvrtc& api = out.api;
  symbols("nvrtcVersion", api.version)("nvrtcGetErrorString", api.error_text)("nvrtcCreateProgram", api.create);
  symbols("nvrtcDestroyProgram", api.destroy)("nvrtcCompileProgram", api.compile);
  symbols("nvrtcGetProgramLogSize", api.log_bytes)("nvrtcGetProgramLog", api.log);
  symbols("nvrtcGetCUBINSize", api.cubin_bytes)("nvrtcGetCUBIN", api.cubin)("nvrtcGetPTXSize", api.ptx_bytes);
  symbols("nvrtcGetPTX", api.ptx)("nvrtcGetNumSupportedArchs", api.arch_count)("nvrtcGetSupportedArchs", api.archs);
  if (!symbols.missing().empty()) {
    return make_error("no-nvrtc", concat(found.path, " is too old: it lacks ", symbols.missing()),
                      "NVRTC of CUDA 11.2 or newer is wanted");
  }
  api.version(&out.major, &out.minor);
  out.path = found.path;
  // Where the linker found it, its folder is known only now.
  Dl_info where = {};
  if (dladdr(reinterpret_cast<void*>(api.version), &where) != 0 && where.dli_fname) {
    std::error_code ignored;
    const fs::path real = fs::canonical(where.dli_fname, ignored);
    if (!ignored) out.path = real;
  }
  out.include_folder = headers_for(out.path, sites);
  return &out;
}

}  // namespace

Result<const cuda_api::Driver*, Diagnostic> load_cuda_driver() {
  static const auto kDriverResult = open_driver();
  return kDriverResult;
}

Result<const NvrtcLibrary*, Diagnostic> load_nvrtc() {
  static const auto kNvrtcResult = open_nvrtc();
  return kNvrtcResult;
}

}  // namespace steptp
