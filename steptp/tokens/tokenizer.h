#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/tokens/word_cache.h"

namespace steptp {

struct AddedToken;

using TokenIds = std::vector<std::uint32_t>;

/// A byte-level byte-pair tokenizer read from a Hugging Face tokenizer.json. The ids are those that the Python
/// package `tokenizers` gives with add_special_tokens=False: added tokens in the text are found, a post-processor
/// adds nothing. Cheap to copy; any number of threads may use one.
class Tokenizer {
 public:
  /// Reads tokenizer.json, gzip-compressed or not. Errors: `file`, `gzip`, and those of from_json.
  [[nodiscard]] static Result<Tokenizer, Diagnostic> load(const std::string& path);
  /// Errors, with the id `tokenizer`: not JSON, a wrong type, a pattern, normaliser or option that we would have to get
  /// wrong, contradictions in the vocabulary, the merges or the added tokens.
  [[nodiscard]] static Result<Tokenizer, Diagnostic> from_json(std::string_view json);

  /// The ids of a text. Errors: `utf8`, with the offset of the first byte that is wrong.
  [[nodiscard]] Result<TokenIds, Diagnostic> encode(std::string_view text) const;
  /// The same, faster for many short texts: the cache remembers words from one call to the next.
  [[nodiscard]] Result<TokenIds, Diagnostic> encode(std::string_view text, WordCache& cache) const;

  /// The number of ids of a text.
  [[nodiscard]] Result<std::size_t, Diagnostic> count(std::string_view text) const;
  [[nodiscard]] Result<std::size_t, Diagnostic> count(std::string_view text, WordCache& cache) const;

  /// The text of ids; ids without a token give nothing, and bytes that are not UTF-8 (a code point cut in half)
  /// become U+FFFD.
  [[nodiscard]] std::string decode(std::span<const std::uint32_t> ids, bool skip_special = false) const;
  /// The bytes of one token, exactly; empty where the id has none.
  [[nodiscard]] std::string token_bytes(std::uint32_t id) const;

  /// Tokens with an id, added ones included.
  [[nodiscard]] std::size_t vocabulary_size() const;
  /// One more than the largest id.
  [[nodiscard]] std::uint32_t id_limit() const;
  /// A token as the file spells it (byte-level letters: a blank is written as U+0120); empty where the id has none.
  [[nodiscard]] std::string_view token_text(std::uint32_t id) const;
  /// The id of a token spelt as in the file.
  [[nodiscard]] std::optional<std::uint32_t> find_token(std::string_view text) const;
  [[nodiscard]] bool is_special(std::uint32_t id) const;

 private:
  struct Model;
  class Encoder;
  [[nodiscard]] static std::optional<Diagnostic> add_tokens(std::vector<AddedToken> added, Model& model);
  explicit Tokenizer(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

  std::shared_ptr<const Model> model_;
};

}  // namespace steptp
