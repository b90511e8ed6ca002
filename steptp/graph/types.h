#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "steptp/ir/dtype.h"

namespace steptp::graph {

using Shape = std::vector<std::int64_t>;

/// What is known of a tensor without its values.
struct TensorType {
  DType dtype = DType::f32;
  Shape shape;  ///< empty: a scalar tensor
  bool operator==(const TensorType&) const = default;
};

/// "float32[16,256]": for messages.
[[nodiscard]] std::string to_text(const TensorType& type);
[[nodiscard]] std::string to_text(const Shape& shape);

/// The number of elements; -1 where it does not fit in 63 bits.
[[nodiscard]] std::int64_t count(const Shape& shape);

/// The values of a constant. Masks and filled tensors keep their rule, so that a causal mask of a million elements
/// costs nothing until somebody asks for its elements.
struct TensorValue {
  enum class Kind : std::uint8_t { dense, splat, triangle };
  Kind kind = Kind::splat;
  std::vector<double> dense;  ///< row-major; integers up to 2^53 are exact
  double number = 0;          ///< splat: every element
  std::int64_t diagonal = 0;  ///< triangle: 1 where column - row >= diagonal in the last two dimensions, else 0
  bool operator==(const TensorValue&) const = default;

  [[nodiscard]] static TensorValue splat(double number) { return {Kind::splat, {}, number, 0}; }
  [[nodiscard]] static TensorValue triangle(std::int64_t diagonal) { return {Kind::triangle, {}, 0, diagonal}; }
  [[nodiscard]] static TensorValue of(std::vector<double> values) { return {Kind::dense, std::move(values), 0, 0}; }
};

/// The element with a row-major number.
[[nodiscard]] double element(const TensorValue& value, const Shape& shape, std::int64_t number);

}  // namespace steptp::graph
