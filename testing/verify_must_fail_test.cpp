// Pairs that the judge may never call equal: every class of "A judge that cannot be bribed", at a small and at a
// published size, in each float type. What is not `differs` is printed, because undecided has to be rare.
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include "testing/judge_support.h"
#include "testing/shorthand.h"

namespace steptp::testing {
namespace {

struct Size {
  std::string_view name;
  std::string m;     ///< rows
  std::string n;     ///< columns
  std::string last;  ///< n - 1
  std::string half;  ///< n / 2
};
const Size kSmall{"small", "8", "12", "11", "6"};
const Size kPublished{"published", "16384", "16384", "16383", "8192"};

struct Cheat {
  std::string_view what;
  std::string_view after;
  /// A literal has moved to one that is the same value in narrow types: there, and only so, it is numeric.
  bool moves_a_literal = false;
};
/// A correct program and the ways to cheat on it.
struct Victim {
  std::string_view signature;
  std::string_view before;
  std::vector<Cheat> cheats;
};

class MustFail : public ::testing::TestWithParam<std::string> {
 protected:
  /// What check refuses (an undefined read, an output left unwritten) is as good as a difference.
  void expect_not_equal(const Victim& victim, const Size& size) {
    const ShorthandValues values{{"T", GetParam()},   {"M", size.m},       {"N", size.n},
                                 {"Last", size.last}, {"Half", size.half}, {"Narrow", narrower()}};
    const Program before = shorthand_program(std::string(victim.signature) + std::string(victim.before), values);
    for (const Cheat& cheat : victim.cheats) {
      const Program after = shorthand_program(std::string(victim.signature) + std::string(cheat.after), values);
      const auto start = std::chrono::steady_clock::now();
      const Judgement judgement = verify(before, after);
      const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
      tally_.add(name_of(judgement.verdict));
      const std::string label = std::string(cheat.what) + ", " + std::string(size.name) + ", " + GetParam();
      const bool may_be_numeric = cheat.moves_a_literal && GetParam() != "f64";
      EXPECT_FALSE(may_be_numeric ? is_equal(judgement.verdict) : is_equal_or_numeric(judgement.verdict))
          << label << "\n"
          << describe(before, after, judgement);
      EXPECT_FALSE(judgement.unusable) << label << "\n" << describe(before, after, judgement);
      if (judgement.verdict == Grade::undecided) std::cout << label << " is undecided: " << judgement.reason << "\n";
      if (ms > 1000) std::cout << label << " took " << ms << " ms\n";
    }
  }
  void expect_not_equal(const Victim& victim) {
    expect_not_equal(victim, kSmall);
    expect_not_equal(victim, kPublished);
  }
  void TearDown() override { std::cout << "  " << GetParam() << ": " << tally_.text() << "\n"; }

