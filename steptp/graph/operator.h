#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/graph/call.h"
#include "steptp/graph/schema.h"

namespace steptp::graph {

/// The types of the outputs, or Misuse.
using Infer = std::vector<TensorType> (*)(const Call& call);

/// One line of the table: everything the graph knows of an operator. Each family has its own file
/// (operators_<family>.cpp); adding an operator is adding a line there.
struct OperatorRow {
  std::string_view schema;
  Infer infer;
  /// How PyTorch spells it: "torch.relu" is called with the arguments in order, "{self} + {other}" is filled in.
  /// Empty: torch.ops.aten. with the name of the schema.
  std::string_view torch = {};
};

struct Operator {
  Schema schema;
  Infer infer = nullptr;
  std::string_view torch;
  std::string_view family;
};

/// By its full name, aten.mul.Tensor. Null where we have no such operator.
[[nodiscard]] const Operator* find_operator(std::string_view name);

/// All of them, sorted by name.
[[nodiscard]] const std::vector<Operator>& all_operators();

/// The families, each in its file.
std::span<const OperatorRow> pointwise_operators();
std::span<const OperatorRow> activation_operators();
std::span<const OperatorRow> reduction_operators();
std::span<const OperatorRow> view_operators();
std::span<const OperatorRow> creation_operators();
std::span<const OperatorRow> index_operators();
std::span<const OperatorRow> scatter_operators();
std::span<const OperatorRow> order_operators();
std::span<const OperatorRow> upsample_operators();
std::span<const OperatorRow> matrix_operators();
std::span<const OperatorRow> convolution_operators();
std::span<const OperatorRow> pooling_operators();
std::span<const OperatorRow> norm_operators();
std::span<const OperatorRow> loss_operators();
std::span<const OperatorRow> sequence_operators();

}  // namespace steptp::graph
