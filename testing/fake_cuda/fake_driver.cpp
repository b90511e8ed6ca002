// A CUDA driver for tests: memory of the device is memory, and kernels are those that fake_nvrtc.cpp has compiled for
// the emulation of threads. It is as strict as the documentation: launches beyond the limits, shared memory that was
// not asked for, and pointers to nothing are errors. What it shall be or fail at is in the environment:
//   FAKE_CUDA_DEVICES   how many GPUs there are (1)        FAKE_CUDA_MEMORY   bytes of each (1 GiB)
//   FAKE_CUDA_SHARED    bytes of shared memory (232448)    FAKE_CUDA_CAPABILITY  (90)
//   FAKE_CUDA_THREADS   threads that every kernel may have (1024)
//   FAKE_CUDA_FAIL      NAME:ERROR[:AFTER], a function that fails, after so many calls of it
//   FAKE_CUDA_HANG      NAME, a function that does not return
//   FAKE_CUDA_SKIP      NAME, a kernel that does nothing
//   FAKE_CUDA_SCRIBBLE  N, every launch changes byte N of what was allocated first, which is an input
//   FAKE_CUDA_REVERSED  N, after so many launches the threads of a block run last first; -N, only in the first ones
//   FAKE_CUDA_CLOCK     set: all events have the same time
//   FAKE_CUDA_LOG       a file to which calls are written
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

constexpr int kInvalidValue = 1;
constexpr int kOutOfMemory = 2;
constexpr int kNoDevice = 100;
constexpr int kInvalidImage = 200;
constexpr int kNotFound = 500;
constexpr unsigned kStaticShared = 48 * 1024;

long long setting(const char* name, long long fallback) {
  const char* text = std::getenv(name);
  return text ? std::atoll(text) : fallback;
}

void log(const std::string& line) {
  if (const char* path = std::getenv("FAKE_CUDA_LOG")) std::ofstream(path, std::ios::app) << line << '\n';
}

/// Notes the call; the error that it shall answer with, or 0.
int called(const char* name, const std::string& more = {}) {
  static std::map<std::string, int> counts;
  log(more.empty() ? std::string(name) : name + (" " + more));
  if (const char* hang = std::getenv("FAKE_CUDA_HANG"); hang && std::string_view(hang) == name) {
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  const int count = counts[name]++;
  const char* fail = std::getenv("FAKE_CUDA_FAIL");
  if (!fail) return 0;
  const std::string text = fail;
  const std::size_t colon = text.find(':');
  if (text.substr(0, colon) != name) return 0;
  const std::size_t after = text.find(':', colon + 1);
  const int from = after == std::string::npos ? 0 : std::atoi(text.c_str() + after + 1);
  return count >= from ? std::atoi(text.c_str() + colon + 1) : 0;
}

struct Function {
  void (*launch)(const unsigned*, const unsigned*, void**) = nullptr;
  const unsigned* sizes = nullptr;  ///< bytes of each parameter, then 0
  bool (*diverged)() = nullptr;
  void (*set_reversed)(bool) = nullptr;
  std::string name;
  unsigned dynamic_shared = 0;
};
struct Module {
  void* library = nullptr;
  std::map<std::string, Function> functions;
};
/// A launch that was recorded, with the values that its parameters had.
struct Recorded {
  Function* function = nullptr;
  unsigned grid[3] = {};
  unsigned block[3] = {};
  std::vector<std::array<unsigned char, 8>> values;
};
struct Graph {
  std::vector<Recorded> launches;
};
/// What is being recorded; null where launches are executed.
Graph* capture = nullptr;

struct Event {
  std::chrono::steady_clock::time_point at;
};

std::map<std::size_t, std::size_t>& allocations() {
  static std::map<std::size_t, std::size_t> all;
  return all;
}
std::size_t first_allocation = 0;
std::size_t used() {
  std::size_t sum = 0;
  for (const auto& [begin, bytes] : allocations()) sum += bytes;
  return sum;
}
bool is_valid(std::size_t pointer, std::size_t bytes) {
  auto at = allocations().upper_bound(pointer);
  if (at == allocations().begin()) return false;
  --at;
  return pointer + bytes <= at->first + at->second;
}

/// Runs a kernel on the emulation of threads.
int execute(Function& function, const unsigned* grid, const unsigned* block, void** parameters) {
  if (const char* skip = std::getenv("FAKE_CUDA_SKIP"); skip && function.name == skip) return 0;
  static long long launches = 0;
  if (std::getenv("FAKE_CUDA_REVERSED")) {
    const long long bound = setting("FAKE_CUDA_REVERSED", 0);
    function.set_reversed(bound < 0 ? launches < -bound : launches >= bound);
    ++launches;
  }
  function.launch(grid, block, parameters);
  if (const long long at = setting("FAKE_CUDA_SCRIBBLE", -1); at >= 0) {
    reinterpret_cast<unsigned char*>(first_allocation)[at] = 0x11;
  }
  return function.diverged() ? 719 : 0;
}

}  // namespace

