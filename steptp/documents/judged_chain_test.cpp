#include "steptp/documents/judged_chain.h"

#include <gtest/gtest.h>

#include "steptp/base/text.h"

namespace steptp {
namespace {

Document product_of(int rows, int depth, int columns) {
  return read_document("product", concat("@program Product\n@input A f32[", rows, ",", depth, "]\n@input C f32[", depth,
                                         ",", columns, "]\n@output D f32[", rows, ",", columns, "]\ntx", rows, " a",
                                         columns, " c", depth, " D(tx,a)+=A(tx,c)*C(c,a);"));
}

Recipe recipe_of(std::string_view text) { return recipe_from_json(parse_json(text).value()).value(); }

Recipe splits() {
  return recipe_of(R"([{"strategy":"loop_split","choice":{"at":"0:loop[1]","inner":16,"kind":"inner"}},
                       {"strategy":"loop_split","choice":{"at":"0:loop[0]","inner":4,"kind":"inner"}},
                       {"strategy":"loop_unrolling","choice":{"at":"0:loop[3]"}}])");
}

ApartOptions judged_here() {
  ApartOptions how;
  how.judge.seed = 1;
  how.with_certificate = true;
  return how;
}

TEST(JudgedChain, AnEndThatIsShownNeedsNoSteps) {
  const auto judged = judge_chain(product_of(8, 32, 64), splits(), {1, 2}, judged_here());
  ASSERT_TRUE(judged.ok());
  ASSERT_EQ(judged->links.size(), 1U);
  EXPECT_EQ(judged->links[0].first, 1U);
  EXPECT_EQ(judged->links[0].last, 3U);
  EXPECT_EQ(judged->verdict(), Grade::proved);
  EXPECT_EQ(to_text(*judged), "steps 1 to 3 of 3: proved\nverdict: proved, safe by proof\n");
  EXPECT_EQ(judged->certificate("x"), judged->links[0].answer.certificate);
}

// Without proofs every pair is shown element by element. The whole may take few evaluations, a step as many as it is
// given: so the whole is taken apart, at the cuts first.
TEST(JudgedChain, WhatIsNotShownIsTakenApart) {
  ApartOptions how = judged_here();
  how.judge.proof_work = 0;
  const Document root = product_of(32, 128, 64);
  const auto judged = judge_chain(root, splits(), {2}, how);
  ASSERT_TRUE(judged.ok());
  ASSERT_EQ(judged->links.size(), 3U) << to_text(*judged);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(judged->links[i].first, i + 1);
    EXPECT_EQ(judged->links[i].last, i + 1);
    EXPECT_EQ(judged->links[i].answer.verdict, Grade::exact);
  }
  EXPECT_FALSE(is_equal(judged->end.verdict));
  EXPECT_EQ(judged->verdict(), Grade::exact);
  ASSERT_TRUE(judged->bound_log2.has_value());
  EXPECT_GT(*judged->bound_log2, *bound_of(judged->links[0].answer));
  const Json chain = parse_json(judged->certificate("Product")).value();
  EXPECT_EQ(*chain.find("format")->as_string(), "steptp-certificate-chain-1");
  EXPECT_EQ(chain.find("links")->as_array()->size(), 3U);
  EXPECT_EQ(parse_json(to_json(*judged).dump())->find("links")->as_array()->size(), 3U);
  EXPECT_NE(to_text(*judged).find("all links: exact, chance of error at most 2^"), std::string::npos);
}

TEST(JudgedChain, AStepThatIsNotShownIsNamedAndLeavesNoCertificate) {
  ApartOptions how = judged_here();
  how.judge.proof_work = 0;
  how.judge.budget = 1000;
  const auto judged = judge_chain(product_of(8, 32, 64), splits(), {}, how);
  ASSERT_TRUE(judged.ok());
  ASSERT_EQ(judged->links.size(), 1U);
  EXPECT_EQ(judged->links[0].first, 1U);
  EXPECT_EQ(judged->links[0].last, 1U);
  EXPECT_FALSE(is_equal(judged->verdict()));
}

TEST(JudgedChain, AStepThatIsRefusedIsNamed) {
  const auto judged =
      judge_chain(product_of(8, 32, 64),
                  recipe_of(R"([{"strategy":"loop_split","choice":{"at":"0:loop[1]","inner":65,"kind":"inner"}}])"), {},
                  judged_here());
  ASSERT_FALSE(judged.ok());
  EXPECT_EQ(judged.error().step, 1U);
}

TEST(JudgedChain, NoStepsAreTheSameProgram) {
  const auto judged = judge_chain(product_of(8, 32, 64), {}, {}, judged_here());
  ASSERT_TRUE(judged.ok());
  EXPECT_EQ(judged->verdict(), Grade::proved);
  EXPECT_TRUE(judged->end.says("same"));
  EXPECT_EQ(to_text(*judged).substr(0, 17), "no steps: proved\n");
}

}  // namespace
}  // namespace steptp
