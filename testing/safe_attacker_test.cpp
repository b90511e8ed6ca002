#include "testing/safe_attacker.h"

#include <gtest/gtest.h>

#include <iostream>

#include "testing/rounding_bound.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

void expect_found(SafeAttackMaker maker, std::uint64_t seed, std::uint64_t count) {
  std::uint64_t shown = 0;
  const auto counts =
      attack_safe(maker, soak_seed(seed), soaked(count), [&](const SafeAttack& attack, const Json& answer) {
        const Json* by = answer.find("safe_by");
        const Json* safe = answer.find("safe");
        const bool yes = safe && safe->as_bool() && *safe->as_bool();
        if (yes && by && by->as_string() && *by->as_string() == "proof" && ++shown <= 10) {
          ADD_FAILURE() << "safe by proof, though bad at many inputs: " << to_json(attack, answer).dump();
        }
      });
  std::cout << to_table(counts);
  const SafeCounts all = sum_of(counts);
  EXPECT_GT(all.equal * 2, all.made);
  EXPECT_EQ(all.by_proof, 0u);
  EXPECT_GE(all.found * 100, all.equal * 95);
}

TEST(SafeAttacker, NothingBadIsSafeByProofAndNearlyAllIsFound) { expect_found(make_safe_attack, 18, 200); }

TEST(SafeAttacker, BoxesOfAtMostThreeInputsAreFound) { expect_found(make_safe_box, 64, 100); }

/// The bound that docs/verification.md defines under "Safe", on terms whose bound is known.
TEST(RoundingBound, IsThatOfThePage) {
  const auto point = [](double x, double y) { return std::map<std::string, double>{{"x", x}, {"y", y}, {"z", 1}}; };
  const auto is = [&](const char* before, const char* after, double x, double y) {
    return safety_at(read_term(before), read_term(after), DType::f32, point(x, y));
  };
  EXPECT_EQ(is("x", "x+y-y", 1, 1e10), SafetyAtPoint::bad);
  EXPECT_EQ(is("x", "x+y-y", 1, 0.5), SafetyAtPoint::fine);
  EXPECT_EQ(is("1/(1+exp(-x))", "exp(x)/(1+exp(x))", 100, 0), SafetyAtPoint::bad);
  EXPECT_EQ(is("1/(1+exp(-x))", "exp(x)/(1+exp(x))", 5, 0), SafetyAtPoint::fine);
  EXPECT_EQ(is("1/(1+exp(-x))", "exp(x)/(1+exp(x))", -100, 0), SafetyAtPoint::not_good) << "before overflows itself";
  EXPECT_EQ(is("x*y", "y*x", 3, 5), SafetyAtPoint::fine);
  EXPECT_EQ(is("x", "x*1e30/1e30", 1e15, 0), SafetyAtPoint::bad);
  EXPECT_EQ(is("x", "x*1e30/1e30", 1e5, 0), SafetyAtPoint::fine);
  EXPECT_EQ(is("1/x", "1/(x+y-y)", 1, 1e12), SafetyAtPoint::bad);
  EXPECT_EQ(is("max(x,y)", "max(y,x)", 1, 2), SafetyAtPoint::fine);
  EXPECT_EQ(is("tanh(x)", "(exp(2*x)-1)/(exp(2*x)+1)", 1e-6, 0), SafetyAtPoint::bad);
}

}  // namespace
}  // namespace steptp::testing