EXPORTED int cuInit(unsigned) { return called("cuInit"); }
EXPORTED int cuDriverGetVersion(int* version) {
  *version = 12040;
  return 0;
}
EXPORTED int cuGetErrorName(int error, const char** text) {
  *text = error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_FAKE";
  return 0;
}
EXPORTED int cuGetErrorString(int, const char** text) {
  *text = "said by the fake driver";
  return 0;
}
EXPORTED int cuDeviceGetCount(int* count) {
  *count = static_cast<int>(setting("FAKE_CUDA_DEVICES", 1));
  return called("cuDeviceGetCount");
}
EXPORTED int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal < setting("FAKE_CUDA_DEVICES", 1) ? called("cuDeviceGet", std::to_string(ordinal)) : kNoDevice;
}
EXPORTED int cuDeviceGetName(char* name, int bytes, int device) {
  std::snprintf(name, static_cast<std::size_t>(bytes), "Fake GPU %d", device);
  return 0;
}
EXPORTED int cuDeviceGetAttribute(int* value, int attribute, int) {
  const int capability = static_cast<int>(setting("FAKE_CUDA_CAPABILITY", 90));
  const std::map<int, int> values = {{1, 1024},
                                     {2, 1024},
                                     {3, 1024},
                                     {4, 64},
                                     {5, 2147483647},
                                     {6, 65535},
                                     {7, 65535},
                                     {12, 65536},
                                     {13, 1980000},
                                     {16, 132},
                                     {36, 3201000},
                                     {37, 6144},
                                     {38, 1 << 20},
                                     {75, capability / 10},
                                     {76, capability % 10},
                                     {97, static_cast<int>(setting("FAKE_CUDA_SHARED", 232448))}};
  const auto at = values.find(attribute);
  *value = at == values.end() ? 0 : at->second;
  return at == values.end() ? kInvalidValue : 0;
}
EXPORTED int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = static_cast<std::size_t>(setting("FAKE_CUDA_MEMORY", 1LL << 30));
  return 0;
}
EXPORTED int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = &allocations();
  return called("cuDevicePrimaryCtxRetain");
}
EXPORTED int cuDevicePrimaryCtxRelease_v2(int) { return called("cuDevicePrimaryCtxRelease_v2"); }
EXPORTED int cuCtxSetCurrent(void*) { return called("cuCtxSetCurrent"); }
EXPORTED int cuCtxSynchronize() { return called("cuCtxSynchronize"); }
EXPORTED int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  cuDeviceTotalMem_v2(total, 0);
  *free = *total - used();
  return called("cuMemGetInfo_v2");
}
EXPORTED int cuMemAlloc_v2(std::size_t* pointer, std::size_t bytes) {
  if (const int error = called("cuMemAlloc_v2", std::to_string(bytes))) return error;
  std::size_t total = 0;
  cuDeviceTotalMem_v2(&total, 0);
  if (bytes == 0) return kInvalidValue;
  if (used() + bytes > total) return kOutOfMemory;
  void* data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(data, 0x55, bytes);
  *pointer = reinterpret_cast<std::size_t>(data);
  allocations()[*pointer] = bytes;
  if (first_allocation == 0) first_allocation = *pointer;
  return 0;
}
EXPORTED int cuMemFree_v2(std::size_t pointer) {
  if (allocations().erase(pointer) == 0) return kInvalidValue;
  std::free(reinterpret_cast<void*>(pointer));
  return called("cuMemFree_v2");
}
EXPORTED int cuMemcpyHtoD_v2(std::size_t to, const void* from, std::size_t bytes) {
  if (!is_valid(to, bytes)) return kInvalidValue;
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return called("cuMemcpyHtoD_v2");
}
EXPORTED int cuMemcpyDtoH_v2(void* to, std::size_t from, std::size_t bytes) {
  if (!is_valid(from, bytes)) return kInvalidValue;
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return called("cuMemcpyDtoH_v2");
}
EXPORTED int cuMemsetD8Async(std::size_t to, unsigned char value, std::size_t count, void*) {
  if (!is_valid(to, count)) return kInvalidValue;
  std::memset(reinterpret_cast<void*>(to), value, count);
  return called("cuMemsetD8Async");
}

