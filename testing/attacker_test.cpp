#include "testing/attacker.h"

#include <gtest/gtest.h>

#include <iostream>

#include "testing/judge_support.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

/// Pairs in `make test`; `make soak` multiplies them.
constexpr std::uint64_t kPairs = 2000;

TEST(Attacker, NoUnequalPairIsAccepted) {
  AttackOptions options;
  options.seed = soak_seed(18);
  options.count = soaked(kPairs);
  options.budget = 2'000'000;
  std::uint64_t shown = 0;
  options.seen = [&](const Attack& attack, const MeaningDifference& difference, const Judgement& judgement) {
    const bool accepted = judgement.verdict == Grade::proved || judgement.verdict == Grade::exact;
    if (!accepted || ++shown > 20) return;
    ADD_FAILURE() << "accepted, though unequal: " << to_json(attack, difference, &judgement).dump();
  };
  const auto counts = attack(options);
  std::cout << to_table(counts);
  std::uint64_t confirmed = 0;
  for (const AttackClass& one : attack_classes()) {
    const auto at = counts.find(one.name);
    ASSERT_NE(at, counts.end()) << one.name;
    EXPECT_EQ(at->second.accepted(), 0u) << one.name;
    // A class whose witnesses show nothing attacks nobody.
    EXPECT_GT(at->second.confirmed * 3, at->second.made) << one.name;
    confirmed += at->second.confirmed;
  }
  EXPECT_EQ(confirmed, options.count);
}

/// The classes make what they are called: no text of theirs is unreadable, and what they claim is checked, not
/// believed.
TEST(Attacker, AnEqualPairIsNotConfirmed) {
  auto attack = attack_from("equal", "@input A f32[9]\n@output D f32[9]\n", "a9 D(a)=A(a)*2;", "a9 D(a)=A(a)+A(a);");
  ASSERT_TRUE(attack);
  EXPECT_FALSE(confirm(*attack));
  EXPECT_FALSE(attack_from("unreadable", "@input A f32[9]\n@output D f32[9]\n", "a9 D(a)=A(a)*2;", "a9 D(a)="));
}

TEST(Attacker, TheSameSeedGivesTheSamePairs) {
  std::vector<std::string> texts[2];
  for (auto& list : texts) {
    AttackOptions options;
    options.seed = 5;
    options.count = 60;
    options.budget = 1000;
    options.seen = [&](const Attack& attack, const MeaningDifference& difference, const Judgement&) {
      list.push_back(to_json(attack, difference, nullptr).dump());
    };
    (void)attack(options);
  }
  EXPECT_EQ(texts[0], texts[1]);
}

}  // namespace
}  // namespace steptp::testing
