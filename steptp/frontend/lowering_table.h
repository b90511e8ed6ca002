#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "steptp/frontend/call_lowering.h"

namespace steptp::frontend {

/// How one operator becomes nests. Each family has its file (lower_<family>.cpp); adding an operator is adding a line
/// there, beside its line in graph/operators_<family>.cpp.
struct LoweringRow {
  std::string_view op;
  void (*lower)(const CallLowering& call);
};

[[nodiscard]] const LoweringRow* find_lowering(std::string_view op);
/// The operators of the table, sorted.
[[nodiscard]] std::vector<std::string_view> lowered_operators();

std::span<const LoweringRow> pointwise_lowerings();
std::span<const LoweringRow> activation_lowerings();
std::span<const LoweringRow> reduction_lowerings();
std::span<const LoweringRow> view_lowerings();
std::span<const LoweringRow> creation_lowerings();
std::span<const LoweringRow> index_lowerings();
std::span<const LoweringRow> scatter_lowerings();
std::span<const LoweringRow> order_lowerings();
std::span<const LoweringRow> upsample_lowerings();
std::span<const LoweringRow> matrix_lowerings();
std::span<const LoweringRow> convolution_lowerings();
std::span<const LoweringRow> pooling_lowerings();
std::span<const LoweringRow> norm_lowerings();
std::span<const LoweringRow> loss_lowerings();
std::span<const LoweringRow> sequence_lowerings();

}  // namespace steptp::frontend
