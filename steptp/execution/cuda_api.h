#pragma once

#include <cstddef>

/// The few functions of CUDA's driver and of NVRTC that are used, as their documentation gives them: both libraries are
/// opened at run time, so nothing of CUDA is needed to build.
namespace steptp::cuda_api {

using Result = int;           ///< CUresult, nvrtcResult: 0 is success
using Device = int;           ///< CUdevice
using Pointer = std::size_t;  ///< CUdeviceptr
struct Context;               // CUcontext, and so on, are pointers to what only the driver knows
struct Module;
struct Function;
struct Stream;
struct Event;
struct Graph;
struct PreparedGraph;  // CUgraphExec
struct NvrtcProgram;

/// CUdevice_attribute.
enum class DeviceAttribute : int {
  max_threads_per_block = 1,
  max_block_x = 2,
  max_block_y = 3,
  max_block_z = 4,
  max_grid_x = 5,
  max_grid_y = 6,
  max_grid_z = 7,
  max_registers_per_block = 12,
  clock_kilohertz = 13,
  multiprocessors = 16,
  memory_clock_kilohertz = 36,
  memory_bus_bits = 37,
  l2_bytes = 38,
  compute_major = 75,
  compute_minor = 76,
  max_shared_bytes_opt_in = 97,
};

/// CUfunction_attribute.
enum class FunctionAttribute : int {
  max_threads_per_block = 0,
  shared_bytes = 1,
  local_bytes = 3,
  registers = 4,
  max_dynamic_shared_bytes = 8,
};

/// CUresult values that messages or decisions depend on.
inline constexpr Result kOutOfMemory = 2;
inline constexpr Result kNoDevice = 100;
inline constexpr Result kInvalidImage = 200;
inline constexpr Result kNoBinaryForGpu = 209;
inline constexpr Result kUnsupportedPtx = 222;
inline constexpr Result kOutOfResources = 701;

/// CUstreamCaptureMode: calls of other threads do not disturb what is being recorded.
inline constexpr int kCaptureThread = 1;

struct Driver {
  Result (*init)(unsigned flags) = nullptr;
  Result (*driver_version)(int* version) = nullptr;
  Result (*error_name)(Result error, const char** text) = nullptr;
  Result (*error_text)(Result error, const char** text) = nullptr;
  Result (*device_count)(int* count) = nullptr;
  Result (*device_get)(Device* device, int ordinal) = nullptr;
  Result (*device_name)(char* name, int bytes, Device device) = nullptr;
  Result (*device_attribute)(int* value, int attribute, Device device) = nullptr;
  Result (*device_memory)(std::size_t* bytes, Device device) = nullptr;
  Result (*context_retain)(Context** context, Device device) = nullptr;
  Result (*context_release)(Device device) = nullptr;
  Result (*context_set)(Context* context) = nullptr;
  Result (*context_synchronize)() = nullptr;
  Result (*memory_info)(std::size_t* free, std::size_t* total) = nullptr;
  Result (*allocate)(Pointer* pointer, std::size_t bytes) = nullptr;
  Result (*release)(Pointer pointer) = nullptr;
  Result (*copy_to_device)(Pointer to, const void* from, std::size_t bytes) = nullptr;
  Result (*copy_to_host)(void* to, Pointer from, std::size_t bytes) = nullptr;
  Result (*set_bytes)(Pointer to, unsigned char value, std::size_t count, Stream* stream) = nullptr;
  Result (*module_load)(Module** module, const void* image) = nullptr;
  Result (*module_unload)(Module* module) = nullptr;
  Result (*module_function)(Function** function, Module* module, const char* name) = nullptr;
  Result (*function_attribute)(int* value, int attribute, Function* function) = nullptr;
  Result (*function_set_attribute)(Function* function, int attribute, int value) = nullptr;
  Result (*launch)(Function* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream* stream, void** parameters,
                   void** extra) = nullptr;
  Result (*stream_create)(Stream** stream, unsigned flags) = nullptr;
  Result (*stream_destroy)(Stream* stream) = nullptr;
  Result (*stream_synchronize)(Stream* stream) = nullptr;
  Result (*event_create)(Event** event, unsigned flags) = nullptr;
  Result (*event_destroy)(Event* event) = nullptr;
  Result (*event_record)(Event* event, Stream* stream) = nullptr;
  Result (*event_synchronize)(Event* event) = nullptr;
  Result (*event_milliseconds)(float* milliseconds, Event* start, Event* end) = nullptr;
  // Graphs; null where the driver is older than CUDA 11.4.
  Result (*capture_begin)(Stream* stream, int mode) = nullptr;
  Result (*capture_end)(Stream* stream, Graph** graph) = nullptr;
  Result (*graph_prepare)(PreparedGraph** prepared, Graph* graph, unsigned long long flags) = nullptr;
  Result (*graph_upload)(PreparedGraph* prepared, Stream* stream) = nullptr;
  Result (*graph_launch)(PreparedGraph* prepared, Stream* stream) = nullptr;
  Result (*graph_destroy)(Graph* graph) = nullptr;
  Result (*prepared_graph_destroy)(PreparedGraph* prepared) = nullptr;

  [[nodiscard]] bool has_graphs() const {
    return capture_begin && capture_end && graph_prepare && graph_upload && graph_launch && graph_destroy &&
           prepared_graph_destroy;
  }
};

struct Nvrtc {
  Result (*version)(int* major, int* minor) = nullptr;
  const char* (*error_text)(Result error) = nullptr;
  Result (*create)(NvrtcProgram** program, const char* text, const char* name, int headers, const char* const* sources,
                   const char* const* names) = nullptr;
  Result (*destroy)(NvrtcProgram** program) = nullptr;
  Result (*compile)(NvrtcProgram* program, int count, const char* const* options) = nullptr;
  Result (*log_bytes)(NvrtcProgram* program, std::size_t* bytes) = nullptr;
  Result (*log)(NvrtcProgram* program, char* text) = nullptr;
  Result (*cubin_bytes)(NvrtcProgram* program, std::size_t* bytes) = nullptr;
  Result (*cubin)(NvrtcProgram* program, char* image) = nullptr;
  Result (*ptx_bytes)(NvrtcProgram* program, std::size_t* bytes) = nullptr;
  Result (*ptx)(NvrtcProgram* program, char* text) = nullptr;
  Result (*arch_count)(int* count) = nullptr;
  Result (*archs)(int* list) = nullptr;
};

}  // namespace steptp::cuda_api
