#pragma once

#include <string>
#include <string_view>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/ir/program.h"
#include "steptp/tir/lower.h"

namespace steptp::dataset {

/// TIR text and what it is for.
struct TirText {
  std::string text;
  DeviceKind target = DeviceKind::cuda;
};
/// The TIR text that stands in a dataset. What TVM cannot build for a GPU it still reads with its threads as loops.
[[nodiscard]] Result<TirText, Diagnostic> tir_text_of(const Program& program,
                                                      tir::Dialect dialect = tir::Dialect::tvm_0_21);

/// "cuda" or "cpu": which form a text of `tir_text_of` has. For a GPU everything runs in bound loops.
[[nodiscard]] std::string_view tir_target_name(std::string_view text);

}  // namespace steptp::dataset
