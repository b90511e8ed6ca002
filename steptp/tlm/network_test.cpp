#include "steptp/tlm/network.h"

#include <gtest/gtest.h>

#include <cmath>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/random.h"
#include "steptp/base/sha256.h"
#include "steptp/tlm/elementwise.h"

// steptp/tlm/golden/small.weights is a model of two layers with drawn weights, written by PyTorch; the logits below are
// PyTorch's for the same tokens.

namespace steptp::tlm {
namespace {

const std::string kSmall = std::string(STEPTP_SOURCE_DIR) + "/steptp/tlm/golden/small.weights";

const std::vector<Token> kPrompt = {1, 4, 9, 3, 17, 5, 5, 11, 2, 0, 19, 8, 6, 7, 13, 12, 3, 3};
const std::vector<Token> kTail = {16, 2, 9};

const std::vector<float> kAfterPrompt = {-0.0781139F, -0.0113378F, 0.137924F,  0.941083F,  0.461853F,
                                         0.82876F,    1.26409F,    -1.0824F,   0.0223931F, -0.064265F,
                                         -0.291917F,  -0.112096F,  -0.639546F, 0.309511F,  1.01748F,
                                         -0.756307F,  -0.800784F,  -0.616849F, -0.442695F, -0.39832F};
const std::vector<float> kAfterTail = {-1.01613F, -0.0669804F, 0.369596F,   0.0294451F,  -0.0959554F,
                                       0.758991F, -1.04955F,   -0.585937F,  -0.203011F,  0.785457F,
                                       0.136985F, 1.06983F,    -0.0966914F, 0.198914F,   0.0773784F,
                                       0.544303F, -1.09412F,   -0.348141F,  -0.0964151F, 0.12057F};

std::shared_ptr<const Weights> small() {
  auto weights = read_weights(kSmall);
  EXPECT_TRUE(weights.ok()) << (weights.ok() ? "" : weights.error().message);
  return std::make_shared<const Weights>(std::move(weights).value());
}

void expect_near(const std::vector<float>& got, const std::vector<float>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 2e-5F) << "logit " << i;
}

TEST(TlmNetwork, LogitsAreThoseOfPyTorch) {
  Continuations model(small(), kPrompt, 1);
  expect_near(model.first_logits(), kAfterPrompt);
  expect_near(model.feed(std::vector<Continuations::Feed>{{0, kTail}}), kAfterTail);
}

TEST(TlmNetwork, TokensOneByOneBesideOthersGiveTheSameBits) {
  Continuations together(small(), kPrompt, 1);
  const std::vector<float> wanted = together.feed(std::vector<Continuations::Feed>{{0, kTail}});
  Continuations model(small(), kPrompt, 20);
  Random random(3);
  std::vector<float> got;
  for (const Token token : kTail) {
    std::vector<Continuations::Feed> feeds;
    for (std::size_t i = 0; i < 20; ++i) feeds.push_back({i, {static_cast<Token>(random.below(20))}});
    feeds[13].tokens = {token};
    const std::vector<float> all = model.feed(feeds);
    got.assign(all.begin() + 13 * 20, all.begin() + 14 * 20);
  }
  EXPECT_EQ(got, wanted);
}

TEST(TlmNetwork, RoomEndsWithThePositions) {
  Continuations model(small(), kPrompt, 2);
  ASSERT_EQ(model.room(1), 32 - kPrompt.size());
  (void)model.feed(std::vector<Continuations::Feed>{{1, std::vector<Token>(model.room(1), 7)}});
  EXPECT_EQ(model.room(1), 0U);
  EXPECT_EQ(model.room(0), 32 - kPrompt.size());
  EXPECT_THROW((void)model.feed(std::vector<Continuations::Feed>{{1, {7}}}), std::logic_error);
  EXPECT_THROW((void)model.feed(std::vector<Continuations::Feed>{{0, {20}}}), std::logic_error);
  EXPECT_THROW(Continuations(small(), std::vector<Token>(32, 1), 1), std::logic_error);
}

TEST(TlmWeights, DamagedFilesAreRefused) {
  const auto content = read_file(kSmall);
  ASSERT_TRUE(content.ok());
  ASSERT_TRUE(parse_weights(*content, "w").ok());
  Random random(5);
  for (int i = 0; i < 50; ++i) {
    std::string damaged = *content;
    const std::size_t at = random.below(damaged.size());
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
    const auto parsed = parse_weights(damaged, "w");
    ASSERT_FALSE(parsed.ok()) << "a changed bit at byte " << at << " was not noticed";
    EXPECT_EQ(parsed.error().id, "weights");
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{30}, std::size_t{300}, content->size() - 1}) {
    EXPECT_FALSE(parse_weights(content->substr(0, size), "w").ok()) << size;
  }
}

