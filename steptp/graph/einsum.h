#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "steptp/graph/call.h"

namespace steptp::graph {

/// The letters of an einsum equation, one text per operand and one for the result. Blanks are dropped; without an
/// arrow the result has the letters that occur once, sorted. An ellipsis has become one letter per dimension, none of
/// them printable, and the same letter in every operand where dimensions broadcast.
struct EinsumLetters {
  std::vector<std::string> operands;
  std::string result;
};

/// Misuse for an equation that is not one.
[[nodiscard]] EinsumLetters parse_einsum(const Call& call, std::string_view equation);

}  // namespace steptp::graph
