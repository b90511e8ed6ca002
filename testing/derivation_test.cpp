// The recipes of examples/recipes: from vanilla programs to those that make a GPU fast, every step judged.
#include <gtest/gtest.h>

#include <iostream>

#include "source_dir.h"
#include "steptp/analysis/accesses.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/recipe/recipe.h"
#include "steptp/recipe/registry.h"
#include "steptp/safety/check.h"
#include "steptp/strategies/view.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "steptp/verify/verify.h"
#include "testing/judge_support.h"

namespace steptp::testing {
namespace {

struct Derivation {
  Program root;
  Recipe recipe;
};

Derivation read_derivation(const std::string& folder, const std::string& name) {
  Derivation out;
  const std::string path = concat(STEPTP_SOURCE_DIR, "/", folder, "/", name);
  const auto text = read_file(concat(path, ".leir"));
  const auto steps = read_file(concat(path, ".json"));
  EXPECT_TRUE(text.ok() && steps.ok()) << path;
  if (!text || !steps) return out;
  const Document document = read_document(name, *text);
  EXPECT_TRUE(document.ok) << path;
  out.root = document.program;
  const auto json = parse_json(*steps);
  const auto recipe = json ? recipe_from_json(*json) : Result<Recipe, std::string>(std::string("not JSON"));
  EXPECT_TRUE(recipe.ok()) << path << ": " << recipe.error();
  if (recipe) out.recipe = *recipe;
  return out;
}

/// Every state, the root first. Each step is judged by itself.
std::vector<Program> judged_states(const Derivation& derivation) {
  std::vector<Program> states = {derivation.root};
  Tally grades;
  for (const Step& step : derivation.recipe) {
    const Program& before = states.back();
    View view(before);
    const auto applied = apply(*find_strategy(step.strategy), view, step.choice);
    if (!applied) {
      ADD_FAILURE() << to_text(step.strategy, applied.error()) << "\n" << print(before);
      return states;
    }
    const Judgement judgement = verify(before, applied->program, without_safety());
    grades.add(name_of(judgement.verdict));
    EXPECT_TRUE(is_equal_or_numeric(judgement.verdict) || judgement.verdict == Grade::undecided)
        << to_json(step).dump() << "\n"
        << describe(before, applied->program, judgement);
    states.push_back(applied->program);
  }
  std::cout << derivation.recipe.size() << " steps: " << grades.text() << "\n";
  return states;
}

/// No accumulation stands under a guard or chooses: what is left out was filled when it was staged.
void expect_free_inner_loops(const Program& program) {
  for (const Statement& statement : collect_accesses(program).statements) {
    if (!statement.accumulates) continue;
    EXPECT_TRUE(statement.guards.empty()) << print(program);
    EXPECT_EQ(print(*statement.equation->right).find("if_then_else"), std::string::npos) << print(program);
  }
}

/// One kernel that keeps what it accumulates in `s` and `l`.
void expect_one_kernel(const Program& program) {
  EXPECT_EQ(program.nests.size(), 1U);
  for (const Statement& statement : collect_accesses(program).statements) {
    if (!statement.accumulates) continue;
    EXPECT_NE(statement.equation->left->scope, Scope::global) << print(program);
  }
}

class Derivations : public ::testing::TestWithParam<std::string> {};

TEST_P(Derivations, AtFullSize) {
  const Derivation derivation = read_derivation("examples/recipes", GetParam());
  const std::vector<Program> states = judged_states(derivation);
  ASSERT_EQ(states.size(), derivation.recipe.size() + 1);
  expect_free_inner_loops(states.back());
  expect_one_kernel(states.back());
  const CheckReport report = check_program(states.back(), {find_device("nvidia-h200")});
  EXPECT_EQ(report.verdict, CheckReport::Verdict::ok);
  for (const Diagnostic& diagnostic : report.diagnostics) ADD_FAILURE() << diagnostic.id << ": " << diagnostic.message;
  const Judgement whole = verify(states.front(), states.back(), without_safety());
  // Each step is shown equal; from the first state to the last at once, attention is beyond the forms of the prover.
  EXPECT_TRUE(is_equal_or_numeric(whole.verdict)) << describe(states.front(), states.back(), whole);
}

TEST_P(Derivations, InSmallAgainstTheOracle) {
  const Derivation derivation = read_derivation("testing/data/recipes", GetParam());
  const std::vector<Program> states = judged_states(derivation);
  ASSERT_EQ(states.size(), derivation.recipe.size() + 1);
  const OracleOpinion opinion = ask_oracle(states.front(), states.back(), 3);
  EXPECT_TRUE(opinion.compared);
  EXPECT_FALSE(opinion.difference.has_value()) << *opinion.difference << "\n" << print(states.back());
}

/// The recipes are the same in both sizes, but for factors.
TEST_P(Derivations, HaveTheSameStepsInBothSizes) {
  const auto strategies = [](const Recipe& recipe) {
    std::set<std::string> names;
    for (const Step& step : recipe) names.insert(step.strategy);
    return names;
  };
  EXPECT_EQ(strategies(read_derivation("examples/recipes", GetParam()).recipe),
            strategies(read_derivation("testing/data/recipes", GetParam()).recipe));
}

INSTANTIATE_TEST_SUITE_P(Recipes, Derivations,
                         ::testing::Values("matmul", "matmul_odd", "softmax", "layer_norm", "conv3x3", "conv_product",
                                           "conv_product_odd", "conv3d_product", "attention", "attention_masked"),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace steptp::testing
