#pragma once

#include <cstdint>
#include <string_view>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/tokens/tokenizer.h"
#include "steptp/tokens/word_cache.h"

namespace steptp::dataset {

/// Counts tokens of a question and its answer as Qwen3's template puts them together:
///   <|im_start|>user\n{prompt}<|im_end|>\n<|im_start|>assistant\n | {completion}<|im_end|>\n
/// An answer without reasoning gets the empty thought that the template writes for it.
/// For one thread: it remembers words from one call to the next.
class ChatTokens {
 public:
  explicit ChatTokens(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  [[nodiscard]] std::int64_t of_prompt(std::string_view prompt);
  [[nodiscard]] std::int64_t of_completion(std::string_view completion);

 private:
  [[nodiscard]] std::int64_t count(std::string_view text);

  const Tokenizer& tokenizer_;
  WordCache cache_;
};

}  // namespace steptp::dataset
