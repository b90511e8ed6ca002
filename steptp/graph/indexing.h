#pragma once

#include <optional>
#include <vector>

#include "steptp/graph/call.h"

namespace steptp::graph {

/// x[:, i, j]: one integer tensor per indexed dimension. The index tensors broadcast to one shape, which takes the
/// place of the indexed dimensions where they stand together, and stands first where they do not.
struct Indexing {
  std::vector<std::optional<Value>> dims;  ///< one per dimension of the tensor
  Shape common;
  std::size_t first = 0;  ///< where the common dimensions stand in the result

  [[nodiscard]] Shape result(const Shape& shape) const;
};

/// By the argument "indices"; Misuse where they do not fit a tensor of this shape.
[[nodiscard]] Indexing indexed_by(const Call& call, const Shape& shape);

/// Whether no element can be negative, as far as the graph tells: indices are then plain.
[[nodiscard]] bool is_never_negative(const Graph& graph, const Value& value);

/// The part of a dimension that a slice takes.
struct SlicePart {
  std::size_t dim = 0;
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t length = 0;
};
/// By the arguments "dim", "start", "end" and "step".
[[nodiscard]] SlicePart slice_part(const Call& call, const Shape& shape);

/// The diagonal of two dimensions: its elements are at (row + n, column + n).
struct DiagonalPart {
  std::size_t dim1 = 0;
  std::size_t dim2 = 1;
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t length = 0;

  /// Both dimensions are left out, and the diagonal stands last.
  [[nodiscard]] Shape result(const Shape& shape) const;
};
/// By the arguments "offset", "dim1" and "dim2".
[[nodiscard]] DiagonalPart diagonal_part(const Call& call, const Shape& shape);

}  // namespace steptp::graph
