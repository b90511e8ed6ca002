// Copies that run ahead: what becomes of them in the text, and that no wait, barrier or end of a group can be left out.
#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "steptp/cuda/lower.h"
#include "testing/cuda_emulated.h"
#include "testing/lowering_support.h"

namespace steptp::testing {
namespace {

std::vector<Judged> kernels_ahead() {
  std::vector<Judged> out;
  for (Judged& one : written_kernels()) {
    if (one.name.starts_with("ahead: ")) out.push_back(std::move(one));
  }
  return out;
}

std::string text_of(const Judged& one) {
  const auto made = cuda::lower(one.program);
  EXPECT_TRUE(made.ok()) << one.name;
  return made ? made->text.substr(made->text.find("__global__")) : "";
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t out = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++out;
  return out;
}

TEST(CopiesThatRunAhead, AreAsLargeAsAlignmentShows) {
  const std::vector<Judged> kernels = kernels_ahead();
  ASSERT_EQ(kernels.size(), 6U);
  // Before the loop and in it.
  EXPECT_EQ(count(text_of(kernels[0]), "stp_copy_ahead<16>(stp_round_E"), 2U);
  EXPECT_EQ(count(text_of(kernels[0]), "stp_copies_wait<1>();"), 1U);
  EXPECT_EQ(count(text_of(kernels[1]), "stp_copy_ahead<16>(stp_round_F"), 2U);
  EXPECT_EQ(count(text_of(kernels[1]), "stp_copy_ahead<"), 2U);
  EXPECT_EQ(count(text_of(kernels[2]), "stp_copy_ahead<8>(&stp_round_E"), 2U);
  EXPECT_EQ(count(text_of(kernels[2]), "k_ % 3"), 3U) << "three rounds need no more than three buffers";
  EXPECT_EQ(count(text_of(kernels[3]), "stp_cop"), 0U) << "a product goes through registers";
  EXPECT_EQ(count(text_of(kernels[3]), "stp_round_E = E + k_ % 2 * 256"), 3U);
  EXPECT_EQ(count(text_of(kernels[4]), "stp_round_"), 0U);
  EXPECT_EQ(count(text_of(kernels[4]), "its copies do not run ahead"), 2U);
  EXPECT_EQ(count(text_of(kernels[5]), "stp_copy_ahead<4>(&stp_round_E"), 2U);
}

/// Each of them is taken out, and each wait is one group too late; one of both orders of threads shows it. Where the
/// last round of a loop reads the one buffer that its first copies do not write, or bytes are shared, a barrier may
/// stand that this program does not need.
TEST(CopiesThatRunAhead, NeedEveryWaitAndBarrier) {
  Emulated emulated("ahead");
  struct Broken {
    Judged one;
    std::string what;
  };
  std::vector<Broken> all;
  for (const Judged& one : kernels_ahead()) {
    if (one.name.starts_with("ahead: not")) continue;
    const std::string text = cuda::lower(one.program).value().text;
    const bool may_have_too_many =
        one.name.find("doubles") != std::string::npos || one.name.find("beside") != std::string::npos;
    for (const std::string word : {"__syncthreads();", "stp_copies_wait<", "stp_copies_close();"}) {
      if (word == "__syncthreads();" && may_have_too_many) continue;
      std::size_t at = text.find("__global__");
      while ((at = text.find(word, at)) != std::string::npos) {
        const std::size_t end = text.find(';', at) + 1;
        std::string without = text;
        without.erase(at, end - at);
        emulated.add(without);
        all.push_back({one, text.substr(at, end - at)});
        at = end;
      }
    }
    for (int rest = 0; rest < 3; ++rest) {
      std::string late = text;
      replace_all(late, concat("stp_copies_wait<", rest, ">"), concat("stp_copies_wait<", rest + 1, ">"));
      if (late == text) continue;
      emulated.add(late);
      all.push_back({one, "a wait for less"});
    }
  }
  ASSERT_GT(all.size(), 15U);
  ASSERT_TRUE(emulated.build());
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool is_seen = false;
    for (const bool reversed : {false, true}) {
      is_seen = is_seen || compare_outputs(emulated.run(i, all[i].one, reversed), all[i].one.outputs, 1e-6).first != "";
    }
    EXPECT_TRUE(is_seen) << all[i].one.name << " without " << all[i].what;
  }
}

}  // namespace
}  // namespace steptp::testing
