#include "steptp/dataset/sampling.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "steptp/recipe/registry.h"
#include "steptp/recipe/selection.h"
#include "steptp/strategies/view.h"
#include "steptp/text/document.h"

namespace steptp::dataset {
namespace {

/// The choices that are drawn of one strategy.
std::vector<Choice> drawn(const std::string& text, const char* strategy, bool useful, int most) {
  const Document document = read_document("p", text);
  EXPECT_TRUE(document.ok) << text;
  View view(document.program);
  const Choices choices = list_choices({find_strategy(strategy)}, view, false);
  ChoiceSampler sampler(choices, {28, 5, 4}, 3, useful ? &document.program : nullptr);
  std::vector<Choice> out;
  while (static_cast<int>(out.size()) < most) {
    auto next = sampler.next();
    if (!next) break;
    EXPECT_TRUE(apply(*find_strategy(strategy), view, next->choice).ok()) << next->choice.to_json().dump();
    out.push_back(std::move(next->choice));
  }
  return out;
}

int powers_of_two(const std::vector<Choice>& choices) {
  int count = 0;
  for (const Choice& choice : choices) {
    const std::int64_t inner = choice.integer("inner");
    count += (inner & (inner - 1)) == 0 ? 1 : 0;
  }
  return count;
}

TEST(Sampling, FactorsThatAPersonWouldChooseComeFirst) {
  // 960 has 26 inner divisors, and six powers of two among them.
  const std::string text = "@input A f32[960]\n@output D f32[960]\na960 D(a)=A(a)*2;";
  const std::vector<Choice> useful = drawn(text, "loop_split", true, 5);
  const std::vector<Choice> published = drawn(text, "loop_split", false, 5);
  ASSERT_EQ(useful.size(), 5U);
  EXPECT_GE(powers_of_two(useful), 4);
  EXPECT_LE(powers_of_two(published), 3);
  // Where few are likely, the others come as well.
  EXPECT_GE(drawn(text, "loop_split", true, 20).size(), 12U);
}

TEST(Sampling, LoopsOfOneIterationAreLeftAlone) {
  const std::string text = "@input A f32[4,8]\n@output D f32[4,8]\ntx4 c1 a8 D(tx,a)=A(tx,a+c)*2;";
  std::map<bool, int> single;
  for (const bool useful : {false, true}) {
    for (const char* strategy : {"loop_binding", "loop_parallelization", "loop_unrolling"}) {
      for (const Choice& choice : drawn(text, strategy, useful, 8)) single[useful] += choice.at.number == 1U ? 1 : 0;
    }
  }
  EXPECT_EQ(single[true], 0);
  EXPECT_GE(single[false], 1);
}

}  // namespace
}  // namespace steptp::dataset
