// Recurrences that are folds are proved to be what they are, and what only looks like one is not.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/verify/verify.h"
#include "testing/judge_support.h"
#include "testing/shorthand.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kRows = "@input A f32[64,300]\n@input C f32[300,8]\n@output D f32[64]\n";
constexpr std::string_view kMatrices = "@input A f32[64,300]\n@input C f32[300,8]\n@output D f32[64,8]\n";
constexpr std::string_view kTriangle = "@input A f32[64,300]\n@output D f32[64,300]\n";

/// Reals named by one letter, with $1 for something in the middle that differs.
Program program(std::string_view signature, std::string_view text, std::string_view middle) {
  std::string whole = concat(signature, text);
  if (const std::size_t place = whole.find("$1"); place != std::string::npos) whole.replace(place, 2, middle);
  return shorthand_program(whole, {{"T", "f32"}});
}

struct Case {
  std::string_view signature;
  std::string_view before;
  std::string_view after;               ///< with $1
  std::string_view right;               ///< for $1
  std::vector<std::string_view> wrong;  ///< for $1: programs that differ
};

constexpr std::string_view kMax = "B(tx,64)L(a,300)[E[tx]=max(E[tx],A[tx,a]);];";
constexpr std::string_view kPrefixMax = "B(tx,64)L(a,300)[X[tx,a]=max(if_then_else(a-1<0,-inf,X[tx,a-1]),A[tx,a]);];";

