// The precision rule: a value that reaches an output, or decides what reaches one, is not stored in a float type that
// cannot hold what `before` holds there.

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "steptp/text/document.h"
#include "steptp/verify/precision.h"
#include "steptp/verify/verify.h"
#include "testing/certificate_sweep.h"

namespace steptp::testing {

namespace {

struct Row {
  const char* what;
  const char* header;
  const char* before;
  const char* after;
};

constexpr const char* kPlain = "@input A f32[8]\n@input C f32[8]\n@output D f32[8]\n";
constexpr const char* kHalf = "@input A f16[8]\n@input C f16[8]\n@output D f32[8]\n";
constexpr const char* kIntegers = "@input A f32[8]\n@input I i32[8] [0,8)\n@output D f32[8]\n";
constexpr const char* kLargeIntegers = "@input A f32[8]\n@input I i32[8] [0,100000000)\n@output D f32[8]\n";
// Of halves 2049, and of bfloat16 257, is the first whole number that is none.
constexpr const char* kUpTo2048 = "@input A f32[8]\n@input I i32[8] [0,2049)\n@output D f32[8]\n";
constexpr const char* kUpTo2049 = "@input A f32[8]\n@input I i32[8] [0,2050)\n@output D f32[8]\n";
constexpr const char* kDownTo2048 = "@input A f32[8]\n@input I i32[8] [-2048,100)\n@output D f32[8]\n";
constexpr const char* kDownTo2049 = "@input A f32[8]\n@input I i32[8] [-2049,100)\n@output D f32[8]\n";
constexpr const char* kUpTo256 = "@input A f32[8]\n@input I i32[8] [0,257)\n@output D f32[8]\n";
constexpr const char* kUpTo257 = "@input A f32[8]\n@input I i32[8] [0,258)\n@output D f32[8]\n";
constexpr const char* kManyPlaces = "@output D f32[2049]\n@input A f32[8]\n";
constexpr const char* kMorePlaces = "@output D f32[2050]\n@input A f32[8]\n";
constexpr const char* kMixed = "@input A f32[8]\n@input C f16[8]\n@output D f32[8]\n";
constexpr const char* kWideFactor = "@input A f16[8]\n@input C f32[8]\n@output D f16[8]\n";
constexpr const char* kWideTerms = "@input A f32[4,64]\n@input C f32[64]\n@output D f16[4]\n";
constexpr const char* kHalfOut = "@input A f32[8]\n@output D f16[8]\n";
constexpr const char* kRows = "@input A f16[4,64]\n@input C f16[64]\n@output D f32[4]\n";

/// The types of known variables are those of the header, wherever the text does not say them.
Program program_of(const std::string& header, std::string text) {
  std::istringstream lines(header);
  for (std::string role, name, type; lines >> role >> name >> type;) {
    type.resize(type.find('['));
    std::string rest;
    std::getline(lines, rest);
    for (std::size_t at = text.find(name + "("); at != std::string::npos; at = text.find(name + "(", at + 1))
      text.replace(at, 1, name + "^" + type);
  }
  const Document document = read_document("test", header + text + "\n");
  EXPECT_TRUE(document.ok) << text;
  return document.program;
}

constexpr Row kLost[] = {
    {"a value in a narrow tensor", kPlain, "tx8 D(tx)=A(tx)*2+1;", "tx8 E^f16(tx)=A(tx)*2;tx8 D(tx)=E(tx)+1;"},
    {"a copy in a narrow tensor", kPlain, "tx8 D(tx)=A(tx)*C(tx);", "tx8 E^f16(tx)=A(tx);tx8 D(tx)=E(tx)*C(tx);"},
    {"bf16 holds fewer digits than f16", kHalf, "tx8 D(tx)=A(tx)*C(tx);",
     "tx8 E^bf16(tx)=A(tx);tx8 D(tx)=E(tx)*C(tx);"},
    {"a literal", kPlain, "tx8 D(tx)=A(tx)*0.1;", "tx8 E^f16(tx)=0.1;tx8 D(tx)=A(tx)*E(tx);"},
    {"a literal that is made of two", kPlain, "tx8 D(tx)=A(tx)*0.1;",
     "tx8 E^f16(tx)=0.05;tx8 D(tx)=A(tx)*(E(tx)+E(tx));"},
    {"a literal out of range", kPlain, "tx8 D(tx)=max(A(tx),-100000);",
     "tx8 E^f16(tx)=-100000;tx8 D(tx)=max(A(tx),E(tx));"},
    {"a literal beside another use of it in a narrow operation", kMixed,
     "tx8 E^f16(tx)=C(tx)*0.1;tx8 D(tx)=A(tx)*0.1+E(tx);",
     "tx8 E^f16(tx)=C(tx)*0.1;tx8 F^f16(tx)=0.1;tx8 D(tx)=A(tx)*F(tx)+E(tx);"},
    {"a product of literals", kPlain, "tx8 D(tx)=A(tx)*0.1*0.1;",
     "tx8 E^f32(tx)=0.1;tx8 F^f32(tx)=E(tx)*E(tx);tx8 G^f16(tx)=F(tx);tx8 D(tx)=A(tx)*G(tx);"},
    {"a factor of a narrow accumulation", kWideFactor, "tx8 D(tx)=A(tx);tx8 D(tx)=D(tx)*C(tx);",
     "tx8 E^f16(tx)=C(tx);tx8 D(tx)=A(tx)*E(tx);"},
    {"terms of a narrow accumulation", kWideTerms, "tx4 a64 D(tx)+=A(tx,a)*C(a);",
     "tx4 a64 E^f16(tx,a)=A(tx,a)*C(a);tx4 a64 D(tx)+=E(tx,a);"},
    {"an integer in a half", kLargeIntegers, "tx8 D(tx)=A(I(tx)%8);",
     "tx8 E^f16(tx)=I(tx);tx8 J^i32(tx)=E(tx);tx8 D(tx)=A(J(tx)%8);"},
    {"an integer in a float of 24 bits", kLargeIntegers, "tx8 D(tx)=where(I(tx)==3,A(tx),0);",
     "tx8 E^f32(tx)=I(tx);tx8 D(tx)=where(E(tx)==3,A(tx),0);"},
    {"a condition on copies", kPlain, "tx8 D(tx)=where(A(tx)>C(tx),1,0);",
     "tx8 E^f16(tx)=A(tx);tx8 F^f16(tx)=C(tx);tx8 D(tx)=where(E(tx)>F(tx),1,0);"},
    {"a bool made of copies", kPlain, "tx8 M^bool(tx)=A(tx)>C(tx);tx8 D(tx)=where(M(tx),A(tx),0);",
     "tx8 E^f16(tx)=A(tx);tx8 M^bool(tx)=E(tx)>C(tx);tx8 D(tx)=where(M(tx),A(tx),0);"},
    {"a threshold", kPlain, "tx8 D(tx)=where(A(tx)>0.1,A(tx),0);",
     "tx8 E^f16(tx)=0.1;tx8 D(tx)=where(A(tx)>E(tx),A(tx),0);"},
    {"an accumulator", kRows, "tx4 a64 E^f32(tx)+=A(tx,a)*C(a);tx4 D(tx)=E(tx)*2;",
     "tx4 a64 E^f16(tx)+=A(tx,a)*C(a);tx4 D(tx)=E(tx)*2;"},
    {"an accumulator as a written sum", kRows, "tx4 a64 E^f32(tx)+=A(tx,a);tx4 D(tx)=E(tx)*2;",
     "tx4 a32 F^f16(tx,a)=A(tx,a*2)+A(tx,a*2+1);tx4 a32 E^f32(tx)+=F(tx,a);tx4 D(tx)=E(tx)*2;"},
    {"a product of halves that the sum computes in its own type", kRows,
     "tx4 a64 E^f32(tx)+=A(tx,a)*C(a);tx4 D(tx)=E(tx)*2;",
     "tx4 a64 F^f16(tx,a)=A(tx,a)*C(a);tx4 a64 E^f32(tx)+=F(tx,a);tx4 D(tx)=E(tx)*2;"},
    {"a count", kRows, "tx4 a64 N^i64(tx)+=1;tx4 D(tx)=A(tx,0)/N^i64(tx);",
     "tx4 a64 N^f32(tx)+=1;tx4 D(tx)=A(tx,0)/N(tx);"},
    {"a product of wide copies", kHalf, "tx8 E^f32(tx)=A(tx);tx8 F^f32(tx)=E(tx)*C(tx);tx8 D(tx)=F(tx);",
     "tx8 F^f16(tx)=A(tx)*C(tx);tx8 D(tx)=F(tx);"},
    {"an output of a narrow type in between", kHalfOut, "tx8 D(tx)=exp(A(tx))*2;",
     "tx8 D(tx)=exp(A(tx));tx8 D(tx)=D(tx)*2;"},
    {"a value before it is narrowed", kHalfOut, "tx8 D(tx)=A(tx)*0.3;", "tx8 E^f16(tx)=A(tx);tx8 D(tx)=E(tx)*0.3;"},
    {"one integer too many for a half", kUpTo2049, "tx8 D(tx)=where(I(tx)==3,A(tx),0);",
     "tx8 E^f16(tx)=I(tx);tx8 D(tx)=where(E(tx)==3,A(tx),0);"},
    {"one negative integer too many for a half", kDownTo2049, "tx8 D(tx)=where(I(tx)==3,A(tx),0);",
     "tx8 E^f16(tx)=I(tx);tx8 D(tx)=where(E(tx)==3,A(tx),0);"},
    {"one integer too many for a bfloat16", kUpTo257, "tx8 D(tx)=where(I(tx)==3,A(tx),0);",
     "tx8 E^bf16(tx)=I(tx);tx8 D(tx)=where(E(tx)==3,A(tx),0);"},
    {"one place too many for a half", kMorePlaces, "a2050 D(a)=A(0)*a;", "a2050 E^f16(a)=a;a2050 D(a)=A(0)*E(a);"},
    // Computed, and stored nowhere.
    {"a product of an index in a half", kMorePlaces, "a2050 D(a)=a*0.1;",
     "a2050 E^f16(a)=a//2;a2050 D(a)=(E(a)*2+a%2)*0.1;"},
    {"a product of no references, which its sum does not widen", kRows,
     "tx4 a64 E^f32(tx)+=A(tx,a)*C(a);tx4 D(tx)=E(tx)*2;", "tx4 a64 E^f32(tx)+=(A(tx,a)+0)*C(a);tx4 D(tx)=E(tx)*2;"},
    {"a product in halves", kHalf, "tx8 E^f32(tx)=A(tx);tx8 D(tx)=E(tx)*C(tx);", "tx8 D(tx)=A(tx)*C(tx);"},
    {"a product in halves, and the same again", kHalf, "tx8 E^f64(tx)=A(tx);tx8 F^f64(tx)=C(tx);tx8 D(tx)=E(tx)*F(tx);",
     "tx8 D(tx)=A(tx)*C(tx);"},
    {"a function in halves", kHalf, "tx8 E^f32(tx)=A(tx);tx8 D(tx)=exp(E(tx))*C(tx);", "tx8 D(tx)=exp(A(tx))*C(tx);"},
    {"a term in halves", kRows, "tx4 a64{D(tx)+=A(tx,a);D(tx)+=C(a);}", "tx4 a64 D(tx)+=(A(tx,a)+C(a));"},
    {"a comparison of products of halves", kHalf, "tx8 E^f32(tx)=A(tx);tx8 D(tx)=where(E(tx)*C(tx)>1,A(tx),0);",
     "tx8 D(tx)=where(A(tx)*C(tx)>1,A(tx),0);"},
    {"a threshold that is compared in halves", kHalf, "tx8 E^f32(tx)=A(tx);tx8 D(tx)=where(E(tx)>0.1,A(tx),0);",
     "tx8 D(tx)=where(A(tx)>0.1,A(tx),0);"},
    {"a literal that stands in for a half", kRows,
     "tx4 a64{F^f32(tx,a)=A(tx,a);D(tx)+=where(C(a)>0,F(tx,a),0.1)*C(a);}",
     "tx4 a64 D(tx)+=where(C(a)>0,A(tx,a),0.1)*C(a);"},
    {"a literal that is the least of halves", kMixed, "tx8 F^f32(tx)=C(tx);tx8 D(tx)=min(F(tx),0.3)*A(tx);",
     "tx8 D(tx)=min(C(tx),0.3)*A(tx);"},
    {"an integer that is compared in a float", kLargeIntegers, "tx8 D(tx)=where(I(tx)==3,A(tx),0);",
     "tx8 D(tx)=where(I(tx)*1.0==3,A(tx),0);"},
    {"an integer beside a decimal", kLargeIntegers, "tx8 D(tx)=where(max(I(tx),0)==3,A(tx),0);",
     "tx8 D(tx)=where(max(I(tx),0.0)==3,A(tx),0);"},
    {"an integer that goes through a float", kLargeIntegers, "tx8 J^i32(tx)=I(tx);tx8 D(tx)=A(J(tx)%8);",
     "tx8 J^i32(tx)=I(tx)*1.0;tx8 D(tx)=A(J(tx)%8);"},
};

TEST(Precision, WhatIsLostDiffers) {
  for (const Row& pair : kLost) {
    const Program before = program_of(pair.header, pair.before);
    const Program after = program_of(pair.header, pair.after);
    const Precision found = compare_precision(before, after);
    EXPECT_EQ(found.verdict, Precision::Verdict::lost) << pair.what << " " << found.reason;
    const Judgement judgement = verify(before, after);
    EXPECT_EQ(judgement.verdict, Grade::differs) << pair.what << " " << judgement.reason;
    EXPECT_TRUE(judgement.reason.starts_with("precision: ")) << pair.what << " " << judgement.reason;
    const ConfirmedPair replayed =
        judge_and_confirm(make_pair(read_document("before", print_document(before, Profile::paper)),
                                    read_document("after", print_document(after, Profile::paper))));
    EXPECT_TRUE(replayed.is_confirmed()) << pair.what << " " << replayed.report.reason;
  }
}

constexpr Row kKept[] = {
    {"a wider tensor", kPlain, "tx8 E^f32(tx)=A(tx)*2;tx8 D(tx)=E(tx)+1;", "tx8 E^f64(tx)=A(tx)*2;tx8 D(tx)=E(tx)+1;"},
    {"less narrow than before", kPlain, "tx8 E^f16(tx)=A(tx)*2;tx8 D(tx)=E(tx)+1;", "tx8 D(tx)=A(tx)*2+1;"},
    {"a copy in the same type", kHalf, "tx8 D(tx)=A(tx)*C(tx);", "tx8 E^f16(tx)=A(tx);tx8 D(tx)=E(tx)*C(tx);"},
    {"a value in the type it is computed in", kRows, "tx4 a64 E^f32(tx)+=A(tx,a)*C(a)*C(a);tx4 D(tx)=E(tx)*2;",
     "tx4 a64 F^f16(tx,a)=A(tx,a)*C(a);tx4 a64 E^f32(tx)+=F(tx,a)*C(a)*1;tx4 D(tx)=E(tx)*2;"},
    {"a product of halves that is added in the type of its sum", kRows,
     "tx4 a64 F^f16(tx,a)=A(tx,a)*C(a);tx4 a64 E^f32(tx)+=F(tx,a);tx4 D(tx)=E(tx)*2;",
     "tx4 a64 E^f32(tx)+=A(tx,a)*C(a);tx4 D(tx)=E(tx)*2;"},
    {"the same with copies of the factors", kRows, "tx4 a64 E^f32(tx)+=A(tx,a)*C(a);tx4 D(tx)=E(tx)*2;",
     "tx4 a64 G^f16(tx,a)=A(tx,a);tx4 a64 E^f32(tx)+=G(tx,a)*C(a);tx4 D(tx)=E(tx)*2;"},
    {"a maximum in the type of its operands", kHalf, "tx8 D(tx)=max(A(tx),C(tx))*2;",
     "tx8 E^f16(tx)=max(A(tx),C(tx));tx8 D(tx)=E(tx)*2;"},
    {"a literal that every type holds", kPlain, "tx8 D(tx)=A(tx)*0.5;", "tx8 E^f16(tx)=0.5;tx8 D(tx)=A(tx)*E(tx);"},
    {"a literal in the type that uses it", kPlain, "tx8 D(tx)=A(tx)*0.1;", "tx8 E^f32(tx)=0.1;tx8 D(tx)=A(tx)*E(tx);"},
    {"an infinity", kPlain, "tx8 D(tx)=max(A(tx),-inf);", "tx8 E^f16(tx)=-inf;tx8 D(tx)=max(A(tx),E(tx));"},
    {"a new use of a literal in a narrow operation", kMixed, "tx8 E^f16(tx)=C(tx)+C(tx);tx8 D(tx)=A(tx)*2+E(tx);",
     "tx8 E^f16(tx)=C(tx)*2;tx8 D(tx)=A(tx)*2+E(tx);"},
    {"a narrow accumulation whose rounds are split", kWideTerms, "tx4 a64 D(tx)+=A(tx,a)*C(a);",
     "tx4 a8 c8 D(tx)+=C(a*8+c)*A(tx,a*8+c);"},
    {"an integer whose domain a half holds", kIntegers, "tx8 D(tx)=A(I(tx));",
     "tx8 E^f16(tx)=I(tx);tx8 J^i32(tx)=E(tx);tx8 D(tx)=A(J(tx)%8);"},
    {"an integer whose domain a float holds", kIntegers, "tx8 D(tx)=where(I(tx)==3,A(tx),0);",
     "tx8 E^f32(tx)=I(tx);tx8 D(tx)=where(E(tx)==3,A(tx),0);"},
    {"an integer in a float that holds it", kLargeIntegers, "tx8 D(tx)=where(I(tx)==3,A(tx),0);",
     "tx8 E^f64(tx)=I(tx);tx8 D(tx)=where(E(tx)==3,A(tx),0);"},
    {"an index in a float that holds it", kPlain, "tx8 D(tx)=A(tx)*tx;", "tx8 E^f32(tx)=tx;tx8 D(tx)=A(tx)*E(tx);"},
    {"an output that is staged in its own type", kHalfOut, "tx8 D(tx)=A(tx)*0.3;",
     "tx8 E^f16(tx)=A(tx)*0.3;tx8 D(tx)=E(tx);"},
    {"the same narrow store elsewhere", kPlain,
     "tx8 E^f16(tx)=A(tx)*2;tx8 F^f32(tx)=A(tx)*3;tx8 D(tx)=E(tx)+F(tx)*C(tx);",
     "tx8 F^f32(tx)=A(tx)*3;tx4 a2 E^f16(tx*2+a)=A(tx*2+a)*2;tx8 D(tx)=F(tx)*C(tx)+E(tx);"},
    {"integers up to the last that a half holds", kUpTo2048, "tx8 D(tx)=where(I(tx)==3,A(tx),0);",
     "tx8 E^f16(tx)=I(tx);tx8 D(tx)=where(E(tx)==3,A(tx),0);"},
    {"integers down to the last that a half holds", kDownTo2048, "tx8 D(tx)=where(I(tx)==3,A(tx),0);",
     "tx8 E^f16(tx)=I(tx);tx8 D(tx)=where(E(tx)==3,A(tx),0);"},
    {"integers up to the last that a bfloat16 holds", kUpTo256, "tx8 D(tx)=where(I(tx)==3,A(tx),0);",
     "tx8 E^bf16(tx)=I(tx);tx8 D(tx)=where(E(tx)==3,A(tx),0);"},
    {"an integer that a float holds beside a decimal", kIntegers, "tx8 D(tx)=where(I(tx)==3,A(tx),0);",
     "tx8 D(tx)=where(I(tx)*1.0==3,A(tx),0);"},
    {"another operation in the type of the input", kHalf, "tx8 D(tx)=A(tx);tx8 D(tx)+=C(tx);",
     "tx8 D(tx)=max(A(tx),A(tx));tx8 D(tx)+=C(tx);"},
    {"algebra among halves beside a wide product", kMixed, "tx8 E^f16(tx)=C(tx)*2;tx8 D(tx)=A(tx)*A(tx)+E(tx)*3;",
     "tx8 D(tx)=A(tx)*A(tx)+C(tx)*3*2;"},
    {"a product of halves beside the same of floats, moved", kMixed,
     "tx8 F^f32(tx)=C(tx);tx8 D(tx)=F(tx)*3*A(tx)+C(tx)*2;",
     "tx8 E^f16(tx)=C(tx)*2;tx8 F^f32(tx)=C(tx);tx8 D(tx)=E(tx)+A(tx)*F(tx)*3;"},
    {"places up to the last that a half holds", kManyPlaces, "a2049 D(a)=A(0)*a;",
     "a2049 E^f16(a)=a;a2049 D(a)=A(0)*E(a);"},
};

TEST(Precision, WhatIsKeptIsEqual) {
  for (const Row& pair : kKept) {
    const Program before = program_of(pair.header, pair.before);
    const Program after = program_of(pair.header, pair.after);
    const Precision found = compare_precision(before, after);
    EXPECT_EQ(found.verdict, Precision::Verdict::kept) << pair.what << " " << found.reason;
    const Judgement judgement = verify(before, after);
    EXPECT_TRUE(is_equal(judgement.verdict)) << pair.what << " " << name_of(judgement.verdict) << judgement.reason;
  }
}

/// Two ways of one input, a narrow and a wide one, whose types have changed places.
TEST(Precision, ExchangedTypesAreNotEqual) {
  const std::string before = "tx8 E^f16(tx)=A(tx)*2;tx8 F^f32(tx)=A(tx)*3;tx8 D(tx)=E(tx)+F(tx)*C(tx);";
  const std::string after = "tx8 E^f32(tx)=A(tx)*2;tx8 F^f16(tx)=A(tx)*3;tx8 D(tx)=E(tx)+F(tx)*C(tx);";
  const Judgement judgement = verify(program_of(kPlain, before), program_of(kPlain, after));
  EXPECT_FALSE(is_equal_or_numeric(judgement.verdict));
  EXPECT_TRUE(judgement.reason.starts_with("precision: ")) << judgement.reason;
}

/// The same operation, in a narrow type and in a wide one: which of them is which is asked by a proof, in which what is
/// rounded to narrow types goes through functions of which nothing is known.
TEST(Precision, ExchangedOperationsAreNotEqual) {
  struct Exchange {
    const char* header;
    const char* before;
    const char* after;
  };
  const Exchange rows[] = {
      {kMixed, "tx8 F^f32(tx)=C(tx);tx8 D(tx)=F(tx)*3*A(tx)+C(tx)*2;",
       "tx8 F^f32(tx)=C(tx);tx8 D(tx)=A(tx)*(C(tx)*3)+F(tx)*2;"},
      {kMixed, "tx8 F^f32(tx)=C(tx);tx8 D(tx)=F(tx)*3*A(tx)+C(tx)*2;", "tx8 D(tx)=A(tx)*(C(tx)*3)+C(tx)*2;"},
      {kMixed, "tx8 D(tx)=exp(C(tx)*2)*A(tx)*3;", "tx8 D(tx)=exp(C(tx)*2)*3*A(tx);"},
      {kMixed, "tx8 F^f32(tx)=C(tx);tx4 D(tx)=C(tx)*5+A(tx);tx4 D(tx+4)=F(tx+4)*5+A(tx+4);",
       "tx8 F^f32(tx)=C(tx);tx4 D(tx+4)=C(tx+4)*5+A(tx+4);tx4 D(tx)=F(tx)*5+A(tx);"},
      {kWideFactor, "tx8 F^f32(tx)=A(tx);tx4 D(tx)=A(tx)*5;tx4 D(tx+4)=F(tx+4)*5;",
       "tx8 F^f32(tx)=A(tx);tx4 D(tx)=F(tx)*5;tx4 D(tx+4)=A(tx+4)*5;"},
      {kLargeIntegers, "tx4 D(tx)=where(I(tx)==3,A(tx),0);tx4 D(tx+4)=where(I(tx+4)*1.0==3,A(tx+4),0);",
       "tx4 D(tx)=where(I(tx)*1.0==3,A(tx),0);tx4 D(tx+4)=where(I(tx+4)==3,A(tx+4),0);"},
  };
  for (const Exchange& row : rows) {
    const Program before = program_of(row.header, row.before);
    const Judgement judgement = verify(before, program_of(row.header, row.after));
    EXPECT_FALSE(is_equal_or_numeric(judgement.verdict)) << row.after;
    EXPECT_TRUE(judgement.reason.starts_with("precision: ")) << row.after << " " << judgement.reason;
    EXPECT_EQ(compare_precision(before, before).verdict, Precision::Verdict::kept) << row.before;
  }
}

/// The narrow store comes earlier than that of before, or a value is computed in a narrow type that was not.
TEST(Precision, NarrowStoresElsewhereAreNotEqual) {
  const std::string stores = "tx4 a64 F^f32(tx,a)=E^f32(tx,a)*C(a);tx4 a64 G^f32(tx)+=F(tx,a);";
  const std::string before = "tx4 a64 E^f32(tx,a)=A(tx,a);" + stores + "tx4 H^f16(tx)=G(tx);tx4 D(tx)=H(tx)*2;";
  for (const char* after :
       {"tx4 a64 E^f32(tx,a)=A(tx,a);tx4 a64 F^f16(tx,a)=E(tx,a)*C(a);tx4 a64 G^f32(tx)+=F(tx,a);"
        "tx4 H^f16(tx)=G(tx);tx4 D(tx)=H(tx)*2;",
        "tx4 a64 F^f16(tx,a)=A(tx,a)*C(a);tx4 a64 G^f32(tx)+=F(tx,a);tx4 H^f16(tx)=G(tx);tx4 D(tx)=H(tx)*2;"}) {
    const Judgement judgement = verify(program_of(kRows, before), program_of(kRows, after));
    EXPECT_FALSE(is_equal_or_numeric(judgement.verdict)) << after;
    EXPECT_TRUE(judgement.reason.starts_with("precision: ")) << judgement.reason;
  }
  const std::string split =
      "tx4 a64 E^f32(tx,a)=A(tx,a);tx4 a8 c8 F^f32(tx,a*8+c)=E(tx,a*8+c)*C(a*8+c);"
      "tx4 a64 G^f32(tx)+=F(tx,a);tx4 H^f16(tx)=G(tx);tx4 D(tx)=2*H(tx);";
  const Judgement judgement = verify(program_of(kRows, before), program_of(kRows, split));
  EXPECT_TRUE(is_equal(judgement.verdict)) << judgement.reason;
}

}  // namespace

}  // namespace steptp::testing
