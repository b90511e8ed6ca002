#include "steptp/evaluate/metrics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace steptp {
namespace {

/// By counting the subsets of k attempts that hold one of the first c.
double counted(int attempts, int successes, int k) {
  int all = 0;
  int good = 0;
  for (unsigned set = 0; set < (1U << attempts); ++set) {
    if (__builtin_popcount(set) != k) continue;
    ++all;
    good += (set & ((1U << successes) - 1)) != 0 ? 1 : 0;
  }
  return static_cast<double>(good) / all;
}

TEST(PassAtK, IsTheShareOfSubsetsWithASuccess) {
  for (int attempts = 1; attempts <= 8; ++attempts) {
    for (int successes = 0; successes <= attempts; ++successes) {
      for (int k = 1; k <= attempts; ++k) {
        EXPECT_NEAR(pass_at_k(attempts, successes, k), counted(attempts, successes, k), 1e-12)
            << attempts << " " << successes << " " << k;
      }
    }
  }
}

JudgedProgram judged(std::vector<std::string> strategies, Grade first, Grade second, bool executed = true) {
  JudgedProgram out;
  out.strategies = std::move(strategies);
  out.is_different_text = out.is_different = out.is_built = true;
  out.trials = {{1, executed, first}, {2, executed, second}};
  const bool equal = executed && is_equal(first) && is_equal(second);
  out.outcome = equal ? AnswerOutcome::equal : executed ? AnswerOutcome::differs : AnswerOutcome::trap;
  out.reason_id = equal ? "" : "why";
  return out;
}

TEST(Counter, CountsWhatPassedEverythingBefore) {
  EvaluationCase one;
  one.id = "first";
  JudgedAttempt attempt;
  attempt.programs = {judged({"loop_split"}, Grade::proved, Grade::proved),
                      judged({"loop_split", "expand_log"}, Grade::proved, Grade::exact),
                      judged({"magic"}, Grade::exact, Grade::numeric), judged({}, Grade::proved, Grade::proved, false)};
  attempt.is_success = true;
  JudgedAttempt failed;
  failed.programs = {JudgedProgram()};
  EvaluationCounter counter(2, {});
  counter.add_case(one, {attempt, failed});
  counter.add_case(EvaluationCase{}, {});
  const EvaluationSummary summary = counter.finish();
  EXPECT_EQ(summary.cases, 2U);
  EXPECT_EQ(summary.answered_cases, 1U);
  EXPECT_EQ(summary.attempts, 2U);
  EXPECT_EQ(summary.all.programs, 5U);
  EXPECT_EQ(summary.all.build, 4U);
  EXPECT_EQ(summary.all.execute, (std::vector<std::uint64_t>{3, 3}));
  EXPECT_EQ(summary.all.equal, (std::vector<std::uint64_t>{3, 2}));
  EXPECT_EQ(summary.strategies_used(), 2U);
  EXPECT_EQ(summary.by_strategy.at("loop_split").equal.back(), 2U);
  EXPECT_EQ(summary.by_strategy.at("(other)").programs, 1U);
  EXPECT_EQ(summary.by_strategy.at("(none)").programs, 2U);
  EXPECT_EQ(summary.grades.at("proved"), 1U);
  EXPECT_EQ(summary.grades.at("exact"), 1U);
  EXPECT_EQ((summary.failures.at({"differs", "why"}).example), "first");
  ASSERT_EQ(summary.pass_at.size(), 2U);
  EXPECT_DOUBLE_EQ(summary.pass_at[0].value, 0.5);
  EXPECT_DOUBLE_EQ(summary.pass_at[1].value, 1);
  EXPECT_EQ(summary.pass_at[0].cases, 1U);
}

}  // namespace
}  // namespace steptp
