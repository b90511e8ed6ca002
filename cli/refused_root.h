#pragma once

#include <optional>
#include <string_view>

#include "cli/records.h"

namespace steptp::cli {

/// A program that `check` does not find ok has no form that could be trusted: the answer for it, or nothing where it is
/// ok. `wanted`: what is not done then, "optimize".
[[nodiscard]] std::optional<Answer> refused_root(const Document& document, bool json, std::string_view wanted);

}  // namespace steptp::cli
