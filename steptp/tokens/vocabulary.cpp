#include "steptp/tokens/vocabulary.h"

#include <algorithm>
#include <array>
#include <bit>

#include "steptp/base/hash.h"
#include "steptp/base/json.h"
#include "steptp/base/text.h"
#include "steptp/tokens/unicode.h"

namespace steptp {

namespace {

constexpr std::uint32_t kNoEntry = UINT32_MAX;
// Tables are indexed by id; a file that names larger ones is broken or means harm.
constexpr std::uint32_t kMaxId = (1U << 24) - 1;

constexpr std::array<std::uint32_t, 256> kByteLetters = [] {
  std::array<std::uint32_t, 256> letters{};
  std::uint32_t moved = 0x100;
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    const bool visible = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte != 0xad);
    letters[byte] = visible ? byte : moved++;
  }
  return letters;
}();

constexpr std::uint32_t kLetterLimit = 0x144;  // one more than the largest byte letter

constexpr std::array<std::int16_t, kLetterLimit> kLetterBytes = [] {
  std::array<std::int16_t, kLetterLimit> bytes{};
  for (std::int16_t& byte : bytes) byte = -1;
  for (std::int16_t byte = 0; byte < 256; ++byte) bytes[kByteLetters[static_cast<std::size_t>(byte)]] = byte;
  return bytes;
}();

std::size_t hash_slot(std::string_view token, std::size_t slots) {
  return static_cast<std::size_t>(hash_text(token)) & (slots - 1);
}

}  // namespace

std::uint32_t byte_letter(unsigned char byte) { return kByteLetters[byte]; }

void append_token_bytes(std::string_view token, std::string& out) {
  const std::size_t before = out.size();
  for (std::size_t at = 0; at < token.size();) {
    const auto [point, length] = decode_point(token.data() + at);
    if (point >= kLetterLimit || kLetterBytes[point] < 0) {
      out.resize(before);
      out.append(token);
      return;
    }
    out.push_back(static_cast<char>(kLetterBytes[point]));
    at += length;
  }
}

Result<Vocabulary, Diagnostic> Vocabulary::build(StringPool tokens, std::vector<std::uint32_t> ids) {
  if (tokens.size() == 0) return make_error("tokenizer", "model.vocab holds no token");
  Vocabulary vocabulary;
  vocabulary.tokens_ = std::move(tokens);
  vocabulary.ids_ = std::move(ids);
  vocabulary.grow_slots(vocabulary.size() + 1024);
  for (std::size_t entry = 0; entry < vocabulary.size(); ++entry) {
    if (auto error = vocabulary.enter(entry)) return *std::move(error);
  }
  return vocabulary;
}

std::optional<Diagnostic> Vocabulary::add(std::string_view token, std::uint32_t id) {
  if (2 * (size() + 1) > slots_.size()) {
    grow_slots(2 * size());
    for (std::size_t entry = 0; entry < size(); ++entry) {
      slots_[slot_of(tokens_[entry])] = static_cast<std::uint32_t>(entry);
    }
  }
  tokens_.add(token);
  ids_.push_back(id);
  return enter(size() - 1);
}

std::optional<Diagnostic> Vocabulary::enter(std::size_t entry) {
  const std::string_view token = tokens_[entry];
  const std::uint32_t id = ids_[entry];
  const auto error = [&](const auto&... what) {
    return make_error("tokenizer", concat("the token ", quote_json(token), " ", what...));
  };
  if (id > kMaxId) return error("has the id ", id, ", above the largest supported, ", kMaxId);
  if (id >= entry_of_id_.size()) entry_of_id_.resize(std::max<std::size_t>(id + 1U, ids_.size()), kNoEntry);
  if (entry_of_id_[id] != kNoEntry) {
    return error("has the id ", id, ", which ", quote_json(tokens_[entry_of_id_[id]]), " has already");
  }
  std::uint32_t& slot = slots_[slot_of(token)];
  if (slot != kNoEntry) return error("occurs twice, with the ids ", ids_[slot], " and ", id);
  slot = entry_of_id_[id] = static_cast<std::uint32_t>(entry);
  return std::nullopt;
}

void Vocabulary::grow_slots(std::size_t tokens) { slots_.assign(std::bit_ceil(2 * tokens), kNoEntry); }

/// Where the token is, or the empty slot where it would be.
std::size_t Vocabulary::slot_of(std::string_view token) const {
  std::size_t slot = hash_slot(token, slots_.size());
  while (slots_[slot] != kNoEntry && tokens_[slots_[slot]] != token) slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

std::optional<std::uint32_t> Vocabulary::find(std::string_view token) const {
  const std::uint32_t entry = slots_[slot_of(token)];
  if (entry == kNoEntry) return std::nullopt;
  return ids_[entry];
}

std::string_view Vocabulary::text(std::uint32_t id) const {
  if (id >= entry_of_id_.size() || entry_of_id_[id] == kNoEntry) return {};
  return tokens_[entry_of_id_[id]];
}

}  // namespace steptp
