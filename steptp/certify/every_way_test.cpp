// Pairs that are equal whichever way their comparisons go, and pairs that look as if they were.
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/random.h"
#include "steptp/certify/certify.h"
#include "steptp/safety/check.h"
#include "testing/equal_pairs.h"
#include "testing/judge_support.h"
#include "testing/shorthand.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

using certify::CertifiedAnswer;
using Verdict = CertifiedAnswer::Verdict;

constexpr std::string_view kSignature =
    "@input X $T[4]\n@input Y $T[4]\n@input Z $T[4]\n@input W $T[4]\n@input Q $T[4,32]\n@output C $T[4]\n";

/// Elements are $X, $Y, $Z, $W; a text without brackets is the right side of C.
Program program_of(std::string_view text) {
  const ShorthandValues values = {{"T", "f64"}, {"X", "X[tx]"}, {"Y", "Y[tx]"}, {"Z", "Z[tx]"}, {"W", "W[tx]"}};
  const bool is_whole = text.find('[') != std::string_view::npos;
  const std::string body = is_whole ? std::string(text) : "B(tx,4)[C[tx]=" + std::string(text) + ";];";
  return shorthand_program(std::string(kSignature) + body, values);
}

CertifiedAnswer judge(std::string_view before, std::string_view after) {
  return certify::certify(program_of(before), program_of(after));
}

std::string text_of(const CertifiedAnswer& answer) {
  return answer.reason + "; every way: " + (answer.in_every_way ? "yes" : answer.not_in_every_way);
}

struct Case {
  std::string_view before;
  std::string_view after;
};

