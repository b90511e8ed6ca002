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
  EXPECT_EQ(hint_in(Profile::compact, "write A^{f16,g}"), "write A^f16, or begin the text with ^f16;");
  EXPECT_EQ(hint_in(Profile::compact, "no '^{' and no '?{' alone"), "no '^{' and no '?{' alone");
}

// What is wrong with a text is said in the words of that text, while it is read and afterwards.
TEST(Hints, OperatorsAndNamesOfOtherLanguagesAreKnown) {
  const auto hint_of = [](const std::string& text) {
    const Document document = read_document("text", "@input A f32[8]\n@output D f32[8]\n" + text);
    return document.diagnostics.empty() ? std::string() : document.diagnostics[0].hint;
  };
  EXPECT_EQ(hint_of("tx8{E^l=A(tx);D(tx)=E}"), "every equation ends with ';', also the last one of a body");
  EXPECT_EQ(hint_of("B^{8}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx}];"),
            "every equation ends with ';', also the last one of a body");
  EXPECT_EQ(hint_of("tx8 D(tx)=A(tx)};"), "a closing bracket too many");
  EXPECT_EQ(hint_of("tx8 D[tx]=A(tx);"), "subscripts stand in round brackets: D(tx)");
  EXPECT_EQ(hint_of("tx8 D(tx)-=A(tx);"), "there is no -=: write X=X-y");
  EXPECT_EQ(hint_of("tx8 D(tx)*=A(tx);"), "there is no *=: write X=X*y");
  EXPECT_EQ(hint_of("tx8 D(tx)=A(tx)>0?A(tx):0;"), "a choice is written where(condition,x,y)");
  EXPECT_EQ(hint_of("tx8 K1(tx)=A(tx);"), "a tensor's name is a capital and small letters, without digits: Ka");
  EXPECT_EQ(hint_of("tx8 a16 B(tx)+=A(tx);"), "tensors begin with a capital other than L P V U B T");
  EXPECT_EQ(
      read_document("text", "\xef\xbb\xbf@input A f32[8]\n@output D f32[8]\ntx8 D(tx)=A(tx);").diagnostics[0].hint,
      "save the file as UTF-8 without one");
}

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
