#include "replay/spans.h"

#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "steptp/text/document.h"

namespace steptp::replayer {
namespace {

/// How the one condition of the last statement comes out, whatever the inputs are: "always", "never" or "open".
std::string outcome(const std::string& program) {
  const Document document = read_document(
      "spans", concat("@input A f32[9]\n@input E f32[9] positive\n@input M f32[9] masked\n@input R f32[9] [-2,3)\n"
                      "@input I i8[9]\n@input J u8[9]\n@output D f32[9]\n",
                      program, "\n"));
  EXPECT_TRUE(document.ok) << program;
  const Layout layout(document.program);
  const Expr& right = *layout.statements().back().equation->right;
  const auto* select = std::get_if<Select>(&right.node);
  if (!select) return "no choice";
  const auto decided = Spans(layout).decided(*select->condition);
  return !decided ? "open" : *decided ? "always" : "never";
}

TEST(Spans, WhatDomainsDecide) {
  EXPECT_EQ(outcome("a9 D(a)=where(E(a)>0,1,2);"), "always");
  EXPECT_EQ(outcome("a9 D(a)=where(E(a)>0.1,1,2);"), "open");
  EXPECT_EQ(outcome("a9 D(a)=where(R(a)<3.01,1,2);"), "always");
  EXPECT_EQ(outcome("a9 D(a)=where(R(a)<2.99,1,2);"), "open");
  EXPECT_EQ(outcome("a9 D(a)=where(R(a)*R(a)>9.01,1,2);"), "never");
  EXPECT_EQ(outcome("a9 D(a)=where(M(a)>-inf,1,2);"), "open");
  EXPECT_EQ(outcome("a9 D(a)=where(A(a)>-inf,1,2);"), "always");
}

TEST(Spans, WhatFunctionsDecide) {
  EXPECT_EQ(outcome("a9 D(a)=where(exp(A(a))>0,1,2);"), "always");
  EXPECT_EQ(outcome("a9 D(a)=where(exp(M(a))>0,1,2);"), "open");
  EXPECT_EQ(outcome("a9 D(a)=where(exp(M(a))>=0,1,2);"), "always");
  EXPECT_EQ(outcome("a9 D(a)=where(1/(1+exp(-A(a)))>0,1,2);"), "always");
  EXPECT_EQ(outcome("a9 D(a)=where(abs(A(a))<0,1,2);"), "never");
  // NaN where A is negative.
  EXPECT_EQ(outcome("a9 D(a)=where(sqrt(A(a))>=0,1,2);"), "open");
  EXPECT_EQ(outcome("a9 D(a)=where(max(A(a),1)>0.5,1,2);"), "always");
  EXPECT_EQ(outcome("a9 D(a)=where(max(A(a),1)>1,1,2);"), "open");
  EXPECT_EQ(outcome("a9 D(a)=where(A(a)*A(a)*A(a)>2,1,2);"), "open");
  EXPECT_EQ(outcome("a9 D(a)=where(A(a)/E(a)>-inf,1,2);"), "always");
}

TEST(Spans, IntegersWrap) {
  EXPECT_EQ(outcome("a9 D(a)=where(J^u8(a)>=0,1,2);"), "always");
  EXPECT_EQ(outcome("a9 D(a)=where(J^u8(a)-1<255,1,2);"), "open");
  EXPECT_EQ(outcome("a9 D(a)=where(I^i8(a)*I^i8(a)>=0,1,2);"), "open");
  EXPECT_EQ(outcome("a9 D(a)=where(abs(I^i8(a))>=0,1,2);"), "open");
  EXPECT_EQ(outcome("a9 D(a)=where(I^i8(a)+I(a)>=-128,1,2);"), "always");
  // So does a literal.
  EXPECT_EQ(outcome("a9 D(a)=where(I^i8(a)+I(a)>-129,1,2);"), "open");
  // The first sum wraps in eight bits.
  EXPECT_EQ(outcome("a9 D(a)=where(I^i8(a)+I(a)+J^u8(a)>-129,1,2);"), "open");
}

// What a sum, a product, a maximum or a minimum holds from its first round on.
TEST(Spans, FoldsBeginWithTheirTerms) {
  const auto fold = [](const std::string& statement, const std::string& condition) {
    return outcome(concat(statement, "a9 D(a)=where(", condition, ",1,2);"));
  };
  EXPECT_EQ(fold("a9 c9 X(a)+=E(c);", "X(a)>0"), "always");
  EXPECT_EQ(fold("a9 c9 X(a)+=exp(M(c));", "X(a)>=0"), "always");
  EXPECT_EQ(fold("a9 c9 X(a)+=exp(M(c));", "X(a)>0"), "open");
  EXPECT_EQ(fold("a9 c9 X(a)+=A(c);", "X(a)>=0"), "open");
  EXPECT_EQ(fold("a9 c9 X(a)+=A(c)*A(c);", "X(a)<inf"), "always");
  EXPECT_EQ(fold("a9 c9 X(a)=X(a)*E(c);", "X(a)>0"), "always");
  EXPECT_EQ(fold("a9 c9 X(a)=X(a)*A(c);", "X(a)>=0"), "open");
  EXPECT_EQ(fold("a9 c9 X(a) max=A(c);", "X(a)>=0"), "open");
  EXPECT_EQ(fold("a9 c9 X(a) max=E(c);", "X(a)>0"), "always");
  EXPECT_EQ(fold("a9 c9 X(a) max=M(c);", "X(a)>-inf"), "open");
  EXPECT_EQ(fold("a9 c9 X(a) min=A(c);", "X(a)<=0"), "open");
  EXPECT_EQ(fold("a9 c9 X(a) min=where(A(c)<0,1,inf);", "X(a)<inf"), "open");
  EXPECT_EQ(fold("a9 X(a)=E(a);a9 c9 X(a)+=A(c);", "X(a)>0"), "open");
  // What is overwritten from what it was.
  EXPECT_EQ(fold("a9 X(a)=E(a);a9 X(a)=X(a)-1;", "X(a)>0"), "open");
  EXPECT_EQ(fold("a9 X(a)=E(a);a9 X(a)=X(a)/2;", "X(a)>=0"), "always");
}

/// Whether it is known of the divisor of the last statement, or of the argument of its function, that it is never zero,
/// or never below zero.
bool is_known(const std::string& program, Question question) {
  const Document document = read_document(
      "spans", concat("@input A f32[9]\n@input E f32[9] positive\n@input M f32[9] masked\n@input N f32[9] nonzero\n"
                      "@input R f32[9] [-2,0)\n@output D f32[9]\n",
                      program, "\n"));
  EXPECT_TRUE(document.ok) << program;
  const Layout layout(document.program);
  const Expr& right = *layout.statements().back().equation->right;
  const auto* product = std::get_if<Product>(&right.node);
  const auto* call = std::get_if<Call>(&right.node);
  const Expr* asked = product ? product->operands.back().get() : call ? call->argument.get() : nullptr;
  EXPECT_TRUE(asked) << program;
  return asked && Spans(layout).is_answered({asked, 0, question}, true);
}

TEST(Spans, WhatIsNeverZero) {
  EXPECT_TRUE(is_known("a9 D(a)=1/N(a);", Question::divisor));
  EXPECT_TRUE(is_known("a9 D(a)=1/(N(a)*N(a)*E(a));", Question::divisor));
  EXPECT_TRUE(is_known("a9 D(a)=1/R(a);", Question::divisor));
  EXPECT_TRUE(is_known("a9 D(a)=1/(A(a)*A(a)+1);", Question::divisor));
  EXPECT_TRUE(is_known("a9 D(a)=1/(1+exp(-A(a)));", Question::divisor));
  EXPECT_FALSE(is_known("a9 D(a)=1/A(a);", Question::divisor));
  EXPECT_FALSE(is_known("a9 D(a)=1/(N(a)+N(a));", Question::divisor));
  EXPECT_FALSE(is_known("a9 D(a)=1/(A(a)*A(a));", Question::divisor));
  EXPECT_FALSE(is_known("a9 D(a)=log(abs(A(a)));", Question::pole));
  EXPECT_TRUE(is_known("a9 D(a)=log(max(A(a),1e-9));", Question::pole));
}

// Sums of exponentials are zero only where all that is masked is -inf.
TEST(Spans, WhatIsZeroOnlyAtInfinity) {
  EXPECT_TRUE(is_known("a9 X+=exp(M(a));a9 D(a)=1/X;", Question::divisor));
  EXPECT_TRUE(is_known("a9 Y max=M(a);a9 X+=exp(M(a)-Y);a9 D(a)=1/X;", Question::divisor));
  EXPECT_FALSE(is_known("a9 X+=M(a);a9 D(a)=1/X;", Question::divisor));
  EXPECT_FALSE(is_known("a9 X+=exp(M(a))-1;a9 D(a)=1/X;", Question::divisor));
}

TEST(Spans, WhatIsNeverBelowZero) {
  EXPECT_TRUE(is_known("a9 D(a)=sqrt(A(a)**2+1e-6);", Question::domain));
  EXPECT_TRUE(is_known("a9 D(a)=sqrt(A(a)*A(a));", Question::domain));
  EXPECT_FALSE(is_known("a9 D(a)=sqrt(A(a)*A(a)*A(a));", Question::domain));
  EXPECT_FALSE(is_known("a9 D(a)=sqrt(A(a)*A(a)-1e-30);", Question::domain));
}

}  // namespace
}  // namespace steptp::replayer
