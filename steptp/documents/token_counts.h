#pragma once

#include <cstddef>
#include <optional>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/ir/program.h"
#include "steptp/text/document.h"
#include "steptp/tokens/tokenizer.h"

namespace steptp {

/// How many tokens each representation of a program takes.
struct TokenCounts {
  std::size_t paper = 0;
  std::size_t compact = 0;
  /// Lowered, where that was asked for and the back end takes the program: TIR in the dialect of the published data,
  /// and CUDA without a main().
  std::optional<std::size_t> tir;
  std::optional<std::size_t> cuda;
};
[[nodiscard]] Result<TokenCounts, Diagnostic> count_tokens(const Program& program, const Tokenizer& tokenizer);
/// Adds the counts of the lowered forms.
[[nodiscard]] std::optional<Diagnostic> count_lowered_tokens(const Document& document, const Tokenizer& tokenizer,
                                                             TokenCounts& counts);

}  // namespace steptp