TEST(VerifyRecurrences, ProvedAsFolds) {
  const std::string maximum = concat(kMax, "B(tx,64)[D[tx]=E[tx];];");
  const std::string sums = concat(kMax, "B(tx,64)L(a,300)[D[tx]=D[tx]+exp(A[tx,a]-E[tx]);];");
  const std::string prefix_sums =
      concat(kPrefixMax,
             "B(tx,64)L(a,300)[N[tx,a]=if_then_else(a-1<0,0,N[tx,a-1]*$1)+exp(A[tx,a]-X[tx,a]);];"
             "B(tx,64)[D[tx]=N[tx,299];];");
  const std::string guarded_sums =
      concat(kPrefixMax,
             "B(tx,64)L(a,300)[N[tx,a]=if_then_else(a-1<0,0,N[tx,a-1]*if_then_else(X[tx,a]==-inf,0,"
             "exp(X[tx,a-1]-X[tx,a])))+if_then_else(X[tx,a]==-inf,0,$1);];B(tx,64)[D[tx]=N[tx,299];];");
  const std::string attention =
      concat(kMax,
             "B(tx,64)L(a,300)[F[tx]=F[tx]+exp(A[tx,a]-E[tx]);];B(tx,64)L(a,300)[G[tx,a]=exp(A[tx,a]-E[tx])/F[tx];];"
             "B(tx,64)L(c,8)L(a,300)[D[tx,c]=D[tx,c]+G[tx,a]*C[a,c];];");
  const std::string online =
      concat(kPrefixMax,
             "B(tx,64)L(a,300)[N[tx,a]=if_then_else(a-1<0,0,N[tx,a-1]*exp(X[tx,a-1]-X[tx,a]))+exp(A[tx,a]-X[tx,a]);];"
             "B(tx,64)L(c,8)L(a,300)[O[tx,c,a]=if_then_else(a-1<0,0,O[tx,c,a-1]*exp(X[tx,a-1]-X[tx,a])*$1)"
             "+exp(A[tx,a]-X[tx,a])/N[tx,a]*C[a,c];];B(tx,64)L(c,8)[D[tx,c]=O[tx,c,299];];");
  const std::string deferred =
      concat(kPrefixMax,
             "B(tx,64)L(a,300)[N[tx,a]=if_then_else(a-1<0,0,N[tx,a-1]*exp(X[tx,a-1]-X[tx,a]))+exp(A[tx,a]-X[tx,a]);];"
             "B(tx,64)L(c,8)L(a,300)[O[tx,c,a]=if_then_else(a-1<0,0,O[tx,c,a-1]*exp(X[tx,a-1]-X[tx,a]))"
             "+exp(A[tx,a]-X[tx,a])*C[a,c];];B(tx,64)L(c,8)[D[tx,c]=O[tx,c,$1]/N[tx,299];];");
  const std::vector<Case> cases = {
      {kRows,
       maximum,
       "B(tx,64)L(a,300)[X[tx,a]=max(if_then_else(a-1<0,$1,X[tx,a-1]),A[tx,a]);];"
       "B(tx,64)[D[tx]=X[tx,299];];",
       "-inf",
       {"0", "A[tx,0]*2", "A[0,0]"}},
      {kRows,
       maximum,
       "B(tx,64)L(a,300)[X[tx,a]=max(if_then_else(a-1<0,-inf,X[tx,a-1]),A[tx,a]);];"
       "B(tx,64)[D[tx]=X[tx,$1];];",
       "299",
       {"298", "0"}},
      // The first one is written before, and the loop begins with the second.
      {kRows,
       maximum,
       "B(tx,64)[X[tx,0]=$1;L(a,299)[X[tx,a+1]=max(X[tx,a],A[tx,a+1]);];];B(tx,64)[D[tx]=X[tx,299];];",
       "A[tx,0]",
       {"A[tx,1]", "0"}},
      // In blocks.
      {kRows,
       maximum,
       "B(tx,64)L(f,30)[L(a,10)[F[tx,f]=max(F[tx,f],A[tx,f*10+a]);];"
       "X[tx,f]=max(if_then_else(f-1<0,-inf,X[tx,f-1]),F[tx,$1]);];B(tx,64)[D[tx]=X[tx,29];];",
       "f",
       {"0"}},
      {kRows,
       sums,
       prefix_sums,
       "exp(X[tx,a-1]-X[tx,a])",
       {"1", "exp(X[tx,a]-X[tx,a-1])", "exp(X[tx,a-1]-A[tx,a])", "exp(2*(X[tx,a-1]-X[tx,a]))"}},
      {kRows, sums, guarded_sums, "exp(A[tx,a]-X[tx,a])", {"exp(A[tx,0]-X[tx,a])", "2*exp(A[tx,a]-X[tx,a])"}},
      {kMatrices, attention, online, "N[tx,a-1]/N[tx,a]", {"1", "N[tx,a]/N[tx,a-1]", "N[tx,a-1]"}},
      {kMatrices, attention, deferred, "299", {"298"}},
      // Running sums.
      {kTriangle,
       "B(tx,64)L(a,300)L(c,300)[D[tx,a]=D[tx,a]+if_then_else(c<=a,A[tx,c],0);];",
       "B(tx,64)L(a,300)[D[tx,a]=if_then_else(a<1,0,D[tx,a-1])+A[tx,$1];];",
       "a",
       {"0", "299-a"}},
      // Weighted by a factor that telescopes without exponentials.
      {kTriangle,
       "B(tx,64)L(a,300)L(c,300)[E[tx,a]=E[tx,a]+if_then_else(c<=a,A[tx,c]*(c+1),0);];"
       "B(tx,64)L(a,300)[D[tx,a]=E[tx,a]/(a+1);];",
       "B(tx,64)L(a,300)[D[tx,a]=if_then_else(a<1,0,D[tx,a-1]*$1/(a+1))+A[tx,a];];",
       "a",
       {"(a-1)", "(a+1)"}},
  };
  for (const Case& one : cases) {
    const Program before = program(one.signature, one.before, "");
    const Program after = program(one.signature, one.after, one.right);
    for (const auto& [first, second] : {std::pair(&before, &after), std::pair(&after, &before)}) {
      const Judgement judgement = verify(*first, *second, without_safety());
      EXPECT_EQ(judgement.verdict, Grade::proved) << one.after << "\n" << one.right << "\n" << judgement.reason;
    }
    for (const std::string_view wrong : one.wrong) {
      EXPECT_EQ(verify(before, program(one.signature, one.after, wrong)).verdict, Grade::differs) << one.after << "\n"
                                                                                                  << wrong;
    }
  }
}

/// A causal mask: the rows of the maximum are never empty, and exp(-inf) is nothing.
TEST(VerifyRecurrences, MaskedByPlaces) {
  constexpr std::string_view kSquare = "@input A f32[300,300]\n@input C f32[300,8]\n@output D f32[300,8]\n";
  constexpr std::string_view kMask = "B(tx,300)L(a,300)[M[tx,a]=if_then_else(a<=tx,A[tx,a],-inf);];";
  const std::string vanilla =
      concat(kMask,
             "B(tx,300)L(a,300)[E[tx]=max(E[tx],M[tx,a]);];B(tx,300)L(a,300)[F[tx]=F[tx]+exp(M[tx,a]-E[tx]);];"
             "B(tx,300)L(c,8)L(a,300)[D[tx,c]=D[tx,c]+exp(M[tx,a]-E[tx])/F[tx]*C[a,c];];");
  const std::string online =
      concat(kMask,
             "B(tx,300)L(a,300)[X[tx,a]=max(if_then_else(a-1<0,-inf,X[tx,a-1]),M[tx,a]);];"
             "B(tx,300)L(a,300)[N[tx,a]=if_then_else(a-1<0,0,N[tx,a-1]*exp(X[tx,a-1]-X[tx,a]))+exp(M[tx,a]-X[tx,a]);];"
             "B(tx,300)L(c,8)L(a,300)[O[tx,c,a]=if_then_else(a-1<0,0,O[tx,c,a-1]*exp(X[tx,a-1]-X[tx,a]))"
             "+exp($1[tx,a]-X[tx,a])*C[a,c];];B(tx,300)L(c,8)[D[tx,c]=O[tx,c,299]/N[tx,299];];");
  const Program before = program(kSquare, vanilla, "");
  const Judgement judgement = verify(before, program(kSquare, online, "M"));
  EXPECT_EQ(judgement.verdict, Grade::proved) << judgement.reason;
  EXPECT_EQ(verify(before, program(kSquare, online, "A")).verdict, Grade::differs);
}

