#pragma once

// Expressions behind a kernel that belong into it: what has an element for each of the result's elements.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "steptp/base/result.h"
#include "steptp/ir/ref.h"
#include "steptp/strategies/view.h"

namespace steptp {

/// An expression behind the one that a kernel is made of, which is taken into it.
struct FollowingExpression {
  std::vector<std::string> roles;  ///< of its loops
  std::string result;              ///< the tensor that it writes
  bool is_used_elsewhere = true;   ///< it is an output, or what is not taken along reads it
};

/// What the kernel is made of: the result has the indices with these roles as its subscripts, and loops with these
/// extents are what a following expression must have.
struct FollowedResult {
  std::uint32_t expression = 0;
  std::string result;
  std::vector<std::string> subscript_roles;
  std::map<std::string, std::int64_t> extents;
};

struct Following {
  std::vector<FollowingExpression> expressions;
  bool is_result_used_elsewhere = true;
};

/// So many expressions behind it. The text says which of them does not belong there, and why.
[[nodiscard]] Result<Following, std::string> find_following(View& view, const FollowedResult& result,
                                                            std::int64_t count);

/// The indices of a reference, where each subscript is one.
[[nodiscard]] std::optional<std::vector<std::string>> plain_indices(const Ref& ref);

}  // namespace steptp
