#include "steptp/cursor/vocabulary.h"

#include <array>
#include <stdexcept>
#include <unordered_map>

#include "steptp/base/sha256.h"
#include "steptp/base/text.h"

namespace steptp::cursor {

namespace {

/// Words of a group that stand in the file as they are here, with the group's mark before them.
struct Group {
  std::string_view mark;
  std::vector<std::string_view> words;
};

/// The order of the groups, and of the words in each, is the order of the file: it is never changed.
const std::vector<Group>& groups() {
  static const std::vector<Group> kGroups = {
      {"", {"PAD", "BOS", "EOS", "PPT", "END", "NEG", "REAL", "GUARD", "OPEN", "CLOSE", "EQUATION", "VALUES"}},
      {"role:", {"input", "constant", "param", "output"}},
      {"domain:", {"any", "positive", "nonzero", "range", "masked"}},
      {"", {"f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "u8", "bool"}},
      {"", {"g", "s", "l", "f", "s2", "s3", "s4", "s5"}},
      {"", {"L", "P", "V", "U", "T", "bx", "by", "bz", "tx", "ty", "tz", "wx", "wy", "wz"}},
      {"do:", {"+",   "-",     "*", "/",  "//", "%",  "**", "max", "min", "select",
               "inf", "index", "<", "<=", ">",  ">=", "==", "!=",  "&",   "|"}},
      {"fn:", {"negate", "exp", "log", "sqrt", "abs", "erf", "tanh", "sin", "cos", "floor", "ceil", "round", "rsqrt"}},
      {"at:", {"sum", "product", "quotient", "remainder", "read"}},
      {"target:", {"cpu", "cuda"}},
      {"q:", {"none", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}},
      {"op:",
       {"group",          "structure",  "algebra", "threads",     "width",     "flat",      "rounds",   "rows",
        "order",          "vector",     "keep",    "sums",        "parts",     "part",      "axes",     "thread_rows",
        "thread_columns", "columns",    "depth",   "padding",     "form",      "image",     "channels", "queries",
        "keys",           "scores",     "staged",  "kind",        "splits",    "vthread",   "outer",    "inner",
        "layout",         "buffers",    "scope",   "accumulator", "unroll",    "parallel",  "units",    "unit_rows",
        "unit_columns",   "unit_depth", "swizzle", "reserved0",   "reserved1", "reserved2", "reserved3"}},
      {"", {"as_is",     "map",    "epilogue", "rows",       "stages",  "tile",     "matrix",       "window",
            "scan",      "online", "flash",    "join",       "inline",  "split_k",  "pulled",       "not_pulled",
            "row",       "column", "plain",    "wide",       "product", "halo",     "shared",       "direct",
            "keys",      "head",   "queries",  "outputs",    "maximum", "sum",      "exponentials", "softmax",
            "attention", "padded", "rotated",  "transposed", "local",   "fragment", "all",          "word0",
            "word1",     "word2",  "word3"}},
  };
  return kGroups;
}

constexpr std::array<std::int64_t, 35> kNumbers = {0,   1,   2,   3,   4,   5,   6,   7,   8,   10,  12,  14,
                                                   16,  20,  24,  28,  32,  40,  48,  56,  64,  80,  96,  112,
                                                   128, 160, 192, 224, 256, 320, 384, 512, 640, 768, 1024};

void add_run(std::vector<std::string>& words, std::string_view mark, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) words.push_back(concat(mark, i));
}

std::vector<std::string> all_words() {
  std::vector<std::string> out;
  for (const Group& group : groups()) {
    for (const std::string_view word : group.words) out.push_back(concat(group.mark, word));
  }
  for (const std::int64_t number : kNumbers) out.push_back(concat("v", number));
  add_run(out, "d", kDigits);
  add_run(out, "x", kExponents);
  add_run(out, "T", kTensorSlots);
  add_run(out, "j", kLoopSlots);
  add_run(out, "e", kExpressionSlots);
  return out;
}

const std::unordered_map<std::string_view, Token>& numbers_of_words() {
  static const std::unordered_map<std::string_view, Token> kMap = [] {
    std::unordered_map<std::string_view, Token> out;
    for (std::size_t i = 0; i < vocabulary().size(); ++i) out.emplace(vocabulary()[i], static_cast<Token>(i));
    return out;
  }();
  return kMap;
}

}  // namespace

const std::vector<std::string>& vocabulary() {
  static const std::vector<std::string> kWords = all_words();
  return kWords;
}

std::optional<Token> find_token(std::string_view word) {
  const auto found = numbers_of_words().find(word);
  if (found == numbers_of_words().end()) return std::nullopt;
  return found->second;
}

Token token_of(std::string_view word) {
  const auto found = find_token(word);
  if (!found) throw std::logic_error(concat("the vocabulary has no word '", word, "'"));
  return *found;
}

std::string_view word_of_token(Token token) {
  return token < vocabulary().size() ? std::string_view(vocabulary()[token]) : "?";
}

std::string vocabulary_text() {
  std::string out = concat("# steptp tlm vocabulary, version ", kVocabularyVersion, "\n");
  for (const std::string& word : vocabulary()) append(out, word, "\n");
  return out;
}

const std::string& vocabulary_hash() {
  static const std::string kHash = sha256_hex(vocabulary_text());
  return kHash;
}

const std::vector<std::int64_t>& decision_numbers() {
  static const std::vector<std::int64_t> kAll(kNumbers.begin(), kNumbers.end());
  return kAll;
}

std::optional<Token> number_token(std::int64_t number) {
  static const Token kFirst = token_of("v0");
  for (std::size_t i = 0; i < kNumbers.size(); ++i) {
    if (kNumbers[i] == number) return static_cast<Token>(kFirst + i);
  }
  return std::nullopt;
}

std::optional<std::int64_t> number_of_token(Token token) {
  static const Token kFirst = token_of("v0");
  if (token < kFirst || token >= kFirst + kNumbers.size()) return std::nullopt;
  return kNumbers[static_cast<std::size_t>(token - kFirst)];
}

}  // namespace steptp::cursor
