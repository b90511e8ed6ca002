// The C interface of the cursor as its users see it: the header and the shared library, nothing else of ours.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "capi/steptp_cursor.h"

namespace {

constexpr const char* kMatmul =
    "@input A f32[40,24]\n@input C f32[24,36]\n@output D f32[40,36]\n"
    "B^{40}_{tx=0}L^{36}_{a=0}L^{24}_{c=0}[E^{f32,g}_{tx,a}=E^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];"
    "B^{40}_{tx=0}L^{36}_{a=0}[D^{f32,g}_{tx,a}=max(E^{f32,g}_{tx,a},0);];\n";
constexpr std::int32_t kNoWord = -2;

/// A string that the library hands out, given back.
std::string taken(char* text) {
  const std::string out = text ? text : "";
  steptp_string_free(text);
  return out;
}

struct OpenSpace {
  OpenSpace() : space(steptp_space_open(kMatmul, "nvidia-h200", nullptr)) { EXPECT_NE(space, nullptr); }
  ~OpenSpace() { steptp_space_close(space); }
  OpenSpace(const OpenSpace&) = delete;
  OpenSpace& operator=(const OpenSpace&) = delete;
  steptp_space* space;
};

using Sentences = std::vector<std::vector<std::int32_t>>;

Sentences sampled(const steptp_space* space, std::uint64_t seed, std::int64_t n) {
  constexpr std::int64_t kStride = 512;
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(n * kStride));
  std::vector<std::int32_t> lengths(static_cast<std::size_t>(n));
  char* error = nullptr;
  EXPECT_EQ(steptp_space_sample(space, seed, n, kNoWord, tokens.data(), kStride, lengths.data(), &error), n)
      << taken(error);
  Sentences out;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto row = tokens.begin() + i * kStride;
    out.emplace_back(row, row + lengths[static_cast<std::size_t>(i)]);
    EXPECT_EQ(row[lengths[static_cast<std::size_t>(i)]], steptp_vocabulary_token("PAD"));
  }
  return out;
}

TEST(CursorAbi, SaysWhichItIs) {
  EXPECT_EQ(steptp_cursor_abi(), STEPTP_CURSOR_ABI);
  EXPECT_EQ(steptp_vocabulary_version(), 1);
  EXPECT_EQ(std::strlen(steptp_vocabulary_hash()), 64U);
  EXPECT_STREQ(steptp_vocabulary_word(1), "BOS");
  EXPECT_EQ(steptp_vocabulary_word(-1), nullptr);
  EXPECT_EQ(steptp_vocabulary_word(steptp_vocabulary_size()), nullptr);
  EXPECT_EQ(steptp_vocabulary_token("nothing"), -1);
  EXPECT_EQ(steptp_vocabulary_token(nullptr), -1);
}

TEST(CursorAbi, SamplesTheSameFromAnyThread) {
  const OpenSpace open;
  const Sentences alone = sampled(open.space, 7, 40);
  std::vector<Sentences> others(4);
  const OpenSpace fresh;
  std::vector<std::thread> threads;
  for (Sentences& out : others) threads.emplace_back([&] { out = sampled(fresh.space, 7, 40); });
  for (std::thread& thread : threads) thread.join();
  for (const Sentences& out : others) EXPECT_EQ(out, alone);
  EXPECT_NE(sampled(open.space, 8, 40), alone);
}

TEST(CursorAbi, ReplaysAndFinishes) {
  const OpenSpace open;
  for (const auto& sentence : sampled(open.space, 3, 10)) {
    const auto size = static_cast<std::int64_t>(sentence.size());
    char* error = nullptr;
    steptp_cursor* cursor = steptp_cursor_replay(open.space, sentence.data(), size, &error);
    ASSERT_NE(cursor, nullptr) << taken(error);
    std::vector<std::int32_t> again(512);
    EXPECT_EQ(steptp_cursor_sentence(cursor, kNoWord, again.data(), 512, nullptr), size);
    again.resize(sentence.size());
    EXPECT_EQ(again, sentence);
    EXPECT_NE(taken(steptp_cursor_finish(cursor, nullptr)).find("\"recipe\""), std::string::npos);
    EXPECT_NE(taken(steptp_cursor_facts(cursor, nullptr)).find("\"shared_bytes\""), std::string::npos);
    steptp_cursor_close(cursor);
    steptp_space* other = steptp_space_of_sentence(sentence.data(), size, &error);
    ASSERT_NE(other, nullptr) << taken(error);
    EXPECT_NE(taken(steptp_space_document(other)).find("@input"), std::string::npos);
    steptp_space_close(other);
  }
}

TEST(CursorAbi, ForksAndResets) {
  const OpenSpace open;
  steptp_cursor* cursor = steptp_cursor_new(open.space);
  std::int32_t opcode = 0;
  std::int32_t object = 0;
  ASSERT_EQ(steptp_cursor_next(cursor, &opcode, &object), 1);
  EXPECT_STREQ(steptp_vocabulary_word(opcode), "op:group");
  std::int32_t values[8];
  ASSERT_GT(steptp_cursor_legal(cursor, values, 8), 0);
  ASSERT_EQ(steptp_cursor_put(cursor, values[0], nullptr), 0);
  steptp_cursor* fork = steptp_cursor_fork(cursor);
  steptp_cursor_reset(cursor);
  EXPECT_EQ(taken(steptp_cursor_text(cursor)), "");
  EXPECT_EQ(taken(steptp_cursor_text(fork)), "group e1=v1");
  steptp_cursor_close(cursor);
  steptp_cursor_close(fork);
}

TEST(CursorAbi, RefusesAnythingElseAndSaysWhy) {
  char* error = nullptr;
  EXPECT_EQ(steptp_space_open("nonsense", "nvidia-h200", &error), nullptr);
  EXPECT_FALSE(taken(error).empty());
  EXPECT_EQ(steptp_space_open(nullptr, nullptr, nullptr), nullptr);
  const std::int32_t bad[] = {1, -5, 70000};
  EXPECT_EQ(steptp_cursor_replay(nullptr, bad, 3, &error), nullptr);
  EXPECT_NE(taken(error).find("token 1, -5, is not in the vocabulary"), std::string::npos);
  EXPECT_EQ(steptp_space_of_sentence(bad, 1, nullptr), nullptr);
  EXPECT_EQ(steptp_cursor_replay(nullptr, nullptr, -1, nullptr), nullptr);
  const OpenSpace open;
  EXPECT_EQ(steptp_space_prompt(open.space, 99, nullptr, 0, &error), -1);
  EXPECT_FALSE(taken(error).empty());
  steptp_cursor* cursor = steptp_cursor_new(open.space);
  EXPECT_EQ(steptp_cursor_put(cursor, 70000, nullptr), -1);
  EXPECT_EQ(steptp_cursor_put(cursor, 0, nullptr), -1);
  EXPECT_EQ(steptp_cursor_finish(cursor, &error), nullptr);
  EXPECT_NE(taken(error).find("not complete"), std::string::npos);
  std::uint8_t mask[4];
  EXPECT_EQ(steptp_cursors_legal(&cursor, 1, mask, 4), -1);
  const std::int32_t value = 0;
  std::int32_t status = 5;
  EXPECT_EQ(steptp_cursors_put(&cursor, 1, &value, &status), 1);
  EXPECT_EQ(status, -1);
  steptp_cursor_close(cursor);
}

}  // namespace