 private:
  [[nodiscard]] static std::string narrower() {
    if (GetParam() == "f64") return "f32";
    if (GetParam() == "f32") return "f16";
    return GetParam() == "f16" ? "bf16" : "f16";
  }
  Tally tally_;
};

constexpr std::string_view kOne = "@input A $T[$M,$N]\n@output C $T[$M,$N]\n";
constexpr std::string_view kTwo = "@input A $T[$M,$N]\n@input E $T[$M,$N]\n@output C $T[$M,$N]\n";
constexpr std::string_view kSquare = "@input A $T[$N,$N]\n@input E $T[$N,$N]\n@input F $T[$N]\n@output C $T[$N,$N]\n";
constexpr std::string_view kRows = "@input A $T[$M,$N]\n@output C $T[$M]\n";

TEST_P(MustFail, ValuesOfOneElement) {
  expect_not_equal({kOne,
                    "B(tx,$M)L(a,$N)[C[tx,a]=A[tx,a];];",
                    {
                        {"zeros", "B(tx,$M)L(a,$N)[C[tx,a]=0;];"},
                        {"constant", "B(tx,$M)L(a,$N)[C[tx,a]=1;];"},
                        {"constant of the index", "B(tx,$M)L(a,$N)[C[tx,a]=tx*a;];"},
                        {"negated", "B(tx,$M)L(a,$N)[C[tx,a]=-A[tx,a];];"},
                        {"abs", "B(tx,$M)L(a,$N)[C[tx,a]=abs(A[tx,a]);];"},
                        {"root of the square", "B(tx,$M)L(a,$N)[C[tx,a]=sqrt(A[tx,a]*A[tx,a]);];"},
                        {"reversed", "B(tx,$M)L(a,$N)[C[tx,a]=A[tx,$Last-a];];"},
                        {"off by one", "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(a<1,A[tx,a],A[tx,a-1]);];"},
                        {"one row copied", "B(tx,$M)L(a,$N)[C[tx,a]=A[0,a];];"},
                        {"far element", "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else((tx*37+a*101)%9973==478,0,A[tx,a]);];"},
                        {"last element", "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(tx==$M-1&a==$Last,0,A[tx,a]);];"},
                        {"inner element", "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(tx==5&a==$Half+1,0,A[tx,a]);];"},
                        {"rare comparison", "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(A[tx,a]>1000,0,A[tx,a]);];"},
                        {"rare negative", "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(A[tx,a]<-12345,0,A[tx,a]);];"},
                        {"one value", "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(A[tx,a]==0.25,0,A[tx,a]);];"},
                        {"rare square", "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(A[tx,a]*A[tx,a]>4096,0,A[tx,a]);];"},
                        {"rare sum", "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(A[tx,0]+A[tx,1]+A[tx,2]>3000,0,A[tx,a]);];"},
                        {"tie with a neighbour", "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(A[tx,0]==A[tx,1],0,A[tx,a]);];"},
                        {"below the precision", "B(tx,$M)L(a,$N)[C[tx,a]=A[tx,a]+exp(-200-A[tx,a]*A[tx,a]);];"},
                        {"one ulp", "B(tx,$M)L(a,$N)[C[tx,a]=A[tx,a]*1.0000000000000002;];"},
                        {"tiny constant", "B(tx,$M)L(a,$N)[C[tx,a]=A[tx,a]+1e-30;];"},
                        {"wide clamp", "B(tx,$M)L(a,$N)[C[tx,a]=min(max(A[tx,a],-1000),1000);];"},
                        {"floor", "B(tx,$M)L(a,$N)[C[tx,a]=floor(A[tx,a]*4096)/4096;];"},
                        {"rounded to an integer", "B(tx,$M)L(a,$N)[G:i32[tx,a]=A[tx,a];C[tx,a]=G:i32[tx,a];];"},
                    }});
}

TEST_P(MustFail, Literals) {
  expect_not_equal({kOne,
                    "B(tx,$M)L(a,$N)[C[tx,a]=A[tx,a]*0.5;];",
                    {
                        {"equal modulo a prime", "B(tx,$M)L(a,$N)[C[tx,a]=A[tx,a]*1152921504606846976;];"},
                        {"half an ulp", "B(tx,$M)L(a,$N)[C[tx,a]=A[tx,a]*0.5000000000000001;];", true},
                        {"integer division", "B(tx,$M)L(a,$N)[C[tx,a]=A[tx,a]*(1//2);];"},
                    }});
  expect_not_equal({kOne,
                    "B(tx,$M)L(a,$N)[C[tx,a]=min(max(A[tx,a],-2),2);];",
                    {
                        {"wrong clamp", "B(tx,$M)L(a,$N)[C[tx,a]=min(max(A[tx,a],-2.5),2);];"},
                        {"clamp swapped", "B(tx,$M)L(a,$N)[C[tx,a]=max(min(A[tx,a],-2),2);];"},
                        {"clamp dropped", "B(tx,$M)L(a,$N)[C[tx,a]=max(A[tx,a],-2);];"},
                        {"clamp by tanh", "B(tx,$M)L(a,$N)[C[tx,a]=2*tanh(A[tx,a]);];"},
                    }});
  expect_not_equal({kOne,
                    "B(tx,$M)L(a,$N)[C[tx,a]=max(A[tx,a],0);];",
                    {
                        {"relu of a little more", "B(tx,$M)L(a,$N)[C[tx,a]=max(A[tx,a],0.0000001);];"},
                        {"leaky", "B(tx,$M)L(a,$N)[C[tx,a]=max(A[tx,a],0.0000001*A[tx,a]);];"},
                        {"twice", "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(A[tx,a]<0,0,2*A[tx,a]);];"},
                    }});
  expect_not_equal({kOne,
                    "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(A[tx,a]<0.5,1,A[tx,a]);];",
                    {
                        {"a tie", "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(A[tx,a]<=0.5,1,A[tx,a]);];"},
                        {"branches swapped", "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(A[tx,a]<0.5,A[tx,a],1);];"},
                        {"threshold", "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(A[tx,a]<0.50000001,1,A[tx,a]);];", true},
                    }});
  expect_not_equal({kOne,
                    "B(tx,$M)L(a,$N)[C[tx,a]=A[tx,a]*0.5*(1+erf(A[tx,a]*0.7071067811865476));];",
                    {
                        {"another gelu",
                         "B(tx,$M)L(a,$N)[C[tx,a]=A[tx,a]*0.5*(1+tanh(0.7978845608*(A[tx,a]+0.044715*A[tx,a]**3)));];"},
                        {"root of a half", "B(tx,$M)L(a,$N)[C[tx,a]=A[tx,a]*0.5*(1+erf(A[tx,a]*0.7071));];", true},
                    }});
}

TEST_P(MustFail, TwentySignTests) {
  std::string signs = "A[tx,0]>0";
  for (int i = 1; i < 20; ++i) signs += "&A[tx," + std::to_string(i % 10) + "]*A[" + std::to_string(i % 8) + ",0]>0";
  std::string independent = "A[0,0]>0";
  for (int i = 1; i < 20; ++i) {
    independent += "&A[" + std::to_string(i % 8) + "," + std::to_string(i / 8 + 1) + "]>0";
  }
  const std::string dependent_text = "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(" + signs + ",0,A[tx,a]);];";
  const std::string independent_text = "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(" + independent + ",0,A[tx,a]);];";
  expect_not_equal({kOne,
                    "B(tx,$M)L(a,$N)[C[tx,a]=A[tx,a];];",
                    {{"twenty products", dependent_text}, {"twenty signs", independent_text}}});
}

TEST_P(MustFail, TwoInputs) {
  expect_not_equal({kTwo,
                    "B(tx,$M)L(a,$N)[C[tx,a]=A[tx,a]-E[tx,a];];",
                    {
                        {"copy", "B(tx,$M)L(a,$N)[C[tx,a]=A[tx,a];];"},
                        {"swapped operands", "B(tx,$M)L(a,$N)[C[tx,a]=E[tx,a]-A[tx,a];];"},
                        {"swapped sign", "B(tx,$M)L(a,$N)[C[tx,a]=A[tx,a]+E[tx,a];];"},
                        {"a tie", "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(A[tx,a]==E[tx,a],1,A[tx,a]-E[tx,a]);];"},
                        {"precision", "B(tx,$M)L(a,$N)[G:$Narrow[tx,a]=E[tx,a];C[tx,a]=A[tx,a]-G:$Narrow[tx,a];];"},
                    }});
  expect_not_equal({kTwo,
                    "B(tx,$M)L(a,$N)[C[tx,a]=A[tx,a]/(1+E[tx,a]*E[tx,a]);];",
                    {
                        {"swapped inputs", "B(tx,$M)L(a,$N)[C[tx,a]=E[tx,a]/(1+A[tx,a]*A[tx,a]);];"},
                        {"dropped term", "B(tx,$M)L(a,$N)[C[tx,a]=A[tx,a]/(E[tx,a]*E[tx,a]);];"},
                        {"product for quotient", "B(tx,$M)L(a,$N)[C[tx,a]=A[tx,a]*(1+E[tx,a]*E[tx,a]);];"},
                    }});
}

TEST_P(MustFail, Reductions) {
  const std::string_view matmul = "B(tx,$N)L(a,$N)L(d,$N)[G[tx,a]=G[tx,a]+A[tx,d]*E[d,a];];";
  const std::string_view bias = "B(tx,$N)L(a,$N)[C[tx,a]=G[tx,a]+F[a];];";
  const auto with_bias = [&](std::string_view text) { return std::string(text) + std::string(bias); };
  const auto after_product = [&](std::string_view text) { return std::string(matmul) + std::string(text); };
  const std::string right = with_bias(matmul);
  const std::vector<std::string> wrong = {
      after_product("B(tx,$N)L(a,$N)[C[tx,a]=G[tx,a];];"),
      after_product("B(tx,$N)L(a,$N)[C[tx,a]=G[tx,a]+F[tx];];"),
      after_product("B(tx,$N)L(a,$N)[C[tx,a]=G[a,tx]+F[a];];"),
      after_product("B(tx,$N)L(a,$N)[C[tx,a]=F[a];];"),
      with_bias("B(tx,$N)L(a,$N)L(d,$Last)[G[tx,a]=G[tx,a]+A[tx,d]*E[d,a];];"),
      with_bias("B(tx,$N)L(a,$N)L(d,$N)[G[tx,a]=G[tx,a]-A[tx,d]*E[d,a];];"),
      with_bias("B(tx,$N)L(a,$N)L(d,$N)[G[tx,a]=G[tx,a]+E[tx,d]*A[d,a];];"),
      with_bias("B(tx,$N)L(a,$N)L(d,$N)[G[tx,a]=G[tx,a]+A[tx,d]*E[a,d];];"),
      with_bias("B(tx,$N)L(a,$N)L(d,$N)[G[tx,a]=G[tx,a]+A[d,tx]*E[d,a];];"),
      with_bias("B(tx,$N)L(a,$N)L(d,$N)[G[tx,a]=max(G[tx,a],A[tx,d]*E[d,a]);];"),
      with_bias("B(tx,$N)L(a,$N)L(d,$N)[G[tx,a]=G[tx,a]+if_then_else(d==$Half&tx==3&a==5,0,A[tx,d]*E[d,a]);];"),
      with_bias("B(tx,$N)L(a,$N)L(d,$N)?{d<$Last|tx<5}[G[tx,a]=G[tx,a]+A[tx,d]*E[d,a];];"),
      with_bias("B(tx,$N)L(a,$N)[G[tx,a]=1;];B(tx,$N)L(a,$N)L(d,$N)[G[tx,a]=G[tx,a]+A[tx,d]*E[d,a];];"),
  };
  const std::vector<std::string_view> names = {"dropped bias",
                                               "bias of the other axis",
                                               "transposed",
                                               "dropped product",
                                               "one summand less",
                                               "minus",
                                               "swapped inputs",
                                               "wrong axis",
                                               "wrong axis of the first",
                                               "max for sum",
                                               "one summand of one element",
                                               "wrong guard",
                                               "wrong start"};
  Victim victim{kSquare, right, {}};
  for (std::size_t i = 0; i < names.size(); ++i) victim.cheats.push_back({names[i], wrong[i]});
  expect_not_equal(victim);
}

TEST_P(MustFail, RowsAndNorms) {
  expect_not_equal(
      {kRows,
       "B(tx,$M)L(a,$N)[E[tx]=E[tx]+A[tx,a];];B(tx,$M)[C[tx]=E[tx]/$N;];",
       {
           {"mean over one less", "B(tx,$M)L(a,$N)[E[tx]=E[tx]+A[tx,a];];B(tx,$M)[C[tx]=E[tx]/$Last;];"},
           {"one element twice", "B(tx,$M)L(a,$N)[E[tx]=E[tx]+A[tx,a-a//$Last];];B(tx,$M)[C[tx]=E[tx]/$N;];"},
           {"the first element", "B(tx,$M)[C[tx]=A[tx,0];];"},
           {"precision of the sum",
            "B(tx,$M)L(a,$N)[E:$Narrow[tx]=E:$Narrow[tx]+A[tx,a];];B(tx,$M)[C[tx]=E:$Narrow[tx]/$N;];"},
       }});
  expect_not_equal(
      {kRows,
       "B(tx,$M)L(a,$N)[E[tx]=max(E[tx],A[tx,a]);];B(tx,$M)[C[tx]=E[tx];];",
       {
           {"maximum from zero",
            "B(tx,$M)[E[tx]=0;];B(tx,$M)L(a,$N)[E[tx]=max(E[tx],A[tx,a]);];B(tx,$M)[C[tx]=E[tx];];"},
           {"maximum from far below",
            "B(tx,$M)[E[tx]=-30000;];B(tx,$M)L(a,$N)[E[tx]=max(E[tx],A[tx,a]);];B(tx,$M)[C[tx]=E[tx];];"},
           {"maximum without the last", "B(tx,$M)L(a,$Last)[E[tx]=max(E[tx],A[tx,a]);];B(tx,$M)[C[tx]=E[tx];];"},
           {"maximum without an inner one",
            "B(tx,$M)L(a,$N)[E[tx]=max(E[tx],if_then_else(a==$Half,-inf,A[tx,a]));];"
            "B(tx,$M)[C[tx]=E[tx];];"},
           {"maximum under a guard", "B(tx,$M)L(a,$N)?{a<5|a>6}[E[tx]=max(E[tx],A[tx,a]);];B(tx,$M)[C[tx]=E[tx];];"},
           {"minimum", "B(tx,$M)L(a,$N)[E[tx]=min(E[tx],A[tx,a]);];B(tx,$M)[C[tx]=E[tx];];"},
       }});
  const std::string mean = "B(tx,$M)L(a,$N)[E[tx]=E[tx]+A[tx,a]/$N;];";
  const std::string variance = "B(tx,$M)L(a,$N)[F[tx]=F[tx]+(A[tx,a]-E[tx])**2/$N;];";
  const std::string norm = "B(tx,$M)L(a,$N)[C[tx,a]=(A[tx,a]-E[tx])/sqrt(F[tx]+1e-05);];";
  const std::string right = mean + variance + norm;
  const std::vector<std::string> wrong = {
      mean + variance + "B(tx,$M)L(a,$N)[C[tx,a]=(A[tx,a]-E[tx])/sqrt(F[tx]);];",
      mean + variance + "B(tx,$M)L(a,$N)[C[tx,a]=(A[tx,a]-E[tx])/(sqrt(F[tx])+1e-05);];",
      mean + variance + "B(tx,$M)L(a,$N)[C[tx,a]=(A[tx,a]-E[tx])/sqrt(F[tx]+1e-06);];",
      mean + variance + "B(tx,$M)L(a,$N)[C[tx,a]=A[tx,a]/sqrt(F[tx]+1e-05);];",
      mean + "B(tx,$M)L(a,$N)[F[tx]=F[tx]+(A[tx,a]-E[tx])**2/$Last;];" + norm,
      mean + "B(tx,$M)L(a,$N)[F[tx]=F[tx]+A[tx,a]**2/$N;];" + norm,
  };
  expect_not_equal({kOne,
                    right,
                    {{"epsilon dropped", wrong[0]},
                     {"epsilon outside the root", wrong[1]},
                     {"another epsilon", wrong[2]},
                     {"mean dropped", wrong[3]},
                     {"variance over one less", wrong[4]},
                     {"second moment", wrong[5]}}});
}

TEST_P(MustFail, Softmax) {
  const std::string most = "B(tx,$M)L(a,$N)[D[tx]=max(D[tx],A[tx,a]);];";
  const std::string sum = "B(tx,$M)L(a,$N)[E[tx]=E[tx]+exp(A[tx,a]-D[tx]);];";
  const std::string quotient = "B(tx,$M)L(a,$N)[C[tx,a]=exp(A[tx,a]-D[tx])/E[tx];];";
  const std::string right = most + sum + quotient;
  const std::vector<std::string> wrong = {
      most + sum + "B(tx,$M)L(a,$N)[C[tx,a]=exp(A[tx,a])/E[tx];];",
      most + "B(tx,$M)L(a,$N)[E[tx]=E[tx]+exp(A[tx,a]);];" + quotient,
      most + "B(tx,$M)L(a,$Last)[E[tx]=E[tx]+exp(A[tx,a]-D[tx]);];" + quotient,
      most + "B(tx,$M)L(a,$N)[E[tx]=E[tx]+exp(A[tx,a]-D[tx])+1e-12;];" + quotient,
      most + sum + "B(tx,$M)L(a,$N)[C[tx,a]=exp(A[tx,a]-D[tx])/(E[tx]+1e-09);];",
      most + sum + "B(tx,$M)L(a,$N)[C[tx,a]=1/$N;];",
      "B(tx,$M)L(a,$N)[D[tx]=max(D[tx],A[tx,a]);E[tx]=E[tx]+exp(A[tx,a]-D[tx]);];" + quotient,
  };
  expect_not_equal({kOne,
                    right,
                    {{"shift dropped above", wrong[0]},
                     {"shift dropped below", wrong[1]},
                     {"sum without the last", wrong[2]},
                     {"a little in each summand", wrong[3]},
                     {"a little in the divisor", wrong[4]},
                     {"the mean", wrong[5]},
                     {"running maximum without rescaling", wrong[6]}}});
}

TEST_P(MustFail, MaskedRows) {
  const std::string_view signature = "@input A $T[$M,$N]\n@input H $T[$M,$N]\n@output C $T[$M,$N]\n";
  const std::string mask = "B(tx,$M)L(a,$N)[E[tx,a]=if_then_else(H[tx,a]>0,A[tx,a],-inf);];";
  const std::string most = "B(tx,$M)L(a,$N)[D[tx]=max(D[tx],E[tx,a]);];";
  const std::string finite = "B(tx,$M)[F[tx]=max(D[tx],-1000);];";
  const std::string sum = "B(tx,$M)L(a,$N)[G[tx]=G[tx]+exp(E[tx,a]-F[tx]);];";
  const std::string safe =
      mask + most + finite + sum + "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(G[tx]==0,0,exp(E[tx,a]-F[tx])/G[tx]);];";
  const std::string unsafe = mask + most + finite + sum + "B(tx,$M)L(a,$N)[C[tx,a]=exp(E[tx,a]-F[tx])/G[tx];];";
  const std::string one =
      mask + most + finite + sum + "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(G[tx]==0,1,exp(E[tx,a]-F[tx])/G[tx]);];";
  expect_not_equal({signature, safe, {{"NaN only in masked rows", unsafe}, {"one in masked rows", one}}});
}

TEST_P(MustFail, Gather) {
  const std::string_view signature = "@input A $T[$N]\n@input I i64[$M] [0,$N)\n@output C $T[$M]\n";
  expect_not_equal({signature,
                    "B(tx,$M)[C[tx]=A[I:i64[tx]];];",
                    {
                        {"last legal index", "B(tx,$M)[C[tx]=if_then_else(I:i64[tx]==$Last,0,A[I:i64[tx]]);];"},
                        {"first legal index", "B(tx,$M)[C[tx]=if_then_else(I:i64[tx]<1,0,A[I:i64[tx]]);];"},
                        {"one index in the middle", "B(tx,$M)[C[tx]=if_then_else(I:i64[tx]==$Half,0,A[I:i64[tx]]);];"},
                        {"not gathered", "B(tx,$M)[C[tx]=A[tx];];"},
                        {"another row", "B(tx,$M)[C[tx]=A[I:i64[0]];];"},
                        {"rounded index", "B(tx,$M)[C[tx]=A[I:i64[tx]//2*2];];"},
                        {"clamped index", "B(tx,$M)[C[tx]=A[I:i64[tx]-I:i64[tx]//$Last];];"},
                    }},
                   kPublished);
}

TEST_P(MustFail, Padding) {
  const std::string_view signature = "@input A $T[$M,$N]\n@input K $T[3]\n@output C $T[$M,$N]\n";
  const std::string slide = "B(tx,$M)L(a,$N)L(d,3)[C[tx,a]=C[tx,a]+E[tx,a+d]*K[d];];";
  // An extent is a number, so the padded one is written out.
  for (const Size& size : {kSmall, kPublished}) {
    const std::string padded = std::to_string(std::stoll(size.n) + 2);
    const auto filled = [&](const std::string& condition, const std::string& otherwise) {
      return "B(tx,$M)L(a," + padded + ")[E[tx,a]=if_then_else(" + condition + ",A[tx,a-1]," + otherwise + ");];";
    };
    const std::string right = filled("1<=a<=$N", "0") + slide;
    const std::vector<std::string> wrong = {
        filled("2<=a<=$N", "0") + slide,
        filled("1<=a<$N", "0") + slide,
        filled("1<=a<=$N", "1e-09") + slide,
        filled("0<=a<=$N", "0") + slide,
        filled("1<=a<=$N", "0") + "B(tx,$M)L(a,$N)L(d,3)[C[tx,a]=C[tx,a]+E[tx,a+d]*K[2-d];];",
        filled("1<=a<=$N", "0") + "B(tx,$M)L(a,$N)L(d,3)[C[tx,a]=C[tx,a]+E[tx,a]*K[d];];",
        filled("1<=a<=$N", "0") + "B(tx,$M)L(a,$N)L(d,2)[C[tx,a]=C[tx,a]+E[tx,a+d]*K[d];];",
        "B(tx,$M)L(a,$N)L(d,3)[C[tx,a]=C[tx,a]+if_then_else(0<a+d<$N,A[tx,a+d-1],0)*K[d];];",
    };
    expect_not_equal({signature,
                      right,
                      {{"pad too wide at the front", wrong[0]},
                       {"pad too wide at the end", wrong[1]},
                       {"padded with a little", wrong[2]},
                       {"guard lets a bad read through", wrong[3]},
                       {"kernel reversed", wrong[4]},
                       {"window does not slide", wrong[5]},
                       {"window too short", wrong[6]},
                       {"inlined with a wrong bound", wrong[7]}}},
                     size);
  }
}

TEST_P(MustFail, StatesAndScopes) {
  expect_not_equal(
      {kSquare,
       "B(tx,$N)L(a,$N)[S:l[]=0;L(d,$N)[S:l[]=S:l[]+A[tx,d]*E[d,a];];C[tx,a]=S:l[];];",
       {{"missing start", "B(tx,$N)L(a,$N)[L(d,$N)[S:l[]=S:l[]+A[tx,d]*E[d,a];];C[tx,a]=S:l[];];"},
        {"start at one", "B(tx,$N)L(a,$N)[S:l[]=1;L(d,$N)[S:l[]=S:l[]+A[tx,d]*E[d,a];];C[tx,a]=S:l[];];"}}});
  expect_not_equal({kRows,
                    "B(tx,$M)[L(a,$N)[E:l[]=E:l[]+A[tx,a];];C[tx]=E:l[];];",
                    {{"scope of all threads", "B(tx,$M)[L(a,$N)[E[]=E[]+A[tx,a];];C[tx]=E[];];"},
                     {"scope of the block", "B(tx,$M)[L(a,$N)[E:s[]=E:s[]+A[tx,a];];C[tx]=E:s[];];"}}});
  expect_not_equal({kOne,
                    "B(bx,$M)[B(tx,$N)[E:s[tx]=A[bx,tx];];B(tx,$N)[C[bx,tx]=E:s[$Last-tx];];];",
                    {{"shared data kept by each thread",
                      "B(bx,$M)[B(tx,$N)[E:l[tx]=A[bx,tx];];B(tx,$N)[C[bx,tx]=E:l[$Last-tx];];];"},
                     {"read before all have written", "B(bx,$M)B(tx,$N)[E:s[tx]=A[bx,tx];C[bx,tx]=E:s[tx];];"}}});
  expect_not_equal(
      {kOne,
       "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(a<1,0,C[tx,a-1])+A[tx,a];];",
       {{"recurrence of a shorter memory", "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(a<1,0,A[tx,a-1])+A[tx,a];];"},
        {"recurrence with a wrong start", "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(a<1,1,C[tx,a-1])+A[tx,a];];"},
        {"recurrence over the other axis", "L(a,$N)L(d,$M)[C[d,a]=if_then_else(d<1,0,C[d-1,a])+A[d,a];];"}}});
  const std::string_view two = "@input A $T[$M,$N]\n@output C $T[$M,$N]\n@output D $T[$M,$N]\n";
  const std::string fill = "B(tx,$M)L(a,$N)[E[tx,a]=A[tx,a];];";
  const std::string read = "B(tx,$M)L(a,$N)[C[tx,a]=E[tx,a]+1;];";
  const std::string change = "B(tx,$M)L(a,$N)[E[tx,a]=E[tx,a]*2;];";
  const std::string last = "B(tx,$M)L(a,$N)[D[tx,a]=E[tx,a];];";
  const std::string right = fill + read + change + last;
  const std::string moved = fill + change + read + last;
  const std::string dropped = fill + read + last;
  const std::string twice = fill + read + change + change + last;
  const std::string part = fill + read + "B(tx,$M)L(a,$Last)[E[tx,a]=E[tx,a]*2;];" + last;
  expect_not_equal({two,
                    right,
                    {{"overwrite moved across its reader", moved},
                     {"overwrite dropped", dropped},
                     {"overwrite twice", twice},
                     {"overwrite of all but the last", part}}});
}

/// Pairs that the judge once called equal.
TEST_P(MustFail, OnceFooled) {
  const std::string_view real = "@input A $T[$M,$N]\n@input D $T[$M]\n@output C $T[$M,$N]\n";
  expect_not_equal({"@input A $T[$M,$N]\n@input D u8[$M]\n@output C $T[$M,$N]\n",
                    "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(0<=D:u8[tx]<3,A[tx,a],0);];",
                    {{"-1 is 255 in u8", "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(0-1<=D:u8[tx]<3,A[tx,a],0);];"},
                     {"256 is 0 in u8", "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(0<=D:u8[tx]<259,A[tx,a],1);];"}}});
  expect_not_equal(
      {real,
       "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(A[tx,a]>0,log(A[tx,a]),0);];",
       {{"outside of the domain of a branch", "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(A[tx,a]>0,log(A[tx,a]),5);];"},
        {"the branch alone", "B(tx,$M)L(a,$N)[C[tx,a]=log(A[tx,a]);];"},
        {"a maximum instead", "B(tx,$M)L(a,$N)[C[tx,a]=log(max(A[tx,a],0.000001));];"}}});
  expect_not_equal({real,
                    "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(D[tx]!=0,A[tx,a]/D[tx],0);];",
                    {{"one divisor", "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(D[tx]!=0,A[tx,a]/D[tx],1);];"}}});
  expect_not_equal({real,
                    "B(tx,$M)L(a,$N)[C[tx,a]=max(D[tx]*tanh(A[tx,a]),1);];",
                    {{"behind a maximum", "B(tx,$M)L(a,$N)[C[tx,a]=max(D[tx],1);];"},
                     {"behind two", "B(tx,$M)L(a,$N)[C[tx,a]=max(max(D[tx]*tanh(A[tx,a]),1),D[tx]*2);];"}}});
  expect_not_equal({real,
                    "B(tx,$M)L(a,$N)[C[tx,a]=max(A[tx,a],100);];",
                    {{"a constant that is nearly always right", "B(tx,$M)L(a,$N)[C[tx,a]=100;];"}}});
  const std::string_view index = "@input A $T[4]\n@input I i64[$M]\n@output C $T[$M]\n";
  expect_not_equal({index,
                    "B(tx,$M)[C[tx]=if_then_else(0<=I:i64[tx]<4,A[I:i64[tx]],0);];",
                    {{"index out of range", "B(tx,$M)[C[tx]=if_then_else(0<=I:i64[tx]<4,A[I:i64[tx]],1);];"},
                     {"clamped below", "B(tx,$M)[C[tx]=if_then_else(0<=I:i64[tx]<4,A[I:i64[tx]],A[0]);];"}}});
  const std::string_view constant =
      "@input A $T[3]\n@constant K $T[4] values [0.5,0.0625,0.25,0.25]\n@output C $T[8]\n";
  expect_not_equal({constant,
                    "B(tx,8)[C[tx]=K[(tx*2+2)%4]*A[tx//3];];",
                    {{"constants differ at few elements", "B(tx,8)[C[tx]=K[(tx*2+2)%4//2+tx%2]*A[tx//3];];"},
                     {"order of constants", "B(tx,8)[C[tx]=K[3-(tx*2+2)%4]*A[tx//3];];"}}},
                   kSmall);
  // Few integers coincide often; a tie shows only together with another.
  expect_not_equal({"@input A $T[4,2]\n@input I i64[3] [0,4)\n@output C $T[3,2]\n",
                    "B(tx,3)L(a,2)[C[tx,a]=A[I:i64[tx],a]+A[I:i64[0],a];];",
                    {{"another of few indices", "B(tx,3)L(a,2)[C[tx,a]=A[I:i64[tx],a]+A[I:i64[2],a];];"}}},
                   kSmall);
  expect_not_equal(
      {"@input A $T[2,4]\n@input D $T[2]\n@output C bool[2]\n",
       "U(a,2)[F:l[]=inf;L(c,4)[F:l[]=min(F:l[],floor(A[a,c]));];C:bool[a]=D[a]!=F:l[];];",
       {{"minimum of the round before", "U(a,2)[L(c,4)[F:l[]=min(F:l[],floor(A[a,c]));];C:bool[a]=D[a]!=F:l[];];"}}},
      kSmall);
  // Proofs under facts that contradicted each other, and folds that are rounded at every step.
  expect_not_equal({"@input A $T[2]\n@output C $T[$N]\n",
                    "L(a,1)[C[0]=if_then_else(a<1,A[0],A[1]);];B(tx,$Last)[C[tx+1]=7;];",
                    {{"another element under a later writer",
                      "L(a,1)[C[0]=if_then_else(a<0,A[0],A[1]);];B(tx,$Last)[C[tx+1]=7;];"}}});
  expect_not_equal({"@input A $T[3]\n@output C u8[1]\n",
                    "L(a,1)L(c,3)L(d,2)[C:u8[a]=A[c]+C:u8[a];];",
                    {{"truncated in another order", "L(a,1)L(d,2)L(c,3)[C:u8[a]=A[c]+C:u8[a];];"}}},
                   kSmall);
  expect_not_equal({"@input I i16[3]\n@output C u8[1]\n",
                    "L(a,1)L(c,3)[C:u8[a]=max(I:i16[c],C:u8[a]);];",
                    {{"wrapped in another order", "L(a,1)L(c,3)[C:u8[a]=max(I:i16[2-c],C:u8[a]);];"}}},
                   kSmall);
  expect_not_equal({"@input A $T[5]\n@output C $T[5]\n",
                    "B(tx,5)[C[tx]=A[tx];];",
                    {{"no value at one element", "B(tx,5)[C[tx]=A[tx]/if_then_else(tx==3,0,1);];"},
                     {"no value at one element, by remainder", "B(tx,5)[C[tx]=A[tx]*(1/(tx-3))*(tx-3);];"}}},
                   kSmall);
}

/// What check will refuse once it knows races; until then the sequential meaning is what is compared.
/// A division by zero whose infinity a minimum or a comparison hides again: exact arithmetic does not know its sign, a
/// machine does.
TEST_P(MustFail, InfinitiesThatDisappear) {
  constexpr std::string_view kSignature = "@input A $T[$M,$N]\n@input C $T[$M,$N]\n@output D $T[$M,$N]\n";
  for (const Size& size : {kSmall, kPublished}) {
    expect_not_equal(
        {kSignature,
         "B(tx,$M)L(a,$N)[D[tx,a]=if_then_else(a<3,C[tx,a],C[tx,a]+min(A[tx,a]/(A[tx,a]-A[tx,a]),1));];",
         {{"an element that has no value",
           "B(tx,$M)L(a,$N)[D[tx,a]=if_then_else(a<3,C[tx,a],2*C[tx,a]+min(A[tx,a]/(A[tx,a]-A[tx,a]),1));];"},
          {"its bound",
           "B(tx,$M)L(a,$N)[D[tx,a]=if_then_else(a<3,C[tx,a],C[tx,a]+min(A[tx,a]/(A[tx,a]-A[tx,a]),2));];"}}},
        size);
  }
}

TEST_P(MustFail, Races) {
  expect_not_equal({kOne,
                    "B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(a<1,0,C[tx,a-1])+A[tx,a];];",
                    {{"parallel recurrence that drops a term",
                      "B(tx,$M)P(a,$N)[C[tx,a]=if_then_else(a<2,0,C[tx,a-2])+A[tx,a];];"}}});
}

INSTANTIATE_TEST_SUITE_P(Types, MustFail, ::testing::Values("f64", "f32", "f16", "bf16"),
                         [](const auto& type) { return type.param; });

}  // namespace
}  // namespace steptp::testing
