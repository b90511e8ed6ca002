#include "steptp/execution/llvm_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr const char* kName = "libsteptp_llvm.so";

/// The folder of the program or library that this function is in.
std::filesystem::path own_folder() {
  Dl_info where = {};
  std::error_code ignored;
  if (dladdr(reinterpret_cast<void*>(&own_folder), &where) != 0 && where.dli_fname) {
    const auto path = std::filesystem::canonical(where.dli_fname, ignored);
    if (!ignored) return path.parent_path();
  }
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

Result<const SteptpLlvmEngine*, Diagnostic> load() {
  std::vector<std::string> places;
  if (const char* given = std::getenv("STEPTP_LLVM_ENGINE")) {
    places.emplace_back(given);
  } else {
    const std::filesystem::path folder = own_folder();
    places = {folder / kName, folder.parent_path() / kName, folder.parent_path() / "lib" / "steptp" / kName};
  }
  std::string reason = "there is no such file";
  for (const std::string& place : places) {
    std::error_code ignored;
    if (!std::filesystem::exists(place, ignored)) continue;
    void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    using Entry = const SteptpLlvmEngine* (*)();
    const auto entry = handle ? reinterpret_cast<Entry>(dlsym(handle, "steptp_llvm_engine")) : nullptr;
    if (entry && entry()->version == kSteptpLlvmEngineVersion) return entry();
    const char* problem = entry ? "it is of another version" : dlerror();
    reason = problem ? problem : "it is not an engine";
  }
  return make_error("no-engine",
                    concat("the LLVM engine is not there: ", reason, " (looked at ",
                           join(places, ", ", [](const std::string& place) { return place; }), ")"),
                    "build with llvm-19-dev installed, or set STEPTP_LLVM_ENGINE to libsteptp_llvm.so");
}

}  // namespace

Result<const SteptpLlvmEngine*, Diagnostic> load_llvm_engine() {
  static const Result<const SteptpLlvmEngine*, Diagnostic> kEngine = load();
  return kEngine;
}

}  // namespace steptp
