#include "steptp/verbs/token_counts.h"

#include "steptp/text/printer.h"

namespace steptp {

Result<TokenCounts, Diagnostic> count_tokens(const Program& program, const Tokenizer& tokenizer) {
  const auto paper = tokenizer.count(print(program, Profile::paper));
  if (!paper) return paper.error();
  const auto compact = tokenizer.count(print(program, Profile::compact));
  if (!compact) return compact.error();
  return TokenCounts{*paper, *compact};
}

}  // namespace steptp
