#pragma once

#include <span>
#include <string>
#include <string_view>

#include "steptp/base/diagnostic.h"

namespace steptp {

/// What `check --explain ID` says of a diagnostic. Ids are stable: scripts and datasets refer to them.
struct Explanation {
  std::string_view id;
  Severity severity;
  std::string_view summary;
  std::string_view explanation;
  std::string_view example;
};

/// All of them, in the order in which a program meets them: reading, structure, scopes, elements.
[[nodiscard]] std::span<const Explanation> all_explanations();
[[nodiscard]] const Explanation* find_explanation(std::string_view id);

/// All of it as a few lines.
[[nodiscard]] std::string to_text(const Explanation& explanation);

}  // namespace steptp
