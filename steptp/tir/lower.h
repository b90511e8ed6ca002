#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/ir/program.h"

namespace steptp::tir {

/// The spellings of TVMScript: that of the published data (TVM up to 0.23), and the current one.
enum class Dialect : std::uint8_t { tvm_0_21, tvm_0_27 };
[[nodiscard]] std::optional<Dialect> parse_dialect(std::string_view name);

/// cpu: bound loops are serial, scoped data is expanded by the axes that are walked several times.
enum class Target : std::uint8_t { cuda, cpu };

/// A program that `check` found ok as TVM's TensorIR. Refuses (`cannot-lower`) what TVM gives another meaning.
[[nodiscard]] Result<std::string, Diagnostic> lower(const Program& program, Dialect dialect, Target target);

}  // namespace steptp::tir
