#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/tokens/split.h"

namespace steptp {

/// Many short strings in one piece of memory: a vocabulary has 150,000 of them.
class StringPool {
 public:
  void add(std::string_view text) {
    bytes_.append(text);
    ends_.push_back(bytes_.size());
  }
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string bytes_;
  std::vector<std::size_t> ends_;
};

struct AddedToken {
  std::string content;
  std::uint32_t id = 0;
  bool single_word = false;
  bool lstrip = false;
  bool rstrip = false;
  bool normalized = false;
  bool special = false;
};

/// What a tokenizer.json says, as it is written there; everything we would have to ignore has been refused.
struct TokenizerFile {
  StringPool tokens;
  std::vector<std::uint32_t> ids;  // of the tokens, in the same order
  StringPool merges;               // left and right halves in turn
  std::vector<AddedToken> added;
  bool nfc = false;
  SplitRule split;
  std::string unknown_token;  // empty where there is none
  bool fuse_unknown = false;
  bool ignore_merges = false;
};

/// Reads the JSON text. Errors, with the id `tokenizer`: not JSON, a value of a wrong type, a part that we would have
/// to treat differently from what is written.
[[nodiscard]] Result<TokenizerFile, Diagnostic> parse_tokenizer_file(std::string_view json);

}  // namespace steptp
