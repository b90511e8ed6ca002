#include "steptp/execution/llvm_program.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "steptp/base/ordered_stream.h"
#include "steptp/base/text.h"
#include "steptp/execution/llvm_library.h"
#include "steptp/llvm/lower.h"
#include "steptp/lowering/host_condition.h"
#include "steptp/oracle/inputs.h"

namespace steptp {

namespace {

using KernelFunction = void (*)(void* const*, const std::int64_t*, void*, std::int32_t*, std::int64_t, std::int64_t);
using FillFunction = void (*)(void*);

/// Less than this is done sooner than threads are started.
constexpr double kWorthThreads = 2e5;

Trap trap_of(TrapKind kind, std::string message, std::string tensor = {}) {
  Trap trap;
  trap.kind = kind;
  trap.message = std::move(message);
  trap.tensor = std::move(tensor);
  return trap;
}

/// Memory that begins at a multiple of 64 bytes.
class Block {
 public:
  Block() = default;
  explicit Block(std::int64_t bytes) : data_(static_cast<std::size_t>(bytes) + 64) {}
  [[nodiscard]] void* begin() {
    const auto at = reinterpret_cast<std::uintptr_t>(data_.data());
    return data_.data() + (64 - at % 64) % 64;
  }

 private:
  std::vector<std::byte> data_;
};

double work_of(const lowering::Plan& plan, const lowering::KernelPlan& kernel) {
  double sum = 0;
  for (const std::size_t number : kernel.statements) {
    const Statement& statement = plan.table.statements[number];
    double points = 1;
    for (std::size_t i = statement.kernel.host_loops; i < statement.loops.size(); ++i) {
      points *= static_cast<double>(statement.loops[i]->extent);
    }
    sum += points;
  }
  return sum;
}

/// One NaN, as the oracle has it: processors disagree on the one an operation makes.
void unify_nans(Tensor& tensor) {
  if (!is_float(tensor.dtype)) return;
  const auto width = static_cast<std::size_t>(info(tensor.dtype).bytes);
  for (std::size_t at = 0; at < tensor.data.size(); at += width) {
    const Scalar value = load(tensor.dtype, tensor.data.data() + at);
    if (value.as_real() != value.as_real()) store(value, tensor.data.data() + at);
  }
}

}  // namespace

struct LlvmProgram::Compiled {
  const SteptpLlvmEngine* engine = nullptr;
  SteptpLlvmModule* module = nullptr;
  llvm_ir::Lowered lowered;
  std::vector<KernelFunction> kernels;
  std::vector<std::pair<std::size_t, FillFunction>> fills;  ///< with the number of the buffer

  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() {
    if (module) engine->release(module);
  }

  template <typename Function>
  Function find(const std::string& name) const {
    return reinterpret_cast<Function>(engine->function(module, name.c_str()));
  }
  [[nodiscard]] std::size_t number_of(const std::string& buffer) const {
    const auto at = std::find(lowered.buffers.begin(), lowered.buffers.end(), buffer);
    return static_cast<std::size_t>(at - lowered.buffers.begin());
  }
};

namespace {

/// Walks the host's loops and launches.
class Launcher {
 public:
  Launcher(const lowering::Plan& plan, const std::vector<llvm_ir::KernelEntry>& entries,
           const std::vector<KernelFunction>& kernels, const std::vector<void*>& pointers, unsigned threads)
      : plan_(plan), entries_(entries), kernels_(kernels), pointers_(pointers), threads_(threads) {}

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
  [[nodiscard]] std::int32_t status() const { return status_; }

 private:
  void launch(std::size_t number) {
    const llvm_ir::KernelEntry& entry = entries_[number];
    const bool many = entry.parallel && threads_ > 1 && work_of(plan_, plan_.kernels[number]) > kWorthThreads;
    const auto workers = std::min<std::int64_t>(many ? threads_ : 1, entry.iterations);
    const auto part = [&](std::int64_t worker) {
      Block scratch(entry.scratch_bytes);
      std::int32_t status = 0;
      const std::int64_t begin = entry.iterations * worker / workers;
      const std::int64_t end = entry.iterations * (worker + 1) / workers;
      kernels_[number](pointers_.data(), host_.data(), scratch.begin(), &status, begin, end);
      if (status != 0) status_ = status;
    };
    if (workers == 1) return part(0);
    std::vector<std::jthread> running;
    for (std::int64_t worker = 1; worker < workers; ++worker) running.emplace_back(part, worker);
    part(0);
  }

