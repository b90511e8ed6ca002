// Texts that are read: what they stand for, in both profiles.
#include "steptp/text/reader.h"

#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "steptp/text/printer.h"

namespace steptp {
namespace {

/// The canonical text of what was read, or the first error.
std::string canonical_text(std::string_view text, Profile profile = Profile::paper) {
  const ReadText read = read_text(text);
  if (!read.ok) return read.findings.empty() ? "?" : read.findings[0].diagnostic.message;
  Program program;
  program.nests = read.nests;
  return print(program, profile);
}

struct Pair {
  const char* text;
  const char* canonical;
};

TEST(Reader, NormalisesWhatItAccepts) {
  const Pair pairs[] = {
      {"L_{a=0}^{549}[D_{a}^{f32,g}=1;];", "L^{549}_{a=0}[D^{f32,g}_{a}=1;];"},
      {"D^{f32,g}=1;", "B^{1}_{tx=0}[D^{f32,g}=1;];"},
      {"D^{f32,g}=1;E^{f32,g}=2;", "B^{1}_{tx=0}[D^{f32,g}=1;];B^{1}_{tx=0}[E^{f32,g}=2;];"},
      {"D^{f32,g}=1;L^{2}_{a=0}[E^{f32,g}=2;];", "B^{1}_{tx=0}[D^{f32,g}=1;];L^{2}_{a=0}[E^{f32,g}=2;];"},
      {"L^{007}_{a=0}[D^{f32,g}_{01}=1;];", "L^{7}_{a=0}[D^{f32,g}_{1}=1;];"},
      // brackets, chains and numbers
      {"D^{f32,g}=((1+2))+3;", "B^{1}_{tx=0}[D^{f32,g}=1+2+3;];"},
      {"D^{f32,g}=1+(2+3);", "B^{1}_{tx=0}[D^{f32,g}=1+(2+3);];"},
      {"D^{f32,g}=(1*2)/3;", "B^{1}_{tx=0}[D^{f32,g}=1*2/3;];"},
      {"D^{f32,g}=-(2**3);", "B^{1}_{tx=0}[D^{f32,g}=-2**3;];"},
      {"D^{f32,g}=(-2)**3;", "B^{1}_{tx=0}[D^{f32,g}=(-2)**3;];"},
      {"D^{f32,g}=2**(3**4);", "B^{1}_{tx=0}[D^{f32,g}=2**3**4;];"},
      {"D^{f32,g}=(2**3)**4;", "B^{1}_{tx=0}[D^{f32,g}=(2**3)**4;];"},
      {"D^{f32,g}=2**-3;", "B^{1}_{tx=0}[D^{f32,g}=2**-3;];"},
      {"D^{f32,g}=1.50e+01+1E3+0.1;", "B^{1}_{tx=0}[D^{f32,g}=15.0+1000.0+0.1;];"},
      {"D^{f32,g}=2.0*2;", "B^{1}_{tx=0}[D^{f32,g}=2.0*2;];"},
      {"D^{bool,g}=((1<2)&(2<3))|(3<4);", "B^{1}_{tx=0}[D^{bool,g}=1<2&2<3|3<4;];"},
      {"D^{bool,g}=(1<2|2<3)&3<4;", "B^{1}_{tx=0}[D^{bool,g}=(1<2|2<3)&3<4;];"},
      {"D^{bool,g}=1<2<=3>0>=0==0!=1;", "B^{1}_{tx=0}[D^{bool,g}=1<2<=3>0>=0==0!=1;];"},
      {"D^{f32,g}=if_then_else(((1)),(2),(3));", "B^{1}_{tx=0}[D^{f32,g}=if_then_else(1,2,3);];"},
      // subscripts
      {"L^{4}_{a=0}[D^{f32,g}_{(a+1)*2}=1;];", "L^{4}_{a=0}[D^{f32,g}_{a*2+2}=1;];"},
      {"L^{4}_{a=0}[D^{f32,g}_{2*a+3-a}=1;];", "L^{4}_{a=0}[D^{f32,g}_{a+3}=1;];"},
      {"L^{4}_{a=0}[D^{f32,g}_{0-a}=1;];", "L^{4}_{a=0}[D^{f32,g}_{0-a}=1;];"},
      {"L^{4}_{a=0}[D^{f32,g}_{3-a}=1;];", "L^{4}_{a=0}[D^{f32,g}_{3-a}=1;];"},
      {"L^{4}_{a=0}[D^{f32,g}_{7//2+7%4}=1;];", "L^{4}_{a=0}[D^{f32,g}_{6}=1;];"},
      {"L^{4}_{a=0}[D^{f32,g}_{a//2*2+a%2}=1;];", "L^{4}_{a=0}[D^{f32,g}_{(a//2)*2+a%2}=1;];"},
      {"L^{4}_{a=0}[D^{f32,g}_{a*4//3}=1;];", "L^{4}_{a=0}[D^{f32,g}_{a*4//3}=1;];"},
      {"L^{4}_{a=0}[D^{f32,g}_{A^{i32,g}_{C^{i32,g}}+1}=1;];", "L^{4}_{a=0}[D^{f32,g}_{A^{i32,g}_{C^{i32,g}}+1}=1;];"},
      // missing semicolons: the next nest goes into the body just closed, a third into the second's
      {"L^{2}_{a=0}[D^{f32,g}=1;]L^{2}_{c=0}[E^{f32,g}=1;];", "L^{2}_{a=0}[D^{f32,g}=1;L^{2}_{c=0}[E^{f32,g}=1;];];"},
      {"L^{2}_{a=0}[D^{f32,g}=1;]L^{2}_{c=0}[E^{f32,g}=1;]L^{2}_{d=0}[F^{f32,g}=1;];L^{2}_{a=0}[G^{f32,g}=1;];",
       "L^{2}_{a=0}[D^{f32,g}=1;L^{2}_{c=0}[E^{f32,g}=1;L^{2}_{d=0}[F^{f32,g}=1;];];];L^{2}_{a=0}[G^{f32,g}=1;];"},
      {"L^{2}_{a=0}[L^{2}_{c=0}[D^{f32,g}=1;]L^{2}_{d=0}[E^{f32,g}=1;];F^{f32,g}=1;];",
       "L^{2}_{a=0}[L^{2}_{c=0}[D^{f32,g}=1;L^{2}_{d=0}[E^{f32,g}=1;];];F^{f32,g}=1;];"},
  };
  for (const Pair& pair : pairs) {
    EXPECT_EQ(canonical_text(pair.text), pair.canonical) << pair.text;
    EXPECT_EQ(canonical_text(pair.canonical), pair.canonical) << "canonical text is its own";
  }
}

TEST(Reader, MissingSemicolonsAreWarnedOf) {
  const ReadText read = read_text("L^{2}_{a=0}[D^{f32,g}=1;]L^{2}_{c=0}[E^{f32,g}=1;]L^{2}_{d=0}[F^{f32,g}=1;];");
  ASSERT_TRUE(read.ok);
  ASSERT_EQ(read.findings.size(), 2u);
  for (const ReadText::Finding& finding : read.findings) {
    EXPECT_EQ(finding.diagnostic.id, "nested-by-missing-semicolon");
    EXPECT_EQ(finding.diagnostic.severity, Severity::warning);
  }
  EXPECT_EQ(read.findings[0].span.begin, 25u);
}

/// Blanks, newlines and comments stand between any two tokens; inside a token they do not.
TEST(Reader, BlanksAndCommentsBetweenTokens) {
  const std::vector<std::vector<std::string>> texts = {
      {"B",   "^{", "4",   "}",   "_{", "tx", "=",   "0",  "}",
       "L",   "^{", "3",   "}",   "_{", "a",  "=",   "0",  "}",
       "?{",  "a",  "<",   "2",   "}",  "[",  "D",   "^{", "f32",
       ",",   "g",  "}",   "_{",  "tx", ",",  "a",   "+",  "1",
       "}",   "=",  "max", "(",   "A",  "^{", "f32", ",",  "g",
       "}",   "_{", "(",   "tx",  "+",  "1",  ")",   "//", "2",
       "}",   ",",  "-",   "1.5", ")",  "**", "2",   "+",  "if_then_else",
       "(",   "a",  "<=",  "tx",  "&",  "1",  "==",  "1",  ",",
       "inf", ",",  "tx",  ")",   ";",  "]",  ";"},
      {"^", "f64", ";", "tx", "4", "Pa", "3", "?(",   "a",     "<", "2",  ")", "{",  "D", "^", "f32",
       "^", "s",   "(", "tx", ",", "a",  ")", "+=",   "where", "(", "a",  "<", "tx", ",", "1", ",",
       "2", ")",   ";", "E",  "(", "tx", ")", "max=", "D",     "(", "tx", ",", "a",  ")", ";", "}"},
  };
  for (const auto& tokens : texts) {
    const auto joined = [&tokens](std::string_view between) {
      return join(tokens, between, [](const std::string& t) { return t; });
    };
    const std::string expected = canonical_text(joined(" "));
    EXPECT_TRUE(read_text(joined(" ")).ok) << expected;
    for (const char* between : {"\n", "\t", "\r\n", "  ", " # a comment ];[{( \n", "#\n", "\n\n#x\n\n"}) {
      EXPECT_EQ(canonical_text(concat(between, joined(between), between)), expected) << between;
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      std::vector<std::string> spaced = tokens;
      spaced[i] += "#c\n";
      EXPECT_EQ(canonical_text(join(spaced, " ", [](const std::string& t) { return t; })), expected) << tokens[i];
    }
  }
  EXPECT_EQ(canonical_text("D^{f32,g}=1;# the last line has no end"), "B^{1}_{tx=0}[D^{f32,g}=1;];");
  for (const char* cut :
       {"B ^ {4}_{tx=0}[D^{f32,g}=1;];", "B^{4}_{t x=0}[D^{f32,g}=1;];", "D^{f3 2,g}=1;", "D^{f32,g}=1 .5;",
        "D^{f32,g}=1/ /2;", "D^{f32,g}=in f;", "D^{f32,g}=1* *2;", "D^{bool,g}=1< =2;", "a1 D+ =1;"}) {
    EXPECT_FALSE(read_text(cut).ok) << cut;
  }
}

TEST(Reader, RecognisesTheProfile) {
  for (const char* paper :
       {"B^{4}_{tx=0}[", "L_{a=0}^{4}", "D^{f32,g}=1;", "P^{4}", "V_{", "# c\nU^{4}", "", "[", "\x01", "P ^{4}"}) {
    EXPECT_EQ(recognise_profile(paper), Profile::paper) << paper;
  }
  for (const char* compact : {"tx4 D=1;", "^f32;", " \n# c\na4{", "Pa4 D=1;", "V a4 D=1;", "Utx4"}) {
    EXPECT_EQ(recognise_profile(compact), Profile::compact) << compact;
  }
  EXPECT_EQ(read_text("tx4 D(tx)=1;").profile, Profile::compact);
}

struct Profiles {
  const char* paper;
  const char* compact;
};

/// docs: the compact profile's declarations, overrides and sugar.
TEST(Reader, CompactIsAnotherSpelling) {
  const Profiles pairs[] = {
      {"B^{16}_{tx=0}L^{1024}_{a=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx}*C^{f32,g}_{a};];",
       "tx16 a1024 D(tx,a)+=A(tx)*C(a);"},
      // kinds, guards, bodies
      {"P^{2}_{a=0}V^{3}_{c=0}U^{4}_{d=0}L^{5}_{f=0}B^{6}_{bxa=0}[D^{f32,g}=1;];", "Pa2 Vc3 Ud4 f5 bxa6 D=1;"},
      {"L^{4}_{a=0}?{a<3&a>0|a==0}[D^{f32,g}_{a}=1;];", "a4 ?(a<3&a>0|a==0) D(a)=1;"},
      {"L^{4}_{a=0}[D^{f32,g}=1;E^{f32,g}=2;];", "a4{D=1;E=2;}"},
      {"L^{4}_{a=0}[L^{2}_{c=0}[D^{f32,g}=1;];];", "a4{c2 D=1;}"},
      {"B^{4}_{tx=0}[L^{3}_{a=0}[E^{f32,l}=E^{f32,l}+A^{f32,g}_{tx,a};];D^{f32,g}_{tx}=E^{f32,l};];",
       "tx4{a3 E^l+=A(tx,a);D(tx)=E;}"},
      {"L^{16}_{f=0}[D^{f32,g}_{f}=1;];", "f16 D(f)=1;"},
      // the default dtype: the one of most names, ties in the order of the list
      {"L^{4}_{a=0}[D^{f64,g}=A^{f64,g};];", "^f64;a4 D=A;"},
      {"L^{4}_{a=0}[D^{f64,g}=A^{f32,g};];", "a4 D^f64=A;"},
      {"L^{4}_{a=0}[D^{f64,g}=A^{f16,g};];", "^f64;a4 D=A^f16;"},
      {"L^{4}_{a=0}[D^{i8,g}=A^{i8,g}+C^{f32,g};];", "^i8;a4 D=A+C^f32;"},
      // declarations hold from the first occurrence on, overrides for one occurrence
      {"L^{4}_{a=0}[E^{f32,l}=A^{f32,g};D^{f32,g}=E^{f32,l};];", "a4{E^l=A;D=E;}"},
      {"L^{4}_{a=0}[E^{f32,l}=A^{f32,g};E^{f64,g}=E^{f32,g}+E^{i8,l};];", "a4{E^l=A;E^f64^g=E^g+E^i8;}"},
      {"L^{4}_{a=0}[D^{f32,g}_{C^{i64,g}_{a}}=C^{i64,g}_{0};];", "a4 D(C^i64(a))=C(0);"},
      // sugar, and what is none
      {"L^{4}_{a=0}[D^{f32,g}=D^{f32,g}+1-2;];", "a4 D+=1-2;"},
      {"L^{4}_{a=0}[D^{f32,g}=D^{f32,g}+(1-2);];", "a4 D+=(1-2);"},
      {"L^{4}_{a=0}[D^{f32,g}=D^{f32,g}-1;];", "a4 D=D-1;"},
      {"L^{4}_{a=0}[D^{f32,g}=D^{f32,g}-1+2;];", "a4 D=D-1+2;"},
      {"L^{4}_{a=0}[D^{f32,g}=1+D^{f32,g};];", "a4 D=1+D;"},
      {"L^{4}_{a=0}[D^{f32,g}=D^{f32,g}*2;];", "a4 D=D*2;"},
      {"L^{4}_{a=0}[D^{f32,g}=max(D^{f32,g},1);];", "a4 D max=1;"},
      {"L^{4}_{a=0}[D^{f32,g}_{a}=min(D^{f32,g}_{a},1+2);];", "a4 D(a) min=1+2;"},
      {"L^{4}_{a=0}[D^{f32,g}=max(1,D^{f32,g});];", "a4 D=max(1,D);"},
      {"L^{4}_{a=0}[D^{f32,g}=max(D^{f32,g},1)+2;];", "a4 D=max(D,1)+2;"},
      {"L^{4}_{a=0}[D^{f32,g}_{a}=D^{f32,g}_{0}+1;];", "a4 D(a)=D(0)+1;"},
      {"L^{4}_{a=0}[D^{f32,g}=D^{f64,g}+1;];", "a4 D=D^f64+1;"},
      {"L^{4}_{a=0}[D^{f32,s}=D^{f32,g}+1;];", "a4 D^s=D^g+1;"},
      {"L^{4}_{a=0}[D^{f32,l}=D^{f32,l}+D^{f32,l};];", "a4 D^l+=D;"},
      {"L^{4}_{a=0}[D^{f32,l}=max(D^{f32,l},1);];", "a4 D^l max=1;"},
      {"L^{4}_{a=0}[D^{f32,g}=if_then_else(a<3,1,2);];", "a4 D=where(a<3,1,2);"},
      {"L^{4}_{a=0}[D^{bool,g}=a<3;];", "^bool;a4 D=a<3;"},
  };
  for (const Profiles& pair : pairs) {
    EXPECT_EQ(canonical_text(pair.paper, Profile::compact), pair.compact);
    EXPECT_EQ(canonical_text(pair.compact, Profile::paper), pair.paper);
    EXPECT_EQ(canonical_text(pair.compact, Profile::compact), pair.compact);
  }
  // Read, though not printed so.
  EXPECT_EQ(canonical_text("^f32;a4 D^f32^g=1;", Profile::compact), "a4 D=1;");
  EXPECT_EQ(canonical_text("a4{D=D+1;D=max(D,1);}", Profile::compact), "a4{D+=1;D max=1;}");
  EXPECT_EQ(canonical_text("a4{D=1;}", Profile::compact), "a4 D=1;");
  EXPECT_EQ(canonical_text("a4 Dmax=1;"), "L^{4}_{a=0}[Dmax^{f32,g}=1;];") << "a name, not max=";
}

TEST(Reader, RepeatedPiecesMeanWhatTheyMeantBefore) {
  // A piece that begins like an earlier one: a longer number, more subscripts, another name, a guard behind the loops.
  for (const std::string text : {
           "a1 c2 D(a)=1;a12 D(a)=1;a1 c23 D(a)=1;a1 c2 ?(a<1) D(a)=1;a1 c2 d3 D(a)=1;",
           "a4{D=A;D=A(a);D=A(a,a);D=Aa(a);D=A(a+1);D=A(a);D=Aa;}",
           "a4{D(a)=A^f16^s(a);D(a)=A(a)+D(a);D^f16(a)=A^g(a);D(a)=A(a);}",
           "a4{D(A^i32(a))=1;D(A(a))=2;D(A(A(a)))=3;D(A(a))=4;}",
       }) {
    EXPECT_EQ(canonical_text(text, Profile::compact), text);
  }
  const std::string paper =
      "L^{2}_{a=0}L^{3}_{c=0}[D^{f32,g}=A^{f32,g}_{a};];L^{2}_{a=0}L^{3}_{c=0}L^{4}_{d=0}[D^{f32,g}=A^{f32,g};];"
      "L^{2}_{a=0}[D^{f32,g}=A^{f32,s}_{a}+A^{f32,g}_{a}*A^{f32,g}_{a};];";
  EXPECT_EQ(canonical_text(paper), paper);
  const ReadText read = read_text("a4{D(a)=A(a);C(a)=A(a)+1;}");
  const auto& first = std::get<EquationPtr>(read.nests[0]->items[0])->right;
  const auto& second = std::get<EquationPtr>(read.nests[0]->items[1])->right;
  EXPECT_EQ(first, child(*second, 0)) << "one node for both";
}

TEST(Reader, PlacesOfPartsAreKept) {
  const std::string text = "B^{4}_{tx=0}L^{3}_{a=0}?{a<2}[D^{f32,g}_{tx,a}=max(A^{f32,g}_{tx+1},-2);];";
  SourceMap map;
  const ReadText read = read_text(text, &map);
  ASSERT_TRUE(read.ok);
  const auto at = [&text](const Span& span) { return text.substr(span.begin, span.length); };
  const Nest& nest = *read.nests[0];
  const Equation& equation = *std::get<EquationPtr>(nest.items[0]);
  EXPECT_EQ(at(map.nodes.at(&nest)), text);
  ASSERT_EQ(map.loops.at(&nest).size(), 2u);
  EXPECT_EQ(at(map.loops.at(&nest)[1]), "L^{3}_{a=0}");
  EXPECT_EQ(at(map.nodes.at(nest.guard.get())), "a<2");
  EXPECT_EQ(at(map.nodes.at(equation.left.get())), "D^{f32,g}_{tx,a}");
  EXPECT_EQ(at(map.subscripts.at(equation.left.get())[1]), "a");
  EXPECT_EQ(at(map.nodes.at(equation.right.get())), "max(A^{f32,g}_{tx+1},-2)");
  EXPECT_EQ(at(map.nodes.at(child(*equation.right, 1).get())), "-2");
  const auto& read_a = std::get<Read>(child(*equation.right, 0)->node);
  EXPECT_EQ(at(map.subscripts.at(read_a.ref.get())[0]), "tx+1");
}

}  // namespace
}  // namespace steptp
