// A program on this CPU with its data in buffers of its own.
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "steptp/base/hash.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/execution/cpu_cache.h"
#include "steptp/execution/llvm_call.h"

namespace steptp {

namespace {

ExecutionFailure failure_of(Trap trap) {
  Diagnostic diagnostic = make_error(name_of(trap.kind), trap.message);
  return {std::move(trap), std::move(diagnostic)};
}

class LlvmSession : public Session {
 public:
  LlvmSession(const LlvmProgram::Compiled& code, unsigned threads)
      : code_(code), arrangement_(code.lowered.arrangement), team_(threads), call_(code, threads) {}

  std::optional<Trap> place(const Tensors& inputs) {
    for (const std::string& name : code_.lowered.buffers) {
      const lowering::Buffer& buffer = arrangement_.buffers.at(name);
      blocks_.emplace_back(buffer.bytes);
      if (!buffer.known || buffer.known->role == Role::output) continue;
      Tensor constant;
      const auto tensor = input_for(*buffer.known, inputs, constant);
      if (!tensor) return tensor.error();
      std::memcpy(blocks_.back().begin(), (*tensor)->data.data(), (*tensor)->data.size());
      inputs_.emplace_back(blocks_.size() - 1, hash_of(blocks_.back()));
    }
    for (AlignedBlock& block : blocks_) pointers_.push_back(block.begin());
    return std::nullopt;
  }

  Result<double, ExecutionFailure> run() override {
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
    for (const auto& [number, hash] : inputs_) {
      if (hash_of(blocks_[number]) != hash) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] static Hash hash_of(AlignedBlock& block) {
    return hash_bytes({reinterpret_cast<const char*>(block.begin()), block.bytes()});
  }
  [[nodiscard]] bool is_input(std::size_t number) const {
    for (const auto& [input, hash] : inputs_) {
      if (input == number) return true;
    }
    return false;
  }

  const LlvmProgram::Compiled& code_;
  const lowering::Arrangement& arrangement_;
  ThreadTeam team_;
  LlvmCall call_;
  std::vector<AlignedBlock> blocks_;
  std::vector<void*> pointers_;
  std::vector<std::pair<std::size_t, Hash>> inputs_;  ///< with the number of the buffer
  CpuCache cache_;
};

}  // namespace

Result<std::unique_ptr<Session>, ExecutionFailure> LlvmProgram::start(const Tensors& inputs, unsigned threads) const {
  auto session = std::make_unique<LlvmSession>(*compiled_, threads == 0 ? default_jobs() : threads);
  if (auto trap = session->place(inputs)) return failure_of(*std::move(trap));
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace steptp
