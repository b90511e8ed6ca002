// A program on the GPU: data is allocated after it was compared with what is free, fills and kernels are launched in
// order on one stream, and events measure the time. Before each measured run twice the size of the cache is written,
// so that data comes from memory.
#include <algorithm>
#include <map>
#include <utility>

#include "steptp/base/hash.h"
#include "steptp/base/text.h"
#include "steptp/execution/cuda_launches.h"

namespace steptp {

namespace {

/// Twice the cache, and never so little that a cache of unknown size could hold it.
constexpr std::int64_t kLeastFlush = std::int64_t{64} << 20;
/// A graph with more launches takes the driver seconds to prepare, and its time is no longer that of the kernels.
constexpr std::int64_t kMostPreparedLaunches = 65'536;

Hash hash_of(const std::vector<std::byte>& data) {
  return hash_bytes({reinterpret_cast<const char*>(data.data()), data.size()});
}

}  // namespace

/// Data on the device and the launches of a program, in order, on one stream.
class CudaSession : public Session {
 public:
  CudaSession(CudaProgram& program, CudaInputs* kept)
      : program_(program),
        device_(program.device_),
        driver_(device_.driver()),
        kept_(kept),
        workspace_(device_),
        flush_(device_) {}
  ~CudaSession() override {
    for (const auto& [name, input] : taken_) kept_->give_back(name, input, were_whole_);
    if (device_.is_lost()) return;
    if (begun_) driver_.event_destroy(begun_);
    if (ended_) driver_.event_destroy(ended_);
    if (prepared_) driver_.prepared_graph_destroy(prepared_);
  }

  std::optional<ExecutionFailure> place(const Tensors& inputs) {
    if (kept_ && find_lack_of_memory()) {
      kept_->forget();
      kept_ = nullptr;
    }
    if (auto failure = find_lack_of_memory()) return failure;
    const lowering::Arrangement& arrangement = program_.lowered_.arrangement;
    for (const Variable& variable : arrangement.program->signature.variables) {
      if (take_kept(variable, inputs)) continue;
      const std::int64_t bytes = arrangement.buffers.at(variable.name).bytes;
      CudaMemory& memory = *memories_.emplace_back(std::make_unique<CudaMemory>(device_));
      if (auto failure = memory.allocate(bytes)) return failure;
      pointers_[variable.name] = memory.begin();
      if (variable.role == Role::output) {
        outputs_.emplace_back(&variable, &memory);
        continue;
      }
      Tensor constant;
      const auto tensor = input_for(variable, inputs, constant);
      if (!tensor) {
        Diagnostic diagnostic = make_error(name_of(tensor.error().kind), tensor.error().message);
        return ExecutionFailure{tensor.error(), std::move(diagnostic)};
      }
      const auto copied = driver_.copy_to_device(memory.begin(), (*tensor)->data.data(), (*tensor)->data.size());
      if (auto failure = device_.check(copied, concat("cannot copy ", variable.name, " to the device"))) return failure;
      inputs_.emplace_back(&memory, hash_of((*tensor)->data));
    }
    if (auto failure = workspace_.allocate(program_.lowered_.workspace.bytes)) return failure;
    for (const auto& [name, offset] : program_.lowered_.workspace.offsets) {
      pointers_[name] = workspace_.begin() + static_cast<std::size_t>(offset);
    }
    if (auto failure = device_.check(driver_.event_create(&begun_, 0), "cuEventCreate")) return failure;
    if (auto failure = device_.check(driver_.event_create(&ended_, 0), "cuEventCreate")) return failure;
    // Our stream does not wait for copies by itself.
    return device_.check(driver_.context_synchronize(), "cannot copy the inputs");
  }

  std::optional<ExecutionFailure> prepare_launches() override {
    if (!driver_.has_graphs()) {
      return ExecutionFailure{std::nullopt, make_error("device-limit", "the CUDA driver is too old for graphs",
                                                       "a driver of CUDA 11.4 or newer is wanted, or no --graph")};
    }
    failure_.reset();
    note(driver_.capture_begin(device_.stream(), cuda_api::kCaptureThread), "cuStreamBeginCapture");
    if (failure_) return failure_;
    launch_all(kMostPreparedLaunches);
    // A capture is ended even after a failure: the stream is of no use before.
    cuda_api::Graph* graph = nullptr;
    const auto ended = driver_.capture_end(device_.stream(), &graph);
    note(ended, "cuStreamEndCapture");
    if (!failure_) note(driver_.graph_prepare(&prepared_, graph, 0), "cuGraphInstantiateWithFlags");
    if (graph) note(driver_.graph_destroy(graph), "cuGraphDestroy");
    if (!failure_) note(driver_.graph_upload(prepared_, device_.stream()), "cuGraphUpload");
    return failure_;
  }

  Result<double, ExecutionFailure> run() override {
    failure_.reset();
    were_whole_ = false;
    note(driver_.event_record(begun_, device_.stream()), "cuEventRecord");
    if (prepared_) {
      note(driver_.graph_launch(prepared_, device_.stream()), "cuGraphLaunch");
    } else {
      launch_all(std::nullopt);
    }
    note(driver_.event_record(ended_, device_.stream()), "cuEventRecord");
    note(driver_.event_synchronize(ended_), "the program ended with an error");
    float milliseconds = 0;
    note(driver_.event_milliseconds(&milliseconds, begun_, ended_), "cuEventElapsedTime");
    if (failure_) return *failure_;
    return static_cast<double>(milliseconds) / 1e3;
  }

  std::optional<ExecutionFailure> poison() override {
    failure_.reset();
    for (const auto& [variable, memory] : outputs_) set_bytes(*memory, kPoison);
    set_bytes(workspace_, kPoison);
    return failure_;
  }