/// Rows that begin with -inf: exp(-inf+inf) is NaN in the one and not in the other.
TEST(VerifyRecurrences, EmptyBeginningsAreNotProved) {
  constexpr std::string_view kSquare = "@input A f32[30,30]\n@output D f32[30]\n";
  constexpr std::string_view kMask = "B(tx,30)L(a,30)[M[tx,a]=if_then_else(a>=tx,A[tx,a],-inf);];";
  const std::string vanilla =
      concat(kMask, "B(tx,30)L(a,30)[E[tx]=max(E[tx],M[tx,a]);];B(tx,30)L(a,30)[D[tx]=D[tx]+exp(M[tx,a]-E[tx]);];");
  const std::string online =
      concat(kMask,
             "B(tx,30)L(a,30)[X[tx,a]=max(if_then_else(a-1<0,-inf,X[tx,a-1]),M[tx,a]);];"
             "B(tx,30)L(a,30)[N[tx,a]=if_then_else(a-1<0,0,N[tx,a-1]*exp(X[tx,a-1]-X[tx,a]))+exp(M[tx,a]-X[tx,a]);];"
             "B(tx,30)[D[tx]=N[tx,29];];");
  EXPECT_EQ(verify(program(kSquare, vanilla, ""), program(kSquare, online, "")).verdict, Grade::differs);
  // A NaN that comes first stays where nothing else comes; from -inf it does not begin.
  constexpr std::string_view kRow = "@input A f32[64,300]\n@output D f32[64]\n";
  EXPECT_NE(verify(program(kRow, "B(tx,64)L(a,300)[D[tx]=max(D[tx],log(A[tx,a]));];", ""),
                   program(kRow,
                           "B(tx,64)L(a,300)[X[tx,a]=if_then_else(a<1,log(A[tx,0]),"
                           "max(X[tx,a-1],log(A[tx,a])));];B(tx,64)[D[tx]=X[tx,299];];",
                           ""))
                .verdict,
            Grade::proved);
}

/// A recurrence that overwrites its elements, with a copy of the old value: what it is in the round of the reader.
TEST(VerifyRecurrences, Rolled) {
  const std::string sums =
      concat(kMax, "B(tx,64)L(a,300)[F[tx]=F[tx]+exp(A[tx,a]-E[tx]);];B(tx,64)[D[tx]=F[tx]+E[tx];];");
  const std::string kept =
      "B(tx,64)L(a,300)[X[tx,a]=max(if_then_else(a-1<0,-inf,X[tx,a-1]),A[tx,a]);"
      "N[tx,a]=if_then_else(a-1<0,0,N[tx,a-1]*exp(X[tx,a-1]-X[tx,a]))+exp(A[tx,a]-X[tx,a]);];"
      "B(tx,64)[D[tx]=N[tx,299]+X[tx,299];];";
  const auto rolled = [](std::string_view start, std::string_view round) {
    return concat("B(tx,64)[", start, "];B(tx,64)L(a,300)[", round, "];B(tx,64)[D[tx]=N[tx]+X[tx];];");
  };
  constexpr std::string_view kStart = "X[tx]=-inf;N[tx]=0;";
  constexpr std::string_view kRound =
      "G[tx]=X[tx];X[tx]=max(G[tx],A[tx,a]);N[tx]=N[tx]*exp(G[tx]-X[tx])+exp(A[tx,a]-X[tx]);";
  for (const std::string& before : {sums, kept}) {
    const Program right = program(kRows, before, "");
    const Judgement judgement = verify(right, program(kRows, rolled(kStart, kRound), ""), without_safety());
    EXPECT_EQ(judgement.verdict, Grade::proved) << judgement.reason;
    const std::string wrong[] = {
        rolled("X[tx]=0;N[tx]=0;", kRound),
        rolled("X[tx]=-inf;N[tx]=1;", "G[tx]=X[tx];X[tx]=max(G[tx],A[tx,a]);N[tx]=N[tx]+exp(A[tx,a]-X[tx]);"),
        // The copy comes too late, so the old value is the new one.
        rolled(kStart, "X[tx]=max(X[tx],A[tx,a]);G[tx]=X[tx];N[tx]=N[tx]*exp(G[tx]-X[tx])+exp(A[tx,a]-X[tx]);"),
        // The sum before the maximum: scaled by the round before.
        rolled("X[tx]=-inf;N[tx]=0;G[tx]=0;",
               "N[tx]=N[tx]*exp(G[tx]-X[tx])+exp(A[tx,a]-G[tx]);G[tx]=X[tx];X[tx]=max(G[tx],A[tx,a]);"),
        rolled(kStart, "G[tx]=X[tx];X[tx]=max(G[tx],A[tx,a]);N[tx]=N[tx]*exp(X[tx]-G[tx])+exp(A[tx,a]-X[tx]);"),
        rolled(kStart, "G[tx]=X[tx];X[tx]=max(G[tx],A[tx,a]);N[tx]=N[tx]*exp(G[tx]-X[tx])+exp(A[tx,a]-G[tx]);"),
    };
    for (const std::string& after : wrong) {
      const Grade grade = verify(right, program(kRows, after, "")).verdict;
      EXPECT_TRUE(grade == Grade::differs || grade == Grade::undecided) << after;
    }
  }
}