TEST(EveryWay, Shown) {
  const std::vector<Case> cases = {
      {"max($X,$Y)", "max($Y,$X)"},
      {"max($X,$Y)", "if_then_else($X<$Y,$Y,$X)"},
      {"max($X,$Y)", "if_then_else($X<=$Y,$Y,$X)"},
      {"max($X,$Y)", "if_then_else($Y>$X,$Y,$X)"},
      {"max($X,$Y)", "-min(-$X,-$Y)"},
      {"max($X,$Y)+min($X,$Y)", "$X+$Y"},
      {"max($X,max($Y,$Z))", "max(max($Z,$X),max($Y,$X))"},
      {"max($X+$Z,$Y+$Z)", "max($X,$Y)+$Z"},
      {"max(2*$X,2*$Y)", "2*max($X,$Y)"},
      {"max($X,0)", "($X+abs($X))/2"},
      {"abs($X)", "if_then_else($X<0,-$X,$X)"},
      {"abs($X)", "max($X,-$X)"},
      {"abs($X-$Y)", "max($X,$Y)-min($X,$Y)"},
      {"if_then_else($X>0,$X,0.01*$X)", "max($X,0.01*$X)"},
      {"if_then_else($X>0,$X,0.01*$X)", "max($X,0)+0.01*min($X,0)"},
      {"min(max($X,-2),2)", "max(min($X,2),-2)"},
      {"min(max($X,0),6)/6", "max(0,min(6,$X))*(1/6)"},
      {"min(max($X,-1),1)", "if_then_else($X>1,1,if_then_else($X<-1,-1,$X))"},
      {"min(max($X,0),6)", "if_then_else($X<0,0,if_then_else($X<6,$X,6))"},
      {"min(max($X,0),6)", "if_then_else($X>=6,6,max($X,0))"},
      {"max($X*exp($Y),0)", "exp($Y)*max($X,0)"},
      {"if_then_else($X/(1+$Y*$Y)>0,$Z,$W)", "if_then_else($X>0,$Z,$W)"},
      {"if_then_else($X<$Y,$Z,$W)", "if_then_else($X>=$Y,$W,$Z)"},
      {"if_then_else($X<$Y,$Z,$W)*$Y", "if_then_else($X<$Y,$Z*$Y,$W*$Y)"},
      {"if_then_else($X<$Y&$Z<0,$Z,$W)", "if_then_else($X<$Y,if_then_else($Z<0,$Z,$W),$W)"},
      {"if_then_else($X<$Y|$Z<0,$Z,$W)", "if_then_else($X>=$Y&$Z>=0,$W,$Z)"},
      {"if_then_else($X==$Y,$X,$Y)", "$Y"},
      {"if_then_else(2*$X<2*$Y,$Z,$W)", "if_then_else($X<$Y,$Z,$W)"},
      {"if_then_else($X>0,exp($X),if_then_else($X>0,$Y,$Z))", "if_then_else($X>0,exp($X),$Z)"},
      {"exp($X-max($X,$Y))*exp(max($X,$Y)-max($Y,$Z))", "exp($X)*exp(-max($Y,$Z))"},
      {"max(exp($X),0)", "exp($X)"},
      {"max($X*$X+1,0)", "1+$X**2"},
      {"if_then_else($X>0,tanh($X),$Y)", "if_then_else($X>0,1-2/(exp(2*$X)+1),$Y)"},
      {"max($X/sqrt($Y*$Y+1e-05),0)", "max(0,$X*rsqrt($Y**2+1e-05))"},
      {"if_then_else($X>0,log($X),0)", "if_then_else($X<=0,0,log($X))"},
      {"floor($X+$Y)", "-ceil(-$Y-$X)"},
      {"B(tx,4)L(a,32)[E[tx]=max(E[tx],Q[tx,a]);];B(tx,4)[C[tx]=E[tx];];",
       "B(tx,4)[E[tx]=Q[tx,31];];B(tx,4)L(a,31)[E[tx]=max(Q[tx,30-a],E[tx]);];B(tx,4)[C[tx]=E[tx];];"},
      {"B(tx,4)L(a,32)[E[tx]=max(E[tx],if_then_else(a<=tx*8,Q[tx,a],-inf));];"
       "B(tx,4)L(a,32)[F[tx]=F[tx]+exp(if_then_else(a<=tx*8,Q[tx,a],-inf)-E[tx]);];B(tx,4)[C[tx]=1/F[tx];];",
       "B(tx,4)L(a,32)[E[tx]=max(E[tx],if_then_else(a>tx*8,-inf,Q[tx,a]));];"
       "B(tx,4)L(a,32)[F[tx]=F[tx]+if_then_else(a>tx*8,0,exp(Q[tx,a]-E[tx]));];B(tx,4)[C[tx]=1/F[tx];];"},
      {"B(tx,4)L(a,32)[F[tx]=F[tx]+exp(Q[tx,a]);];B(tx,4)[C[tx]=exp(Q[tx,3])/F[tx];];",
       "B(tx,4)L(a,32)[E[tx]=max(E[tx],Q[tx,a]);];B(tx,4)L(a,32)[F[tx]=F[tx]+exp(Q[tx,a]-E[tx]);];"
       "B(tx,4)[C[tx]=exp(Q[tx,3]-E[tx])/F[tx];];"},
      {"B(tx,4)[G:bool[tx]=X[tx]<Y[tx];C[tx]=if_then_else(G:bool[tx],Z[tx],W[tx]);];",
       "B(tx,4)[C[tx]=if_then_else(Y[tx]>X[tx],Z[tx],W[tx]);];"},
      // Integers that are chosen by reals.
      {"B(tx,4)[E[tx]=-inf;F:i64[tx]=0;];B(tx,4)L(a,32)[E[tx]=max(E[tx],Q[tx,a]);];"
       "B(tx,4)L(a,32)[F:i64[tx]=if_then_else(Q[tx,a]>=E[tx],a,F:i64[tx]);];B(tx,4)[C[tx]=F:i64[tx]*X[tx];];",
       "B(tx,4)[E[tx]=-inf;F:i64[tx]=0;];B(tx,4)L(a,32)[E[tx]=max(E[tx],Q[tx,31-a]);];"
       "B(tx,4)L(d,4)L(a,8)[F:i64[tx]=if_then_else(Q[tx,d*8+a]<E[tx],F:i64[tx],a+8*d);];"
       "B(tx,4)[C[tx]=X[tx]*F:i64[tx];];"},
      {"if_then_else($X>$Y,1,0)*$Z", "if_then_else($X<=$Y,0*$Z,$Z)"},
  };
  for (const Case& one : cases) {
    const CertifiedAnswer answer = judge(one.before, one.after);
    EXPECT_EQ(answer.verdict, Verdict::equal) << one.before << "\n" << one.after << "\n" << text_of(answer);
    EXPECT_TRUE(answer.in_every_way) << one.before << "\n" << one.after << "\n" << text_of(answer);
  }
}

