#pragma once

#include <memory>
#include <string>
#include <vector>

#include "steptp/base/result.h"
#include "steptp/lowering/arrangement.h"
#include "steptp/lowering/target.h"

namespace steptp::llvm_ir {

/// A kernel as a function `void name(ptr buffers, ptr host, ptr scratch, ptr status, i64 begin, i64 end)`: pointers to
/// all buffers in `g`, the values of the host loops, memory for `s` and `l` data that the stack does not hold, and the
/// part of the outermost loop to run.
struct KernelEntry {
  std::string name;
  std::int64_t iterations = 1;  ///< of the outermost loop
  bool parallel = false;        ///< its iterations may run at the same time, each with scratch of its own
  std::int64_t scratch_bytes = 0;
};

/// A function `void name(ptr buffer)` that gives a buffer the value an undefined accumulator reads as.
struct FillEntry {
  std::string name;
  std::string buffer;
};

/// A program as LLVM IR. Functions of libm are external; the status is an i32 that says what went wrong with data: 1
/// for a subscript outside of its dimension, 2 for an integer division by zero.
struct Lowered {
  std::string text;
  std::vector<std::string> buffers;  ///< those in `g`, in the order of the pointers
  std::vector<FillEntry> fills;
  std::vector<KernelEntry> kernels;  ///< as in the arrangement
  lowering::Arrangement arrangement;
};

/// The same program gives the same text. The arrangement points into the program. Diagnostic `cannot-lower`.
[[nodiscard]] Result<Lowered, Diagnostic> lower(const Program& program, FloatRules rules = {});

/// The functions that kernels call, as IR.
[[nodiscard]] std::string_view helper_text();
/// Those of stp_exp, stp_log, stp_erf and stp_tanh that the text calls: functions of doubles that come from f32 or
/// less, good enough to be rounded to it.
[[nodiscard]] std::string vector_math_text(std::string_view calls);
/// Those of stp_fast_exp, stp_fast_tanh and stp_fast_erf: functions of floats.
[[nodiscard]] std::string fast_math_text(std::string_view calls);

}  // namespace steptp::llvm_ir
