#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "steptp/analysis/accesses.h"

namespace steptp {

/// The shape of every tensor: as declared for known variables; for an intermediate, along each dimension one more than
/// the greatest subscript that any of its writers writes under its guards, and 1 where none writes. Right for negative
/// coefficients, `//`, `%` and several writers; where a writer's subscript reads data, or the search for the greatest
/// value is given up, the dimension is an upper bound, and `exact` says so.
struct InferredShape {
  std::vector<std::int64_t> dimensions;
  bool exact = true;
};
[[nodiscard]] InferredShape infer_shape(const AccessTable& table, const TensorFacts& tensor);
[[nodiscard]] std::map<std::string, InferredShape> infer_shapes(const AccessTable& table);

}  // namespace steptp
