#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/ir/program.h"

namespace steptp::testing {

/// The names of the language features that occur in a program: for statistics on generated programs and corpora.
[[nodiscard]] std::set<std::string> features_of(const Program& program);

/// The features that generated programs have to show; those of the extended language, and those that are not affine,
/// are listed apart.
[[nodiscard]] std::vector<std::string> plain_features();
[[nodiscard]] std::vector<std::string> extended_features();
[[nodiscard]] std::vector<std::string> indirect_features();

}  // namespace steptp::testing
