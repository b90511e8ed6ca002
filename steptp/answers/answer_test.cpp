#include "steptp/answers/answer.h"

#include <gtest/gtest.h>

#include "steptp/answers/prompt.h"

namespace steptp {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kObject = R"({"transformed_IR":"a8 D(a)=1;","applied_strategy":"loop_split"})";

std::string tagged(std::string_view json) { return chat_completion("", json); }

void expect_read(const std::string& text, const Words& deviations) {
  const Answer answer = read_answer(text);
  EXPECT_TRUE(answer.problem.ok()) << text << "\n" << answer.problem.message;
  ASSERT_EQ(answer.programs.size(), 1U) << text;
  EXPECT_EQ(answer.programs[0].text, "a8 D(a)=1;") << text;
  EXPECT_EQ(answer.programs[0].strategies, Words{"loop_split"}) << text;
  EXPECT_EQ(answer.deviations, deviations) << text;
}

TEST(Answer, AsAskedForHasNoDeviations) {
  expect_read(tagged(kObject), {});
  expect_read(chat_completion("Because.", kObject), {});
  EXPECT_EQ(read_answer(chat_completion("Because.", kObject)).thought, "Because.");
}

TEST(Answer, HarmlessDeviationsAreReadAndNamed) {
  const std::string object = kObject;
  expect_read("Because.</think>" + tagged(object), {});
  expect_read(object, {"no-tags"});
  expect_read("```json\n" + object + "\n```", {"no-tags", "code-fence"});
  expect_read("<answer>\n```json\n" + object + "\n```\n</answer>", {"code-fence"});
  expect_read("Here it is: " + tagged(object), {"leading-text"});
  expect_read("<answer>Here: " + object + "</answer>", {"leading-text"});
  expect_read(tagged(object) + "\nI hope that helps.", {"trailing-text"});
  expect_read("<answer>" + object + "}} done</answer>", {"trailing-text"});
  expect_read("<answer>" + object, {"no-end-tag"});
  expect_read(tagged(object) + tagged(object), {"trailing-text"});
  expect_read(tagged("[" + object + "]"), {"no-idx"});
  expect_read(tagged(R"([{"idx":1,"transformed_IR":"a8 D(a)=1;","applied_strategy":"loop_split"}])"), {});
  expect_read(tagged("{\"transformed_IR\":\"a8 D(a)=1;\n\",\"applied_strategy\":\"loop_split\"}"),
              {"line-break-in-string"});
  expect_read(tagged(R"({"transformed_IR":"a8 D(a)=1;","applied_strategy":"Loop Split","why":"x"})"), {"other-keys"});
  expect_read(tagged(R"({"transformed_ir":"a8 D(a)=1;","applied_strategies":["loop-split"]})"),
              {"key-spelling", "strategy-form"});
}

TEST(Answer, StrategiesMayBeSeveral) {
  const Words both = {"loop_split", "expand_log"};
  for (const char* text :
       {R"(["loop_split","expand_log"])", R"("loop_split, expand_log")", R"("loop_split -> expand_log")"}) {
    const Answer answer =
        read_answer(tagged(std::string(R"({"transformed_IR":"x","applied_strategies":)") + text + "}"));
    ASSERT_EQ(answer.programs.size(), 1U);
    EXPECT_EQ(answer.programs[0].strategies, both) << text;
  }
  const Answer none = read_answer(tagged(R"({"transformed_IR":"x"})"));
  EXPECT_EQ(none.deviations, Words{"no-strategy"});
  const Answer other = read_answer(tagged(R"({"transformed_IR":"x","applied_strategy":"magic"})"));
  EXPECT_EQ(other.programs[0].strategies, Words{"magic"});
  EXPECT_FALSE(is_known_strategy("magic"));
}

TEST(Answer, SeveralProgramsEachWithItsOwnProblem) {
  const Answer answer = read_answer(tagged(
      R"([{"idx":1,"transformed_IR":"x","applied_strategy":"loop_split"},{"idx":2},7,{"idx":4,"transformed_IR":3},)"
      R"({"idx":5,"transformed_IR":"x","transformed_ir":"y"},{"idx":6,"transformed_IR":"  "}])"));
  ASSERT_EQ(answer.programs.size(), 6U);
  EXPECT_TRUE(answer.programs[0].problem.ok());
  for (std::size_t i = 1; i < 6; ++i) {
    EXPECT_EQ(answer.programs[i].problem.id, i == 4 ? "key-twice" : "no-program") << i;
  }
}

TEST(Answer, WhatWouldHaveToBeGuessedIsRefused) {
  const auto problem = [](std::string_view text) { return read_answer(text).problem.id; };
  EXPECT_EQ(problem(""), "empty");
  EXPECT_EQ(problem("<think>x</think>\n"), "empty");
  EXPECT_EQ(problem("I do not know."), "no-answer");
  EXPECT_EQ(problem("<think>" + tagged(kObject)), "endless-thought");
  EXPECT_EQ(problem("<think>a</think><think>" + tagged(kObject)), "endless-thought");
  EXPECT_EQ(problem(tagged(kObject) + tagged(R"({"transformed_IR":"y"})")), "several-answers");
  EXPECT_EQ(problem("<answer>" + tagged(kObject)), "several-answers");
  EXPECT_EQ(problem(tagged("B^{8}_{tx=0}[D^{f32,g}_{tx}=1;];")), "not-json");
  EXPECT_EQ(problem(tagged(R"({"transformed_IR":x})")), "not-json");
  EXPECT_EQ(problem(tagged(R"({"transformed_IR":"x","transformed_IR":"y"})")), "not-json");
  EXPECT_EQ(problem(R"(<answer>{"transformed_IR":"a8 D)"), "cut-off");
  EXPECT_EQ(problem(tagged("[]")), "no-program");
  EXPECT_EQ(problem(std::string(kLongestAnswer + 1, 'x')), "too-long");
  EXPECT_EQ(problem(tagged("{\"transformed_IR\":\"\xff\"}")), "not-json");
}

}  // namespace
}  // namespace steptp
