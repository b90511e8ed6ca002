#include "steptp/tokens/tokenizer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "steptp/base/file.h"
#include "steptp/base/json.h"
#include "steptp/base/text.h"
#include "steptp/tokens/added_tokens.h"
#include "steptp/tokens/byte_pairs.h"
#include "steptp/tokens/split.h"
#include "steptp/tokens/tokenizer_file.h"
#include "steptp/tokens/unicode.h"
#include "steptp/tokens/vocabulary.h"

namespace steptp {

namespace {

constexpr std::size_t kMaxFile = std::size_t{1} << 28;

std::string letter_text(unsigned char byte) {
  std::string text;
  append_point(text, byte_letter(byte));
  return text;
}

Result<BytePairs, Diagnostic> read_merges(const StringPool& merges, const Vocabulary& vocabulary) {
  BytePairs pairs(merges.size() / 2);
  std::string joined;
  for (std::size_t i = 0; i + 1 < merges.size(); i += 2) {
    const std::string_view left = merges[i], right = merges[i + 1];
    joined.assign(left).append(right);
    const std::string_view parts[] = {left, right, joined};
    std::uint32_t ids[3];
    for (std::size_t k = 0; k < 3; ++k) {
      const auto id = vocabulary.find(parts[k]);
      if (!id) {
        return make_error("tokenizer",
                          concat("model.merges: entry ", i / 2, " joins ", quote_json(left), " and ", quote_json(right),
                                 ", but ", quote_json(parts[k]), " is not in model.vocab"));
      }
      ids[k] = *id;
    }
    pairs.add(ids[0], ids[1], static_cast<std::uint32_t>(i / 2), ids[2]);
  }
  return pairs;
}

}  // namespace

struct Tokenizer::Model {
  Vocabulary vocabulary;
  BytePairs pairs;
  std::array<std::uint32_t, 256> byte_ids;  // kNoToken where the vocabulary has no token for the byte
  std::uint32_t unknown = kNoToken;
  bool fuse_unknown = false;
  bool ignore_merges = false;
  bool nfc = false;
  SplitRule split;
  AddedTokens raw_added;         // looked for in the text as it came
  AddedTokens normalized_added;  // looked for in what NFC made of the rest
  std::vector<std::uint32_t> special_ids;
};

/// One call of encode.
class Tokenizer::Encoder {
 public:
  Encoder(const Model& model, WordCache& cache, TokenIds& out) : model_(model), cache_(cache), out_(out) {}

  void text(std::string_view text) {
    model_.raw_added.split(
        text, [this](std::string_view part) { between(part); }, [this](std::uint32_t id) { out_.push_back(id); });
  }

 private:
  void between(std::string_view part) {
    std::string normalized;
    if (model_.nfc && !UnicodeTables::get().is_surely_nfc(part)) {
      normalized.reserve(part.size());
      UnicodeTables::get().append_nfc(part, normalized);
      part = normalized;
    }
    model_.normalized_added.split(
        part, [this](std::string_view rest) { words(rest); }, [this](std::uint32_t id) { out_.push_back(id); });
  }

  void words(std::string_view text) {
    for (WordScanner scanner(text, model_.split); !scanner.done();) {
      const std::string_view word = scanner.next();
      if (word.size() > WordCache::kMaxWord) {
        merge(word);
        continue;
      }
      WordCache::Slot& slot = cache_.slot(word);
      if (WordCache::holds(slot, word)) {
        out_.insert(out_.end(), slot.ids, slot.ids + slot.count);
        continue;
      }
      const std::size_t before = out_.size();
      merge(word);
      WordCache::keep(slot, word, std::span(out_).subspan(before));
    }
  }

  void merge(std::string_view word) {
    if (model_.ignore_merges) {
      letters_.clear();
      for (const char c : word) append_point(letters_, byte_letter(static_cast<unsigned char>(c)));
      if (const auto id = model_.vocabulary.find(letters_)) {
        out_.push_back(*id);
        return;
      }
    }
    symbols_.clear();
    bool after_unknown = false;
    for (const char c : word) {
      const std::uint32_t id = model_.byte_ids[static_cast<unsigned char>(c)];
      if (id != kNoToken) {
        symbols_.push_back(id);
      } else if (model_.unknown != kNoToken && !(after_unknown && model_.fuse_unknown)) {
        symbols_.push_back(model_.unknown);
      }
      after_unknown = id == kNoToken;
    }
    model_.pairs.merge(symbols_);
    out_.insert(out_.end(), symbols_.begin(), symbols_.end());
  }

