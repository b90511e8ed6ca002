#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "steptp/ir/program.h"
#include "steptp/verify/precision_way.h"

namespace steptp {

/// By source: the name of a known variable, a literal or "index". Literals and indices are told apart by the type of
/// the operation that first uses them: "literal 0.1 in f32".
using WaysOf = std::map<std::string, std::set<Way>>;

/// All ways to the outputs of a program, by output: through values, conditions and subscripts. Nothing where there are
/// too many to be listed.
[[nodiscard]] std::optional<std::map<std::string, WaysOf>> ways_to_outputs(const Program& program);

}  // namespace steptp
