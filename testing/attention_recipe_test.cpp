// Every kind of attention of the zoo becomes one kernel by the same steps.
#include <gtest/gtest.h>

#include <iostream>

#include "steptp/base/text.h"
#include "steptp/recipe/registry.h"
#include "steptp/safety/check.h"
#include "steptp/strategies/view.h"
#include "steptp/text/printer.h"
#include "steptp/verbs/zoo_program.h"
#include "steptp/verify/verify.h"
#include "testing/attention_recipe.h"
#include "testing/judge_support.h"

namespace steptp::testing {
namespace {

std::vector<std::string> attention_types() {
  std::vector<std::string> out;
  for (const zoo::ProgramType& type : zoo::all_types()) {
    if (type.family == "attention") out.emplace_back(type.name);
  }
  return out;
}

Program zoo_text(const std::string& name, const zoo::Arguments& arguments) {
  const auto program = zoo_program(name, arguments, DType::f32);
  EXPECT_TRUE(program.ok()) << name;
  return program->program;
}

/// One kernel that keeps what it computes in `s` and `l`, but for its result.
void expect_in_one_kernel(const AttentionRecipe& recipe) {
  const Nest& kernel = *recipe.program.nests[recipe.kernel];
  EXPECT_EQ(kernel.loops.size(), 3U);
  Program alone;
  alone.nests = {recipe.program.nests[recipe.kernel]};
  std::size_t global = 0;
  for (const Statement& statement : collect_accesses(alone).statements) {
    global += statement.equation->left->scope == Scope::global ? 1 : 0;
  }
  EXPECT_EQ(global, 1U) << print(recipe.program);
}

TEST(AttentionRecipes, EveryTypeAtItsDefaultShape) {
  const std::vector<std::string> types = attention_types();
  EXPECT_EQ(types.size(), 33U);
  for (const std::string& name : types) {
    const auto recipe = derive_attention(zoo_text(name, {}), {});
    ASSERT_TRUE(recipe.ok()) << name << ": " << recipe.error();
    expect_in_one_kernel(*recipe);
    const CheckReport report = check_program(recipe->program, {find_device("nvidia-h200")});
    EXPECT_EQ(report.verdict, CheckReport::Verdict::ok) << name;
    for (const Diagnostic& diagnostic : report.diagnostics) {
      ADD_FAILURE() << name << " " << diagnostic.id << ": " << diagnostic.message;
    }
  }
}

/// Batches of one, single keys, prime lengths; only heads that leave no room in registers are refused.
TEST(AttentionRecipes, EveryTypeAtDrawnShapes) {
  std::size_t refused = 0;
  std::size_t derived = 0;
  for (const std::string& name : attention_types()) {
    const std::uint64_t seed = 1 + (derived + refused) % 3;
    const auto drawn = zoo_program_drawn(name, {}, DType::f32, seed);
    ASSERT_TRUE(drawn.ok()) << name;
    const auto recipe = derive_attention(drawn->program, {});
    if (!recipe) {
      EXPECT_NE(recipe.error().find("cache_read_write refused [size]"), std::string::npos) << recipe.error();
      ++refused;
      continue;
    }
    ++derived;
    expect_in_one_kernel(*recipe);
  }
  EXPECT_GT(derived, 3 * refused);
  std::cout << derived << " derived, " << refused << " refused\n";
}

/// The queries of such heads go into `s`.
TEST(AttentionRecipes, HeadsOf64) {
  for (const std::string name : {"MinGPTCausalAttention", "MQA", "GQA"}) {
    const auto recipe = derive_attention(zoo_text(name, {{"n_embd", 256}, {"n_head", 4}, {"seq_len", 512}}), {});
    ASSERT_TRUE(recipe.ok()) << name << ": " << recipe.error();
    expect_in_one_kernel(*recipe);
    const CheckReport report = check_program(recipe->program, {find_device("nvidia-h200")});
    EXPECT_EQ(report.verdict, CheckReport::Verdict::ok) << name;
    EXPECT_TRUE(report.diagnostics.empty()) << name;
  }
  const Program root =
      zoo_text("MinGPTCausalAttention", {{"n_embd", 128}, {"n_head", 2}, {"batch_size", 1}, {"seq_len", 4}});
  const auto recipe = derive_attention(root, {2, 2});
  ASSERT_TRUE(recipe.ok()) << recipe.error();
  const OracleOpinion opinion = ask_oracle(root, recipe->program, 1);
  EXPECT_TRUE(opinion.compared);
  EXPECT_FALSE(opinion.difference.has_value()) << *opinion.difference;
}

zoo::Arguments small(const std::string& name) {
  zoo::Arguments out = {{"n_embd", 64}, {"n_head", 32}, {"batch_size", 2}, {"seq_len", 4}};
  for (const zoo::ArgumentRange& argument : zoo::find_type(name)->arguments) {
    if (argument.name == "out_features") out["out_features"] = 4;
  }
  return out;
}

TEST(AttentionRecipes, EveryTypeInSmallAgainstTheOracle) {
  for (const std::string& name : attention_types()) {
    const Program root = zoo_text(name, small(name));
    const auto recipe = derive_attention(root, {2, 2});
    ASSERT_TRUE(recipe.ok()) << name << ": " << recipe.error();
    const OracleOpinion opinion = ask_oracle(root, recipe->program, 1);
    EXPECT_TRUE(opinion.compared) << name;
    EXPECT_FALSE(opinion.difference.has_value()) << name << ": " << *opinion.difference;
  }
}

TEST(AttentionRecipes, EveryStepOfEachKindOfHeads) {
  for (const std::string name : {"MinGPTCausalAttention", "MQA", "GQA"}) {
    Program state = zoo_text(name, small(name));
    const auto recipe = derive_attention(state, {2, 2});
    ASSERT_TRUE(recipe.ok()) << name << ": " << recipe.error();
    Tally grades;
    for (const Step& step : recipe->steps) {
      View view(state);
      const auto applied = apply(*find_strategy(step.strategy), view, step.choice);
      ASSERT_TRUE(applied.ok()) << name << ": " << to_json(step).dump();
      const Judgement judgement = verify(state, applied->program);
      grades.add(name_of(judgement.verdict));
      EXPECT_TRUE(is_equal(judgement.verdict) || judgement.verdict == Grade::undecided)
          << to_json(step).dump() << "\n"
          << describe(state, applied->program, judgement);
      state = applied->program;
    }
    std::cout << name << ", " << recipe->steps.size() << " steps: " << grades.text() << "\n";
  }
}

}  // namespace
}  // namespace steptp::testing
