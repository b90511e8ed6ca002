#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/text/profile.h"

namespace steptp {

/// What a constrained decoder is to write: a program, the answer `<answer>{...}</answer>` with one, or
/// `<answer>[{...},...]</answer>` with several.
enum class GrammarTarget : std::uint8_t { program, answer, answers };

[[nodiscard]] constexpr std::optional<GrammarTarget> parse_grammar_target(std::string_view text) {
  if (text == "program") return GrammarTarget::program;
  if (text == "answer") return GrammarTarget::answer;
  if (text == "answers") return GrammarTarget::answers;
  return std::nullopt;
}

/// The grammar as GBNF, the dialect that llama.cpp and xgrammar (vLLM, SGLang) share; the start rule is `root`. It has
/// no left recursion, and rule names are lower-case words with hyphens, which both accept.
///
/// It accepts every canonical text of the profile. Blanks, the order of marks and leading zeros are exactly the
/// printer's. Accepted besides is what a text cannot be known to be while it is being written: superfluous brackets
/// and braces, `X=X+e` for `X+=e` in compact, a decimal with trailing zeros. Refusing those late would force a model
/// to go on with something that it does not mean. Everything accepted is read, except for what no context-free rule
/// can say: 64-bit ranges, the depth limit, and in compact the integer dtype of a tensor that indexes.
///
/// A guard holds what can be an exact integer: indices, integers, + - * // %, compared and joined by & and |.
///
/// The answers may begin with one think block, `<think>\n...\n</think>\n\n`, as in the dataset. Inside it `<` is not
/// followed by `/`, `th` or the end of a line, so that it holds no think tag.
///
/// `strategy_names` are the values of "applied_strategy" (not used for programs): at least one, without `"` and `\`.
/// Without `extended` the grammar is that of the published language: no guards, no extension functions.
[[nodiscard]] std::string gbnf(Profile profile, GrammarTarget target, const std::vector<std::string>& strategy_names,
                               bool extended = true);

}  // namespace steptp
