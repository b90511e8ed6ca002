#pragma once

#include "steptp/documents/lower_document.h"
#include "steptp/documents/run_document.h"
#include "steptp/measure/candidate_pool.h"

namespace steptp {

/// Why a compiled run gave nothing.
struct CompiledFailure {
  enum class Kind : std::uint8_t {
    errors,     ///< what `lower` would say
    undecided,  ///< the same
    refused,    ///< by the back end, or beyond the limits of the device
    trap,
    too_long,  ///< did not end in time, and was ended
    machine,   ///< no engine, no device, no memory; a crash
  };
  Kind kind = Kind::errors;
  TrapKind trap = TrapKind::invalid;  ///< where kind is trap
  Diagnostics diagnostics;
};

/// The verb `run` with the engine `llvm` or `cuda`, on programs that `check` finds ok, in a worker process of the pool.
/// The budget plays no part; chosen elements are taken out of the whole outputs.
[[nodiscard]] Result<RunResult, CompiledFailure> run_compiled(const Document& document, RunRequest request,
                                                              CandidatePool& pool);

/// What a failure of a worker or a device means, with its place in the text.
[[nodiscard]] CompiledFailure compiled_failure(const Document& document, const ExecutionFailure& failure);

}  // namespace steptp
