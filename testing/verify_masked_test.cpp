// Behind a softmax whose mask is data, values are numbers or NaN (a row that is masked whole), and never infinite.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/certify/value_facts.h"
#include "testing/judge_support.h"
#include "testing/shorthand.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kSignature =
    "@input A f32[12,48]\n@constant M bool[12,48]\n@input C f32[48,4]\n@param W f32[4,8]\n@output D f32[";

constexpr std::string_view kMasked = "B(tx,12)L(a,48)[Y[tx,a]=if_then_else(M:bool[tx,a],-inf,A[tx,a]);];";
constexpr std::string_view kMaximum = "B(tx,12)L(a,48)[E[tx]=max(E[tx],Y[tx,a]);];";
constexpr std::string_view kSum = "B(tx,12)L(a,48)[F[tx]=F[tx]+exp(Y[tx,a]-E[tx]);];";
constexpr std::string_view kProducts =
    "B(tx,12)L(a,48)[Z[tx,a]=exp(Y[tx,a]-E[tx])/F[tx];];B(tx,12)L(c,4)L(a,48)[X[tx,c]=X[tx,c]+Z[tx,a]*C[a,c];];"
    "B(tx,12)L(d,8)L(c,4)[G[tx,d]=G[tx,d]+X[tx,c]*W[c,d];];";

Program program_of(std::string_view shape, std::string_view start, std::string_view rest) {
  return shorthand_program(concat(kSignature, shape, "]\n", start, rest), {{"T", "f32"}});
}

/// By evaluation in windows: a proof would decide these.
Judgement judge(std::string_view shape, std::string_view start, std::string_view before, std::string_view after) {
  VerifyOptions options;
  options.proof_work = 0;
  return verify(program_of(shape, start, before), program_of(shape, start, after), options);
}

bool is_called_equal(const Judgement& judgement) {
  return judgement.verdict == Grade::proved || judgement.verdict == Grade::exact || judgement.verdict == Grade::numeric;
}

const std::string kAttention = concat(kMasked, kMaximum, kSum, kProducts);
constexpr std::string_view kTanh = "B(tx,12)L(d,8)[H[tx,d]=1-2/(exp(2*G[tx,d])+1);];";
constexpr std::string_view kTanhAgain =
    "B(tx,12)L(d,8)[H[tx,d]=(exp(G[tx,d])-exp(-G[tx,d]))/(exp(G[tx,d])+exp(-G[tx,d]));];";
constexpr std::string_view kCopy = "B(tx,12)L(d,8)[D[tx,d]=H[tx,d];];";
constexpr std::string_view kGreatest = "L(d,8)B(tx,12)[D[d]=max(D[d],H[tx,d]);];";

/// The parts of an online softmax, with $1 to $6 for what the tests get wrong.
constexpr std::string_view kOnline =
    "B(tx,12)L(a,48)[O[tx,a]=max(if_then_else(a-1<0,-inf,O[tx,a-1]),Y[tx,a]);"
    "N[tx,a]=if_then_else($1==-inf,0,if_then_else(a-1<0,0,N[tx,a-1]*exp($2))+exp(Y[tx,$3]-O[tx,a]));"
    "L(c,4)[Q[tx,c,a]=if_then_else(O[tx,a]==-inf,$4,if_then_else(a-1<0,0,Q[tx,c,a-1]*exp(O[tx,a-1]-O[tx,a]))"
    "+exp(Y[tx,a]-O[tx,a])*C[$5,c]);];];B(tx,12)L(c,4)[D[tx,c]=Q[tx,c,47]/N[tx,$6];];";
constexpr std::string_view kRight[] = {"O[tx,a]", "O[tx,a-1]-O[tx,a]", "a", "0", "a", "47"};

std::string online(std::size_t place = 6, std::string_view instead = {}) {
  std::string text(kOnline);
  for (std::size_t i = 0; i < std::size(kRight); ++i) {
    const std::string name = concat("$", i + 1);
    text.replace(text.find(name), name.size(), i == place ? instead : kRight[i]);
  }
  return text;
}

