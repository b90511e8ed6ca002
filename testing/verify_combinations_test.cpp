// Pairs that differ only where several comparisons go a certain way together, only at a tie deep inside, or only in one
// element of many: none of these shows where comparisons are covered one by one.
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <vector>

#include "steptp/certify/replay.h"
#include "testing/judge_support.h"
#include "testing/shorthand.h"

namespace steptp::testing {
namespace {

struct Pair {
  std::string what;
  std::string before;
  std::string after;
};

constexpr std::string_view kVectors =
    "@input X f32[8]\n@input Y f32[8]\n@input Z f32[8]\n@input W f32[8]\n@input G f32[8]\n@output C f32[8]\n";

/// $X is an element of X, and so on; the text is the right side of C.
Program of_elements(const std::string& right) {
  const ShorthandValues values = {{"T", "f32"},   {"X", "X[tx]"}, {"Y", "Y[tx]"},
                                  {"Z", "Z[tx]"}, {"W", "W[tx]"}, {"V", "G[tx]"}};
  return shorthand_program(std::string(kVectors) + "B(tx,8)[C[tx]=" + right + ";];", values);
}

void expect_not_equal(const std::string& what, const Program& before, const Program& after) {
  const Judgement judgement = verify(before, after);
  EXPECT_FALSE(is_equal(judgement.verdict)) << what << "\n" << describe(before, after, judgement);
  EXPECT_FALSE(judgement.unusable) << what << "\n" << describe(before, after, judgement);
  if (judgement.verdict == Grade::undecided) std::cout << what << " is undecided: " << judgement.reason << "\n";
}

void expect_not_equal(const std::vector<Pair>& pairs) {
  for (const Pair& pair : pairs) expect_not_equal(pair.what, of_elements(pair.before), of_elements(pair.after));
}

TEST(Combinations, OfTwoToFive) {
  const std::string value = "$X+$Y*$Z";
  const std::string two = "$X>0&$Y<$Z";
  const std::string three = "$X>0.3&$Y<$Z&$W*$V>0";
  const std::string five = "$X>0.3&$Y<$Z&$W>0&$V<-0.1&$X+$Y>$W";
  const auto behind = [&](const std::string& condition) {
    return "if_then_else(" + condition + ",2*(" + value + ")," + value + ")";
  };
  expect_not_equal({
      {"two", value, behind(two)},
      {"three", value, behind(three)},
      {"five", value, behind(five)},
      {"rare and rare", value, behind("$X>1000&$Y<-1000")},
      {"rare and rare and a tie", value, behind("$X>1000&$Y<-1000&$Z==$W")},
      {"large and small", value, behind("$X>$Y+500&$Z*$Z<0.0001")},
      {"one of the same three", behind(two), behind(three)},
      {"the same five, nested otherwise", "if_then_else($X>0,if_then_else($Y>0,if_then_else($Z>0,$W,$V),$X),$Y)",
       "if_then_else($Z>0,if_then_else($Y>0,if_then_else($X>0,$W,$X),$V),$Y)"},
      {"exclusive", "if_then_else($X>0,if_then_else($Y>0,$Z,$W),if_then_else($Y>0,$W,$Z))",
       "if_then_else($X>0|$Y>0,$Z,$W)"},
      {"majority", "if_then_else($X>0&$Y>0|$Y>0&$Z>0|$X>0&$Z>0,$W,$V)", "if_then_else($X>0&($Y>0|$Z>0),$W,$V)"},
      {"five maxima", "max($X,0)+max($Y,0)+max($Z,0)+max($W,0)+max($V,0)",
       "max(max($X,0)+max($Y,0)+max($Z,0)+max($W,0)+max($V,0),$X+$Y+$Z+$W+$V+0.0000001)"},
      {"a product of five signs", "$X", "$X+max(0,max($X,0)*max($Y,0)*max($Z,0)*max($W,0)*max($V,0)-0.9999)"},
  });
}

/// Ties at numbers that are no doubles, and conditions that no draw meets: an input is solved for.
TEST(Combinations, SolvedFor) {
  const std::vector<Pair> pairs = {
      {"a decimal", "if_then_else($X>0.3,$Y,$Z)", "if_then_else($X>=0.3,$Y,$Z)"},
      {"a sum", "if_then_else($X+$Y>0.3,1,0)", "if_then_else($X+$Y>=0.3,1,0)"},
      {"with factors", "if_then_else($X*3.7+$Y*0.1>0.3,$X,$Z)", "if_then_else($X*3.7+$Y*0.1>=0.3,$X,$Z)"},
      {"a product", "if_then_else($X*$Y>0.7,$X,$Z)", "if_then_else($X*$Y>=0.7,$X,$Z)"},
      {"a quotient", "if_then_else($X/(1+$Y*$Y)>0.7,$X,$Z)", "if_then_else($X/(1+$Y*$Y)>=0.7,$X,$Z)"},
      {"a function", "if_then_else(exp($X)*$Y>0.3,$X,$Z)", "if_then_else(exp($X)*$Y>=0.3,$X,$Z)"},
      {"behind another", "if_then_else($X>0.1,if_then_else($Y-$X>0.7,$Z,$W),1)",
       "if_then_else($X>0.1,if_then_else($Y-$X>=0.7,$Z,$W),1)"},
      {"beyond a clamp", "if_then_else(max($X,0.1)==0.7,$Y,$X)", "$X"},
      {"one in another", "if_then_else($X==0.7,if_then_else($Y==0.3,1,$X),$X)", "$X"},
      {"two at once", "$X", "if_then_else($X*$Y==$Z&$W==$V*$X,0,$X)"},
      {"many digits", "if_then_else($X==0.123456789,$Y,$X)", "$X"},
      {"one factor of many", "if_then_else($X*$Y*$Z*$W*$V==0,$X*$Y*$Z*$W,1)", "if_then_else($X*$Y*$Z*$W*$V==0,0,1)"},
      {"a third", "if_then_else(6*$X==1,$Y,$X)", "$X"},
  };
  for (const Pair& pair : pairs) {
    const Program before = of_elements(pair.before);
    const Program after = of_elements(pair.after);
    const Judgement judgement = verify(before, after);
    EXPECT_EQ(judgement.verdict, Grade::differs) << pair.what << "\n" << describe(before, after, judgement);
    if (!judgement.counterexample) continue;
    EXPECT_TRUE(judgement.counterexample->given) << pair.what;
    EXPECT_TRUE(certify::replay(before, after, *judgement.counterexample, {}).differs) << pair.what;
  }
}

TEST(Combinations, TiesDeepInside) {
  expect_not_equal({
      {"of products", "if_then_else($X*$Y<$Z*$W,$V,$X)", "if_then_else($X*$Y<=$Z*$W,$V,$X)"},
      {"of sums of squares", "if_then_else($X*$X+$Y*$Y<$Z*$Z,$V,$W)", "if_then_else($X*$X+$Y*$Y<=$Z*$Z,$V,$W)"},
      {"of maxima", "if_then_else(max($X,$Y)<max($Z,$W),$V,$X)", "if_then_else(max($X,$Y)<=max($Z,$W),$V,$X)"},
      {"of functions", "if_then_else(exp($X)*$Y<exp($Z),$V,$W)", "if_then_else(exp($X)*$Y<=exp($Z),$V,$W)"},
      {"that can be solved for only where it does not show", "if_then_else(exp($X)*$Y>0.3,$Z*$X,0)",
       "if_then_else(exp($X)*$Y>=0.3,$Z*$X,0)"},
      {"that has another component", "if_then_else(($X*$X-2)*($Y-1)==0,$Y-1,$Z)",
       "if_then_else(($X*$X-2)*($Y-1)==0,0,$Z)"},
      {"that goes with another tie", "if_then_else($X>0.3,$V,if_then_else(($X-0.3)*($Y*$Y-2)==0,$X-0.3,$Z))",
       "if_then_else($X>0.3,$V,if_then_else(($X-0.3)*($Y*$Y-2)==0,0,$Z))"},
      {"behind another", "if_then_else($X>0.25,if_then_else($Y*$Z<$W,$V,$X),$X)",
       "if_then_else($X>0.25,if_then_else($Y*$Z<=$W,$V,$X),$X)"},
      {"not equal for less", "if_then_else($X*$Y!=$Z,$V,$W)", "if_then_else($X*$Y<$Z|$X*$Y>=$Z,$V,$W)"},
      {"two ties at once", "$X", "if_then_else($X*$Y==$Z&$W==$V*$X,0,$X)"},
      {"a tie of a clamp", "min(max($X*$Y,-1),1)", "if_then_else($X*$Y==1,0,min(max($X*$Y,-1),1))"},
  });
}

TEST(Combinations, TemptingIdentities) {
  expect_not_equal({
      {"maxima of sums", "max($X,$Y)+max($Z,$W)", "max($X+$Z,$Y+$W)"},
      {"swapped arms", "if_then_else($X<$Y,$Z,$W)", "if_then_else($X<$Y,$W,$Z)"},
      {"swapped bounds", "min(max($X,-1),1)", "max(min($X,-1),1)"},
      {"scaled by a negative", "max(-2*$X,-2*$Y)", "-2*max($X,$Y)"},
      {"scaled by an unknown", "$Z*max($X,$Y)", "max($Z*$X,$Z*$Y)"},
      {"product of maxima", "max($X,0)*max($Y,0)", "max($X*$Y,0)"},
      {"square of a choice", "if_then_else($X>0,$Y,$Z)*if_then_else($X>0,$Y,$Z)", "if_then_else($X>0,$Y*$Z,$Z*$Y)"},
      {"abs of a sum", "abs($X+$Y)", "abs($X)+abs($Y)"},
      {"floor of a sum", "floor($X+$Y)", "floor($X)+floor($Y)"},
      {"round and floor", "round($X)", "floor($X+0.5)"},
      {"zero times a pole", "max($X,$Y)", "max($X,$Y)+0/max($Z,0)"},
      {"zero times a log", "max($X,$Y)", "max($X,$Y)+0*log($Z)"},
      {"a root that a maximum swallows", "max(sqrt($Y-$Z),1)", "max(sqrt($Y-$Z),1)+0*sqrt($Y-$Z)"},
      {"a root that a comparison swallows", "if_then_else(sqrt($Y-$Z)>1,$X,$Z)",
       "if_then_else(sqrt($Y-$Z)>1,$X,$Z)+0*sqrt($Y-$Z)"},
      {"a log outside its guard", "if_then_else($Y>0,log($Y),0)", "if_then_else($Y>0,log($Y),0)+0*log($Y)"},
      {"NaN wins", "max($X,$Y)", "max($X,$Y+0*log($Y))"},
      {"less or equal to NaN", "if_then_else(sqrt($X-$Z)>=$Y,$Z,$W)", "if_then_else(sqrt($X-$Z)<$Y,$W,$Z)"},
  });
}

TEST(Combinations, OneOfMany) {
  const std::string signature = "@input A f32[4,16384]\n@output C f32[4]\n";
  const auto program = [&](const std::string& body) { return shorthand_program(signature + body, {{"T", "f32"}}); };
  const std::string store = "B(tx,4)[C[tx]=E[tx];];";
  const Program before = program("B(tx,4)L(a,16384)[E[tx]=max(E[tx],A[tx,a]);];" + store);
  const std::vector<std::pair<std::string, std::string>> holes = {
      {"without one", "L(a,16384)[E[tx]=max(E[tx],if_then_else(a==9973,-inf,A[tx,a]));];"},
      {"without one of one row", "L(a,16384)[E[tx]=max(E[tx],if_then_else(a*7+tx==9977,-inf,A[tx,a]));];"},
      {"one twice", "L(a,16384)[E[tx]=max(E[tx],A[tx,a-a//16383]);];"},
      {"hashed", "L(a,16384)[E[tx]=max(E[tx],if_then_else((a*37+tx*101)%9973==478,-inf,A[tx,a]));];"},
      {"one a little more", "L(a,16384)[E[tx]=max(E[tx],A[tx,a]+if_then_else(a==5000,0.0000001,0));];"},
  };
  for (const auto& [what, loops] : holes) {
    expect_not_equal(what, before, program("B(tx,4)" + loops + store));
  }
}

}  // namespace
}  // namespace steptp::testing
