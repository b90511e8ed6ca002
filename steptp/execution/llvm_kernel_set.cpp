// A program on this CPU in memory of others. All kernel sets share one team of threads: whoever calls while it is busy
// works alone, with the same values.
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "steptp/base/ordered_stream.h"
#include "steptp/execution/kernel_set.h"
#include "steptp/execution/llvm_call.h"

namespace steptp {

namespace {

/// The team of this process. A process that was forked has none of the threads of its parent, and gets its own.
class SharedTeam {
 public:
  /// Null while others have it.
  ThreadTeam* take() {
    if (!mutex_.try_lock()) return nullptr;
    if (!team_ || owner_ != getpid()) {
      // The team of a parent has no threads here that could be joined.
      static_cast<void>(team_.release());
      team_ = std::make_unique<ThreadTeam>(default_jobs());
      owner_ = getpid();
    }
    return team_.get();
  }
  void give_back() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
  std::unique_ptr<ThreadTeam> team_;
  pid_t owner_ = 0;
};

/// Never destroyed: calls may come while the process ends.
SharedTeam& shared_team() {
  static SharedTeam* const team = new SharedTeam;
  return *team;
}

class LlvmKernelSet : public KernelSet {
 public:
  explicit LlvmKernelSet(Program program) : program_(std::move(program)) {}

  std::optional<Diagnostic> compile(const ObjectCache& cache, FloatRules rules) {
    auto compiled = LlvmProgram::compile(program_, cache, rules);
    if (!compiled) return compiled.error();
    code_.emplace(std::move(compiled).value());
    const std::vector<Variable>& variables = program_.signature.variables;
    for (const std::string& name : code_->compiled().lowered.buffers) {
      const auto known =
          std::find_if(variables.begin(), variables.end(), [&](const Variable& v) { return v.name == name; });
      if (known != variables.end()) {
        places_.push_back({true, static_cast<std::size_t>(known - variables.begin())});
        continue;
      }
      places_.push_back({false, static_cast<std::size_t>(workspace_bytes_)});
      workspace_bytes_ += (code_->arrangement().buffers.at(name).bytes + 63) / 64 * 64;
    }
    return std::nullopt;
  }

  [[nodiscard]] const Program& program() const override { return program_; }
  [[nodiscard]] std::int64_t workspace_bytes() const override { return workspace_bytes_; }
  [[nodiscard]] const CompileTimes& times() const override { return code_->times(); }
  [[nodiscard]] std::size_t kernels() const override { return code_->arrangement().kernels.size(); }

  std::optional<ExecutionFailure> call(const KernelCall& call) override {
    std::vector<void*> pointers;
    pointers.reserve(places_.size());
    for (const Place& place : places_) {
      pointers.push_back(place.is_tensor ? call.tensors[place.number]
                                         : static_cast<std::byte*>(call.workspace) + place.number);
    }
    std::unique_ptr<LlvmCall> caller = take_caller(call.threads);
    ThreadTeam* const team = call.threads > 1 ? shared_team().take() : nullptr;
    auto failure = caller->run(pointers, team);
    if (team) shared_team().give_back();
    const std::lock_guard lock(mutex_);
    idle_.push_back({call.threads, std::move(caller)});
    return failure;
  }

 private:
  /// Where a buffer is: a tensor by its number, or an offset in the workspace.
  struct Place {
    bool is_tensor = false;
    std::size_t number = 0;
  };
  struct Idle {
    unsigned threads = 1;
    std::unique_ptr<LlvmCall> caller;
  };

  /// One that nobody uses; it has memory of its own for what kernels keep by themselves.
  std::unique_ptr<LlvmCall> take_caller(unsigned threads) {
    {
      const std::lock_guard lock(mutex_);
      const auto fits = [&](const Idle& idle) { return idle.threads == threads; };
      const auto found = std::find_if(idle_.begin(), idle_.end(), fits);
      if (found != idle_.end()) {
        auto out = std::move(found->caller);
        idle_.erase(found);
        return out;
      }
    }
    return std::make_unique<LlvmCall>(code_->compiled(), threads);
  }

  Program program_;
  std::optional<LlvmProgram> code_;  ///< points into the program
  std::vector<Place> places_;        ///< in the order of the buffers
  std::int64_t workspace_bytes_ = 0;
  std::mutex mutex_;
  std::vector<Idle> idle_;
};

}  // namespace

Result<std::unique_ptr<KernelSet>, Diagnostic> compile_for_cpu(Program program, const ObjectCache& cache,
                                                               FloatRules rules) {
  auto out = std::make_unique<LlvmKernelSet>(std::move(program));
  if (auto problem = out->compile(cache, rules)) return *std::move(problem);
  return std::unique_ptr<KernelSet>(std::move(out));
}

}  // namespace steptp
