#include "steptp/documents/judged_recipe.h"

#include <gtest/gtest.h>

namespace steptp {
namespace {

const char* const kProduct =
    "@program Product\n@input A f32[8,32]\n@input C f32[32,64]\n@output D f32[8,64]\ntx8 a64 c32 "
    "D(tx,a)+=A(tx,c)*C(c,a);";

Recipe recipe_of(std::string_view text) { return recipe_from_json(parse_json(text).value()).value(); }

ApartOptions judged_here() {
  ApartOptions how;
  how.judge.seed = 1;
  return how;
}

TEST(JudgedRecipe, EveryStepAndTheEndAreJudged) {
  const Document root = read_document("product", kProduct);
  const Recipe recipe = recipe_of(R"([{"strategy":"loop_split","choice":{"at":"0:loop[1]","inner":16,"kind":"inner"}},
                                      {"strategy":"loop_unrolling","choice":{"at":"0:loop[2]"}}])");
  const auto judged = judge_recipe(root, recipe, judged_here());
  ASSERT_TRUE(judged.ok());
  ASSERT_EQ(judged->steps.size(), 2U);
  for (const JudgedStep& step : judged->steps) EXPECT_EQ(step.answer.verdict, Grade::proved) << step.answer.reason;
  EXPECT_EQ(judged->worst, Grade::proved);
  EXPECT_EQ(judged->end.verdict, Grade::proved);
  EXPECT_TRUE(judged->end.says("safe"));
  EXPECT_FALSE(judged->bound_log2.has_value());
  EXPECT_TRUE(equal(judged->program, replay(root.program, recipe)->program));
  const Json json = parse_json(to_json(*judged).dump()).value();
  EXPECT_EQ(*json.find("steps")->as_integer(), 2);
  EXPECT_EQ(json.find("judged")->as_array()->size(), 2U);
  EXPECT_EQ(*json.find("verdict")->as_string(), "proved");
  EXPECT_NE(to_text(*judged).find("all steps: proved\nend against root: proved\nverdict: proved, safe by proof\n"),
            std::string::npos)
      << to_text(*judged);
}

TEST(JudgedRecipe, AStepThatIsRefusedIsNamed) {
  const Document root = read_document("product", kProduct);
  const auto judged = judge_recipe(
      root, recipe_of(R"([{"strategy":"loop_split","choice":{"at":"0:loop[1]","inner":65,"kind":"inner"}}])"),
      judged_here());
  ASSERT_FALSE(judged.ok());
  EXPECT_EQ(judged.error().step, 1U);
  EXPECT_EQ(judged.error().strategy, "loop_split");
}

TEST(JudgedRecipe, NoStepsAreTheSameProgram) {
  const auto judged = judge_recipe(read_document("product", kProduct), {}, judged_here());
  ASSERT_TRUE(judged.ok());
  EXPECT_EQ(judged->verdict(), Grade::proved);
  EXPECT_TRUE(judged->end.says("same"));
}

// A root that `check` refuses is unusable, whatever its steps are.
TEST(JudgedRecipe, ARootWithErrorsIsUnusable) {
  const Document root = read_document("root", "@input A f32[8]\n@output D f32[8]\ntx8 D(tx)=A(tx+1);");
  const auto judged = judge_recipe(
      root, recipe_of(R"([{"strategy":"loop_split","choice":{"at":"0:loop[0]","inner":2,"kind":"inner"}}])"),
      judged_here());
  ASSERT_TRUE(judged.ok());
  EXPECT_TRUE(judged->end.unusable);
}

TEST(JudgedRecipe, TheVerdictIsTheBetterOfStepsAndEnd) {
  const auto verdict = [](Grade worst, Grade end) {
    JudgedRecipe judged;
    judged.worst = worst;
    judged.end.verdict = end;
    return judged.verdict();
  };
  EXPECT_EQ(verdict(Grade::exact, Grade::undecided), Grade::exact);
  EXPECT_EQ(verdict(Grade::undecided, Grade::proved), Grade::proved);
  EXPECT_EQ(verdict(Grade::numeric, Grade::undecided), Grade::numeric);
  // A step that differs says nothing about the end, and a difference at the end outweighs all steps.
  EXPECT_EQ(verdict(Grade::differs, Grade::undecided), Grade::undecided);
  EXPECT_EQ(verdict(Grade::differs, Grade::proved), Grade::proved);
  EXPECT_EQ(verdict(Grade::proved, Grade::differs), Grade::differs);
  EXPECT_EQ(verdict(Grade::proved, Grade::invalid), Grade::invalid);
}

TEST(JudgedRecipe, ChancesAreAdded) {
  EXPECT_EQ(sum_of_chances({}), std::nullopt);
  EXPECT_EQ(sum_of_chances({-52}), -52);
  EXPECT_EQ(sum_of_chances({-52, -52, -52}), -50);            // 3 * 2^-52
  EXPECT_EQ(sum_of_chances({-50, -90}), -49);                 // a little more than 2^-50
  EXPECT_GE(*sum_of_chances(std::vector(1000, -50.0)), -41);  // 2^-40.03
  EXPECT_LE(*sum_of_chances(std::vector(1000, -50.0)), -40);
}

// `safe` is asked of programs that were shown equal by steps, even where the pair by itself is not shown equal.
TEST(JudgedRecipe, SafeIsAskedOfWhatStepsHaveShown) {
  const Document before = read_document("before", "@input A f32[8]\n@output D f32[8]\ntx8 D(tx)=A(tx)*2;");
  const Document after = read_document("after", "@input A f32[8]\n@output D f32[8]\ntx8 D(tx)=(A(tx)+1e9)*2-2e9;");
  VerifyOptions options;
  options.seed = 1;
  options.proof_work = 0;  // nothing is shown
  options.budget = 1;
  const Judgement plain = verify(before.program, after.program, options);
  ASSERT_FALSE(is_equal(plain.verdict)) << name_of(plain.verdict);
  EXPECT_EQ(plain.safe, Shown::unknown);
  options.equal_by_steps = true;
  options.budget = VerifyOptions().budget;
  const Judgement by_steps = verify(before.program, after.program, options);
  EXPECT_EQ(by_steps.safe, Shown::no) << by_steps.reason;
}

}  // namespace
}  // namespace steptp
