#pragma once

#include <string>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/base/words.h"
#include "steptp/ir/program.h"
#include "steptp/lowering/target.h"

namespace steptp::tir {

/// The spellings of TVMScript: that of the published data (TVM up to 0.23), and the current one.
enum class Dialect : std::uint8_t { tvm_0_21, tvm_0_27 };

/// A program that `check` found ok as TVM's TensorIR. Refuses (`cannot-lower`) what TVM gives another meaning. For a
/// CPU bound loops are serial, and scoped data is expanded by the axes that are walked several times.
[[nodiscard]] Result<std::string, Diagnostic> lower(const Program& program, Dialect dialect, DeviceKind target);

}  // namespace steptp::tir

template <>
inline constexpr auto steptp::kWords<steptp::tir::Dialect> = std::to_array<std::string_view>({"tvm-0.21", "tvm-0.27"});