const std::string kSoftmaxProduct = concat(kMaximum, kSum, "B(tx,12)L(a,48)[Z[tx,a]=exp(Y[tx,a]-E[tx])/F[tx];];",
                                           "B(tx,12)L(c,4)L(a,48)[D[tx,c]=D[tx,c]+Z[tx,a]*C[a,c];];");

/// A row may be masked as a whole: then both are NaN.
TEST(VerifyMasked, OnlineFormsAreProved) {
  const Program before = program_of("12,4", kMasked, kSoftmaxProduct);
  const Judgement judgement = verify(before, program_of("12,4", kMasked, online()));
  EXPECT_EQ(judgement.verdict, Grade::proved) << judgement.reason;
  EXPECT_TRUE(judgement.is_safe()) << judgement.reason;
  EXPECT_EQ(verify(program_of("12,4", kMasked, online()), before).verdict, Grade::proved);
  const std::pair<std::size_t, std::string_view> wrong[] = {
      {0, "if_then_else(a-1<0,O[tx,a],O[tx,a-1])"},  // a row that begins with -inf
      {0, "Y[tx,a]"},
      {0, "O[11-tx,a]"},
      {1, "O[tx,a]-O[tx,a-1]"},
      {1, "0"},
      {1, "2*O[tx,a-1]-2*O[tx,a]"},
      {2, "0"},
      {2, "(a+47)%48"},
      {4, "47-a"},
      {5, "46"},
  };
  // What Q is before the first number does not matter: the next round multiplies it by exp(-inf).
  EXPECT_NE(verify(before, program_of("12,4", kMasked, online(3, "1"))).verdict, Grade::differs);
  for (const auto& [place, instead] : wrong) {
    const Program after = program_of("12,4", kMasked, online(place, instead));
    EXPECT_FALSE(is_called_equal(verify(before, after))) << place << " " << instead;
  }
}

TEST(VerifyMasked, WhatIsBegunWithIsNoPartOfTheFold) {
  std::string begun = online();
  const std::string start = "if_then_else(a-1<0,0,N[tx,a-1]";
  begun.replace(begun.find(start), start.size(), "if_then_else(a-1<0,3,N[tx,a-1]");
  EXPECT_FALSE(
      is_called_equal(verify(program_of("12,4", kMasked, kSoftmaxProduct), program_of("12,4", kMasked, begun))));
}

/// A sum over a part of the row is 0 where only the rest is shown.
TEST(VerifyMasked, ASumOfAPartMayBeZero) {
  const std::string part = concat(kMaximum, "B(tx,12)L(a,47)[F[tx]=F[tx]+exp(Y[tx,a]-E[tx]);];");
  const Program before = program_of("12,4", kMasked, concat(part, "B(tx,12)L(c,4)[D[tx,c]=exp(Y[tx,c]-E[tx]);];"));
  const Program after =
      program_of("12,4", kMasked, concat(part, "B(tx,12)L(c,4)[D[tx,c]=exp(Y[tx,c]-E[tx])/F[tx]*F[tx];];"));
  EXPECT_FALSE(is_called_equal(verify(before, after)));
}

/// Less the maximum of another row it is inf, whose inverse is a number.
TEST(VerifyMasked, TheMaximumOfAnotherRow) {
  const auto with = [](std::string_view more) {
    return program_of("12,4", kMasked, concat(kMaximum, "B(tx,12)L(c,4)[D[tx,c]=1/exp(Y[11-tx,c]-E[tx])", more, ";];"));
  };
  EXPECT_FALSE(is_called_equal(verify(with(""), with("+(exp(Y[tx,c]-E[tx])-exp(Y[tx,c]-E[tx]))"))));
}

