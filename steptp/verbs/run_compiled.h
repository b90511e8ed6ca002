#pragma once

#include "steptp/verbs/lower_document.h"
#include "steptp/verbs/run_document.h"

namespace steptp {

/// Why a compiled run gave nothing: what `lower` would say, a trap, or a machine without the engine.
struct CompiledFailure {
  enum class Kind : std::uint8_t { errors, undecided, refused, trap, machine };
  Kind kind = Kind::errors;
  TrapKind trap = TrapKind::invalid;  ///< where kind is trap
  Diagnostics diagnostics;
};

/// The verb `run` with the engine `llvm`, on programs that `check` finds ok. The budget plays no part; chosen elements
/// are taken out of the whole outputs.
[[nodiscard]] Result<RunResult, CompiledFailure> run_compiled(const Document& document, RunRequest request);

}  // namespace steptp
