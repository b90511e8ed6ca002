#pragma once

#include <span>
#include <string_view>

namespace steptp::graph::pt2 {

/// Two names of one operator with the same parameters; an overload that is in place may be called otherwise than the
/// one that gives a new tensor.
struct Spelling {
  std::string_view other;
  std::string_view usual;
};

/// The name in the table of operators, or the same name.
[[nodiscard]] std::string_view usual_name(std::string_view op);
[[nodiscard]] std::span<const Spelling> other_spellings();

}  // namespace steptp::graph::pt2
