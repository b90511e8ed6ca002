#pragma once

#include <string>

#include "steptp/text/profile.h"

namespace steptp {

/// Hints are written in the words of the paper profile. This is the same hint in the words of the given profile:
/// `where` for `if_then_else`, `?(c)` for `?{c}`, `E^l` for `E^{f32,l}`.
[[nodiscard]] std::string hint_in(Profile profile, std::string hint);

}  // namespace steptp