/// The small file with another header and a digest that fits.
std::string with_header(const std::string& content, const std::string& from, const std::string& to) {
  std::string body = content.substr(0, content.size() - 65);
  const std::size_t at = body.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  body.replace(at, from.size(), to);
  return body + sha256_hex(body) + "\n";
}

TEST(TlmWeights, SizesThatDoNotFitAreRefusedByName) {
  const auto content = read_file(kSmall);
  ASSERT_TRUE(content.ok());
  struct Row {
    const char* from;
    const char* to;
    const char* message;
  };
  const Row rows[] = {
      {"\"layers\":2", "\"layers\":3", "bytes of numbers instead of"},
      {"\"layers\":2", "\"layers\":0", "\"layers\" is no number from 1"},
      {"\"width\":32", "\"width\":99999999999", "\"width\" is no number"},
      {"\"heads\":2", "\"heads\":3", "each head needs a multiple of 16"},
      {"\"heads\":2", "\"heads\":4", "each head needs a multiple of 16"},
      {"\"storage\":\"bf16\"", "\"storage\":\"f64\"", "instead of bf16 or f32"},
      {"\"storage\":\"bf16\"", "\"storage\":\"f32\"", "bytes of numbers instead of"},
      {"\"vocabulary_sha256\":\"0", "\"vocabulary_sha256\":\"", "no \"vocabulary_sha256\""},
      {"weights 1", "weights 2", "version 1"},
  };
  for (const Row& row : rows) {
    const auto parsed = parse_weights(with_header(*content, row.from, row.to), "w");
    ASSERT_FALSE(parsed.ok()) << row.to;
    EXPECT_NE(parsed.error().message.find(row.message), std::string::npos) << parsed.error().message;
  }
}

TEST(TlmElementwise, ExponentialIsCloseToTheTrueOne) {
  for (int i = -8600; i <= 8700; ++i) {
    const float x = static_cast<float>(i) * 0.01F;
    const double wanted = std::exp(static_cast<double>(x));
    EXPECT_NEAR(fast_exp(x) / wanted, 1.0, 3e-7) << x;
  }
  EXPECT_LT(fast_exp(-1000.0F), 1e-37F);
}

TEST(TlmDense, ProductsAreThoseOfAPlainLoop) {
  Random random(11);
  const std::size_t inner = 37;
  const std::size_t outer = 41;
  std::vector<float> numbers(inner * outer);
  for (float& number : numbers) number = static_cast<float>(random.between(-1000, 1000)) * 0.001F;
  const std::span<const char> bytes(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
  const PackedMatrix matrix(Storage::f32, bytes, outer, inner);
  for (const std::size_t rows : {1, 3, 8, 19}) {
    std::vector<float> x(rows * inner);
    for (float& number : x) number = static_cast<float>(random.between(-1000, 1000)) * 0.01F;
    std::vector<float> got(rows * matrix.columns());
    multiply(x.data(), rows, inner, matrix.view(), got.data(), matrix.columns());
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < outer; ++column) {
        float sum = 0;
        for (std::size_t i = 0; i < inner; ++i) sum += x[row * inner + i] * numbers[column * inner + i];
        EXPECT_EQ(got[row * matrix.columns() + column], sum) << row << " " << column;
      }
    }
  }
}

TEST(TlmDense, AllGenerationsOfMachinesGiveTheSameBits) {
  Random random(12);
  const std::size_t inner = 384;
  const std::size_t outer = 48;
  std::vector<std::uint16_t> numbers(inner * outer);
  for (std::uint16_t& number : numbers) number = static_cast<std::uint16_t>(0x3f00 + random.below(256));
  const std::span<const char> bytes(reinterpret_cast<const char*>(numbers.data()), numbers.size() * 2);
  const PackedMatrix matrix(Storage::bf16, bytes, outer, inner);
  std::vector<float> x(13 * inner);
  for (float& number : x) number = static_cast<float>(random.between(-1000, 1000)) * 0.01F;
  std::vector<float> wanted(13 * outer);
  multiply_as(Generation::plain, x.data(), 13, inner, matrix.view(), wanted.data(), outer);
  for (const Generation generation : {Generation::avx2, Generation::avx512}) {
    if (!is_available(generation)) continue;
    std::vector<float> got(13 * outer);
    multiply_as(generation, x.data(), 13, inner, matrix.view(), got.data(), outer);
    EXPECT_EQ(got, wanted) << static_cast<int>(generation);
  }
}

}  // namespace
}  // namespace steptp::tlm
