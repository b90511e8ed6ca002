// Steps on states that other strategies have reached: second and third steps are where a strategy meets bodies, guards,
// quotients and bindings that nobody writes by hand.
#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/recipe/recipe.h"
#include "steptp/recipe/registry.h"
#include "steptp/recipe/selection.h"
#include "steptp/strategies/view.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "testing/generator.h"
#include "testing/soak.h"
#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kRoots[] = {
    // matrix product
    "@input A f32[8,4]\n@input C f32[4,6]\n@output D f32[8,6]\n"
    "B(tx,8)L(a,6)L(c,4)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];\n",
    // softmax
    "@input A f32[4,6]\n@output C f32[4,6]\n"
    "B(tx,4)L(a,6)[D[tx]=max(D[tx],A[tx,a]);];B(tx,4)L(a,6)[E[tx]=E[tx]+exp(A[tx,a]-D[tx]);];"
    "B(tx,4)L(a,6)[C[tx,a]=exp(A[tx,a]-D[tx])/E[tx];];\n",
    // padded convolution
    "@input A f32[2,6]\n@input D f32[3,2,3]\n@output C f32[3,6]\n"
    "B(tx,2)L(c,8)[E[tx,c]=if_then_else(1<=c<7,A[tx,c-1],0);];"
    "B(tx,3)L(a,6)L(c,2)L(d,3)[C[tx,a]=C[tx,a]+E[c,a+d]*D[tx,c,d];];\n",
    // a tile through shared memory, a register, an index used as a value
    "@input A f32[4,8]\n@input C f32[8]\n@output D f32[4,8]\n"
    "B(bx,4)[B(tx,8)[E:s[tx]=A[bx,tx]*tx;];B(tx,8)[F:l[]=C[tx];L(c,8)[F:l[]=F:l[]+E:s[c]*c;];D[bx,tx]=F:l[];];];\n",
    // a recurrence and its last value
    "@input A f32[3,5]\n@output D f32[3]\n"
    "B(tx,3)L(a,5)[E[tx,a]=max(if_then_else(a-1<0,-inf,E[tx,a-1]),A[tx,a]);];B(tx,3)[D[tx]=E[tx,4]+1;];\n",
};

TEST(Walks, EveryStepIsJudged) {
  std::map<std::string, std::pair<int, int>> tally;
  const std::uint64_t walks = soaked(12);
  for (std::uint64_t seed = 0; seed < walks && !HasFailure(); ++seed) {
    for (const std::string_view root : kRoots) {
      Program state = strategy_program(root);
      Recipe recipe;
      for (std::uint64_t step = 0; step < 4; ++step) {
        View view(state);
        const auto drawn = sample_choices(list_choices(all_strategies(), view, true), 1, seed * 16 + step);
        if (drawn.empty()) break;
        recipe.push_back({std::string(drawn[0].strategy->name), drawn[0].choice});
        auto& [judged, undecided] = tally[recipe.back().strategy];
        ++judged;
        const HouseResult result = check_application(*drawn[0].strategy, state, drawn[0].choice);
        undecided += result == HouseResult::undecided ? 1 : 0;
        ASSERT_NE(result, HouseResult::bad) << root << to_json(recipe).dump();
        const auto applied = apply(*drawn[0].strategy, view, drawn[0].choice);
        state = applied->program;
      }
    }
  }
  for (const auto& [name, counts] : tally) {
    std::cout << name << ": " << counts.first << " judged, " << counts.second << " undecided\n";
  }
}

/// The states of the recipes, in small: kernels with tiles, registers, collectives and barriers.
std::vector<Program> recipe_states(const std::string& name) {
  const std::string path = concat(STEPTP_SOURCE_DIR, "/testing/data/recipes/", name);
  const auto text = read_file(concat(path, ".leir"));
  const auto steps = read_file(concat(path, ".json"));
  EXPECT_TRUE(text.ok() && steps.ok()) << path;
  std::vector<Program> states = {read_document(name, *text).program};
  const auto recipe = recipe_from_json(*parse_json(*steps));
  for (const Step& step : *recipe) {
    View view(states.back());
    const auto applied = apply(*find_strategy(step.strategy), view, step.choice);
    EXPECT_TRUE(applied.ok()) << to_text(step.strategy, applied.error());
    if (!applied) break;
    states.push_back(applied->program);
  }
  return states;
}

TEST(Walks, OffTheWayOfRecipes) {
  std::map<std::string, std::pair<int, int>> tally;
  const std::uint64_t draws = soaked(1);
  for (const char* name : {"matmul", "matmul_odd", "softmax", "layer_norm", "conv3x3"}) {
    const std::vector<Program> states = recipe_states(name);
    for (std::size_t i = draws > 1 ? 0 : 2; i<states.size(); i += draws> 1 ? 1 : 4) {
      View view(states[i]);
      const Choices found = list_choices(all_strategies(), view, true);
      for (const StrategyChoice& drawn : sample_choices(found, 4 * draws, hash_of(states[i]))) {
        auto& [judged, undecided] = tally[std::string(drawn.strategy->name)];
        ++judged;
        const HouseResult result = check_application(*drawn.strategy, states[i], drawn.choice);
        undecided += result == HouseResult::undecided ? 1 : 0;
        ASSERT_NE(result, HouseResult::bad) << name << ", state " << i;
      }
    }
  }
  for (const auto& [name, counts] : tally) {
    std::cout << name << ": " << counts.first << " judged, " << counts.second << " undecided\n";
  }
}

}  // namespace
}  // namespace steptp::testing
