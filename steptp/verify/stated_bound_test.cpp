// The chance of an error that an `exact` verdict states: a number where residues were compared, nothing where none
// were.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "steptp/base/json.h"
#include "steptp/text/document.h"
#include "steptp/verify/verify_pair.h"

namespace steptp {
namespace {

struct Answer {
  Judgement judgement;
  Json json;
};

Answer judge(const std::string& header, const std::string& before, const std::string& after) {
  const Document one = read_document("before", header + before);
  const Document other = read_document("after", header + after);
  EXPECT_TRUE(one.ok && other.ok) << before << " " << after;
  VerifyOptions options;
  options.seed = 1;
  Answer answer;
  answer.judgement = verify(one.program, other.program, options);
  answer.json = parse_json(to_json("pair", answer.judgement).dump()).value();
  return answer;
}

// Two poolings over one joined tensor, whose seam is repaired: the cells that cover the outputs hold identical forms.
TEST(StatedBound, IsMissingWhereNoChancePlayedAPart) {
  const Answer answer =
      judge("@input A f32[9]\n@input C f32[9]\n@output D f32[9]\n@output E f32[9]\n",
            "c11 H(c)=where(1<=c<10,A(c-1),-inf);c9 d3 D(c) max=H(c+d);c11 I(c)=where(1<=c<10,C(c-1),-inf);"
            "c9 d3 E(c) max=I(c+d);",
            "c9{F(c)=A(c);F(c+9)=C(c);}c20 G(c)=where(1<=c<19,F(c-1),-inf);c18 d3 J(c) max=G(c+d);"
            "c9{D(c)=J(c);E(c)=J(c+9);}c11 H(c)=where(1<=c<10,A(c-1),-inf);c11 I(c)=where(1<=c<10,C(c-1),-inf);"
            "c1{D(c+8)=-inf;d3 D(c+8) max=H(c+d+8);}c1{E(c)=-inf;d3 E(c) max=I(c+d);}");
  ASSERT_EQ(answer.judgement.verdict, Grade::exact) << answer.judgement.reason;
  EXPECT_FALSE(answer.judgement.bound_log2.has_value());
  EXPECT_TRUE(answer.json.find("bound_log2")->is_null()) << answer.json.dump();
}

TEST(StatedBound, IsANumberWhereResiduesWereCompared) {
  const Answer answer =
      judge("@input A f32[8]\n@output D f32[8]\n", "a8 D(a)=tanh(A(a));", "a8 D(a)=1-2/(exp(2*A(a))+1);");
  ASSERT_EQ(answer.judgement.verdict, Grade::exact) << answer.judgement.reason;
  ASSERT_TRUE(answer.judgement.bound_log2.has_value());
  EXPECT_LE(*answer.judgement.bound_log2, -40);
  EXPECT_TRUE(std::isfinite(*answer.judgement.bound_log2));
  EXPECT_TRUE(answer.json.find("bound_log2")->is_number());
}

}  // namespace
}  // namespace steptp
