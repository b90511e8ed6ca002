// Pairs that are equal by construction through the judge: all of them are equal, most of them proved.
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <string>

#include "steptp/base/text.h"
#include "testing/equal_pairs.h"
#include "testing/judge_support.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

std::string steps_of(const EqualPair& pair) {
  return join(pair.steps, ", ", [](const std::string& step) { return step; });
}

/// Doubts the construction, not the judge: the oracle sees no difference in what is called equal here.
TEST(EqualPairs, TheOracleAgrees) {
  const Random random(71);
  for (std::uint64_t i = 0; i < soaked(200); ++i) {
    Random draw = random.fork(i);
    const EqualPair pair = make_equal_pair(draw);
    const OracleOpinion opinion = ask_oracle(pair.before, pair.after, 1);
    ASSERT_FALSE(opinion.difference) << steps_of(pair) << "\n"
                                     << *opinion.difference << "\n"
                                     << describe(pair.before, pair.after, {});
  }
}

struct Score {
  Tally plain;           ///< without transcendental functions
  Tally transcendental;  ///< with
  double slowest = 0;
  std::uint64_t wrong = 0;
};

void judge(const EqualPair& pair, Score& score) {
  const auto start = std::chrono::steady_clock::now();
  const Judgement judgement = verify(pair.before, pair.after);
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (ms > score.slowest) score.slowest = ms;
  (has_transcendental(pair.before) ? score.transcendental : score.plain).add(name_of(judgement.verdict));
  if (judgement.unusable || is_equal(judgement.verdict)) return;
  const std::string what = steps_of(pair) + "\n" + describe(pair.before, pair.after, judgement);
  if (judgement.verdict == Grade::undecided) {
    std::cout << what << "\n";
    return;
  }
  ++score.wrong;
  ADD_FAILURE() << what;
}

Score judge_pairs(std::uint64_t seed, std::uint64_t count, const PairOptions& options) {
  Score score;
  const Random random(seed);
  for (std::uint64_t i = 0; i < count && score.wrong < 5; ++i) {
    Random draw = random.fork(i);
    judge(make_equal_pair(draw, options), score);
  }
  std::cout << "without transcendental functions: " << score.plain.text() << "\nwith: " << score.transcendental.text()
            << "\nslowest " << score.slowest << " ms\n";
  return score;
}

TEST(VerifyEqual, WrittenPrograms) {
  const Score score = judge_pairs(72, soaked(800), {.one_generated_in = 0});
  const auto total = static_cast<double>(score.plain.total());
  const auto proved = static_cast<double>(score.plain.of("proved"));
  EXPECT_GE(proved, 0.9 * total);
  EXPECT_GE(proved + static_cast<double>(score.plain.of("exact")), 0.99 * total);
  EXPECT_LE(static_cast<double>(score.plain.of("undecided")), 0.01 * total);
}

TEST(VerifyEqual, GeneratedPrograms) {
  const Score score = judge_pairs(73, soaked(300), {.one_generated_in = 1});
  EXPECT_GT(score.plain.total() + score.transcendental.total(), 100U);
}

}  // namespace
}  // namespace steptp::testing