/// Which row is masked changes from round to round of the sum.
TEST(VerifyMasked, NaNStaysInTheSumOverRows) {
  const auto rows = [](std::string_view term) {
    return program_of("4", kMasked, concat(kMaximum, "L(c,4)L(a,12)[D[c]=D[c]+", term, ";];"));
  };
  const Judgement judgement =
      verify(rows("exp(Y[a,c]-E[a])*(C[a,c]+1)"), rows("exp(Y[a,c]-E[a])*C[a,c]+exp(Y[a,c]-E[a])"));
  EXPECT_EQ(judgement.verdict, Grade::proved) << judgement.reason;
}

/// Added over rows, of which each may be masked or not.
TEST(VerifyMasked, SumsOverRows) {
  const auto over_rows = [](std::string text) {
    for (std::size_t at = text.find("D[tx,c]"); at != std::string::npos; at = text.find("D[tx,c]", at)) {
      text.replace(at, 1, "G");
    }
    return program_of("4", kMasked, concat(text, "L(c,4)L(a,12)[D[c]=D[c]+G[a,c];];"));
  };
  const Program before = over_rows(kSoftmaxProduct);
  const Judgement judgement = verify(before, over_rows(online()));
  EXPECT_EQ(judgement.verdict, Grade::proved) << judgement.reason;
  EXPECT_FALSE(is_called_equal(verify(before, over_rows(online(5, "46")))));
}

/// 0 where a row is masked as a whole is a number that a NaN is not.
TEST(VerifyMasked, WhatANumberStandsForIsKept) {
  const std::string guarded =
      concat(kMaximum, kSum, "B(tx,12)L(a,48)[Z[tx,a]=if_then_else(E[tx]==-inf,0,exp(Y[tx,a]-E[tx])/F[tx]);];",
             "B(tx,12)L(c,4)L(a,48)[D[tx,c]=D[tx,c]+Z[tx,a]*C[a,c];];");
  const Program numbers = program_of("12,4", kMasked, guarded);
  EXPECT_FALSE(is_called_equal(verify(numbers, program_of("12,4", kMasked, kSoftmaxProduct))));
  EXPECT_FALSE(is_called_equal(verify(numbers, program_of("12,4", kMasked, online()))));
}

TEST(VerifyMasked, AFunctionBehindIt) {
  const Judgement judgement = judge("12,8", kAttention, concat(kTanh, kCopy), concat(kTanhAgain, kCopy));
  // Forms of tanh are one by laws of numbers; behind a row that may be NaN they are not shown.
  EXPECT_TRUE(is_equal_or_numeric(judgement.verdict)) << judgement.reason;
  // A row that is masked whole makes a NaN in every other row.
  constexpr std::string_view kSpread =
      "B(tx,12)L(d,8)[H[tx,d]=(exp(G[tx,d])-exp(-G[tx,d]))/(exp(G[tx,d])+exp(-G[tx,d]))+(G[0,0]-G[0,0]);];";
  EXPECT_FALSE(is_called_equal(judge("12,8", kAttention, concat(kTanh, kCopy), concat(kSpread, kCopy))));
}

TEST(VerifyMasked, AMaximumDropsNaN) {
  const Judgement judgement = judge("8", kAttention, concat(kTanh, kGreatest), concat(kTanhAgain, kGreatest));
  EXPECT_TRUE(is_equal_or_numeric(judgement.verdict)) << judgement.reason;
  const std::string wrong[] = {
      concat("B(tx,12)L(d,8)[H[tx,d]=(exp(G[tx,d])-exp(-G[tx,d]))/(exp(G[tx,d])+exp(-G[tx,d]))+(G[0,d]-G[0,d]);];",
             kGreatest),
      // What is a number where G is none.
      concat("B(tx,12)L(d,8)[H[tx,d]=max((exp(G[tx,d])-exp(-G[tx,d]))/(exp(G[tx,d])+exp(-G[tx,d])),-1);];", kGreatest),
      concat(kTanhAgain, "L(d,8)B(tx,11)[D[d]=max(D[d],H[tx,d]);];"),
  };
  for (const std::string& after : wrong) {
    EXPECT_FALSE(is_called_equal(judge("8", kAttention, concat(kTanh, kGreatest), after))) << after;
  }
}