/// A divisor whose value is given is no zero.
TEST(VerifyRecurrences, GivenValues) {
  constexpr std::string_view kBefore = "B(tx,64)L(a,300)[D[tx]=D[tx]+A[tx,a];];";
  constexpr std::string_view kAfter =
      "B(tx,64)L(a,300)[X[tx,a]=if_then_else(a-1<0,0,X[tx,a-1])+A[tx,a]/C[0];];B(tx,64)[D[tx]=X[tx,299]*C[0];];";
  const auto grade = [&](std::string_view values) {
    const std::string signature = concat("@input A f32[64,300]\n@constant C f32[1]", values, "\n@output D f32[64]\n");
    return verify(program(signature, kBefore, ""), program(signature, kAfter, "")).verdict;
  };
  EXPECT_EQ(grade(" values [4.5]"), Grade::proved);
  EXPECT_EQ(grade(" values [-4.5]"), Grade::proved);
  EXPECT_NE(grade(" values [0]"), Grade::proved);
  EXPECT_NE(grade(""), Grade::proved);
}

/// A sum of what may be NaN, round by round; nothing in it is scaled.
TEST(VerifyRecurrences, SumsOfAnything) {
  constexpr std::string_view kBefore = "B(tx,64)L(a,300)[D[tx]=D[tx]+log(A[tx,a]);];";
  constexpr std::string_view kAfter =
      "B(tx,64)L(a,300)[X[tx,a]=if_then_else(a-1<0,0,X[tx,a-1]$1)+log(A[tx,a]);];B(tx,64)[D[tx]=X[tx,299];];";
  const Program before = program(kRows, kBefore, "");
  EXPECT_EQ(verify(before, program(kRows, kAfter, "")).verdict, Grade::proved);
  EXPECT_NE(verify(before, program(kRows, kAfter, "*2")).verdict, Grade::proved);
  EXPECT_NE(verify(before, program(kRows, kAfter, "+1")).verdict, Grade::proved);
  EXPECT_NE(verify(before, program(kRows, kAfter, "*X[tx,a-1]")).verdict, Grade::proved);
}

/// A maximum that begins with -inf drops NaN, in one loop or round by round.
TEST(VerifyRecurrences, MaximaOfAnything) {
  constexpr std::string_view kBefore = "B(tx,64)L(a,300)[D[tx]=max(D[tx],log(A[tx,a]));];";
  constexpr std::string_view kAfter =
      "B(tx,64)L(a,300)[X[tx,a]=max(if_then_else(a-1<0,$1,X[tx,a-1]),log(A[tx,a]));];B(tx,64)[D[tx]=X[tx,299];];";
  const Program before = program(kRows, kBefore, "");
  EXPECT_EQ(verify(before, program(kRows, kAfter, "-inf")).verdict, Grade::proved);
  EXPECT_NE(verify(before, program(kRows, kAfter, "0")).verdict, Grade::proved);
  EXPECT_NE(verify(before, program(kRows, kAfter, "log(A[tx,0])")).verdict, Grade::proved);
}

}  // namespace
}  // namespace steptp::testing
