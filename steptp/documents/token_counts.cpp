#include "steptp/documents/token_counts.h"

#include <utility>

#include "steptp/documents/lower_document.h"
#include "steptp/text/printer.h"

namespace steptp {

Result<TokenCounts, Diagnostic> count_tokens(const Program& program, const Tokenizer& tokenizer) {
  const auto paper = tokenizer.count(print(program, Profile::paper));
  if (!paper) return paper.error();
  const auto compact = tokenizer.count(print(program, Profile::compact));
  if (!compact) return compact.error();
  return TokenCounts{*paper, *compact, {}, {}};
}

std::optional<Diagnostic> count_lowered_tokens(const Document& document, const Tokenizer& tokenizer,
                                               TokenCounts& counts) {
  for (const auto& [to, count] : {std::pair(Backend::tir, &counts.tir), std::pair(Backend::cuda, &counts.cuda)}) {
    LowerRequest request;
    request.to = to;
    request.dialect = tir::Dialect::tvm_0_21;
    const auto lowered = lower_document(document, request);
    if (!lowered) continue;
    const auto tokens = tokenizer.count(lowered->text);
    if (!tokens) return tokens.error();
    *count = *tokens;
  }
  return std::nullopt;
}

}  // namespace steptp
