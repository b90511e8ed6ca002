#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "steptp/execution/llvm_engine.h"
#include "steptp/execution/llvm_program.h"
#include "steptp/llvm/lower.h"

namespace steptp {

using LlvmKernel = void (*)(void* const*, const std::int64_t*, void*, std::int32_t*, std::int64_t, std::int64_t);
using LlvmFill = void (*)(void*);

/// The code of a program in memory.
struct LlvmProgram::Compiled {
  const SteptpLlvmEngine* engine = nullptr;
  SteptpLlvmModule* module = nullptr;
  llvm_ir::Lowered lowered;
  std::vector<LlvmKernel> kernels;
  std::vector<std::pair<std::size_t, LlvmFill>> fills;  ///< with the number of the buffer

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

}  // namespace steptp
