#include "steptp/exports/chat_tokens.h"

#include <stdexcept>

#include "steptp/base/text.h"

namespace steptp::dataset {

std::int64_t ChatTokens::count(std::string_view text) {
  const auto tokens = tokenizer_.count(text, cache_);
  // Texts of ours are UTF-8, which is all that counting can object to.
  if (!tokens) throw std::runtime_error(tokens.error().message);
  return static_cast<std::int64_t>(*tokens);
}

// The two parts meet at a special token or behind a line break before one, so their counts add up.
std::int64_t ChatTokens::of_prompt(std::string_view prompt) {
  return count(concat("<|im_start|>user\n", prompt, "<|im_end|>\n<|im_start|>assistant\n"));
}

std::int64_t ChatTokens::of_completion(std::string_view completion) {
  const std::string_view thought = completion.starts_with("<think>") ? "" : "<think>\n\n</think>\n\n";
  return count(concat(thought, completion, "<|im_end|>\n"));
}

}  // namespace steptp::dataset
