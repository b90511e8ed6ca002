// A program on this CPU with its data in buffers of its own.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "steptp/base/hash.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/execution/cpu_cache.h"
#include "steptp/execution/cpu_inputs.h"
#include "steptp/execution/llvm_call.h"

namespace steptp {

namespace {

ExecutionFailure failure_of(Trap trap) {
  Diagnostic diagnostic = make_error(name_of(trap.kind), trap.message);
  return {std::move(trap), std::move(diagnostic)};
}

class LlvmSession : public Session {
 public:
  LlvmSession(const LlvmProgram::Compiled& code, unsigned threads, CpuInputs* kept)
      : code_(code), arrangement_(code.lowered.arrangement), team_(threads), call_(code, threads), kept_(kept) {}
  LlvmSession(const LlvmSession&) = delete;
  LlvmSession& operator=(const LlvmSession&) = delete;

  ~LlvmSession() override {
    if (!kept_ || !were_whole_) return;
    for (const PlacedInput& input : inputs_) {
      if (!input.is_given) continue;
      kept_->give_back(code_.lowered.buffers[input.number],
                       {std::move(blocks_[input.number]), input.hash, input.epoch});
    }
  }

  std::optional<Trap> place(const Tensors& inputs) {
    for (const std::string& name : code_.lowered.buffers) {
      const lowering::Buffer& buffer = arrangement_.buffers.at(name);
      if (!buffer.known || buffer.known->role == Role::output) {
        blocks_.emplace_back(buffer.bytes);
        continue;
      }
      Tensor constant;
      const auto tensor = input_for(*buffer.known, inputs, constant);
      if (!tensor) return tensor.error();
      place_input(name, buffer.bytes, **tensor, *tensor != &constant);
    }
    for (AlignedBlock& block : blocks_) pointers_.push_back(block.begin());
    return std::nullopt;
  }

  Result<double, ExecutionFailure> run() override {
    were_whole_ = false;
    const auto start = std::chrono::steady_clock::now();
    auto failure = call_.run(pointers_, &team_);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (failure) return *std::move(failure);
    return seconds;
  }

  std::optional<ExecutionFailure> poison() override {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (!is_input(i)) std::memset(pointers_[i], kPoison, blocks_[i].bytes());
    }
    for (AlignedBlock& block : call_.scratch()) std::memset(block.begin(), kPoison, block.bytes());
    return std::nullopt;
  }

  std::optional<ExecutionFailure> cool() override {
    std::vector<std::pair<const void*, std::size_t>> parts;
    for (std::size_t i = 0; i < blocks_.size(); ++i) parts.emplace_back(pointers_[i], blocks_[i].bytes());
    cache_.evict(parts);
    return std::nullopt;
  }

  Result<Scalar, ExecutionFailure> element(const std::string& output, std::int64_t position) override {
    const lowering::Buffer& buffer = arrangement_.buffers.at(output);
    return load(buffer.dtype, blocks_[code_.number_of(output)].begin() + position * info(buffer.dtype).bytes);
  }

  Result<Tensors, ExecutionFailure> outputs() override {
    Tensors out;
    for (const Variable& variable : arrangement_.program->signature.variables) {
      if (variable.role != Role::output) continue;
      AlignedBlock& block = blocks_[code_.number_of(variable.name)];
      Tensor tensor{variable.dtype, variable.shape, {block.begin(), block.begin() + block.bytes()}};
      unify_nans(tensor);
      out.emplace(variable.name, std::move(tensor));
    }
    return out;
  }

  Result<bool, ExecutionFailure> inputs_are_whole() override {
    for (const PlacedInput& input : inputs_) {
      if (hash_of(blocks_[input.number]) != input.hash) return false;
    }
    were_whole_ = true;
    return true;
  }

 private:
  struct PlacedInput {
    std::size_t number = 0;  ///< of the buffer
    Hash hash = 0;
    std::uint64_t epoch = 0;
    bool is_given = false;  ///< by the caller: the program itself says what others are
  };

  /// The next buffer: as the session before has left it, or a copy.
  void place_input(const std::string& name, std::int64_t bytes, const Tensor& tensor, bool is_given) {
    const std::size_t number = blocks_.size();
    auto kept = kept_ && is_given ? kept_->take(name, static_cast<std::size_t>(bytes)) : std::nullopt;
    if (kept) {
      blocks_.push_back(std::move(kept->block));
      inputs_.push_back({number, kept->hash, kept->epoch, true});
      return;
    }
    blocks_.emplace_back(bytes);
    std::memcpy(blocks_.back().begin(), tensor.data.data(), tensor.data.size());
    inputs_.push_back({number, hash_of(blocks_.back()), kept_ ? kept_->epoch() : 0, is_given});
  }

  [[nodiscard]] static Hash hash_of(AlignedBlock& block) {
    return hash_bytes({reinterpret_cast<const char*>(block.begin()), block.bytes()});
  }
  [[nodiscard]] bool is_input(std::size_t number) const {
    return std::any_of(inputs_.begin(), inputs_.end(),
                       [number](const PlacedInput& input) { return input.number == number; });
  }

  const LlvmProgram::Compiled& code_;
  const lowering::Arrangement& arrangement_;
  ThreadTeam team_;
  LlvmCall call_;
  std::vector<AlignedBlock> blocks_;
  std::vector<void*> pointers_;
  std::vector<PlacedInput> inputs_;
  CpuInputs* kept_;
  bool were_whole_ = false;  ///< behind the last run
  CpuCache cache_;
};

}  // namespace

Result<std::unique_ptr<Session>, ExecutionFailure> LlvmProgram::start(const Tensors& inputs, unsigned threads,
                                                                      CpuInputs* kept) const {
  auto session = std::make_unique<LlvmSession>(*compiled_, threads == 0 ? default_jobs() : threads, kept);
  if (auto trap = session->place(inputs)) return failure_of(*std::move(trap));
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace steptp
