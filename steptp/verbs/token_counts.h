#pragma once

#include <cstddef>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/ir/program.h"
#include "steptp/tokens/tokenizer.h"

namespace steptp {

/// How many tokens each representation of a program takes.
struct TokenCounts {
  std::size_t paper = 0;
  std::size_t compact = 0;
};
[[nodiscard]] Result<TokenCounts, Diagnostic> count_tokens(const Program& program, const Tokenizer& tokenizer);

}  // namespace steptp
