// Tokenizer files that are broken, hostile or beyond us: each gives a message, none gives wrong ids.
#include "steptp/tokens/tokenizer_file.h"
#include "source_dir.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "steptp/base/file.h"
#include "steptp/base/random.h"
#include "steptp/tokens/tokenizer.h"

namespace steptp {
namespace {

const std::string kPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+)";

const std::string kGood =
    R"({"version":"1.0","truncation":null,"padding":null,"added_tokens":[{"id":4,"content":"<e>","special":true,)"
    R"("single_word":false,"lstrip":false,"rstrip":false,"normalized":false}],"normalizer":{"type":"NFC"},)"
    R"("pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":")" +
    kPattern +
    R"("},"behavior":"Isolated","invert":false},{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":false,)"
    R"("use_regex":false}]},"model":{"type":"BPE","dropout":null,"unk_token":null,"byte_fallback":false,)"
    R"("vocab":{"a":0,"b":1,"ab":2,"abab":3},"merges":[["a","b"],["ab","ab"]]}})";

/// The good file with one part replaced.
std::string with(const std::string& part, const std::string& other) {
  std::string text = kGood;
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), other);
}

struct Case {
  std::string json;
  std::string id;
  std::string says;
};

TEST(TokenizerFile, the_good_file_is_good) {
  const auto tokenizer = Tokenizer::from_json(kGood);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message;
  EXPECT_EQ(tokenizer->encode("abab<e>aba").value(), (TokenIds{3, 4, 2, 0}));
  EXPECT_EQ(tokenizer->vocabulary_size(), 5U);
}

TEST(TokenizerFile, refuses_by_name) {
  const std::string vocab = R"({"a":0,"b":1,"ab":2,"abab":3})", merges = R"([["a","b"],["ab","ab"]])";
  const Case cases[] = {
      {"", "tokenizer", "byte 0"},
      {"[]", "tokenizer", "expected one object"},
      {"{}", "tokenizer", "model is missing"},
      {kGood.substr(0, kGood.size() / 2), "tokenizer", "not JSON at byte"},
      {std::string(100000, '['), "tokenizer", "nested deeper"},
      {with("\"version\":\"1.0\"", "\"model\":1"), "tokenizer", "occurs twice"},
      {with("\"1.0\"", "\"\\ud800\""), "tokenizer", "surrogate"},
      {with(vocab, "[]"), "tokenizer", "model.vocab: expected an object, found an array"},
      {with(vocab, "{}"), "tokenizer", "no token"},
      {with(vocab, "null"), "tokenizer", "model.vocab is missing"},
      {with("\"b\":1", "\"b\":\"1\""), "tokenizer", "expected an id for \"b\", found a string"},
      {with("\"b\":1", "\"b\":-1"), "tokenizer", "a negative number"},
      {with("\"b\":1", "\"b\":1.5"), "tokenizer", "a fraction"},
      {with("\"b\":1", "\"b\":{}"), "tokenizer", "an object"},
      {with("\"b\":1", "\"b\":4294967295"), "tokenizer", "too large"},
      {with("\"b\":1", "\"b\":4000000000"), "tokenizer", "above the largest"},
      {with("\"b\":1", "\"b\":0"), "tokenizer", "\"b\" has the id 0, which \"a\" has already"},
      {with("\"b\":1", "\"a\":1"), "tokenizer", "occurs twice"},
      {with(merges, "{}"), "tokenizer", "model.merges: expected an array"},
      {with(merges, "[1]"), "tokenizer", "entry 0"},
      {with(merges, "[[\"a\"]]"), "tokenizer", "fewer than two"},
      {with(merges, "[[\"a\",\"b\",\"a\"]]"), "tokenizer", "more than two"},
      {with(merges, "[[[\"a\"],\"b\"]]"), "tokenizer", "an array"},
      {with(merges, "[\"ab\"]"), "tokenizer", "one blank"},
      {with(merges, "[\"a b c\"]"), "tokenizer", "one blank"},
      {with(merges, "[\"a c\"]"), "tokenizer", "\"c\" is not in model.vocab"},
      {with(merges, "[\"b a\"]"), "tokenizer", "\"ba\" is not in model.vocab"},
      {with("\"BPE\"", "\"Unigram\""), "tokenizer", "model.type is \"Unigram\", but only BPE"},
      {with("\"BPE\"", "7"), "tokenizer", "model.type: expected a string, found an integer"},
      {with("\"dropout\":null", "\"dropout\":0.1"), "tokenizer", "model.dropout"},
      {with("\"byte_fallback\":false", "\"byte_fallback\":true"), "tokenizer", "model.byte_fallback"},
      {with("\"unk_token\":null", "\"unk_token\":\"zz\""), "tokenizer", "\"zz\" is not in"},
      {with("\"NFC\"", "\"NFKC\""), "tokenizer", "normalizer.type is \"NFKC\""},
      {with("\"version\":\"1.0\"", "\"decoder\":{\"type\":\"WordPiece\"}"), "tokenizer", "decoder.type"},
      {with("\"Sequence\"", "\"Whitespace\""), "tokenizer", "pre_tokenizer.type"},
      {with("?\\\\p{L}+", "?\\\\p{L}*"), "tokenizer", "a pattern that is not supported: (?i:'s|'t"},
      {with("{\"Regex\":", "{\"String\":"), "tokenizer", "pattern.Regex is missing"},
      {with("\"Isolated\"", "\"Removed\""), "tokenizer", "behavior is \"Removed\""},
      {with("\"invert\":false", "\"invert\":true"), "tokenizer", "invert"},
      {with("\"use_regex\":false", "\"use_regex\":true"), "tokenizer", "use_regex"},
      {with("\"add_prefix_space\":false,", ""), "tokenizer", "add_prefix_space is absent"},
      {with("\"truncation\":null", "\"truncation\":{}"), "tokenizer", "truncation"},
      {with("\"padding\":null", "\"padding\":{}"), "tokenizer", "padding"},
      {with("\"id\":4", "\"id\":9"), "tokenizer", "has the id 9, but it would be given 4"},
      {with("\"id\":4", "\"id\":\"4\""), "tokenizer", "added_tokens[0].id is not an id"},
      {with("\"content\":\"<e>\"", "\"content\":\"\""), "tokenizer", "added_tokens[0].content is empty"},
      {with("\"content\":\"<e>\",", ""), "tokenizer", "added_tokens[0].content is missing"},
      {with("\"special\":true", "\"special\":1"), "tokenizer", "added_tokens[0].special: expected true or false"},
  };
  for (const Case& one : cases) {
    const auto tokenizer = Tokenizer::from_json(one.json);
    ASSERT_FALSE(tokenizer.ok()) << one.says;
    EXPECT_EQ(tokenizer.error().id, one.id) << tokenizer.error().message;
    EXPECT_NE(tokenizer.error().message.find(one.says), std::string::npos)
        << "wanted: " << one.says << "\nfound: " << tokenizer.error().message;
  }
}

