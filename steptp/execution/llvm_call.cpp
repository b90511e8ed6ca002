#include "steptp/execution/llvm_call.h"

namespace steptp {

namespace {

/// Less than this is done sooner than others are woken.
constexpr double kWorthThreads = 2e5;

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

ExecutionFailure trap_failure(TrapKind kind, std::string message) {
  Trap trap;
  trap.kind = kind;
  trap.message = std::move(message);
  Diagnostic diagnostic = make_error(name_of(trap.kind), trap.message);
  return {std::move(trap), std::move(diagnostic)};
}

}  // namespace

std::optional<ExecutionFailure> failure_of_status(std::int32_t status) {
  if (status == 1) {
    return trap_failure(TrapKind::out_of_range, "a subscript read from data is outside of its dimension");
  }
  if (status == 2) return trap_failure(TrapKind::integer_division_by_zero, "an integer is divided by zero");
  return std::nullopt;
}

LlvmCall::LlvmCall(const LlvmProgram::Compiled& code, unsigned threads) : code_(code), scratch_(std::max(threads, 1U)) {
  std::int64_t scratch_bytes = 0;
  for (std::size_t i = 0; i < code.lowered.kernels.size(); ++i) {
    scratch_bytes = std::max(scratch_bytes, code.lowered.kernels[i].scratch_bytes);
    is_worth_threads_.push_back(work_of(code.lowered.arrangement, code.lowered.arrangement.kernels[i]) > kWorthThreads);
  }
  for (AlignedBlock& block : scratch_) block = AlignedBlock(scratch_bytes);
}

std::optional<ExecutionFailure> LlvmCall::run(const std::vector<void*>& pointers, ThreadTeam* team) {
  pointers_ = &pointers;
  team_ = team;
  status_ = 0;
  for (const auto& [number, fill] : code_.fills) fill(pointers[number]);
  const auto kernel = [&](std::size_t number) {
    launch(number);
    return true;
  };
  (void)host_.run(code_.lowered.arrangement.host, kernel);
  return failure_of_status(status_);
}

void LlvmCall::launch(std::size_t number) {
  const llvm_ir::KernelEntry& entry = code_.lowered.kernels[number];
  const bool many = team_ && entry.parallel && is_worth_threads_[number];
  const std::size_t most = many ? std::min<std::size_t>(team_->threads(), scratch_.size()) : 1;
  const auto workers = std::min<std::int64_t>(static_cast<std::int64_t>(most), entry.iterations);
  const auto work = [&](std::int64_t worker) {
    std::int32_t status = 0;
    const std::int64_t begin = entry.iterations * worker / workers;
    const std::int64_t end = entry.iterations * (worker + 1) / workers;
    code_.kernels[number](pointers_->data(), host_.loops().data(), scratch_[static_cast<std::size_t>(worker)].begin(),
                          &status, begin, end);
    if (status != 0) status_ = status;
  };
  if (workers > 1)
    team_->run(workers, work);
  else
    work(0);
}

}  // namespace steptp