  const lowering::Plan& plan_;
  const std::vector<llvm_ir::KernelEntry>& entries_;
  const std::vector<KernelFunction>& kernels_;
  const std::vector<void*>& pointers_;
  unsigned threads_;
  std::vector<std::int64_t> host_;
  std::map<std::string, std::int64_t> point_;
  std::atomic<std::int32_t> status_ = 0;
};

}  // namespace

LlvmProgram::LlvmProgram(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
LlvmProgram::LlvmProgram(LlvmProgram&&) noexcept = default;
LlvmProgram& LlvmProgram::operator=(LlvmProgram&&) noexcept = default;
LlvmProgram::~LlvmProgram() = default;

Result<bool, Diagnostic> find_llvm_engine() {
  const auto engine = load_llvm_engine();
  if (!engine) return engine.error();
  return true;
}

Result<LlvmProgram, Diagnostic> LlvmProgram::compile(const Program& program) {
  const auto start = std::chrono::steady_clock::now();
  const auto engine = load_llvm_engine();
  if (!engine) return engine.error();
  auto lowered = llvm_ir::lower(program);
  if (!lowered) return lowered.error();
  auto made = std::make_unique<Compiled>();
  made->engine = *engine;
  made->lowered = std::move(lowered).value();
  char message[2000] = "";
  const std::string& text = made->lowered.text;
  made->module = made->engine->compile(text.data(), text.size(), message, sizeof message);
  if (!made->module) return make_error("engine", concat("LLVM refuses the program: ", std::string(message)));
  for (const llvm_ir::KernelEntry& entry : made->lowered.kernels) {
    made->kernels.push_back(made->find<KernelFunction>(entry.name));
    if (!made->kernels.back()) return make_error("engine", concat("LLVM cannot link ", entry.name));
  }
  for (const llvm_ir::FillEntry& entry : made->lowered.fills) {
    made->fills.emplace_back(made->number_of(entry.buffer), made->find<FillFunction>(entry.name));
    if (!made->fills.back().second) return make_error("engine", concat("LLVM cannot link ", entry.name));
  }
  LlvmProgram out(std::move(made));
  out.compile_milliseconds_ =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return out;
}

Result<Tensors, Trap> LlvmProgram::run(const Tensors& inputs, unsigned threads) const {
  const lowering::Plan& plan = compiled_->lowered.plan;
  const std::vector<std::string>& names = compiled_->lowered.buffers;
  std::vector<Block> blocks(names.size());
  std::vector<void*> pointers(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const lowering::Buffer& buffer = plan.buffers.at(names[i]);
    blocks[i] = Block(buffer.bytes);
    pointers[i] = blocks[i].begin();
    if (!buffer.known || buffer.known->role == Role::output) continue;
    const Variable& variable = *buffer.known;
    const auto given = inputs.find(variable.name);
    Tensor constant;
    if (given == inputs.end()) {
      if (variable.values.empty()) {
        return trap_of(TrapKind::input_missing,
                       concat("there is no data for the ", name_of(variable.role), ' ', variable.name), variable.name);
      }
      auto made = constant_tensor(variable);
      if (!made) return made.error();
      constant = std::move(made).value();
    }
    const Tensor& tensor = given == inputs.end() ? constant : given->second;
    if (tensor.dtype != variable.dtype || tensor.shape != variable.shape || !is_consistent(tensor)) {
      return trap_of(TrapKind::input_mismatch,
                     concat(variable.name, " has another dtype or shape than the signature says"), variable.name);
    }
    std::memcpy(pointers[i], tensor.data.data(), tensor.data.size());
  }
  for (const auto& [number, fill] : compiled_->fills) fill(pointers[number]);
  Launcher launcher(plan, compiled_->lowered.kernels, compiled_->kernels, pointers,
                    threads == 0 ? default_jobs() : threads);
  launcher.steps(plan.host);
  if (launcher.status() == 1)
    return trap_of(TrapKind::out_of_range, "a subscript read from data is outside of its dimension");
  if (launcher.status() == 2) return trap_of(TrapKind::integer_division_by_zero, "an integer is divided by zero");
  Tensors out;
  for (const Variable& variable : plan.program->signature.variables) {
    if (variable.role != Role::output) continue;
    const auto bytes = static_cast<std::size_t>(plan.buffers.at(variable.name).bytes);
    Tensor tensor{variable.dtype, variable.shape, std::vector<std::byte>(bytes)};
    std::memcpy(tensor.data.data(), pointers[compiled_->number_of(variable.name)], bytes);
    unify_nans(tensor);
    out.emplace(variable.name, std::move(tensor));
  }
  return out;
}

}  // namespace steptp