TEST(TokenizerFile, unknown_bytes) {
  const auto encode = [](const std::string& json) { return Tokenizer::from_json(json).value().encode("axxb").value(); };
  EXPECT_EQ(encode(kGood), (TokenIds{2}));  // as the package does: what has no token is dropped
  EXPECT_EQ(encode(with("\"unk_token\":null", "\"unk_token\":\"abab\"")), (TokenIds{0, 3, 3, 1}));
  EXPECT_EQ(encode(with("\"unk_token\":null", "\"fuse_unk\":true,\"unk_token\":\"abab\"")), (TokenIds{0, 3, 1}));
}

TEST(TokenizerFile, ignore_merges_takes_a_whole_word) {
  const std::string without = with(R"([["a","b"],["ab","ab"]])", "[]");
  EXPECT_EQ(Tokenizer::from_json(without).value().encode("ab").value(), (TokenIds{0, 1}));
  std::string json = without;
  json.replace(json.find("\"dropout\":null"), 14, "\"ignore_merges\":true");
  EXPECT_EQ(Tokenizer::from_json(json).value().encode("ababa").value(), (TokenIds{0, 1, 0, 1, 0}));
  EXPECT_EQ(Tokenizer::from_json(json).value().encode("abab").value(), (TokenIds{3}));
}

TEST(TokenizerFile, damaged_text_never_crashes) {
  Random random(3);
  for (int i = 0; i < 5000; ++i) {
    std::string json = kGood;
    for (std::uint64_t n = random.below(4) + 1; n > 0; --n) {
      const std::size_t at = random.below(json.size());
      switch (random.below(3)) {
        case 0: json[at] = static_cast<char>(random.below(256)); break;
        case 1: json.erase(at, random.below(20)); break;
        default: json.insert(at, json.substr(random.below(json.size()), random.below(30)));
      }
    }
    if (const auto tokenizer = Tokenizer::from_json(json)) {
      EXPECT_TRUE(tokenizer->encode("abab<e> a1'sb").ok());
    } else {
      EXPECT_FALSE(tokenizer.error().message.empty());
    }
  }
}

TEST(TokenizerFile, damaged_files) {
  const auto missing = Tokenizer::load("/nonexistent/tokenizer.json");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().id, "file");

  const std::string whole = read_file(STEPTP_SOURCE_DIR "/data/qwen3_tokenizer.json.gz").value();
  const std::string path = ::testing::TempDir() + "steptp_damaged_tokenizer.json.gz";
  for (const std::size_t size : {std::size_t{2}, std::size_t{20}, whole.size() / 2, whole.size() - 1}) {
    ASSERT_TRUE(write_file(path, whole.substr(0, size)).ok());
    const auto cut = Tokenizer::load(path);
    ASSERT_FALSE(cut.ok());
    EXPECT_EQ(cut.error().id, "gzip");
    EXPECT_NE(cut.error().message.find("damaged or cut off"), std::string::npos);
  }
  std::remove(path.c_str());
}

}  // namespace
}  // namespace steptp