/// Only `before` reads what may be NaN, and the maximum drops the rows where it is: `after` keeps them.
TEST(VerifyMasked, WhatOnlyBeforeDependsOn) {
  // So large that one look at whole programs is not cheap: windows are for those.
  constexpr std::string_view kLarge =
      "@input A f32[64,256]\n@constant M bool[64,256]\n@input C f32[256,16]\n@output D f32[16]\n"
      "B(tx,64)L(a,256)[Y[tx,a]=if_then_else(M:bool[tx,a],-inf,A[tx,a]);];"
      "B(tx,64)L(a,256)[E[tx]=max(E[tx],Y[tx,a]);];B(tx,64)L(a,256)[F[tx]=F[tx]+exp(Y[tx,a]-E[tx]);];"
      "B(tx,64)L(a,256)[Z[tx,a]=exp(Y[tx,a]-E[tx])/F[tx];];"
      "B(tx,64)L(c,16)L(a,256)[G[tx,c]=G[tx,c]+Z[tx,a]*C[a,c];];";
  constexpr std::string_view kMaximumOfAll = "L(c,16)B(tx,64)[D[c]=max(D[c],H[tx,c]);];";
  const auto program = [&](std::string_view middle) {
    return shorthand_program(concat(kLarge, "B(tx,64)L(c,16)[H[tx,c]=", middle, ";];", kMaximumOfAll), {{"T", "f32"}});
  };
  EXPECT_FALSE(is_called_equal(verify(program("2*A[tx,c]+(G[tx,c]-G[tx,c])"), program("A[tx,c]+A[tx,c]"))));
}

/// What is known of G, which the second product makes.
bool is_never_infinite(std::string_view start) {
  const Program program = shorthand_program(concat(kSignature, "12,8]\n", start, kTanh, kCopy), {{"T", "f32"}});
  const certify::Code code = certify::compile(program);
  const auto facts = certify::value_facts(code, certify::model_inputs(program, program));
  const std::uint32_t tensor = code.tensor_numbers.find("G")->second;
  const certify::StatementFacts& made = facts[code.tensors[tensor].writers.back()];
  return made.value.is_never_infinite && !made.is_partial;
}

TEST(VerifyMasked, OnlyOfASoftmaxIsItKnown) {
  EXPECT_TRUE(is_never_infinite(kAttention));
  const std::string starts[] = {
      // The maximum of another row, and of a part of the row.
      concat(kMasked, "B(tx,12)L(a,48)[E[tx]=max(E[tx],Y[11-tx,a]);];", kSum, kProducts),
      concat(kMasked, "B(tx,12)L(a,47)[E[tx]=max(E[tx],Y[tx,a]);];", kSum, kProducts),
      // The sum of a part, which may be all that is masked.
      concat(kMasked, kMaximum, "B(tx,12)L(a,47)[F[tx]=F[tx]+exp(Y[tx,a]-E[tx]);];", kProducts),
      concat(kMasked, kMaximum, kSum, "B(tx,12)[F[tx]=F[tx]-1;];", kProducts),
      // What is taken off is not what was looked at.
      concat(kMasked, kMaximum, "B(tx,12)L(a,48)[Y[tx,a]=Y[tx,a]*2;];", kSum, kProducts),
      concat(kMasked, kMaximum, "B(tx,12)[E[tx]=E[tx]-1;];", kSum, kProducts),
      concat(kMasked, "B(tx,12)L(a,48)[E[tx]=min(E[tx],Y[tx,a]);];", kSum, kProducts),
      concat(kMasked, kMaximum, "B(tx,12)L(a,48)[F[tx]=F[tx]+exp(Y[tx,a]+E[tx]);];", kProducts),
  };
  for (const std::string& start : starts) EXPECT_FALSE(is_never_infinite(start)) << start;
}

}  // namespace
}  // namespace steptp::testing