  const Model& model_;
  WordCache& cache_;
  TokenIds& out_;
  std::vector<std::uint32_t> symbols_;
  std::string letters_;
};

Result<Tokenizer, Diagnostic> Tokenizer::load(const std::string& path) {
  auto content = read_file(path);
  if (!content) return std::move(content).error();
  if (content->starts_with("\x1f\x8b")) {
    content = gunzip(*content, kMaxFile);
    if (!content) return make_error("gzip", concat(path, ": ", content.error().message));
  }
  auto tokenizer = from_json(*content);
  if (tokenizer) return tokenizer;
  Diagnostic error = std::move(tokenizer).error();
  error.message = concat(path, ": ", error.message);
  return error;
}

Result<Tokenizer, Diagnostic> Tokenizer::from_json(std::string_view json) {
  auto file = parse_tokenizer_file(json);
  if (!file) return std::move(file).error();
  auto vocabulary = Vocabulary::build(std::move(file->tokens), std::move(file->ids));
  if (!vocabulary) return std::move(vocabulary).error();
  auto pairs = read_merges(file->merges, *vocabulary);
  if (!pairs) return std::move(pairs).error();

  auto model = std::make_shared<Model>(Model{*std::move(vocabulary),
                                             *std::move(pairs),
                                             {},
                                             kNoToken,
                                             file->fuse_unknown,
                                             file->ignore_merges,
                                             file->nfc,
                                             file->split,
                                             {},
                                             {},
                                             {}});
  for (std::size_t byte = 0; byte < 256; ++byte) {
    model->byte_ids[byte] = model->vocabulary.find(letter_text(static_cast<unsigned char>(byte))).value_or(kNoToken);
  }
  if (!file->unknown_token.empty()) {
    const auto id = model->vocabulary.find(file->unknown_token);
    if (!id) {
      return make_error("tokenizer",
                        concat("model.unk_token ", quote_json(file->unknown_token), " is not in model.vocab"));
    }
    model->unknown = *id;
  }
  if (auto error = add_tokens(std::move(file->added), *model)) return *std::move(error);
  return Tokenizer(std::move(model));
}

std::optional<Diagnostic> Tokenizer::add_tokens(std::vector<AddedToken> added, Model& model) {
  std::vector<AddedToken> raw, normalized;
  const std::size_t model_size = model.vocabulary.size();
  std::uint32_t next_id = static_cast<std::uint32_t>(model_size);
  for (AddedToken& token : added) {
    // The package numbers new tokens itself and disregards the ids in the file; a file where the two differ would
    // mean one thing here and another there.
    const auto known = model.vocabulary.find(token.content);
    const std::uint32_t expected = known.value_or(next_id);
    if (token.id != expected) {
      return make_error("tokenizer", concat("the added token ", quote_json(token.content), " has the id ", token.id,
                                            ", but it would be given ", expected));
    }
    if (!known) {
      if (auto error = model.vocabulary.add(token.content, token.id)) return error;
    }
    next_id = std::max(next_id, token.id + 1);
    if (token.special) model.special_ids.push_back(token.id);
    if (token.normalized && model.nfc) {
      std::string content;
      UnicodeTables::get().append_nfc(token.content, content);
      token.content = std::move(content);
    }
    (token.normalized ? normalized : raw).push_back(std::move(token));
  }
  std::sort(model.special_ids.begin(), model.special_ids.end());
  model.raw_added = AddedTokens(std::move(raw));
  model.normalized_added = AddedTokens(std::move(normalized));
  return std::nullopt;
}

Result<TokenIds, Diagnostic> Tokenizer::encode(std::string_view text) const {
  // A cache for this call alone: large enough for the words of the text, small enough to cost less than it saves.
  WordCache cache(std::clamp<std::size_t>(text.size() / 16, 16, WordCache::kDefaultSlots));
  return encode(text, cache);
}

Result<TokenIds, Diagnostic> Tokenizer::encode(std::string_view text, WordCache& cache) const {
  if (const auto offset = find_invalid_utf8(text)) {
    static constexpr char kHex[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(text[*offset]);
    return make_error(
        "utf8", concat("the text is not UTF-8: the byte 0x", kHex[byte >> 4], kHex[byte & 15], " at offset ", *offset));
  }
  cache.belong_to(model_);
  TokenIds ids;
  ids.reserve(text.size() / 3 + 4);
  Encoder(*model_, cache, ids).text(text);
  return ids;
}

Result<std::size_t, Diagnostic> Tokenizer::count(std::string_view text) const {
  auto ids = encode(text);
  if (!ids) return std::move(ids).error();
  return ids->size();
}

Result<std::size_t, Diagnostic> Tokenizer::count(std::string_view text, WordCache& cache) const {
  auto ids = encode(text, cache);
  if (!ids) return std::move(ids).error();
  return ids->size();
}

std::string Tokenizer::decode(std::span<const std::uint32_t> ids, bool skip_special) const {
  std::string bytes;
  for (const std::uint32_t id : ids) {
    if (skip_special && is_special(id)) continue;
    append_token_bytes(model_->vocabulary.text(id), bytes);
  }
  return replace_invalid_utf8(bytes);
}

std::string Tokenizer::token_bytes(std::uint32_t id) const {
  std::string bytes;
  append_token_bytes(model_->vocabulary.text(id), bytes);
  return bytes;
}

std::size_t Tokenizer::vocabulary_size() const { return model_->vocabulary.size(); }

std::uint32_t Tokenizer::id_limit() const { return model_->vocabulary.id_limit(); }

std::string_view Tokenizer::token_text(std::uint32_t id) const { return model_->vocabulary.text(id); }

std::optional<std::uint32_t> Tokenizer::find_token(std::string_view text) const {
  return model_->vocabulary.find(text);
}

bool Tokenizer::is_special(std::uint32_t id) const {
  return std::binary_search(model_->special_ids.begin(), model_->special_ids.end(), id);
}

}  // namespace steptp
