#pragma once

#include <string>

#include "steptp/prove/arena.h"

namespace steptp::forms {

/// Normal forms as text, for certificates and for people.
[[nodiscard]] std::string to_text(const Arena& arena, const Affine& affine);
[[nodiscard]] std::string to_text(const Arena& arena, PolynomialId id);
[[nodiscard]] std::string condition_text(const Arena& arena, ConditionId id);

}  // namespace steptp::forms
