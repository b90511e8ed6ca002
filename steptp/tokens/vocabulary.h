#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/tokens/tokenizer_file.h"

namespace steptp {

/// Tokens and their ids, both ways.
class Vocabulary {
 public:
  /// Errors: `tokenizer_vocabulary`: empty, a token or an id twice, an id beyond all reason.
  [[nodiscard]] static Result<Vocabulary, Diagnostic> build(StringPool tokens, std::vector<std::uint32_t> ids);

  [[nodiscard]] std::size_t size() const { return tokens_.size(); }
  [[nodiscard]] std::uint32_t id_limit() const { return static_cast<std::uint32_t>(entry_of_id_.size()); }
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view token) const;
  [[nodiscard]] std::string_view text(std::uint32_t id) const;

  /// Adds one more token; the same errors.
  [[nodiscard]] std::optional<Diagnostic> add(std::string_view token, std::uint32_t id);

 private:
  [[nodiscard]] std::optional<Diagnostic> enter(std::size_t entry);
  void grow_slots(std::size_t tokens);
  [[nodiscard]] std::size_t slot_of(std::string_view token) const;

  StringPool tokens_;
  std::vector<std::uint32_t> ids_;
  std::vector<std::uint32_t> slots_;  // open addressing over entries, kNoEntry where empty
  std::vector<std::uint32_t> entry_of_id_;
};

/// Byte-level tokens write each byte as one letter, so that every token can be printed: those of Latin-1 that can be
/// seen stand for themselves, the others are moved to U+0100 and on.
[[nodiscard]] std::uint32_t byte_letter(unsigned char byte);

/// The bytes that a token's letters stand for; its own UTF-8 where it holds some other letter.
void append_token_bytes(std::string_view token, std::string& out);

}  // namespace steptp
