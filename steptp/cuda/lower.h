#pragma once

#include <string>
#include <vector>

#include "steptp/analysis/device.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/cuda/kernel.h"
#include "steptp/cuda/workspace.h"

namespace steptp::cuda {

struct LowerOptions {
  const Device* device = nullptr;  ///< null: the default one
  bool main = false;               ///< with a main() that reads inputs, compares with expected outputs, and times
};

/// A kernel `void name(T* buffer)` that gives a buffer the value an undefined accumulator reads as.
struct FillLaunch {
  std::string kernel;
  std::string buffer;
  std::int64_t blocks = 1;
  std::int64_t threads = 1;
};

/// A program as CUDA C++: one __global__ per kernel, and a C entry point that launches them in order.
struct Lowered {
  std::string text;
  lowering::Arrangement arrangement;  ///< points into the program
  std::vector<KernelText> kernels;    ///< as in the arrangement
  std::vector<FillLaunch> fills;      ///< before all else
  Workspace workspace;
  /// The launch list as data: {"workspace":[...],"fills":[...],"kernels":[...],"steps":[...]}.
  Json launches;
};

/// The text of a program that `check` found ok; the same program gives the same text. Diagnostic `cannot-lower`.
[[nodiscard]] Result<Lowered, Diagnostic> lower(const Program& program, const LowerOptions& options = {});

}  // namespace steptp::cuda
