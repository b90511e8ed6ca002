// Rule R21 of docs/language.md: what a depth promises, one small program for each side of it.
#include "steptp/safety/depths.h"

#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "steptp/ir/site.h"
#include "steptp/safety/check.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"

namespace steptp {
namespace {

constexpr const char* kSignature = "@input A f32[8,32]\n@input C i64[8] [0,8)\n@output D f32[32]\n";

Document read(std::string_view text) { return read_document("<test>", concat(kSignature, text)); }

/// Ids and messages of errors and unknowns.
std::string findings_of(std::string_view text) {
  const Document document = read(text);
  if (!document.ok) return document.diagnostics.empty() ? "?" : document.diagnostics[0].message;
  std::string out;
  for (const Diagnostic& item : check_program(document.program).diagnostics) {
    if (item.severity == Severity::warning) continue;
    append(out, out.empty() ? "" : "; ", item.id, " ", item.site, ": ", item.message);
  }
  return out;
}

TEST(Depths, WhatIsWrittenInARoundMayBeReadInIt) {
  for (const char* text : {
           "bx1{a8{tx32 E^s2(tx)=A(a,tx);tx32 D(tx)+=E(31-tx);}}",
           "bx1{a8{tx32 E^s5(tx)=A(a,tx);tx32 D(tx)+=E(31-tx);}}",
           // the rounds are those of the innermost loop around all accesses
           "bx1{a2 c4{tx32 E^s3(tx)=A(a*4+c,tx);tx32 D(tx)+=E(31-tx);}}",
           // a guard that the reads have too
           "bx1{a8{tx32 ?(tx<9) E^s2(tx)=A(a,tx);tx32 ?(tx<9) D(tx)+=E(8-tx);tx32 D(tx)+=0;}}",
           // written again in the round
           "bx1{a8{tx32 E^s2(tx)=A(a,tx);tx32 D(tx)+=E(31-tx);tx32 E(tx)=2;tx32 D(tx)+=E(31-tx);}}",
       }) {
    EXPECT_EQ(findings_of(text), "") << text;
  }
}

TEST(Depths, ALoopIsAroundAllAccesses) {
  EXPECT_EQ(findings_of("bx1{tx32 E^s2(tx)=A(0,tx);tx32 D(tx)=E(31-tx);}"),
            "depth-loop 0/0/0:left: E has a depth (s2), but no L loop of its kernel is around all of its accesses");
  EXPECT_EQ(findings_of("bx1{a8{tx32 E^s3(tx)=A(a,tx);}tx32 D(tx)=E(31-tx);}"),
            "depth-loop 0/0/0/0:left: E has a depth (s3), but no L loop of its kernel is around all of its accesses");
  // A loop of the host launches the kernel anew, and an unrolled loop has no rounds.
  EXPECT_EQ(findings_of("a8 bx1{tx32 E^s2(tx)=A(a,tx);tx32 D(tx)+=E(31-tx);}").substr(0, 10), "depth-loop");
  EXPECT_EQ(findings_of("bx1{Ua8{tx32 E^s2(tx)=A(a,tx);tx32 D(tx)+=E(31-tx);}}").substr(0, 10), "depth-loop");
}

TEST(Depths, NothingIsCarriedFromRoundToRound) {
  // read before it is written: the round before wrote it
  EXPECT_EQ(
      findings_of("bx1{a8{tx32 D(tx)+=where(a<1,0,E^s2(31-tx));tx32 E(tx)=A(a,tx);}}"),
      "depth-carried 0/0/0/0:right.1.2: E has a depth (s2), but this element was not written in this round of a, at "
      "bx=0, a=1, tx=0");
  // written in some rounds only
  EXPECT_EQ(
      findings_of("bx1{a8{tx32 ?(a<3) E^s2(tx)=A(a,tx);tx32 D(tx)+=E(31-tx);}}"),
      "depth-carried 0/0/1/0:right.1: E has a depth (s2), but this element was not written in this round of a, at "
      "bx=0, a=3, tx=0");
  // the round of an outer loop is another one
  EXPECT_EQ(findings_of("bx1{a2 c4{tx32 ?(a<1) E^s3(tx)=A(a*4+c,tx);tx32 D(tx)+=E(31-tx);}}").substr(0, 13),
            "depth-carried");
  // a part of the elements
  EXPECT_EQ(
      findings_of("bx1{a8{tx16 E^s2(tx+a%2*16)=A(a,tx);tx32 ?(a>0) D(tx)+=E(31-tx);tx32 D(tx)+=0;}}"),
      "depth-carried 0/0/1/0:right.1: E has a depth (s2), but this element was not written in this round of a, at "
      "bx=0, a=1, tx=16");
  EXPECT_EQ(findings_of("bx1{a8{tx32 E^s2(tx)+=A(a,tx);tx32 D(tx)+=E(31-tx);}}").substr(0, 28),
            "depth-carried 0/0/0/0:left: ");
  // and all of it is legal in s
  EXPECT_EQ(findings_of("bx1{a8{tx32 D(tx)+=where(a<1,0,E^s(31-tx));tx32 E(tx)=A(a,tx);}}"), "");
  EXPECT_EQ(findings_of("bx1{a8{tx32 ?(a<3) E^s(tx)=A(a,tx);tx32 D(tx)+=E(31-tx);}}"), "");
}

TEST(Depths, SharedBytesAreCountedForEachRound) {
  const auto shared_warning = [](std::string_view scope) {
    const std::string text = concat("bx1{a8{tx32 c32 f32 E^", scope, "(tx,c,f)=A(a,tx);tx32 D(tx)+=E(31-tx,0,0);}}");
    for (const Diagnostic& item : check_program(read(text).program).diagnostics) {
      if (item.id == "shared-memory") return item.message.substr(0, item.message.find(" ("));
    }
    return std::string();
  };
  EXPECT_EQ(shared_warning("s"), "");
  EXPECT_EQ(shared_warning("s2"), "262144 bytes of shared memory in a block");
  EXPECT_EQ(shared_warning("s3"), "393216 bytes of shared memory in a block");
}

TEST(Depths, AreWrittenAsTheyAreRead) {
  const Document document = read("bx1{a8{tx32 E^s4(tx)=A(a,tx);tx32 D(tx)+=E(31-tx);}}");
  EXPECT_TRUE(is_extended(document.program));
  EXPECT_EQ(print(document.program, Profile::compact), "bx1{a8{tx32 E^s4(tx)=A(a,tx);tx32 D(tx)+=E(31-tx);}}");
  const std::string paper = print(document.program, Profile::paper);
  EXPECT_NE(paper.find("E^{f32,s4}_{tx}"), std::string::npos) << paper;
  const Document again = read(paper);
  EXPECT_TRUE(equal(document.program, again.program));
  EXPECT_EQ(hash_of(document.program), hash_of(again.program));
  const Document shallow = read("bx1{a8{tx32 E^s(tx)=A(a,tx);tx32 D(tx)+=E(31-tx);}}");
  EXPECT_FALSE(equal(document.program, shallow.program));
  EXPECT_NE(hash_of(document.program), hash_of(shallow.program));
  EXPECT_EQ(findings_of("bx1{a8{tx32 E^s2(tx)=A(a,tx);tx32 D(tx)+=E^s(31-tx);}}").substr(0, 53),
            "scope-conflict 0/0/1/0:right.1: E is in scope s here,");
  EXPECT_EQ(findings_of("bx1{a8{tx32 E^s6(tx)=A(a,tx);}}"), "expected a dtype or a scope behind '^', found 's6'");
  EXPECT_EQ(findings_of("bx1{a8{tx32 E^s1(tx)=A(a,tx);}}"), "expected a dtype or a scope behind '^', found 's1'");
}

}  // namespace
}  // namespace steptp
