// Traces say what exactly is struck out, and from where values are known to be finite and divisors not to be zero.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/text.h"
#include "steptp/reasoning/trace.h"
#include "steptp/recipe/registry.h"
#include "steptp/strategies/strategy.h"
#include "steptp/strategies/view.h"
#include "testing/shorthand.h"
#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

std::string vectors(std::string_view right) { return concat(kVectors, "B(tx,8)[E[tx]=", right, ";];\n"); }

/// What a step says of its preconditions, whatever the seed: one of these is in each trace.
void expect_said(std::string_view program_text, std::string_view strategy, std::string_view choice_text,
                 const std::vector<std::vector<std::string>>& wanted) {
  const Program program = shorthand_program(program_text, {{"T", "f32"}});
  const Choice choice = choice_from_json(parse_json(std::string(choice_text)).value()).value();
  View view(program);
  const auto applied = apply(*find_strategy(strategy), view, choice);
  ASSERT_TRUE(applied.ok()) << to_text(strategy, applied.error());
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Trace trace = make_trace(*find_strategy(strategy), program, choice, *applied, seed);
    const std::string text = render(trace, program, applied->program, Profile::paper);
    for (const std::vector<std::string>& ways : wanted) {
      const bool is_said =
          std::any_of(ways.begin(), ways.end(), [&](const std::string& way) { return text.find(way) != text.npos; });
      EXPECT_TRUE(is_said) << strategy << ", seed " << seed << ": not said: " << ways.front() << "\n" << text;
    }
  }
}

const std::vector<std::string> kIsGiven = {"known variable"};
const std::vector<std::string> kPositive = {"declared positive"};

TEST(Reasoning, SaysWhatIsStruckOutAndWhyItMay) {
  const std::string whole = R"({"at":"0/0:right"})";
  expect_said(vectors("A[tx]*D[tx]/(D[tx]*F[tx])"), "cancellation", whole,
              {{"`D^{f32,g}_{tx}` is a factor of dividend and divisor"}, kIsGiven, kPositive});
  expect_said(vectors("A[tx]*D[tx]*F[tx]/(D[tx]*F[tx])"), "cancellation", whole,
              {{"`D^{f32,g}_{tx}` and `F^{f32,g}_{tx}` are factors of dividend and divisor"}, kIsGiven, kPositive});
  expect_said(vectors("A[tx]+C[tx]-C[tx]"), "cancellation", whole,
              {{"`C^{f32,g}_{tx}` is added and subtracted again"}, {"`C` is a known variable"}});
  expect_said(vectors("if_then_else(C[tx]!=0,A[tx]*C[tx]/C[tx],0)"), "cancellation", R"({"at":"0/0:right.1"})",
              {{"condition"}, {"`C^{f32,g}_{tx}` is not zero"}});
}

TEST(Reasoning, SaysFromWhereADivisorIsKnown) {
  const std::string terms = R"({"at":"0/0:right","form":"terms","by":"0/0:right.0"})";
  expect_said(vectors("(A[tx]+C[tx])/exp(A[tx])"), "apart", terms, {{"xponential"}});
  expect_said(vectors("(A[tx]+C[tx])/(2+exp(A[tx]))"), "apart", terms,
              {{"at least 2", "goes below 2", "is 2 or more"}});
  expect_said(vectors("(A[tx]+C[tx])/(0.5+C[tx]**2)"), "apart", terms, {{"positive"}, {"term"}});
  const std::string computed =
      "@input A f32[8]\n@output E f32[8]\nB(tx,8)[G[tx]=abs(A[tx])+0.5;];\nB(tx,8)[E[tx]=(A[tx]+1)/G[tx];];\n";
  expect_said(computed, "apart", R"({"at":"1/0:right","form":"terms","by":"1/0:right.0"})",
              {{"`G^{f32,g}_{tx}=abs(A^{f32,g}_{tx})+0.5`"}, {"`G`"}});
}

TEST(Reasoning, UpdatesOfOneAccumulatorAreNotCalledIndependent) {
  const std::string twice =
      "@input A f32[4,6]\n@input C f32[4]\n@output D f32[4]\n"
      "B(tx,4)L(a,6)[D[tx]=D[tx]+A[tx,a];];\nB(tx,4)[D[tx]=D[tx]+C[tx];];\n";
  expect_said(twice, "expression_reorder", R"({"at":"0"})",
              {{"`D` by addition", "contribute to it by addition"}, {"rounding"}});
}

}  // namespace
}  // namespace steptp::testing
