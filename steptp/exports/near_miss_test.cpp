#include "steptp/exports/near_miss.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "steptp/exports/slips.h"
#include "steptp/exports/trajectory.h"
#include "steptp/ir/forms.h"
#include "steptp/reasoning/effect.h"
#include "steptp/recipe/registry.h"
#include "steptp/safety/check.h"
#include "steptp/strategies/view.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "steptp/verify/verify.h"

namespace steptp::dataset {

namespace {

Program program_of(const std::string& text) {
  const Document document = read_document("test.leir", text);
  EXPECT_TRUE(document.ok) << text;
  return document.program;
}

/// The example of a strategy, applied and told.
struct Told {
  Program before;
  Program after;
  Trace trace;
  std::string right;

  [[nodiscard]] RightStep step(const Strategy& strategy, std::string key) const {
    return {&before, &after, std::string(strategy.name), &trace, std::move(key)};
  }
};

Told told(const Strategy& strategy) {
  Told out;
  out.before = program_of(std::string(strategy.example.program));
  const Choice choice = choice_from_json(parse_json(std::string(strategy.example.choice)).value()).value();
  View view(out.before);
  const auto applied = apply(strategy, view, choice);
  EXPECT_TRUE(applied.ok()) << strategy.name;
  out.after = applied->program;
  out.trace = make_trace(strategy, out.before, choice, *applied, 7);
  out.right = render(out.trace, out.before, out.after, Profile::paper);
  return out;
}

// Every strategy has slips, and on its example some that the judge refuses, with a thought of their own that quotes
// what is wrong.
TEST(NearMiss, EveryStrategyHasSlipsThatAreWrong) {
  std::map<std::string, int> verdicts;
  std::set<std::string> changes;
  for (const Strategy* strategy : all_strategies()) {
    EXPECT_FALSE(slips_of(strategy->name).empty()) << strategy->name;
    const Told one = told(*strategy);
    int found = 0;
    for (int key = 0; key < 8; ++key) {
      NearMissOptions options;
      options.attempts = 12;
      const auto miss = find_near_miss(one.step(*strategy, std::to_string(key)), options);
      if (!miss) continue;
      ++found;
      ++verdicts[miss->verdict];
      changes.insert(miss->change);
      EXPECT_NE(miss->leir, print(one.after)) << strategy->name;
      EXPECT_NE(miss->reasoning, one.right) << strategy->name;
      EXPECT_EQ(miss->reasoning.find("``"), std::string::npos) << miss->reasoning;
      EXPECT_EQ(miss->counterexample.is_null(), miss->verdict == "invalid");
      EXPECT_FALSE(miss->reason.empty());
      const Document wrong = read_program_text("wrong", miss->leir, one.before.signature);
      if (miss->verdict == "invalid") {
        EXPECT_TRUE(!wrong.ok || check_program(wrong.program).verdict == CheckReport::Verdict::errors) << miss->leir;
      } else {
        ASSERT_TRUE(wrong.ok);
        EXPECT_EQ(verify(one.before, wrong.program, {}).verdict, Grade::differs) << miss->leir;
      }
    }
    EXPECT_GE(found, 1) << strategy->name;
  }
  EXPECT_GE(verdicts["differs"], 50);
  EXPECT_GE(verdicts["invalid"], 20);
  EXPECT_GE(changes.size(), 12U);
}

/// Everything between backticks.
std::vector<std::string> quotations(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t open = text.find('`'); open != std::string::npos; open = text.find('`', open)) {
    const std::size_t close = text.find('`', open + 1);
    out.push_back(text.substr(open + 1, close - open - 1));
    open = close + 1;
  }
  return out;
}

// A reader who has the wrong program before him finds in it what is quoted, and the numbers that are told.
TEST(NearMiss, WhatIsSaidOfTheResultIsOfTheWrongProgram) {
  int compared = 0;
  for (const Strategy* strategy : all_strategies()) {
    const Told one = told(*strategy);
    for (int key = 0; key < 6; ++key) {
      NearMissOptions options;
      options.attempts = 12;
      const auto miss = find_near_miss(one.step(*strategy, std::to_string(key)), options);
      if (!miss) continue;
      const std::string before = print(one.before);
      for (const std::string& quote : quotations(miss->reasoning)) {
        const bool is_name =
            quote.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == quote.npos;
        const bool is_there = before.find(quote) != before.npos || miss->leir.find(quote) != miss->leir.npos;
        EXPECT_TRUE(is_name || is_there) << strategy->name << ", " << miss->change << ": " << quote;
      }
      const Document wrong = read_program_text("wrong", miss->leir, one.before.signature);
      if (miss->verdict == "invalid" || !wrong.ok) continue;
      const Effect right = effect_of(one.before, one.after);
      const Effect other = effect_of(one.before, wrong.program);
      const std::pair<std::size_t, std::string> kinds[] = {{Effect::kLaunches, " launches"},
                                                           {Effect::kOperations, " scalar operations"},
                                                           {Effect::kAccesses, " accesses to global tensors"}};
      for (const auto& [kind, noun] : kinds) {
        const std::int64_t is = right.counts[kind].second;
        if (is < 2 || right.counts[kind] == other.counts[kind]) continue;
        EXPECT_EQ(miss->reasoning.find(" " + grouped(is) + noun), std::string::npos)
            << strategy->name << ", " << miss->change << "\n"
            << miss->reasoning;
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 20);
}

TEST(NearMiss, IsTheSameEachTime) {
  const Strategy& split = *find_strategy("loop_split");
  const Told one = told(split);
  const auto miss = find_near_miss(one.step(split, "a key"), {});
  ASSERT_TRUE(miss);
  const auto again = find_near_miss(one.step(split, "a key"), {});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->leir, miss->leir);
  EXPECT_EQ(again->id, miss->id);
  EXPECT_EQ(again->reasoning, miss->reasoning);
}

TEST(NearMiss, TheThoughtStandsWhereTheResultIsFirstSpokenOf) {
  const Strategy& split = *find_strategy("loop_split");
  const Told one = told(split);
  const Slip* stale = nullptr;
  for (const Slip* slip : slips_of("loop_split")) {
    if (slip->change == "a stale index") stale = slip;
  }
  ASSERT_NE(stale, nullptr);
  const Edits edits = stale->edits({&one.before, &one.after});
  ASSERT_FALSE(edits.empty());
  Random random(3);
  const std::string text = slipped_reasoning(one.trace, one.before, one.after, edits.front(), *stale, true, random);
  const std::string wrong = print(edits.front().program);
  const std::size_t begin = wrong.find("[D");
  const std::string equation = wrong.substr(begin + 1, wrong.find(';', begin) - begin - 1);
  EXPECT_NE(text.find("`" + equation + "`"), std::string::npos) << text;
  EXPECT_LT(text.find("`" + equation + "`"), text.size() - 200) << text;
}

// An element of the second matrix product needs 300 of the first, each of which is a sum of 300: more than the budget.
TEST(NearMiss, IsNotLookedForBeyondTheBudget) {
  const std::string known = "@input A f32[300,300]\n@input C f32[300,300]\n@output E f32[300,300]\n";
  const std::string text = known +
                           "tx300 a300 c300 D(tx,a)+=exp(A(tx,c)*C(c,a));tx300 a300 c300 "
                           "E(tx,a)+=exp(D(tx,c)*C(c,a));";
  const Strategy& strategy = *find_strategy("expression_splitting");
  Told one;
  one.before = program_of(text);
  View view(one.before);
  const Choice choice = choice_from_json(parse_json(R"({"at":"1/0:right.1.0","place":"before"})").value()).value();
  const auto applied = apply(strategy, view, choice);
  ASSERT_TRUE(applied.ok()) << to_text(strategy.name, applied.error());
  one.after = applied->program;
  one.trace = make_trace(strategy, one.before, choice, *applied, 1);
  const auto differing = [&](std::uint64_t budget) {
    NearMissOptions options;
    options.budget = budget;
    int count = 0;
    for (const char* key : {"one", "two", "three", "four", "five", "six"}) {
      const auto miss = find_near_miss(one.step(strategy, key), options);
      count += miss && miss->verdict == "differs" ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(differing(1000), 0);
  EXPECT_GE(differing(10'000'000), 2);
}

TEST(Trajectory, StepsFollowEachOtherAndAreRightButForTheSlip) {
  const Program root = program_of(
      "@input A f32[16,32]\n@input C f32[32,8]\n@output D f32[16,8]\n"
      "tx16 a8 c32 E(tx,a)+=A(tx,c)*C(c,a);tx16 a8 F(tx,a)=E(tx,a)*2;tx16 a8 D(tx,a)=max(F(tx,a),0);");
  int slips = 0;
  int all_right = 0;
  for (const char* key : {"one", "two", "three", "four", "five", "six"}) {
    const auto walk = make_trajectory(root, key, {});
    ASSERT_TRUE(walk) << key;
    EXPECT_GE(walk->steps.size(), kLeastSteps);
    EXPECT_LE(walk->steps.size(), kMostSteps);
    std::set<Hash> forms = {plain_form_of(root)};
    for (std::size_t i = 0; i < walk->steps.size(); ++i) {
      const bool is_wrong = walk->slip && i + 1 == walk->steps.size();
      const Document state = read_program_text("state", walk->steps[i].leir, root.signature);
      const Grade grade = state.ok ? verify(root, state.program, {}).verdict : Grade::invalid;
      EXPECT_EQ(is_equal(grade), !is_wrong) << key << " " << i << "\n" << walk->steps[i].leir;
      if (is_wrong) continue;
      EXPECT_TRUE(forms.insert(plain_form_of(state.program)).second) << key << " " << i;
    }
    (walk->slip ? slips : all_right) += 1;
  }
  EXPECT_GE(slips, 1);
  EXPECT_GE(all_right, 1);
}

}  // namespace

}  // namespace steptp::dataset