TEST(EveryWay, NeverEqual) {
  const std::vector<Case> cases = {
      {"max($X,$Y)+max($Z,$W)", "max($X+$Z,$Y+$W)"},
      {"if_then_else($X<$Y,$Z,$W)", "if_then_else($X<$Y,$W,$Z)"},
      {"if_then_else($X<$Y,$Z,$W)", "if_then_else($X<=$Y,$Z,$W)"},
      {"if_then_else($X<$Y,$Z,$W)", "if_then_else($X<2*$Y,$Z,$W)"},
      {"if_then_else($X<$Y,$Z,$W)", "if_then_else(-$X<-$Y,$Z,$W)"},
      {"if_then_else($X>0,$X,0.01*$X)", "min($X,0.01*$X)"},
      {"if_then_else($X>0,$X,2*$X)", "max($X,2*$X)"},
      {"min(max($X,-2),2)", "max(min($X,-2),2)"},
      {"min(max($X,-2),2)", "max(min($X,2),-3)"},
      {"max($X,0)", "max($X,0.0000001)"},
      {"max(1,$Y)", "max($X/$X,$Y)"},
      {"$X", "$X+0*log($Y)"},
      {"$X", "if_then_else($Y>0,$X,$X+0*log($Y))"},
      {"if_then_else($Y>0,log($Y),0)", "if_then_else($Y>0,log($Y),0)+0*log($Y)"},
      {"if_then_else($Y>0,sqrt($Y),0)", "max(sqrt($Y),1)"},
      {"sqrt($X*$X)", "$X"},
      {"1/(1+exp($X))", "1/(1+exp($X)+0*(1/max($Y,0)))"},
      {"$X", "if_then_else($Y<$Y,$Z,if_then_else($Y<=$Y,2*$X,$X))"},
      {"if_then_else($X<$Y&$Z<$W,$X,$Y)", "if_then_else($X<$Y&$Z<=$W,$X,$Y)"},
      {"if_then_else($Y>0,$Y*$Y,0)", "max($Y*$Y,0)"},
      {"if_then_else($Y>0,$X*$Y,0)", "max($X*$Y,0)"},
      {"if_then_else($Y>0,$Y*sqrt($Y-$Z),0)", "$Y*max($Y,0)"},
      {"min(max($X,-1),1)", "if_then_else($X>1,1,if_then_else($X<-1,1,$X))"},
      {"min(max($X,-1),1)", "if_then_else($X>-1,1,if_then_else($X<-1,-1,$X))"},
      {"min(max($X,0),6)", "if_then_else($X>5,6,max($X,0))"},
      {"max($X*($Y+1),0)", "($Y+1)*max($X,0)"},
      {"floor($X)", "ceil($X)"},
      {"floor($X+$Y)", "floor($X)+floor($Y)"},
      {"exp(max($X,$Y))", "max(exp($X),exp($Y))+0*(1/max($Z,0))"},
      {"B(tx,4)L(a,32)[E[tx]=max(E[tx],Q[tx,a]);];B(tx,4)[C[tx]=E[tx];];",
       "B(tx,4)L(a,32)[E[tx]=max(E[tx],if_then_else(a==17,-inf,Q[tx,a]));];B(tx,4)[C[tx]=E[tx];];"},
      // The last of several that are the greatest, and the first one; one that is chosen, and one that is wrapped.
      {"B(tx,4)[E[tx]=-inf;F:i64[tx]=0;];B(tx,4)L(a,32)[E[tx]=max(E[tx],Q[tx,a]);];"
       "B(tx,4)L(a,32)[F:i64[tx]=if_then_else(Q[tx,a]>=E[tx],a,F:i64[tx]);];B(tx,4)[C[tx]=F:i64[tx]*X[tx];];",
       "B(tx,4)[E[tx]=-inf;F:i64[tx]=0;];B(tx,4)L(a,32)[E[tx]=max(E[tx],Q[tx,a]);];"
       "B(tx,4)L(a,32)[F:i64[tx]=if_then_else(Q[tx,31-a]>=E[tx],31-a,F:i64[tx]);];B(tx,4)[C[tx]=F:i64[tx]*X[tx];];"},
      {"B(tx,4)[F:i8[tx]=if_then_else(X[tx]>Y[tx],200,3);];B(tx,4)[C[tx]=F:i8[tx]*Z[tx];];",
       "B(tx,4)[C[tx]=if_then_else(X[tx]>Y[tx],200,3)*Z[tx];];"},
      {"B(tx,4)[F:i64[tx]=if_then_else(X[tx]>Y[tx],2,3);];B(tx,4)[C[tx]=F:i64[tx]//2*Z[tx];];",
       "B(tx,4)[C[tx]=if_then_else(X[tx]>Y[tx],1,1.5)*Z[tx];];"},
  };
  for (const Case& one : cases) {
    const CertifiedAnswer answer = judge(one.before, one.after);
    EXPECT_NE(answer.verdict, Verdict::equal) << one.before << "\n" << one.after << "\n" << text_of(answer);
    EXPECT_FALSE(answer.in_every_way) << one.before << "\n" << one.after;
    if (answer.verdict == Verdict::undecided) std::cout << one.after << ": " << answer.reason << "\n";
  }
}

/// Pairs that are equal by construction, by evaluation alone: how many are shown in every way at once.
TEST(EveryWay, ShareOfEqualPairs) {
  const Random random(91);
  for (const bool is_written : {true, false}) {
    Tally tally;
    for (std::uint64_t i = 0; i < soaked(is_written ? 150 : 100); ++i) {
      Random draw = random.fork(2 * i + (is_written ? 1 : 0));
      const EqualPair pair = make_equal_pair(draw, {.one_generated_in = is_written ? 0U : 1U});
      if (check_program(pair.before).verdict != CheckReport::Verdict::ok) continue;
      const CertifiedAnswer answer = certify::certify(pair.before, pair.after);
      EXPECT_NE(answer.verdict, Verdict::differs) << describe(pair.before, pair.after, {}) << text_of(answer);
      const bool compares = answer.in_every_way || !answer.not_in_every_way.empty();
      tally.add(answer.verdict != Verdict::equal ? "undecided"
                : answer.in_every_way            ? "in every way"
                : compares                       ? "in every combination"
                                                 : "without comparisons");
    }
    std::cout << (is_written ? "written: " : "generated: ") << tally.text() << "\n";
    if (!is_written) continue;
    const std::uint64_t others = tally.of("in every combination") + tally.of("undecided");
    EXPECT_LE(100 * others, tally.total());
  }
}

}  // namespace
}  // namespace steptp::testing
