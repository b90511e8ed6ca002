#include "steptp/tokens/tokenizer.h"
#include "source_dir.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "steptp/base/file.h"
#include "steptp/base/json.h"
#include "steptp/base/random.h"

namespace steptp {
namespace {

constexpr const char* kQwen3 = STEPTP_SOURCE_DIR "/data/qwen3_tokenizer.json.gz";

const Tokenizer& qwen3() {
  static const Tokenizer instance = Tokenizer::load(kQwen3).value();
  return instance;
}

struct Golden {
  std::string text;
  TokenIds ids;
  std::string decoded;
};

/// Written by tools/make_token_goldens.py.
std::vector<Golden> goldens() {
  std::vector<Golden> out;
  std::ifstream file(STEPTP_SOURCE_DIR "/testing/golden/tokens_qwen3.jsonl");
  for (std::string line; std::getline(file, line);) {
    const Json row = parse_json(line).value();
    Golden golden{*row.find("text")->as_string(), {}, {}};
    for (const Json& id : *row.find("ids")->as_array()) {
      golden.ids.push_back(static_cast<std::uint32_t>(*id.as_integer()));
    }
    const Json* decoded = row.find("decoded");
    golden.decoded = decoded != nullptr ? *decoded->as_string() : golden.text;
    out.push_back(std::move(golden));
  }
  return out;
}

TEST(Tokenizer, agrees_with_the_goldens) {
  const auto rows = goldens();
  ASSERT_GT(rows.size(), 300U);
  WordCache cache;
  for (const Golden& row : rows) {
    EXPECT_EQ(qwen3().encode(row.text).value(), row.ids) << row.text;
    EXPECT_EQ(qwen3().encode(row.text, cache).value(), row.ids) << row.text;
    EXPECT_EQ(qwen3().count(row.text).value(), row.ids.size());
    EXPECT_EQ(qwen3().decode(row.ids), row.decoded);
  }
}

TEST(Tokenizer, words_that_push_each_other_out_of_a_tiny_cache_keep_their_ids) {
  WordCache tiny(1);
  for (const Golden& row : goldens()) EXPECT_EQ(qwen3().encode(row.text, tiny).value(), row.ids);
}

TEST(Tokenizer, knows_its_vocabulary) {
  EXPECT_EQ(qwen3().vocabulary_size(), 151669U);
  EXPECT_EQ(qwen3().id_limit(), 151669U);
  EXPECT_EQ(qwen3().token_text(0), "!");
  EXPECT_EQ(qwen3().token_text(220), "\u0120");
  EXPECT_EQ(qwen3().token_bytes(220), " ");
  EXPECT_EQ(qwen3().token_text(151645), "<|im_end|>");
  EXPECT_EQ(qwen3().token_text(151669), "");
  EXPECT_EQ(qwen3().token_text(UINT32_MAX), "");
  EXPECT_EQ(qwen3().find_token("<think>"), 151667U);
  EXPECT_EQ(qwen3().find_token("no such token"), std::nullopt);
  EXPECT_TRUE(qwen3().is_special(151645));
  EXPECT_FALSE(qwen3().is_special(151667));
}

TEST(Tokenizer, decodes_what_it_can) {
  const TokenIds ids = {151644, 0, UINT32_MAX, 151667, 151645};
  EXPECT_EQ(qwen3().decode(ids), "<|im_start|>!<think><|im_end|>");
  EXPECT_EQ(qwen3().decode(ids, true), "!<think>");
  // One byte of a code point of three.
  const auto half = qwen3().find_token("\u00e4");  // the letter for the byte 0xe4
  ASSERT_TRUE(half);
  EXPECT_EQ(qwen3().decode(TokenIds{*half}), "\ufffd");
  EXPECT_EQ(qwen3().token_bytes(*half), "\xe4");
}

TEST(Tokenizer, names_the_byte_that_is_not_utf8) {
  const struct {
    std::string text;
    std::size_t offset;
  } cases[] = {{"\xff", 0},
               {"abc\x80", 3},
               {"0123456789\xc0\x80", 10},
               {"\xe4\xb8", 0},
               {"ok\xed\xa0\x80", 2},
               {"ok\xf4\x90\x80\x80", 2},
               {"\xe4\xb8\xad\xf0\x80\x80\x80", 3},
               {"<|im_end|>\xfe", 10}};
  for (const auto& [text, offset] : cases) {
    const auto ids = qwen3().encode(text);
    ASSERT_FALSE(ids.ok());
    EXPECT_EQ(ids.error().id, "utf8");
    EXPECT_NE(ids.error().message.find("offset " + std::to_string(offset)), std::string::npos) << ids.error().message;
  }
}

TEST(Tokenizer, any_bytes_give_ids_or_an_error) {
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::uint64_t n = random.below(12); n > 0; --n) {
      // Half of them bytes of longer code points, so that nearly valid texts occur.
      text += static_cast<char>(random.chance(1, 2) ? 0x80 + random.below(0x80) : random.below(0x80));
    }
    const auto ids = qwen3().encode(text);
    if (ids) {
      EXPECT_EQ(qwen3().encode(qwen3().decode(*ids)).value(), *ids);
    }
  }
}

TEST(Tokenizer, long_runs_end) {
  Random random(2);
  std::string letters;
  while (letters.size() < 200000) letters += static_cast<char>('a' + static_cast<int>(random.below(26)));
  for (const std::string& text : {std::string(300000, 'a'), std::string(300000, ' '), letters}) {
    const auto ids = qwen3().encode(text);
    ASSERT_TRUE(ids.ok());
    EXPECT_EQ(qwen3().decode(*ids), text);
  }
}

TEST(Tokenizer, is_shared_by_threads) {
  const auto rows = goldens();
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&rows, &wrong, t] {
      const Tokenizer mine = qwen3();
      for (const Golden& row : rows) wrong[t] += mine.encode(row.text).value() == row.ids ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(Tokenizer, a_cache_moves_between_tokenizers) {
  const std::string_view json =
      R"({"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":")"
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+)"
      R"("},"behavior":"Isolated","invert":false},{"type":"ByteLevel","add_prefix_space":false,"use_regex":false}]},)"
      R"("model":{"type":"BPE","vocab":{"a":7,"b":5,"ab":6},"merges":["a b"]}})";
  const auto small = Tokenizer::from_json(json);
  ASSERT_TRUE(small.ok()) << small.error().message;
  WordCache cache;
  const TokenIds before = qwen3().encode("ab ab", cache).value();
  EXPECT_EQ(small->encode("ab aab", cache).value(), (TokenIds{6, 7, 6}));
  EXPECT_EQ(qwen3().encode("ab ab", cache).value(), before);
}

}  // namespace
}  // namespace steptp
