// Every kind of attention of the zoo becomes one kernel by the same steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "steptp/base/text.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/recipe/registry.h"
#include "steptp/safety/check.h"
#include "steptp/strategies/view.h"
#include "steptp/text/printer.h"
#include "steptp/verify/verify.h"
#include "testing/attention_judging.h"
#include "testing/attention_recipe.h"
#include "testing/judge_support.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

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

/// Batches of one, single keys, prime lengths, heads of two to 255.
TEST(AttentionRecipes, EveryTypeAtDrawnShapes) {
  std::uint64_t number = 0;
  for (const std::string& name : attention_types()) {
    for (std::uint64_t draw = 0; draw < soaked(1); ++draw) {
      const auto drawn = zoo_program_drawn(name, {}, DType::f32, soak_seed(1 + number++ % 3 + 3 * draw));
      ASSERT_TRUE(drawn.ok()) << name;
      const auto recipe = derive_attention(drawn->program, {});
      ASSERT_TRUE(recipe.ok()) << name << ": " << recipe.error();
      expect_in_one_kernel(*recipe);
    }
  }
}

/// What a thread accumulates for such heads does not fit in registers, and goes into `s`.
TEST(AttentionRecipes, HeadsWithoutRoom) {
  for (const std::string name : {"MinGPTCausalAttention", "MQA", "GQA"}) {
    for (const double heads : {2, 4}) {
      const auto recipe = derive_attention(zoo_text(name, {{"n_embd", 512}, {"n_head", heads}, {"seq_len", 512}}), {});
      ASSERT_TRUE(recipe.ok()) << name << ": " << recipe.error();
      expect_in_one_kernel(*recipe);
      const CheckReport report = check_program(recipe->program, {find_device("nvidia-h200")});
      EXPECT_EQ(report.verdict, CheckReport::Verdict::ok) << name;
      EXPECT_TRUE(report.diagnostics.empty()) << name;
    }
  }
  const Program root = zoo_text("MQA", {{"n_embd", 192}, {"n_head", 2}, {"batch_size", 1}, {"seq_len", 4}});
  const auto recipe = derive_attention(root, {2, 2});
  ASSERT_TRUE(recipe.ok()) << recipe.error();
  EXPECT_TRUE(std::any_of(recipe->steps.begin(), recipe->steps.end(), [](const Step& step) {
    return step.strategy == "cache_read_write" && step.choice.word("direction") == "write" &&
           step.choice.word("scope") == "s";
  }));
  const OracleOpinion opinion = ask_oracle(root, recipe->program, 1);
  EXPECT_TRUE(opinion.compared);
  EXPECT_FALSE(opinion.difference.has_value()) << *opinion.difference;
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

TEST(AttentionRecipes, EveryTypeInSmallAgainstTheOracle) {
  for (const std::string& name : attention_types()) {
    const Program root = zoo_text(name, small_attention(name));
    const auto recipe = derive_attention(root, {2, 2});
    ASSERT_TRUE(recipe.ok()) << name << ": " << recipe.error();
    const OracleOpinion opinion = ask_oracle(root, recipe->program, 1);
    EXPECT_TRUE(opinion.compared) << name;
    EXPECT_FALSE(opinion.difference.has_value()) << name << ": " << *opinion.difference;
  }
}

/// Some types in an ordinary run, heads of each kind among them; all with STEPTP_SOAK. Where a tanh stands behind the
/// attention the judge does not decide the step to the online form (docs/status.md).
TEST(AttentionRecipes, EveryStepInSmall) {
  const std::vector<std::string> types = attention_types();
  const std::uint64_t number = std::min<std::uint64_t>(types.size(), soaked(4));
  std::cout << table_header() << "\n";
  for (std::uint64_t i = 0; i < number; ++i) {
    const std::string& name = types[(10 * i) % types.size()];
    const Program root = zoo_text(name, small_attention(name));
    const auto recipe = derive_attention(root, {2, 2});
    ASSERT_TRUE(recipe.ok()) << name << ": " << recipe.error();
    const JudgedRecipe judged = judge_steps(root, recipe->steps, {});
    std::cout << table_line(name, judged) << "\n";
    EXPECT_EQ(judged.steps(), recipe->steps.size()) << name;
    EXPECT_EQ(judged.wrong, 0U) << name;
    for (const std::string& line : judged.not_equal) {
      const bool is_known = name.find("Tanh") != std::string::npos && line.find("flashattention") != std::string::npos;
      EXPECT_TRUE(is_known) << name << ", " << line;
    }
  }
}

/// A step that is not what it says is seen.
TEST(AttentionRecipes, AWrongStepIsSeen) {
  const Program root = zoo_text("MQA", small_attention("MQA"));
  auto recipe = derive_attention(root, {2, 2});
  ASSERT_TRUE(recipe.ok());
  recipe->steps.erase(recipe->steps.begin() + 3);
  EXPECT_EQ(judge_steps(root, recipe->steps, {}).wrong, 1U);
}

}  // namespace
}  // namespace steptp::testing
