#pragma once

// What cache_read_write copies before its uses: a tensor, or the value of an expression.

#include <functional>
#include <string>
#include <vector>

#include "steptp/strategies/caching.h"

namespace steptp {

/// What is copied: its value over the loops of the copy, and where each use finds it.
struct Staged {
  std::string source;  ///< for people
  DType dtype = DType::f32;
  std::vector<const Statement*> statements;  ///< of the uses, in order
  std::vector<Part> uses;
  CacheLevel level;
  std::vector<std::int64_t> extents;
  /// For each dimension the index that every use has there where that is one loop of its extent: a good name.
  std::vector<std::string> names;
  /// The value at a point of the copy; null where a subscript would not fit.
  std::function<ExprPtr(const std::vector<Index>&)> value;
  /// What has to hold at a point so that the value exists.
  std::function<std::vector<ExprPtr>(const std::vector<Index>&, const std::vector<Loop>&)> bounds;
  /// Puts the copy in place of a use. The copy's subscripts come behind `front`.
  std::function<void(Rewriter&, const std::string& cache, DType dtype, const std::vector<Index>& front)> replace;
};

[[nodiscard]] Result<Staged, Refusal> stage_tensor(View& view, const CacheRequest& request);
/// An if_then_else of a tensor, wherever it stands in the body.
[[nodiscard]] Result<Staged, Refusal> stage_expression(View& view, const CacheRequest& request, const Site& site);

}  // namespace steptp
