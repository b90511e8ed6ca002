#pragma once

#include <optional>
#include <string>

#include "steptp/certify/code.h"

namespace steptp::certify {

/// Why `after` is less precise than `before`: a value that reaches an output is stored in a float type with fewer
/// significand or exponent bits than any that `before` stores on its way to that output. Nothing where that is not so.
/// Looks at tensors, not at elements: a narrower store beside an equally narrow one of `before` goes unnoticed.
[[nodiscard]] std::optional<std::string> lost_precision(const Code& before, const Code& after);

}  // namespace steptp::certify
