// One row for each rule of facts: a value of which something is said, and the nearest ones of which it must not be
// said. tools/break_laws breaks each rule and expects its row to go red.
#include <gtest/gtest.h>

#include <cctype>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/algebra/facts.h"
#include "steptp/analysis/value_facts.h"
#include "steptp/base/text.h"
#include "steptp/text/document.h"

namespace steptp::testing {
namespace {

using namespace algebra;

enum class Said : std::uint8_t { finite, nonzero, positive, nonnegative, nonpositive, at_least_one, at_most_one };

struct FactRow {
  std::string_view law;
  Said said = Said::finite;
  std::string_view right;
  std::vector<std::string_view> wrong;
};

std::ostream& operator<<(std::ostream& out, const FactRow& row) { return out << row.law; }

bool is_said(Said said, const Fact& fact) {
  switch (said) {
    case Said::finite: return fact.finite;
    case Said::nonzero: return fact.is_nonzero();
    case Said::positive: return fact.is_positive();
    case Said::nonnegative: return fact.is_nonnegative();
    case Said::nonpositive: return fact.is_nonpositive();
    case Said::at_least_one: return fact.finite && fact.low >= 0.9999;
    case Said::at_most_one: return fact.finite && fact.high <= 1.0001;
  }
  return false;
}

/// Of the output X. A text without ; is its right side.
Fact fact_of(std::string_view text) {
  const std::string whole = concat(
      "@input A f32[8]\n@input C f32[8] positive\n@input D f32[8] [-3,2)\n@input F f32[8] nonzero\n"
      "@input G f32[8] [1,4)\n@input H f32[8] [0,4)\n@input M f32[8] masked\n@input K u8[8]\n@input R f32[8,6]\n"
      "@output X f32[8]\n",
      text.ends_with(';') ? std::string(text) : concat("tx8 X(tx)=", text, ";"));
  const Document document = read_document("row", whole);
  EXPECT_TRUE(document.ok) << whole << "\n" << render(document.diagnostics, *document.source);
  const AccessTable table = collect_accesses(document.program);
  const ValueFacts integers = derive_value_facts(table);
  return Facts(table, integers).of_tensor("X");
}

class FactLaw : public ::testing::TestWithParam<FactRow> {};

TEST_P(FactLaw, IsSaidAndOfItsNeighboursNot) {
  const FactRow& row = GetParam();
  EXPECT_TRUE(is_said(row.said, fact_of(row.right))) << row.right;
  EXPECT_FALSE(row.wrong.empty());
  for (const std::string_view text : row.wrong) EXPECT_FALSE(is_said(row.said, fact_of(text))) << text;
}

const std::vector<FactRow> kRows = {
    {.law = "fact: a sum of what has one sign",
     .said = Said::nonzero,
     .right = "C(tx)+abs(A(tx))",
     .wrong = {"F(tx)+C(tx)", "abs(A(tx))+H(tx)"}},
    {.law = "fact: bounds of a sum",
     .said = Said::nonnegative,
     .right = "D(tx)+3.5",
     .wrong = {"D(tx)+2.5", "C(tx)-G(tx)"}},
    {.law = "fact: a product of what is not zero",
     .said = Said::nonzero,
     .right = "C(tx)*F(tx)",
     .wrong = {"A(tx)*C(tx)"}},
    {.law = "fact: bounds of a product",
     .said = Said::nonnegative,
     .right = "H(tx)*G(tx)",
     .wrong = {"D(tx)*G(tx)", "D(tx)*(D(tx)+1)"}},
    {.law = "fact: an inverse", .said = Said::finite, .right = "1/C(tx)", .wrong = {"1/A(tx)", "1/D(tx)"}},
    {.law = "fact: bounds of an inverse", .said = Said::at_most_one, .right = "1/G(tx)", .wrong = {"1/C(tx)"}},
    {.law = "fact: an even power", .said = Said::nonnegative, .right = "A(tx)**2", .wrong = {"A(tx)**3"}},
    {.law = "fact: bounds of a square",
     .said = Said::at_least_one,
     .right = "G(tx)**2",
     .wrong = {"D(tx)**2", "H(tx)**2"}},
    {.law = "fact: a real power", .said = Said::finite, .right = "C(tx)**1.7", .wrong = {"A(tx)**1.7", "H(tx)**1.7"}},
    {.law = "fact: a maximum that is not zero",
     .said = Said::nonzero,
     .right = "max(C(tx),A(tx))",
     .wrong = {"max(F(tx),A(tx))", "min(C(tx),A(tx))"}},
    {.law = "fact: bounds of a maximum",
     .said = Said::at_least_one,
     .right = "max(A(tx),1)",
     .wrong = {"min(A(tx),1)", "max(A(tx),D(tx))"}},
    {.law = "fact: functions of numbers are numbers",
     .said = Said::finite,
     .right = "exp(A(tx))",
     .wrong = {"exp(M(tx))"}},
    {.law = "fact: bounds of an exponential",
     .said = Said::at_least_one,
     .right = "exp(H(tx))",
     .wrong = {"exp(D(tx))"}},
    {.law = "fact: a logarithm", .said = Said::finite, .right = "log(C(tx))", .wrong = {"log(A(tx))", "log(H(tx))"}},
    {.law = "fact: a logarithm that is not zero",
     .said = Said::nonzero,
     .right = "log(C(tx)+2)",
     .wrong = {"log(C(tx))", "log(G(tx))"}},
    {.law = "fact: a root", .said = Said::finite, .right = "sqrt(H(tx))", .wrong = {"sqrt(A(tx))", "sqrt(D(tx))"}},
    {.law = "fact: an inverse root",
     .said = Said::finite,
     .right = "rsqrt(C(tx))",
     .wrong = {"rsqrt(H(tx))", "rsqrt(F(tx))"}},
    {.law = "fact: an absolute value that is not zero",
     .said = Said::nonzero,
     .right = "abs(F(tx))",
     .wrong = {"abs(A(tx))"}},
    {.law = "fact: bounds of an absolute value",
     .said = Said::at_least_one,
     .right = "abs(-G(tx))",
     .wrong = {"abs(D(tx))"}},
    {.law = "fact: the sign of a hyperbolic tangent",
     .said = Said::nonpositive,
     .right = "tanh(-C(tx))",
     .wrong = {"tanh(A(tx))", "tanh(C(tx))"}},
    {.law = "fact: bounds of a sine",
     .said = Said::at_most_one,
     .right = "sin(A(tx))",
     .wrong = {"sin(A(tx))+1", "1-sin(A(tx))"}},
    {.law = "fact: rounding down",
     .said = Said::nonnegative,
     .right = "floor(C(tx))",
     .wrong = {"floor(D(tx))", "floor(H(tx)-0.5)"}},
    {.law = "fact: a strict condition",
     .said = Said::finite,
     .right = "where(A(tx)>0,log(A(tx)),0)",
     .wrong = {"where(A(tx)>=0,log(A(tx)),0)", "where(C(tx)>0,log(A(tx)),0)"}},
    {.law = "fact: a condition that fails",
     .said = Said::finite,
     .right = "where(A(tx)<=0,0,log(A(tx)))",
     .wrong = {"where(A(tx)<0,0,log(A(tx)))", "where(A(tx)>0,0,log(A(tx)))"}},
    {.law = "fact: a number on the left",
     .said = Said::finite,
     .right = "where(0<A(tx),log(A(tx)),0)",
     .wrong = {"where(0>A(tx),log(A(tx)),0)", "where(0<=A(tx),log(A(tx)),0)"}},
    {.law = "fact: both conditions",
     .said = Said::finite,
     .right = "where(A(tx)>0&C(tx)>5,log(A(tx)),0)",
     .wrong = {"where(A(tx)>0|C(tx)>5,log(A(tx)),0)"}},
    {.law = "fact: a choice of both",
     .said = Said::nonzero,
     .right = "where(A(tx)>0,C(tx),F(tx))",
     .wrong = {"where(A(tx)>0,C(tx),D(tx))", "where(A(tx)>3,D(tx),C(tx))"}},
    {.law = "fact: a masked input", .said = Said::finite, .right = "A(tx)", .wrong = {"M(tx)"}},
    {.law = "fact: a domain from one", .said = Said::nonzero, .right = "G(tx)", .wrong = {"H(tx)", "A(tx)"}},
    // Found by reading: -1 beside an integer without a sign is its greatest value, so that zero may pass.
    {.law = "fact: a literal takes the type beside it",
     .said = Said::finite,
     .right = "where(K^u8(tx)>0,1/(K(tx)*1.0),0)",
     .wrong = {"where(K^u8(tx)<-1,1/(K(tx)*1.0),0)", "where(K^u8(tx)>=0,1/(K(tx)*1.0),0)"}},
    {.law = "fact: the sum of many rounds",
     .said = Said::at_most_one,
     .right = "tx8 a6 X(tx) max=tanh(R(tx,a));",
     .wrong = {"tx8 a6 X(tx)+=tanh(R(tx,a));"}},
    {.law = "fact: a sum of positive rounds",
     .said = Said::positive,
     .right = "tx8 a6 X(tx)+=exp(R(tx,a));",
     .wrong = {"tx8 a6 X(tx)+=R(tx,a);", "tx8 a6 X(tx)+=R(tx,a)**2;"}},
    {.law = "fact: a sum that takes the maximum of its row",
     .said = Said::at_least_one,
     .right = "tx8 a6 S(tx) max=R(tx,a);tx8 a6 X(tx)+=exp(R(tx,a)-S(tx));",
     .wrong = {"tx8 a6 S(tx) max=R(tx,a);tx8 a5 X(tx)+=exp(R(tx,a)-S(tx));",
               "tx8 a5 S(tx) max=R(tx,a);tx8 a6 X(tx)+=exp(R(tx,a)-S(0));"}},
    {.law = "fact: less the maximum of its row",
     .said = Said::nonpositive,
     .right = "tx8 a6 S(tx) max=R(tx,a);tx8 X(tx)=R(tx,5)-S(tx);",
     .wrong = {"tx8 a5 S(tx) max=R(tx,a);tx8 X(tx)=R(tx,5)-S(tx);",
               "tx8 a6 ?(a<5) S(tx) max=R(tx,a);tx8 X(tx)=R(tx,5)-S(tx);",
               "tx8 a6 S(tx) max=R(tx,a);tx8 X(tx)=R(tx,5)-S(7-tx);"}},
};

INSTANTIATE_TEST_SUITE_P(Rules, FactLaw, ::testing::ValuesIn(kRows), [](const auto& row) {
  std::string out;
  for (const char c : row.param.law) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return out;
});

}  // namespace
}  // namespace steptp::testing
