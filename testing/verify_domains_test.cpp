// Domains of inputs as the judge uses them: only what the signature states restricts inputs.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "steptp/text/document.h"
#include "steptp/verify/verify.h"

namespace steptp::testing {

namespace {

Program program_of(const std::string& text) {
  const Document document = read_document("test", text);
  EXPECT_TRUE(document.ok) << text;
  return document.program;
}

Judgement judge(const std::string& header, const std::string& before, const std::string& after,
                std::uint64_t proof_work = VerifyOptions().proof_work) {
  VerifyOptions options;
  options.proof_work = proof_work;
  return verify(program_of(header + before + "\n"), program_of(header + after + "\n"), options);
}

struct Row {
  const char* before;
  const char* after;
};

constexpr const char* kMasked = "@input A f32[3,6] masked\n@input C f32[3,6]\n@output D f32[3,6]\n";

/// A row by its maximum and its sum of exponentials.
constexpr const char* kSoftmax =
    "tx3 a6 E^f32(tx)=max(E(tx),A(tx,a));tx3 a6 F^f32(tx)+=exp(A(tx,a)-E(tx));"
    "tx3 a6 D(tx,a)=exp(A(tx,a)-E(tx))/F(tx);";
/// The same, with zeros in rows that are masked whole.
constexpr const char* kGuardedSoftmax =
    "tx3 a6 E^f32(tx)=max(E(tx),A(tx,a));tx3 E(tx)=max(E(tx),-1000);tx3 a6 F^f32(tx)+=exp(A(tx,a)-E(tx));"
    "tx3 a6 D(tx,a)=where(F(tx)==0,0,exp(A(tx,a)-E(tx))/F(tx));";

TEST(Masked, AnElementMayBeMinusInfinity) {
  for (const Row& row : {
           Row{"tx3 a6 D(tx,a)=0;", "tx3 a6 D(tx,a)=A(tx,a)*0;"},
           Row{"tx3 a6 D(tx,a)=C(tx,a);", "tx3 a6 D(tx,a)=C(tx,a)+A(tx,a)-A(tx,a);"},
           Row{"tx3 a6 D(tx,a)=1;", "tx3 a6 D(tx,a)=exp(A(tx,a)-A(tx,a));"},
           Row{"tx3 a6 D(tx,a)=A(tx,a);", "tx3 a6 D(tx,a)=max(A(tx,a),-1e30);"},
           Row{"tx3 a6 D(tx,a)=where(A(tx,a)<-1e38,1,0);", "tx3 a6 D(tx,a)=0;"},
           Row{"tx3 a6 D(tx,a)=where(A(tx,a)<A(tx,a)+1,1,0);", "tx3 a6 D(tx,a)=1;"},
           Row{"tx3 a6 D(tx,a)=exp(A(tx,a))*C(tx,a);",
               "tx3 a6 D(tx,a)=exp(A(tx,a))*(C(tx,a)+A(tx,a))-exp(A(tx,a))*A(tx,a);"},
           Row{"tx3 a6 D(tx,a)=max(A(tx,a),C(tx,a));", "tx3 a6 D(tx,a)=(A(tx,a)+C(tx,a)+abs(A(tx,a)-C(tx,a)))/2;"},
           Row{"tx3 a6 D(tx,a)=C(tx,a)/(1+exp(A(tx,a)));", "tx3 a6 D(tx,a)=C(tx,a)*exp(-A(tx,a))/(exp(-A(tx,a))+1);"},
           Row{"tx3 a6 D(tx,a)=tanh(A(tx,a));",
               "tx3 a6 D(tx,a)=(exp(A(tx,a))-exp(-A(tx,a)))/(exp(A(tx,a))+exp(-A(tx,a)));"},
           Row{"tx3 a6 E(tx)+=exp(A(tx,a));tx3 a6 D(tx,a)=E(tx)+1;",
               "tx3 a6 E(tx)+=exp(A(tx,a))+A(tx,a)*0;tx3 a6 D(tx,a)=E(tx)+1;"},
           Row{"tx3 a6 E(tx)=max(E(tx),A(tx,a));tx3 a6 D(tx,a)=exp(E(tx));",
               "tx3 a6 E(tx)=max(E(tx),A(tx,a)+0*A(tx,0));tx3 a6 D(tx,a)=exp(E(tx));"},
           Row{kGuardedSoftmax, kSoftmax},
       }) {
    for (const std::uint64_t work : {VerifyOptions().proof_work, std::uint64_t{0}}) {
      const Judgement judgement = judge(kMasked, row.before, row.after, work);
      EXPECT_FALSE(is_equal_or_numeric(judgement.verdict)) << row.before << "\n"
                                                           << row.after << "\n"
                                                           << name_of(judgement.verdict) << " " << judgement.reason;
    }
  }
}

TEST(Masked, FiniteInputsAreNot) {
  const std::string plain = "@input A f32[3,6]\n@input C f32[3,6]\n@output D f32[3,6]\n";
  EXPECT_TRUE(is_equal(judge(plain, "tx3 a6 D(tx,a)=0;", "tx3 a6 D(tx,a)=A(tx,a)*0;").verdict));
  EXPECT_TRUE(is_equal(judge(plain, "tx3 a6 D(tx,a)=C(tx,a);", "tx3 a6 D(tx,a)=C(tx,a)+A(tx,a)-A(tx,a);").verdict));
}

TEST(Masked, WhatHoldsForMinusInfinityTooIsEqual) {
  for (const Row& row : {
           Row{"tx3 a6 D(tx,a)=A(tx,a)+C(tx,a);", "tx3 a6 D(tx,a)=C(tx,a)+A(tx,a);"},
           Row{"tx3 a6 D(tx,a)=A(tx,a)+C(tx,a);", "tx3 a6 E^f32(tx,a)=A(tx,a);tx3 a6 D(tx,a)=E(tx,a)+C(tx,a);"},
           Row{"tx3 a6 D(tx,a)=exp(A(tx,a));", "tx3 a6 D(tx,a)=abs(exp(A(tx,a)));"},
           Row{kSoftmax,
               "tx3 a2 c3 E^f32(tx)=max(E(tx),A(tx,a*3+c));tx3 a6 F^f32(tx)+=exp(A(tx,a)-E(tx));"
               "tx3 a6 D(tx,a)=exp(A(tx,a)-E(tx))/F(tx);"},
       }) {
    const Judgement judgement = judge(kMasked, row.before, row.after);
    EXPECT_TRUE(is_equal(judgement.verdict)) << row.before << "\n"
                                             << row.after << "\n"
                                             << name_of(judgement.verdict) << " " << judgement.reason;
  }
}

TEST(Masked, AValueMayTakeThePlaceOfANaN) {
  EXPECT_NE(judge(kMasked, "tx3 a6 D(tx,a)=A(tx,a)*0;", "tx3 a6 D(tx,a)=0;").verdict, Grade::differs);
}

TEST(Masked, CounterexamplesSayMinusInfinity) {
  const Judgement judgement = judge(kMasked, "tx3 a6 D(tx,a)=0;", "tx3 a6 D(tx,a)=A(tx,a)*0;");
  ASSERT_EQ(judgement.verdict, Grade::differs) << judgement.reason;
  ASSERT_TRUE(judgement.counterexample && judgement.counterexample->given);
  bool is_said = false;
  for (const auto& [element, value] : judgement.counterexample->given->elements)
    is_said = is_said || certify::to_text(value) == "-inf";
  for (const auto& [name, value] : judgement.counterexample->given->fill)
    is_said = is_said || certify::to_text(value) == "-inf";
  EXPECT_TRUE(is_said);
}

constexpr const char* kPlain = "@input A f32[8]\n@input C f32[8]\n@output D f32[8]\n";

TEST(Vacuous, ElementsWithoutAValueAreListed) {
  struct Case {
    const char* before;
    std::vector<std::string> vacuous;
  };
  for (const Case& item : {
           Case{"a8 D(a)=log(-1-A(a)*A(a));", {"D"}},
           Case{"a8 D(a)=sqrt(-exp(A(a)))*C(a);", {"D"}},
           Case{"a8 D(a)=inf-inf+A(a);", {"D"}},
           Case{"a8 E(a)=where(a<3,-inf,A(a));a8 D(a)=E(a)-where(a<3,-inf,C(a));", {"D where ge0(-i0+2)"}},
           Case{"a8 D(a)=where(a<3,log(-1-A(a)*A(a)),A(a));", {"D where ge0(-i0+2)"}},
           // May be a number.
           Case{"a8 D(a)=log(A(a));", {}},
           Case{"a8 D(a)=where(A(a)>0,log(-1-A(a)*A(a)),A(a));", {}},
           Case{"a8 D(a)=max(log(-1-A(a)*A(a)),A(a));", {}},
           Case{"a8 D(a)=log(-A(a)*A(a));", {}},
           Case{"a8 D(a)=where(sqrt(-exp(A(a)))<1,1,2);", {}},
           Case{"a8 D(a)=-inf;", {}},
       }) {
    const Program before = program_of(std::string(kPlain) + item.before + "\n");
    EXPECT_EQ(look_at(before).dependence.vacuous, item.vacuous) << item.before;
  }
}

TEST(Vacuous, NumbersInTheirPlaceAreSaid) {
  const std::string masked = "a8 D(a)=where(a<3,log(-1-A(a)*A(a)),A(a));";
  const Judgement filled = judge(kPlain, masked, "a8 D(a)=where(a<3,7,A(a));");
  EXPECT_TRUE(filled.fills_vacuous);
  EXPECT_EQ(filled.vacuous.size(), 1U);
  EXPECT_FALSE(judge(kPlain, masked, "a8 E(a)=log(-1-A(a)*A(a));a8 D(a)=where(a<3,E(a),A(a));").fills_vacuous);
  EXPECT_FALSE(judge(kPlain, masked, "a8 D(a)=where(a<3,sqrt(-2-A(a)*A(a)),A(a));").fills_vacuous);
  EXPECT_FALSE(judge(kPlain, masked, "a8 D(a)=where(a<3,inf-inf,A(a));").fills_vacuous);
}

constexpr const char* kGather =
    "@input A f32[10]\n@input C i32[6]\n@input F f32[6]\n@input K bool[6]\n@output D f32[6]\n@output G f32[6]\n";

/// Whether the integers of C index within A is a matter of each element that evaluates such an access.
TEST(Uses, AnElementProfitsOnlyFromItsOwn) {
  for (const Row& row : {
           Row{"a6 D(a)=F(a);a6 G(a)=A(C^i32(a));", "a6 D(a)=F(a)+A(C^i32(a))-A(C(a));a6 G(a)=A(C(a));"},
           Row{"a6 D(a)=F(a);a6 G(a)=A(C^i32(a));", "a6 D(a)=F(a)+0*A(C^i32(5-a));a6 G(a)=A(C(a));"},
           Row{"a6 D(a)=where(K^bool(a),A(C^i32(a)),0);a6 G(a)=0;",
               "a6 D(a)=A(C^i32(a))*where(K^bool(a),1,0);a6 G(a)=0;"},
           Row{"a6 E(a)=A(C^i32(a));a6 D(a)=F(a);a6 G(a)=0;", "a6 E(a)=A(C^i32(a));a6 D(a)=F(a)+E(a)-E(a);a6 G(a)=0;"},
       }) {
    const Judgement judgement = judge(kGather, row.before, row.after);
    EXPECT_FALSE(is_equal_or_numeric(judgement.verdict)) << row.before << "\n"
                                                         << row.after << "\n"
                                                         << name_of(judgement.verdict) << " " << judgement.reason;
  }
}

TEST(Uses, TheSameUsesAreNoObstacle) {
  for (const Row& row : {
           Row{"a6 D(a)=A(C^i32(a))*F(a);a6 G(a)=0;", "a6 E(a)=A(C^i32(a));a6 D(a)=F(a)*E(a);a6 G(a)=0;"},
           Row{"a6 E(a)=A(C^i32(a));a6 D(a)=F(a)*E(a);a6 G(a)=E(a);", "a6 D(a)=A(C^i32(a))*F(a);a6 G(a)=A(C(a));"},
           Row{"a6 D(a)=A(C^i32(a))*F(a);a6 G(a)=0;", "a2 c3 D(a*3+c)=A(C^i32(a*3+c))*F(a*3+c);a6 G(a)=0;"},
           Row{"a6 E(a)=A(C^i32(a));a6 D(a)=where(K^bool(a),E(a),0);a6 G(a)=0;",
               "a6 D(a)=where(K^bool(a),A(C^i32(a)),0);a6 G(a)=0;"},
       }) {
    const Judgement judgement = judge(kGather, row.before, row.after);
    EXPECT_TRUE(is_equal(judgement.verdict)) << row.before << "\n"
                                             << row.after << "\n"
                                             << name_of(judgement.verdict) << " " << judgement.reason;
  }
}

}  // namespace

}  // namespace steptp::testing
