#include "steptp/execution/cuda_device.h"

#include "steptp/base/text.h"

namespace steptp {

namespace {

using cuda_api::DeviceAttribute;

/// The first architecture that our kernels are compiled for.
constexpr int kOldestMajor = 7;

/// Errors after which the context still works: they were found before anything ran.
bool is_harmless(cuda_api::Result error) {
  switch (error) {
    case 1:  // invalid value
    case cuda_api::kOutOfMemory:
    case cuda_api::kInvalidImage:
    case cuda_api::kNoBinaryForGpu:
    case 218:  // invalid PTX
    case cuda_api::kUnsupportedPtx:
    case 500:  // not found
    case cuda_api::kOutOfResources: return true;
    default: return false;
  }
}

std::string error_text(const cuda_api::Driver& driver, cuda_api::Result error) {
  const char* name = nullptr;
  const char* text = nullptr;
  driver.error_name(error, &name);
  driver.error_text(error, &text);
  return concat(name ? name : "error", " (", error, ")", text ? ": " : "", text ? text : "");
}

Diagnostic no_device(const cuda_api::Driver& driver, cuda_api::Result error, std::string_view what) {
  return make_error("no-device", concat(what, ": ", error_text(driver, error)), "nvidia-smi says more");
}

/// Operations per cycle of a multiprocessor, outside of tensor cores (CUDA C++ programming guide, arithmetic
/// instructions); a fused multiply-add is two.
struct Throughput {
  int compute_capability;
  int f64;
  int f32;
  int f16;
};
constexpr Throughput kThroughputs[] = {
    {70, 64, 128, 256}, {72, 64, 128, 256}, {75, 4, 128, 256},   {80, 64, 128, 512},   {86, 4, 256, 512},
    {87, 4, 256, 512},  {89, 4, 256, 512},  {90, 128, 256, 512}, {100, 128, 256, 512}, {103, 4, 256, 512},
    {110, 4, 256, 512}, {120, 4, 256, 256}, {121, 4, 256, 256},
};

}  // namespace

Result<int, Diagnostic> CudaDevice::count() {
  const auto driver = load_cuda_driver();
  if (!driver) return driver.error();
  const cuda_api::Result begun = (*driver)->init(0);
  int count = 0;
  if (begun != cuda_api::kNoDevice) {
    if (begun != 0) {
      return make_error("no-device", concat("the CUDA driver does not start: ", error_text(**driver, begun)),
                        "nvidia-smi says more");
    }
    (*driver)->device_count(&count);
  }
  if (count == 0) {
    return make_error("no-device", "the CUDA driver finds no GPU",
                      "is there one, and does CUDA_VISIBLE_DEVICES leave it in?");
  }
  return count;
}

Result<std::unique_ptr<CudaDevice>, Diagnostic> CudaDevice::open(int ordinal) {
  auto out = describe(ordinal);
  if (!out) return out;
  if (auto problem = (*out)->start()) return *std::move(problem);
  return out;
}

Result<std::unique_ptr<CudaDevice>, Diagnostic> CudaDevice::describe(int ordinal) {
  const auto there = count();
  if (!there) return there.error();
  if (ordinal < 0 || ordinal >= *there) {
    return make_error("no-device", concat("there is no GPU ", ordinal, ", only ", *there, " of them"));
  }
  std::unique_ptr<CudaDevice> out(new CudaDevice(**load_cuda_driver()));
  if (auto problem = out->read_attributes(ordinal)) return *std::move(problem);
  return out;
}

int CudaDevice::attribute(DeviceAttribute attribute) const {
  int value = 0;
  driver_.device_attribute(&value, static_cast<int>(attribute), device_);
  return value;
}

std::optional<Diagnostic> CudaDevice::read_attributes(int ordinal) {
  if (const auto error = driver_.device_get(&device_, ordinal)) return no_device(driver_, error, "cuDeviceGet");
  driver_.driver_version(&driver_version_);
  char text[256] = "";
  driver_.device_name(text, sizeof text, device_);
  name_ = text;
  major_ = attribute(DeviceAttribute::compute_major);
  minor_ = attribute(DeviceAttribute::compute_minor);
  if (major_ < kOldestMajor) {
    return make_error("no-device", concat(name_, " has compute capability ", major_, ".", minor_,
                                          ", which is too old: at least ", kOldestMajor, ".0 is wanted"));
  }
  l2_bytes_ = attribute(DeviceAttribute::l2_bytes);
  limits_ = default_device();  // what depends on our lowering and not on the device
  limits_.name = name_;
  limits_.grid = {attribute(DeviceAttribute::max_grid_x), attribute(DeviceAttribute::max_grid_y),
                  attribute(DeviceAttribute::max_grid_z)};
  limits_.block = {attribute(DeviceAttribute::max_block_x), attribute(DeviceAttribute::max_block_y),
                   attribute(DeviceAttribute::max_block_z)};
  limits_.threads = attribute(DeviceAttribute::max_threads_per_block);
  limits_.shared_bytes = attribute(DeviceAttribute::max_shared_bytes_opt_in);
  limits_.registers = attribute(DeviceAttribute::max_registers_per_block);
  return std::nullopt;
}

std::optional<Diagnostic> CudaDevice::start() {
  if (const auto error = driver_.context_retain(&context_, device_)) {
    context_ = nullptr;
    return no_device(driver_, error, "the GPU gives no context");
  }
  if (const auto error = driver_.context_set(context_)) return no_device(driver_, error, "cuCtxSetCurrent");
  constexpr unsigned kNonBlocking = 1;
  if (const auto error = driver_.stream_create(&stream_, kNonBlocking))
    return no_device(driver_, error, "cuStreamCreate");
  return std::nullopt;
}

CudaDevice::~CudaDevice() {
  // Of a context that is lost, nothing can be given back.
  if (is_lost_) return;
  if (stream_) driver_.stream_destroy(stream_);
  if (context_) driver_.context_release(device_);
}

double CudaDevice::peak_bytes_per_second() const {
  // Memory of GPUs transfers twice in a cycle.
  return 2e3 * attribute(DeviceAttribute::memory_clock_kilohertz) * attribute(DeviceAttribute::memory_bus_bits) / 8;
}

double CudaDevice::peak_flops(DType dtype) const {
  for (const Throughput& entry : kThroughputs) {
    if (entry.compute_capability != compute_capability()) continue;
    const int per_cycle = dtype == DType::f64 ? entry.f64 : dtype == DType::f32 ? entry.f32 : entry.f16;
    return 1e3 * per_cycle * attribute(DeviceAttribute::clock_kilohertz) * attribute(DeviceAttribute::multiprocessors);
  }
  return 0;
}

std::optional<ExecutionFailure> CudaDevice::check(cuda_api::Result result, const std::string& what) {
  if (result == 0) return std::nullopt;
  if (!is_harmless(result)) is_lost_ = true;
  return ExecutionFailure{std::nullopt, make_error("device", concat(what, ": ", error_text(driver_, result)))};
}

CudaMemory::~CudaMemory() {
  if (begin_ != 0 && !device_.is_lost()) device_.driver().release(begin_);
}

std::optional<ExecutionFailure> CudaMemory::allocate(std::int64_t bytes) {
  // An empty allocation is an error to CUDA.
  auto failure = device_.check(device_.driver().allocate(&begin_, static_cast<std::size_t>(bytes) + 16),
                               concat("cannot allocate ", bytes, " bytes on ", device_.name()));
  if (failure) begin_ = 0;
  bytes_ = bytes;
  return failure;
}

}  // namespace steptp
