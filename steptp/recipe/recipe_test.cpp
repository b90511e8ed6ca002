// Recipes: JSON both ways, replay to the same bytes, and what is said where one does not apply.
#include <gtest/gtest.h>

#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/recipe/describe.h"
#include "steptp/recipe/facts_json.h"
#include "steptp/recipe/recipe.h"
#include "steptp/recipe/registry.h"
#include "steptp/recipe/selection.h"
#include "steptp/strategies/view.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "testing/soak.h"
#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kMatmul = R"(
@input A f32[8,4]
@input C f32[4,6]
@output D f32[8,6]
B(tx,8)L(a,6)L(c,4)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];
)";

Recipe recipe_of(std::string_view text) {
  const auto json = parse_json(text);
  EXPECT_TRUE(json.ok()) << text;
  const auto recipe = recipe_from_json(*json);
  EXPECT_TRUE(recipe.ok()) << recipe.error();
  return *recipe;
}

TEST(Recipe, ReadsBackAsItPrints) {
  const Recipe recipe = recipe_of(R"([{"strategy":"loop_split","choice":{"at":"0:loop[1]","inner":3,"kind":"inner"}},)"
                                  R"({"strategy":"loop_unrolling","choice":{"at":"0:loop[2]"}}])");
  const std::string text = to_json(recipe).dump();
  EXPECT_EQ(to_json(recipe_of(text)).dump(), text);
}

TEST(Recipe, SaysWhichStepDoesNotApply) {
  const Program program = strategy_program(kMatmul);
  const Recipe recipe = recipe_of(R"({"steps":[{"strategy":"loop_unrolling","choice":{"at":"0:loop[2]"}},)"
                                  R"({"strategy":"loop_unrolling","choice":{"at":"0:loop[2]"}}]})");
  const auto replayed = replay(program, recipe);
  ASSERT_FALSE(replayed.ok());
  EXPECT_EQ(to_text(replayed.error(), recipe.size()),
            "step 2 of 2: loop_unrolling refused [serial] at 0:loop[2]: c is a U loop");
}

TEST(Recipe, BadJsonIsNamedByStep) {
  const auto message = [](std::string_view text) {
    const auto recipe = recipe_from_json(*parse_json(text));
    return recipe ? std::string() : recipe.error();
  };
  EXPECT_EQ(message(R"({"steps":3})"), "a recipe is an object with an array \"steps\", or that array");
  EXPECT_EQ(message(R"([{"choice":{"at":"0"}}])"), "step 1: the key \"strategy\" is missing or no string");
  EXPECT_EQ(message(R"([{"strategy":"loop_split"}])"), "step 1: the key \"choice\" is missing");
  EXPECT_EQ(message(R"([{"strategy":"loop_spilt","choice":{"at":"0"}}])"),
            "step 1: unknown strategy 'loop_spilt'; did you mean loop_split?");
  EXPECT_EQ(message(R"([{"strategy":"loop_split","choice":{"at":"zero"}}])"),
            "step 1: \"at\" is \"zero\", which is not an address such as \"0/1:loop[2]\"");
  EXPECT_EQ(message(R"([{"strategy":"loop_split","choice":{"inner":1}}])"),
            "step 1: the key \"at\" is missing: where to make the step");
  EXPECT_EQ(message(R"([{"strategy":"loop_split","choice":{"at":"0","inner":[]}}])"),
            "step 1: \"inner\" is an array; parameters are integers and strings");
}

/// Random walks: every state printed and read again before the next step, and the whole way replayed from the root.
TEST(Recipe, WalksReplayFromTheRoot) {
  const Program root = strategy_program(kMatmul);
  for (std::uint64_t seed = 0; seed < soaked(20); ++seed) {
    Program state = root;
    Recipe recipe;
    for (std::uint64_t length = 0; length < 6; ++length) {
      View view(state);
      const auto drawn = sample_choices(list_choices(all_strategies(), view, true), 1, seed * 100 + length);
      if (drawn.empty()) break;
      const auto applied = apply(*drawn[0].strategy, view, drawn[0].choice);
      ASSERT_TRUE(applied.ok()) << to_text(drawn[0].strategy->name, applied.error()) << "\n" << print(state);
      const Document read = read_document("state", print_document(applied->program, Profile::paper));
      ASSERT_TRUE(read.ok) << print(applied->program);
      recipe.push_back({std::string(drawn[0].strategy->name), drawn[0].choice});
      state = read.program;
    }
    const auto replayed = replay(root, recipe_of(to_json(recipe).dump()));
    ASSERT_TRUE(replayed.ok()) << to_text(replayed.error(), recipe.size());
    EXPECT_EQ(print(replayed->program), print(state)) << to_json(recipe).dump();
  }
}

TEST(Selection, SamplesAreDifferentAndRepeatable) {
  const Program program = strategy_program(kMatmul);
  View view(program);
  const Choices found = list_choices(all_strategies(), view, false);
  const auto texts = [&](const std::vector<StrategyChoice>& list) {
    std::vector<std::string> out;
    for (const StrategyChoice& entry : list) out.push_back(to_json("", entry).dump());
    return out;
  };
  std::vector<std::string> drawn = texts(sample_choices(found, 12, 7));
  EXPECT_EQ(drawn, texts(sample_choices(found, 12, 7)));
  EXPECT_NE(drawn, texts(sample_choices(found, 12, 8)));
  std::sort(drawn.begin(), drawn.end());
  EXPECT_EQ(std::unique(drawn.begin(), drawn.end()), drawn.end());
  EXPECT_EQ(drawn.size(), 12U);
  EXPECT_EQ(sample_choices(found, 1'000'000, 7).size(), first_choices(found, 1'000'000).size());
}

TEST(Describe, EveryExampleApplies) {
  for (const Strategy* strategy : all_strategies()) {
    const std::string text = explain(*strategy);
    EXPECT_EQ(text.find("refused"), std::string::npos) << text;
    EXPECT_NE(text.find("becomes\n  "), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace steptp::testing
