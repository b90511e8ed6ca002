// A program on this CPU: buffers are aligned, the host's loops are walked here, and the outermost loop of a kernel
// is divided among threads if the kernel allows it and is large enough to be worth it.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "steptp/base/hash.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/execution/cpu_cache.h"
#include "steptp/execution/llvm_compiled.h"
#include "steptp/execution/thread_team.h"
#include "steptp/lowering/host_condition.h"

namespace steptp {

namespace {

/// Less than this is done sooner than others are woken.
constexpr double kWorthThreads = 2e5;

/// Memory that begins at a multiple of 64 bytes.
class Block {
 public:
  Block() = default;
  /// Not filled: inputs are copied here, and all else is poisoned before it is run.
  explicit Block(std::int64_t bytes)
      : bytes_(static_cast<std::size_t>(bytes)), data_(std::make_unique_for_overwrite<std::byte[]>(bytes_ + 64)) {}
  [[nodiscard]] std::byte* begin() {
    const auto at = reinterpret_cast<std::uintptr_t>(data_.get());
    return data_.get() + (64 - at % 64) % 64;
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
  std::unique_ptr<std::byte[]> data_;
};

double work_of(const lowering::Arrangement& arrangement, const lowering::ArrangedKernel& kernel) {
  double sum = 0;
  for (const std::size_t number : kernel.statements) {
    const Statement& statement = arrangement.table.statements[number];
    double points = 1;
    for (std::size_t i = statement.kernel.host_loops; i < statement.loops.size(); ++i) {
      points *= static_cast<double>(statement.loops[i]->extent);
    }
    sum += points;
  }
  return sum;
}

ExecutionFailure failure_of(Trap trap) {
  Diagnostic diagnostic = make_error(name_of(trap.kind), trap.message);
  return {std::move(trap), std::move(diagnostic)};
}

ExecutionFailure failure_of(TrapKind kind, std::string message) {
  Trap trap;
  trap.kind = kind;
  trap.message = std::move(message);
  return failure_of(std::move(trap));
}

class LlvmSession : public Session {
 public:
  LlvmSession(const LlvmProgram::Compiled& code, unsigned threads)
      : code_(code), arrangement_(code.lowered.arrangement), team_(threads), scratch_(threads) {
    std::int64_t scratch_bytes = 0;
    for (std::size_t i = 0; i < code.lowered.kernels.size(); ++i) {
      scratch_bytes = std::max(scratch_bytes, code.lowered.kernels[i].scratch_bytes);
      is_worth_threads_.push_back(work_of(arrangement_, arrangement_.kernels[i]) > kWorthThreads);
    }
    for (Block& block : scratch_) block = Block(scratch_bytes);
  }

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
    for (Block& block : blocks_) pointers_.push_back(block.begin());
    return std::nullopt;
  }

  Result<double, ExecutionFailure> run() override {
    status_ = 0;
    const auto start = std::chrono::steady_clock::now();
    for (const auto& [number, fill] : code_.fills) fill(pointers_[number]);
    steps(arrangement_.host);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (status_ == 1)
      return failure_of(TrapKind::out_of_range, "a subscript read from data is outside of its dimension");
    if (status_ == 2) return failure_of(TrapKind::integer_division_by_zero, "an integer is divided by zero");
    return seconds;
  }

  std::optional<ExecutionFailure> poison() override {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (!is_input(i)) std::memset(pointers_[i], kPoison, blocks_[i].bytes());
    }
    for (Block& block : scratch_) std::memset(block.begin(), kPoison, block.bytes());
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
      Block& block = blocks_[code_.number_of(variable.name)];
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
  [[nodiscard]] static Hash hash_of(Block& block) {
    return hash_bytes({reinterpret_cast<const char*>(block.begin()), block.bytes()});
  }
  [[nodiscard]] bool is_input(std::size_t number) const {
    for (const auto& [input, hash] : inputs_) {
      if (input == number) return true;
    }
    return false;
  }

  /// Walks the host's loops and launches.
  void steps(const std::vector<lowering::Node>& nodes) {
    for (const lowering::Node& node : nodes) {
      switch (node.kind) {
        case lowering::Node::Kind::loop:
          for (std::int64_t i = 0; i < node.loop.extent; ++i) {
            host_.push_back(i);
            point_[node.loop.index] = i;
            steps(node.body);
            host_.pop_back();
          }
          break;
        case lowering::Node::Kind::guard:
          if (lowering::holds(*node.condition, point_)) steps(node.body);
          break;
        case lowering::Node::Kind::launch: launch(node.kernel); break;
        case lowering::Node::Kind::store: break;
      }
    }
  }

  void launch(std::size_t number) {
    const llvm_ir::KernelEntry& entry = code_.lowered.kernels[number];
    const bool many = entry.parallel && is_worth_threads_[number];
    const auto workers = std::min<std::int64_t>(many ? team_.threads() : 1, entry.iterations);
    team_.run(workers, [&](std::int64_t worker) {
      std::int32_t status = 0;
      const std::int64_t begin = entry.iterations * worker / workers;
      const std::int64_t end = entry.iterations * (worker + 1) / workers;
      code_.kernels[number](pointers_.data(), host_.data(), scratch_[static_cast<std::size_t>(worker)].begin(), &status,
                            begin, end);
      if (status != 0) status_ = status;
    });
  }

  const LlvmProgram::Compiled& code_;
  const lowering::Arrangement& arrangement_;
  ThreadTeam team_;
  std::vector<Block> scratch_;  ///< one per thread
  std::vector<bool> is_worth_threads_;
  std::vector<Block> blocks_;
  std::vector<void*> pointers_;
  std::vector<std::pair<std::size_t, Hash>> inputs_;  ///< with the number of the buffer
  std::vector<std::int64_t> host_;
  std::map<std::string, std::int64_t> point_;
  std::atomic<std::int32_t> status_ = 0;
  CpuCache cache_;
};

}  // namespace

Result<std::unique_ptr<Session>, ExecutionFailure> LlvmProgram::start(const Tensors& inputs, unsigned threads) const {
  auto session = std::make_unique<LlvmSession>(*compiled_, threads == 0 ? default_jobs() : threads);
  if (auto trap = session->place(inputs)) return failure_of(*std::move(trap));
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace steptp
