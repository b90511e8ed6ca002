#pragma once

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/tokens/tokenizer.h"

namespace steptp {

/// The tokenizer of Qwen3, from the file that is built into the library (data/qwen3_tokenizer.json.gz, Apache-2.0).
/// Loading takes a good part of a second, so it happens once, on first use.
[[nodiscard]] const Result<Tokenizer, Diagnostic>& qwen3_tokenizer();

}  // namespace steptp
