#pragma once

#include <cstdint>
#include <memory>

#include "steptp/base/result.h"
#include "steptp/execution/object_cache.h"
#include "steptp/execution/session.h"
#include "steptp/ir/program.h"
#include "steptp/llvm/lower.h"
#include "steptp/oracle/machine.h"

namespace steptp {

/// What it took to make a program ready.
struct CompileTimes {
  double lower_milliseconds = 0;
  double compile_milliseconds = 0;  ///< 0 where the object was in the cache
  double load_milliseconds = 0;
  bool from_cache = false;

  [[nodiscard]] double sum() const { return lower_milliseconds + compile_milliseconds + load_milliseconds; }
};

class CpuInputs;

/// A program compiled for this machine. Blocks and threads run in the order of the text, divided among CPU threads
/// where nothing is accumulated across; the values do not depend on their number.
class LlvmProgram {
 public:
  /// Diagnostics: `cannot-lower`, `no-engine` where the shared object with LLVM is not there, `engine` where it fails.
  /// The program must outlive the result; it is one that `check` found ok.
  [[nodiscard]] static Result<LlvmProgram, Diagnostic> compile(const Program& program,
                                                               const ObjectCache& cache = ObjectCache(),
                                                               FloatRules rules = {});

  /// The data in place; `this` must outlive it. Traps: inputs that are missing or of another shape. `threads` 0: all
  /// cores. Inputs that are in `kept`, which must outlive the session, are taken from there; those that the session
  /// has found whole are left there.
  [[nodiscard]] Result<std::unique_ptr<Session>, ExecutionFailure> start(const Tensors& inputs, unsigned threads = 0,
                                                                         CpuInputs* kept = nullptr) const;

  /// The outputs of one run. Traps besides: what only data shows, a subscript outside of its dimension, an integer
  /// division by zero.
  [[nodiscard]] Result<Tensors, Trap> run(const Tensors& inputs, unsigned threads = 0) const;

  [[nodiscard]] const CompileTimes& times() const { return times_; }
  [[nodiscard]] double compile_milliseconds() const { return times_.sum(); }
  [[nodiscard]] const lowering::Arrangement& arrangement() const;

  LlvmProgram(LlvmProgram&&) noexcept;
  LlvmProgram& operator=(LlvmProgram&&) noexcept;
  ~LlvmProgram();

  struct Compiled;
  [[nodiscard]] const Compiled& compiled() const { return *compiled_; }

 private:
  explicit LlvmProgram(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
  CompileTimes times_;
};

/// Whether the shared object with LLVM can be loaded; the diagnostic `no-engine` says where it was looked for.
[[nodiscard]] Result<bool, Diagnostic> find_llvm_engine();

}  // namespace steptp
