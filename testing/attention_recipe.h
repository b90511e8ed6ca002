#pragma once

#include <cstdint>
#include <string>

#include "steptp/base/result.h"
#include "steptp/recipe/recipe.h"

namespace steptp::testing {

/// The way from a program with attention, as the front end writes it, to one in which the attention is one kernel: keys
/// and values in tiles in `s`, a thread for each query, running maximum, sum and output in registers.
struct AttentionRecipe {
  Recipe steps;
  Program program;           ///< the last state
  std::uint32_t kernel = 0;  ///< its expression that is the attention
};

/// At most this many; tiles divide what they cut.
struct AttentionTiles {
  std::int64_t keys = 32;
  std::int64_t queries = 64;
};

/// The same steps for every kind of heads: where the parts of the attention stand is looked up in the program. The text
/// says which step was refused, and why.
[[nodiscard]] Result<AttentionRecipe, std::string> derive_attention(const Program& root, AttentionTiles most);

}  // namespace steptp::testing