/// An image is a shared object: what fake_nvrtc.cpp gives as a cubin.
EXPORTED int cuModuleLoadData(Module** module, const void* image) {
  if (const int error = called("cuModuleLoadData")) return error;
  // Its size stands in front of it.
  std::size_t bytes = 0;
  if (std::memcmp(image, "FAKECUBI", 8) != 0) return kInvalidImage;
  std::memcpy(&bytes, static_cast<const char*>(image) + 8, sizeof bytes);
  char path[] = "/tmp/fake_cubin_XXXXXX";
  const int file = mkstemp(path);
  if (file < 0) return kInvalidImage;
  const bool written = write(file, static_cast<const char*>(image) + 16, bytes) == static_cast<ssize_t>(bytes);
  close(file);
  void* library = written ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  unlink(path);
  if (!library) return kInvalidImage;
  *module = new Module{library, {}};
  return 0;
}
EXPORTED int cuModuleUnload(Module* module) {
  dlclose(module->library);
  delete module;
  return called("cuModuleUnload");
}
EXPORTED int cuModuleGetFunction(Function** function, Module* module, const char* name) {
  if (const int error = called("cuModuleGetFunction", name)) return error;
  Function& found = module->functions[name];
  found.launch =
      reinterpret_cast<decltype(found.launch)>(dlsym(module->library, (std::string("fake_launch_") + name).c_str()));
  found.sizes = static_cast<const unsigned*>(dlsym(module->library, (std::string("fake_sizes_") + name).c_str()));
  found.diverged = reinterpret_cast<decltype(found.diverged)>(dlsym(module->library, "fake_diverged"));
  found.set_reversed = reinterpret_cast<decltype(found.set_reversed)>(dlsym(module->library, "fake_set_reversed"));
  found.name = name;
  *function = &found;
  return found.launch && found.sizes ? 0 : kNotFound;
}
EXPORTED int cuFuncGetAttribute(int* value, int attribute, Function*) {
  *value = attribute == 0 ? static_cast<int>(setting("FAKE_CUDA_THREADS", 1024)) : attribute == 4 ? 40 : 0;
  return 0;
}
EXPORTED int cuFuncSetAttribute(Function* function, int attribute, int value) {
  if (attribute != 8 || value > setting("FAKE_CUDA_SHARED", 232448)) return kInvalidValue;
  function->dynamic_shared = static_cast<unsigned>(value);
  return called("cuFuncSetAttribute", function->name + " " + std::to_string(value));
}
EXPORTED int cuLaunchKernel(Function* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                            unsigned bz, unsigned shared, void*, void** parameters, void** extra) {
  const unsigned grid[] = {gx, gy, gz};
  const unsigned block[] = {bx, by, bz};
  const std::string shape = function->name + " " + std::to_string(gx) + "," + std::to_string(gy) + "," +
                            std::to_string(gz) + " " + std::to_string(bx) + "," + std::to_string(by) + "," +
                            std::to_string(bz) + " " + std::to_string(shared);
  if (const int error = called("cuLaunchKernel", shape)) return error;
  if (extra || gx * gy * gz == 0 || bx * by * bz == 0 || bx * by * bz > 1024) return kInvalidValue;
  if (shared > kStaticShared && shared > function->dynamic_shared) return kInvalidValue;
  if (capture) {
    Recorded& recorded = capture->launches.emplace_back();
    recorded.function = function;
    std::copy_n(grid, 3, recorded.grid);
    std::copy_n(block, 3, recorded.block);
    for (const unsigned* size = function->sizes; *size != 0; ++size, ++parameters) {
      std::memcpy(recorded.values.emplace_back().data(), *parameters, *size);
    }
    return 0;
  }
  return execute(*function, grid, block, parameters);
}
EXPORTED int cuStreamBeginCapture_v2(void*, int) {
  if (capture) return kInvalidValue;
  if (const int error = called("cuStreamBeginCapture_v2")) return error;
  capture = new Graph();
  return 0;
}
EXPORTED int cuStreamEndCapture(void*, Graph** graph) {
  *graph = capture;
  capture = nullptr;
  return *graph ? called("cuStreamEndCapture") : kInvalidValue;
}
EXPORTED int cuGraphInstantiateWithFlags(Graph** prepared, Graph* graph, unsigned long long) {
  if (const int error = called("cuGraphInstantiateWithFlags", std::to_string(graph->launches.size()))) return error;
  *prepared = new Graph(*graph);
  return 0;
}
EXPORTED int cuGraphUpload(Graph*, void*) { return called("cuGraphUpload"); }
EXPORTED int cuGraphLaunch(Graph* graph, void*) {
  if (const int error = called("cuGraphLaunch")) return error;
  for (Recorded& recorded : graph->launches) {
    std::vector<void*> parameters;
    for (auto& value : recorded.values) parameters.push_back(value.data());
    if (const int error = execute(*recorded.function, recorded.grid, recorded.block, parameters.data())) return error;
  }
  return 0;
}
EXPORTED int cuGraphDestroy(Graph* graph) {
  delete graph;
  return called("cuGraphDestroy");
}
EXPORTED int cuGraphExecDestroy(Graph* graph) {
  delete graph;
  return called("cuGraphExecDestroy");
}
EXPORTED int cuStreamCreate(void** stream, unsigned) {
  *stream = &allocations();
  return called("cuStreamCreate");
}
EXPORTED int cuStreamDestroy_v2(void*) { return called("cuStreamDestroy_v2"); }
EXPORTED int cuStreamSynchronize(void*) { return called("cuStreamSynchronize"); }
EXPORTED int cuEventCreate(Event** event, unsigned) {
  *event = new Event();
  return called("cuEventCreate");
}
EXPORTED int cuEventDestroy_v2(Event* event) {
  delete event;
  return called("cuEventDestroy_v2");
}
EXPORTED int cuEventRecord(Event* event, void*) {
  event->at = std::chrono::steady_clock::now();
  return called("cuEventRecord");
}
EXPORTED int cuEventSynchronize(Event*) { return called("cuEventSynchronize"); }
EXPORTED int cuEventElapsedTime(float* milliseconds, Event* start, Event* end) {
  const bool stopped = std::getenv("FAKE_CUDA_CLOCK") != nullptr;
  *milliseconds = stopped ? 0.0F : std::chrono::duration<float, std::milli>(end->at - start->at).count();
  return called("cuEventElapsedTime");
}
