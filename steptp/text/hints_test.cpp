#include "steptp/text/hints.h"

#include <gtest/gtest.h>

#include "steptp/text/document.h"

namespace steptp {
namespace {

TEST(Hints, PaperHintsStayAsTheyAre) {
  const std::string hint = "guard it with if_then_else, or with ?{a<3}, or make it E^{f32,l}";
  EXPECT_EQ(hint_in(Profile::paper, hint), hint);
}

TEST(Hints, CompactHintsUseTheWordsOfCompact) {
  EXPECT_EQ(hint_in(Profile::compact, "if_then_else(c,1,0), not if_then_else"), "where(c,1,0), not where");
  EXPECT_EQ(hint_in(Profile::compact, "such as ?{a*4+c<10} or ?{a<3}"), "such as ?(a*4+c<10) or ?(a<3)");
  EXPECT_EQ(hint_in(Profile::compact, "write E^{f32,l} and F^{f64,s}"), "write E^l and F^s");
  EXPECT_EQ(hint_in(Profile::compact, "no '^{' and no '?{' alone"), "no '^{' and no '?{' alone");
}

// What is wrong with a text is said in the words of that text, while it is read and afterwards.
TEST(Hints, ReadingACompactTextGivesCompactHints) {
  const std::string header = "@input A f32[8]\n@output D f32[8]\n";
  const auto hint_of = [&](const std::string& text) {
    const Document document = read_document("text", header + text);
    return document.diagnostics.empty() ? std::string() : document.diagnostics[0].hint;
  };
  EXPECT_EQ(hint_of("tx8 D(tx)=(A(tx)<1)+1;"), "write where(condition,1,0) to turn a condition into a number");
  EXPECT_EQ(hint_of("B^{8}_{tx=0}[D^{f32,g}_{tx}=(A^{f32,g}_{tx}<1)+1;];"),
            "write if_then_else(condition,1,0) to turn a condition into a number");
  EXPECT_EQ(hint_of("tx8 ?(A(tx)<1) D(tx)=1;"), "use where for a condition on data");
  EXPECT_NE(hint_of("tx8 D(tx)=gelu(A(tx));").find("max min where, "), std::string::npos);
}

}  // namespace
}  // namespace steptp