  std::optional<ExecutionFailure> cool() override {
    if (flush_.begin() == 0) {
      if (auto failure = flush_.allocate(std::max(2 * device_.l2_bytes(), kLeastFlush))) return failure;
    }
    failure_.reset();
    set_bytes(flush_, ++flushes_ % 2 == 0 ? 1 : 2);
    return failure_;
  }

  Result<Scalar, ExecutionFailure> element(const std::string& output, std::int64_t position) override {
    const lowering::Buffer& buffer = program_.lowered_.arrangement.buffers.at(output);
    const auto width = static_cast<std::size_t>(info(buffer.dtype).bytes);
    std::byte bytes[8] = {};
    const auto copied =
        driver_.copy_to_host(bytes, pointers_.at(output) + static_cast<std::size_t>(position) * width, width);
    if (auto failure = device_.check(copied, concat("cannot copy an element of ", output))) return *std::move(failure);
    return load(buffer.dtype, bytes);
  }

  Result<Tensors, ExecutionFailure> outputs() override {
    Tensors out;
    for (const auto& [variable, memory] : outputs_) {
      Tensor tensor{variable->dtype, variable->shape,
                    std::vector<std::byte>(static_cast<std::size_t>(memory->bytes()))};
      const auto copied = driver_.copy_to_host(tensor.data.data(), memory->begin(), tensor.data.size());
      if (auto failure = device_.check(copied, concat("cannot copy ", variable->name))) return *std::move(failure);
      unify_nans(tensor);
      out.emplace(variable->name, std::move(tensor));
    }
    return out;
  }

  Result<bool, ExecutionFailure> inputs_are_whole() override {
    for (const auto& [name, input] : taken_) {
      const auto whole = kept_->is_whole(*input);
      if (!whole || !*whole) return whole;
    }
    for (const auto& [memory, hash] : inputs_) {
      std::vector<std::byte> data(static_cast<std::size_t>(memory->bytes()));
      const auto copied = driver_.copy_to_host(data.data(), memory->begin(), data.size());
      if (auto failure = device_.check(copied, "cannot copy an input back")) return *std::move(failure);
      if (hash_of(data) != hash) return false;
    }
    were_whole_ = true;
    return true;
  }

 private:
  /// True where the input is on the device already, or is from now on.
  bool take_kept(const Variable& variable, const Tensors& inputs) {
    const auto given = inputs.find(variable.name);
    if (!kept_ || variable.role == Role::output || given == inputs.end()) return false;
    Tensor constant;
    const auto tensor = input_for(variable, inputs, constant);
    if (!tensor || *tensor != &given->second) return false;
    auto input = kept_->take(variable.name, given->second);
    if (!input) return false;
    pointers_[variable.name] = input->begin();
    taken_.emplace_back(variable.name, std::move(input));
    return true;
  }

  /// Before anything is allocated: the numbers, where the data does not fit.
  std::optional<ExecutionFailure> find_lack_of_memory() {
    const lowering::Arrangement& arrangement = program_.lowered_.arrangement;
    std::int64_t bytes = program_.lowered_.workspace.bytes;
    for (const Variable& variable : arrangement.program->signature.variables) {
      const std::int64_t own = arrangement.buffers.at(variable.name).bytes;
      if (!kept_ || !kept_->has(variable.name, own)) bytes += own;
    }
    std::size_t free = 0;
    std::size_t total = 0;
    if (auto failure = device_.check(driver_.memory_info(&free, &total), "cuMemGetInfo")) return failure;
    if (static_cast<std::size_t>(bytes) <= free) return std::nullopt;
    return ExecutionFailure{std::nullopt,
                            make_error("device-limit", concat("the program needs ", bytes, " bytes of memory, but ",
                                                              device_.name(), " has ", free, " free of ", total))};
  }

  void launch_all(std::optional<std::int64_t> most) {
    if (failure_) return;
    CudaLaunches launches(program_, device_, device_.stream());
    launches.limit(most);
    failure_ = launches.launch_all(pointers_);
  }

  void note(cuda_api::Result result, const std::string& what) {
    if (!failure_) failure_ = device_.check(result, what);
  }
  void set_bytes(const CudaMemory& memory, unsigned char value) {
    if (memory.bytes() == 0) return;
    note(driver_.set_bytes(memory.begin(), value, static_cast<std::size_t>(memory.bytes()), device_.stream()),
         "cuMemsetD8Async");
  }

  CudaProgram& program_;
  CudaDevice& device_;
  const cuda_api::Driver& driver_;
  CudaInputs* kept_;
  std::vector<std::pair<std::string, std::shared_ptr<CudaInput>>> taken_;
  bool were_whole_ = false;  ///< after the last run
  std::vector<std::unique_ptr<CudaMemory>> memories_;
  CudaMemory workspace_;
  CudaMemory flush_;
  unsigned flushes_ = 0;
  std::map<std::string, cuda_api::Pointer> pointers_;
  std::vector<std::pair<const Variable*, CudaMemory*>> outputs_;
  std::vector<std::pair<CudaMemory*, Hash>> inputs_;
  cuda_api::Event* begun_ = nullptr;
  cuda_api::Event* ended_ = nullptr;
  std::optional<ExecutionFailure> failure_;
  cuda_api::PreparedGraph* prepared_ = nullptr;  ///< all launches, where they were prepared
};

Result<std::unique_ptr<Session>, ExecutionFailure> CudaProgram::start(const Tensors& inputs, CudaInputs* kept) {
  auto session = std::make_unique<CudaSession>(*this, kept);
  if (auto failure = session->place(inputs)) return *std::move(failure);
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace steptp
