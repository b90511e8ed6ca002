// One row per law of the prover: the pair that it accepts, and the pair next to it that it must refuse. Rows are
// formulas of one element: A, C and E hold any numbers, F and Q positive ones, M numbers or -inf, I integers.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>

#include "steptp/base/text.h"
#include "steptp/prove/prove.h"
#include "steptp/text/document.h"

namespace steptp {
namespace {

struct Row {
  std::string_view law;
  std::string_view before;
  std::string_view after;
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.law << ": " << row.before << " -> " << row.after;
}

/// A capital stands for the element of that tensor at the index of the loop.
std::string expanded(std::string_view formula) {
  std::string out;
  for (std::size_t i = 0; i < formula.size(); ++i) {
    const char c = formula[i];
    const bool is_tensor = c >= 'A' && c <= 'Z';
    if (!is_tensor) {
      out += c;
    } else if (c == 'I') {
      out += "I^{i64,g}_{tx}";
    } else {
      append(out, c, "^{f32,g}_{tx}");
    }
  }
  return out;
}

Program program_of(std::string_view formula) {
  const std::string text = concat(
      "@input A f32[100]\n@input C f32[100]\n@input E f32[100]\n@input F f32[100] positive\n"
      "@input Q f32[100] positive\n@input M f32[100] masked\n@input I i64[100]\n@output D f32[100]\n",
      "B^{100}_{tx=0}[D^{f32,g}_{tx}=", expanded(formula), ";];");
  Document document = read_document("row", text);
  EXPECT_TRUE(document.ok) << text;
  return document.program;
}

Proof proof_of(const Row& row) { return prove(program_of(row.before), program_of(row.after)); }

class Accepted : public ::testing::TestWithParam<Row> {};

TEST_P(Accepted, IsEqual) {
  const Proof proof = proof_of(GetParam());
  EXPECT_TRUE(proof.proved || proof.shown) << GetParam() << "\n" << proof.reason;
}

class Refused : public ::testing::TestWithParam<Row> {};

TEST_P(Refused, IsNotEqual) {
  const Proof proof = proof_of(GetParam());
  EXPECT_FALSE(proof.proved || proof.shown) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(
    Definedness, Accepted,
    ::testing::Values(Row{"a divisor that before has may be cancelled", "C*A/A", "C"},
                      Row{"in both directions where it is not zero", "C", "C*F/F"},
                      Row{"a sum of a square and one is not zero", "C", "C*(A**2+1)/(A**2+1)"},
                      Row{"two divisors are one product", "1/A+1/C", "(A+C)/(A*C)"},
                      Row{"a guard keeps a divisor from zero", "if_then_else(A==0,0,C/A)", "if_then_else(A!=0,C/A,0)"},
                      Row{"so does an order", "if_then_else(A>0,C/A,0)", "if_then_else(A<=0,0,C/A)"},
                      Row{"a condition that before evaluates", "if_then_else(1/A>0,C,C)", "C"},
                      Row{"a root under a fraction is zero with its argument", "C*rsqrt(F)", "C/sqrt(F)"}));

INSTANTIATE_TEST_SUITE_P(
    Definedness, Refused,
    ::testing::Values(Row{"a removable pole", "C", "C*(A-0.37)/(A-0.37)"}, Row{"a new divisor", "C", "C*A/A"},
                      Row{"a new divisor in a condition", "C", "if_then_else(1/A>0,C,C)"},
                      Row{"a new divisor on both sides of a comparison", "C", "if_then_else(1/A==1/A,C,0)"},
                      Row{"a new divisor under the power 0", "C", "C*(1/A)**0"},
                      Row{"a new divisor under a maximum of itself", "max(C,0)", "max(C,0*(1/A))"},
                      Row{"a divisor taken out of its guard", "if_then_else(A!=0,C/A,0)", "if_then_else(A!=0,1,0)*(C/A)"},
                      Row{"a guard of something else", "if_then_else(A==0,0,C/A)", "if_then_else(E==0,0,C/A)"},
                      Row{"a quotient by a logarithm", "E", "E/log(F)*log(F)"},
                      Row{"an index that data may put outside", "if_then_else(I<5,C,0)",
                          "if_then_else(I<5,C,0*A)+0*rsqrt(abs(A))"}));

INSTANTIATE_TEST_SUITE_P(
    Logarithms, Accepted,
    ::testing::Values(Row{"of a product of positives", "log(F)+log(Q)", "log(F*Q)"},
                      Row{"expanded", "log(F*Q)", "log(F)+log(Q)"}, Row{"of a quotient", "log(F)-log(Q)", "log(F/Q)"},
                      Row{"of products that were multiplied out", "log((A**2+1)*(C**2+1))", "log(A**2+1)+log(C**2+1)"},
                      Row{"of a power", "log((C**2+1)**3)", "3*log(C**2+1)"},
                      Row{"of a root", "log(sqrt(A**2+1))", "0.5*log(A**2+1)"},
                      Row{"of an inverse", "log(1/(1+exp(-A)))", "-log(1+exp(-A))"},
                      Row{"of a sigmoid in two forms", "log(1/(1+exp(-A)))", "A-log(1+exp(A))"},
                      Row{"of products of exponentials", "log((1+exp(A))*(1+exp(C)))", "log(1+exp(A))+log(1+exp(C))"},
                      Row{"of a multiple", "log(2*F)", "log(2)+log(F)"}));

INSTANTIATE_TEST_SUITE_P(Logarithms, Refused,
                         ::testing::Values(Row{"of a product of any numbers", "log(A*C)", "log(A)+log(C)"},
                                           Row{"of a square", "log(A**2)", "2*log(A)"},
                                           Row{"of a sum", "log(F+Q)", "log(F)+log(Q)"},
                                           Row{"infinite at zero", "log(A)", "if_then_else(A==0,5,log(A))"},
                                           Row{"of a product with a negative number", "log(F*Q)", "log(-F*Q)"},
                                           Row{"of another power", "log((C**2+1)**3)", "2*log(C**2+1)"}));

INSTANTIATE_TEST_SUITE_P(
    Roots, Accepted,
    ::testing::Values(Row{"of a product", "sqrt(A**2+1)*sqrt(C**2+1)", "sqrt((A**2+1)*(C**2+1))"},
                      Row{"of a product of positives", "sqrt(F)*sqrt(Q)", "sqrt(F*Q)"},
                      Row{"of a square", "sqrt(A**2)", "abs(A)"}, Row{"squared", "sqrt(F)*sqrt(F)", "F"},
                      Row{"three halves", "abs(A)**1.5", "abs(A)*sqrt(abs(A))"},
                      Row{"minus three halves", "F**-1.5", "1/(F*sqrt(F))"},
                      Row{"of an exponential", "sqrt(exp(A))", "exp(A/2)"},
                      Row{"of four times a number", "sqrt(4*F)", "2*sqrt(F)"}));

INSTANTIATE_TEST_SUITE_P(Roots, Refused,
                         ::testing::Values(Row{"of a product of any numbers", "sqrt(A*C)", "sqrt(A)*sqrt(C)"},
                                           Row{"squared, of any number", "A", "sqrt(A)*sqrt(A)"},
                                           Row{"of a square without its sign", "sqrt(A**2)", "A"},
                                           Row{"three halves of any number", "A*sqrt(abs(A))", "A**1.5"},
                                           Row{"of twice a number", "sqrt(2*F)", "2*sqrt(F)"}));

INSTANTIATE_TEST_SUITE_P(
    Extrema, Accepted,
    ::testing::Values(Row{"of exponentials", "max(exp(A),exp(C))", "exp(max(A,C))"},
                      Row{"of exponentials, the least", "exp(min(A,C))", "min(exp(C),exp(A))"},
                      Row{"of an exponential and one", "max(exp(A),1)", "exp(max(A,0))"},
                      Row{"of exponentials of what may be -inf", "max(exp(M),exp(A))", "exp(max(A,M))"},
                      Row{"of roots", "max(sqrt(A),sqrt(C))", "sqrt(max(A,C))"},
                      Row{"of a root and a number", "C/max(sqrt(A),0.5)", "C/sqrt(max(A,0.25))"}));

INSTANTIATE_TEST_SUITE_P(
    Extrema, Refused,
    ::testing::Values(Row{"of exponentials with another factor", "max(2*exp(A),exp(C))", "2*exp(max(A,C))"},
                      Row{"of an exponential and zero", "max(exp(A),0)", "exp(max(A,0))"},
                      Row{"the least of roots, one of which may be NaN", "min(sqrt(A),sqrt(C))", "sqrt(min(A,C))"},
                      Row{"of a root and a negative number", "max(sqrt(A),-0.5)", "sqrt(max(A,0.25))"},
                      Row{"of a root and another number", "max(sqrt(A),0.5)", "sqrt(max(A,0.5))"}));

INSTANTIATE_TEST_SUITE_P(
    Residues, Accepted,
    ::testing::Values(Row{"partial fractions", "1/(A*(A+1))", "1/A-1/(A+1)"},
                      Row{"a common denominator", "A/(C**2+1)+C/(A**2+1)",
                          "(A*(A**2+1)+C*(C**2+1))/((C**2+1)*(A**2+1))"},
                      Row{"inside a function", "tanh(1/A+1/C)", "tanh((A+C)/(A*C))"},
                      Row{"inside a maximum", "max(1/A+1/C,E)", "max(E,(A+C)/(C*A))"},
                      Row{"inside a condition", "if_then_else(1/A+1/C<E,A,C)", "if_then_else((A+C)/(A*C)<E,A,C)"}));

INSTANTIATE_TEST_SUITE_P(
    Residues, Refused,
    ::testing::Values(Row{"a saturated function", "C*tanh(200+abs(A))", "C"},
                      Row{"a small term", "A", "A+exp(-200-A*A)"},
                      Row{"a NaN that comes into a logarithm", "log(C)", "log(C+0*sqrt(A))"},
                      Row{"a NaN that comes into a sum", "exp(C)", "exp(C+0*sqrt(A))"},
                      Row{"a tie of a rounding", "round(A)", "floor(A+1/2)"},
                      Row{"a strict comparison", "if_then_else(A<C,A,E)", "if_then_else(A<=C,A,E)"},
                      Row{"an infinite factor", "M*3-M*1", "M*2"}, Row{"a masked number times zero", "0", "M*0"},
                      Row{"numbers equal modulo many primes", "A*0.5", "A*1152921504606846976"},
                      Row{"an integer that one value changes", "I*1.0", "(I+max(1-abs(I-123456),0))*1.0"},
                      Row{"NaN that becomes a number", "sqrt(max(A,0))", "sqrt(A)"}));

}  // namespace
}  // namespace steptp
