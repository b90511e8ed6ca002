#pragma once

#include <string>
#include <string_view>

#include "steptp/text/profile.h"

namespace steptp {

/// Hints are written in the words of the paper profile. This is the same hint in the words of the given profile:
/// `where` for `if_then_else`, `?(c)` for `?{c}`, `E^l` for `E^{f32,l}`, `A^f16` for `A^{f16,g}`.
[[nodiscard]] std::string hint_in(Profile profile, std::string hint);

/// What may have been meant, where an operator or ';' is expected behind an equation and `next` stands there, with
/// `before` in front of it; of the paper profile, as all hints are made.
[[nodiscard]] std::string_view hint_after_equation(std::string_view before, char next);
/// The same, where '=' is expected behind the left side.
[[nodiscard]] std::string_view hint_after_left(Profile profile, std::string_view before, std::string_view next);

}  // namespace steptp
