#pragma once

// A network as parts that plans are looked for one by one.

#include <string>
#include <vector>

#include "steptp/base/result.h"
#include "steptp/ir/program.h"

namespace steptp::tlm {

/// A part has at most so many expressions.
inline constexpr std::uint32_t kMostExpressions = 8;

/// The program with cheap producers inlined, cut into runs of expressions: a part takes in what reads a tensor that it
/// makes, and ends before the next contraction. The error names an expression that no part can hold.
[[nodiscard]] Result<std::vector<Program>, std::string> parts_of(const Program& network);

}  // namespace steptp::tlm
