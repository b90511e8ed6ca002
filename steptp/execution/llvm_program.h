#pragma once

#include <cstdint>
#include <memory>

#include "steptp/base/result.h"
#include "steptp/ir/program.h"
#include "steptp/oracle/machine.h"

namespace steptp {

/// A program compiled for this machine. Blocks and threads run in the order of the text, divided among CPU threads
/// where nothing is accumulated across; the values do not depend on their number.
class LlvmProgram {
 public:
  /// Diagnostics: `cannot-lower`, `no-engine` where the shared object with LLVM is not there, `engine` where it fails.
  /// The program must outlive the result; it is one that `check` found ok.
  [[nodiscard]] static Result<LlvmProgram, Diagnostic> compile(const Program& program);

  /// The outputs. Traps: inputs that are missing or of another shape, and what only data shows: a subscript outside of
  /// its dimension, an integer division by zero. `threads` 0: all cores.
  [[nodiscard]] Result<Tensors, Trap> run(const Tensors& inputs, unsigned threads = 0) const;

  [[nodiscard]] double compile_milliseconds() const { return compile_milliseconds_; }

  LlvmProgram(LlvmProgram&&) noexcept;
  LlvmProgram& operator=(LlvmProgram&&) noexcept;
  ~LlvmProgram();

 private:
  struct Compiled;
  explicit LlvmProgram(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
  double compile_milliseconds_ = 0;
};

/// Whether the shared object with LLVM can be loaded; the diagnostic `no-engine` says where it was looked for.
[[nodiscard]] Result<bool, Diagnostic> find_llvm_engine();

}  // namespace steptp
