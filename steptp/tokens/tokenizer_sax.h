#pragma once

#include <string>
#include <string_view>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/tokens/tokenizer_file.h"

namespace steptp {

/// Reads `model.vocab` and `model.merges` straight into the file's pools, and everything else into a small tree.
/// Building a Json of 150,000 tokens and as many pairs would take most of a second.
[[nodiscard]] Result<Json, Diagnostic> read_tokenizer_json(std::string_view text, TokenizerFile& file);

}  // namespace steptp
