// Candidates of one root have the same inputs. They are copied to the device once, and after each candidate compared
// there with a copy that no candidate knows.
#include "steptp/execution/cuda_inputs.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "steptp/execution/cuda_program.h"

namespace steptp {

namespace {

constexpr std::size_t kWord = 8;
constexpr unsigned kThreads = 256;
constexpr std::size_t kMostBlocks = 4096;

constexpr const char* kCompare =
    R"(extern "C" __global__ void __launch_bounds__(256) compare_words(const unsigned long long* one, const unsigned long long* other, int* differ, long long words) {
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += (long long)gridDim.x * blockDim.x) {
    if (one[i] != other[i]) *differ = 1;
  }
}
)";

std::size_t words_in(std::size_t bytes) { return (bytes + kWord - 1) / kWord; }

}  // namespace

CudaInputs::~CudaInputs() {
  if (module_ && !device_.is_lost()) device_.driver().module_unload(module_);
}

bool CudaInputs::can_compare() {
  if (was_tried_) return compare_ != nullptr;
  was_tried_ = true;
  const auto nvrtc = load_nvrtc();
  if (!nvrtc) return false;
  bool from_cache = false;
  const auto image = compile_cuda(kCompare, device_.compute_capability(), **nvrtc, cache_, from_cache);
  if (!image) return false;
  const cuda_api::Driver& driver = device_.driver();
  if (device_.check(driver.module_load(&module_, image->c_str()), "cuModuleLoadData")) {
    module_ = nullptr;
    return false;
  }
  if (device_.check(driver.module_function(&compare_, module_, "compare_words"), "compare_words")) compare_ = nullptr;
  return compare_ != nullptr;
}

bool CudaInputs::has_room(std::size_t bytes) const {
  std::size_t free = 0;
  std::size_t total = 0;
  return device_.driver().memory_info(&free, &total) == 0 && bytes <= free / 4;
}

bool CudaInputs::fill(CudaInput& input, const Tensor& tensor) {
  const std::size_t bytes = kWord * words_in(input.bytes_);
  // The copy that programs use is the first: what writes where it should not finds it, and not the other one.
  for (CudaMemory* memory : {&input.used_, &input.whole_}) {
    if (memory->allocate(static_cast<std::int64_t>(bytes))) return false;
  }
  std::vector<std::byte> padded;
  const std::byte* data = tensor.data.data();
  if (bytes != input.bytes_) {
    padded.resize(bytes);
    std::memcpy(padded.data(), data, input.bytes_);
    data = padded.data();
  }
  for (const CudaMemory* memory : {&input.used_, &input.whole_}) {
    if (device_.check(device_.driver().copy_to_device(memory->begin(), data, bytes), "cuMemcpyHtoD")) return false;
  }
  return true;
}

bool CudaInputs::has(const std::string& name, std::int64_t bytes) const {
  const auto at = kept_.find(name);
  return at != kept_.end() && !at->second->is_taken_ && at->second->bytes_ == static_cast<std::size_t>(bytes);
}

std::shared_ptr<CudaInput> CudaInputs::take(const std::string& name, const Tensor& tensor) {
  const auto at = kept_.find(name);
  if (at != kept_.end()) {
    if (at->second->is_taken_ || at->second->bytes_ != tensor.data.size()) return nullptr;
    at->second->is_taken_ = true;
    return at->second;
  }
  if (tensor.data.empty() || !can_compare() || !has_room(tensor.data.size())) return nullptr;
  auto made = std::make_shared<CudaInput>(device_, tensor.data.size());
  if (!fill(*made, tensor)) return nullptr;
  made->is_taken_ = true;
  kept_[name] = made;
  return made;
}

Result<bool, ExecutionFailure> CudaInputs::is_whole(const CudaInput& input) {
  const cuda_api::Driver& driver = device_.driver();
  CudaMemory differ(device_);
  if (auto failure = differ.allocate(sizeof(int))) return *std::move(failure);
  const auto words = static_cast<long long>(words_in(input.bytes_));
  const std::size_t blocks = std::min(kMostBlocks, words_in(input.bytes_) / kThreads + 1);
  cuda_api::Pointer pointers[] = {input.used_.begin(), input.whole_.begin(), differ.begin()};
  long long count = words;
  void* parameters[] = {&pointers[0], &pointers[1], &pointers[2], &count};
  const auto set = driver.set_bytes(differ.begin(), 0, sizeof(int), device_.stream());
  if (auto failure = device_.check(set, "cuMemsetD8Async")) return *std::move(failure);
  const auto launched = driver.launch(compare_, static_cast<unsigned>(blocks), 1, 1, kThreads, 1, 1, 0,
                                      device_.stream(), parameters, nullptr);
  if (auto failure = device_.check(launched, "cannot compare the inputs")) return *std::move(failure);
  if (auto failure = device_.check(driver.stream_synchronize(device_.stream()), "cannot compare the inputs")) {
    return *std::move(failure);
  }
  int found = 1;
  if (auto failure = device_.check(driver.copy_to_host(&found, differ.begin(), sizeof found), "cuMemcpyDtoH")) {
    return *std::move(failure);
  }
  return found == 0;
}

void CudaInputs::give_back(const std::string& name, const std::shared_ptr<CudaInput>& input, bool is_whole) {
  const auto at = kept_.find(name);
  if (at == kept_.end() || at->second != input) return;
  if (is_whole) {
    input->is_taken_ = false;
  } else {
    kept_.erase(at);
  }
}

}  // namespace steptp
