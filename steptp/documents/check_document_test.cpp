// One program per diagnostic that shows it, and one next to it that does not.
#include "steptp/documents/check_document.h"

#include <gtest/gtest.h>

#include <iterator>
#include <set>

#include "steptp/base/text.h"
#include "steptp/structure/catalogue.h"

namespace steptp {
namespace {

struct Case {
  const char* id;
  std::string shows;
  std::uint32_t line;  ///< 0: the message has no place
  std::uint32_t column;
  const char* message;
  std::string does_not;
};

std::string nested(std::size_t depth) {
  return concat("@input A f32[4]\n@output D f32[4]\ntx4 D(tx)=A(tx)+", std::string(depth, '('), "1",
                std::string(depth, ')'), ";");
}

std::vector<Case> cases() {
  return {
      {"too-deep", nested(260), 3, 266, "nested deeper than 250 levels", nested(200)},
      {"json", R"({"leir":"x",})", 1, 13,
       "syntax error while parsing object key - unexpected '}'; expected string literal",
       R"({"signature":[{"name":"D","role":"output","dtype":"f32","shape":[4]}],"leir":"tx4 D(tx)=1;"})"},
      {"record", R"({"leir":5})", 0, 0, R"("leir" is an integer, wanted a string)",
       R"({"program":null,"signature":[{"name":"D","role":"output","dtype":"float32","shape":[4]}],"leir":"tx4 D(tx)=1;"})"},
      {"header", "@input A float[4]\n@output D f32[4]\ntx4 D(tx)=A(tx);", 1, 1,
       "'float' is not a dtype: f64 f32 f16 bf16 i64 i32 i16 i8 u8 bool",
       "@input A float32[4]\n@output D f32[4]\ntx4 D(tx)=A(tx);"},
      {"signature", "@input A f32[4]\n@input A f32[4]\n@output D f32[4]\ntx4 D(tx)=A(tx);", 0, 0,
       "the signature names A twice", "@input A f32[4]\n@output D f32[4]\ntx4 D(tx)=A(tx);"},
      {"no-signature", "tx4 D(tx)=1;", 0, 0,
       "the program has no signature, so nothing says what is given and what is wanted",
       "@output D f32[4]\ntx4 D(tx)=1;"},
      {"syntax", "@input A f32[4]\n@output D f32[4]\nB^{4}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx,};];", 3, 43,
       "expected an index, found '}'",
       "@input A f32[4]\n@output D f32[4]\nB^{4}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx};];"},
      {"reserved", "@input A f32[4]\n@output D f32[4]\ne4 D(e)=A(e);", 3, 1,
       "'e' is not an index: the letter 'e' is reserved", "@input A f32[4]\n@output D f32[4]\nf4 D(f)=A(f);"},
      {"number", "@input A f32[4]\n@output D f32[4]\ntx4 D(tx)=A(tx)*1e999;", 3, 17,
       "this number is outside the range of f64", "@input A f32[4]\n@output D f32[4]\ntx4 D(tx)=A(tx)*1e308;"},
      {"subscript", "@input A f32[4]\n@output D f32[4]\ntx4 D(tx)=A(tx//0);", 3, 13, "division by zero in a subscript",
       "@input A f32[4]\n@output D f32[4]\ntx4 D(tx)=A(tx//1);"},
      {"nested-by-missing-semicolon",
       "@input A f32[4]\n@output D "
       "f32[4]\nL^{4}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a};]L^{4}_{c=0}[D^{f32,g}_{c}=A^{f32,g}_{c};];",
       3, 42, "no ';' after ']': this nest goes into the body just closed",
       "@input A f32[4]\n@output D "
       "f32[4]\nL^{4}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a};L^{4}_{c=0}[D^{f32,g}_{c}=A^{f32,g}_{c};];];"},
      {"unbound-index", "@input A f32[4]\n@output D f32[4]\na4 D(a)=A(c);", 3, 11,
       "no enclosing loop binds the index c", "@input A f32[4]\n@output D f32[4]\na4{c4 D(c)=A(a);}"},
      {"duplicate-index", "@input A f32[4]\n@output D f32[4]\na4 a4 D(a)=A(a);", 3, 4,
       "the index a is already bound by an enclosing loop",
       "@input A f32[4]\n@output D f32[4]\na4 D(a)=A(a);a4 D(a)=A(a);"},
      {"axis-twice", "@input A f32[4]\n@output D f32[4]\ntx4 txa4 D(tx)=A(txa);", 3, 5,
       "the axis tx is bound twice in one nest: by tx and by txa",
       "@input A f32[4]\n@output D f32[4]\ntx4 tya4 D(tx)+=A(tya);"},
      {"guard", "@input A f32[4]\n@output D f32[4]\na4 D(a)=A(a);a4 ?(a/2<1) D(a)=A(a);", 3, 19,
       "a guard computes with + - * // % on loop indices and integers only, within 64 bits",
       "@input A f32[4]\n@output D f32[4]\na4 D(a)=A(a);a4 ?(a//2<1) D(a)=A(a);"},
      {"dtype-conflict", "@input A f32[4]\n@output D f32[4]\na4{E(a)=A(a);D(a)=E^f64(a);}", 3, 19,
       "E is f64 here, but before it was f32", "@input A f32[4]\n@output D f32[4]\na4{E^f64(a)=A(a);D(a)=E(a);}"},
      {"rank-conflict", "@input A f32[4]\n@output D f32[4]\na4{E(a)=A(a);D(a)=E;}", 3, 19,
       "E has 0 subscripts here, but before it was 1", "@input A f32[4]\n@output D f32[4]\na4{E(a)=A(a);D(a)=E(a);}"},
      {"scope-conflict", "@input A f32[4]\n@output D f32[4]\na4{E^l=A(a);D(a)=E^g;}", 3, 18,
       "E is in scope g here, but before it was in scope l", "@input A f32[4]\n@output D f32[4]\na4{E^l=A(a);D(a)=E;}"},
      {"input-written", "@input A f32[4]\n@output D f32[4]\na4{A(a)=1;D(a)=A(a);}", 3, 4,
       "A is an input and is never written", "@input A f32[4]\n@output D f32[4]\na4{E(a)=1;D(a)=A(a)+E(a);}"},
      {"type", "@input C i64[4]\n@output D i64[4]\n^i64;a4 D(a)=max(C(a),-inf);", 3, 14, "inf in an integer expression",
       "@input C i64[4]\n@output D i64[4]\n^i64;a4 D(a)=max(C(a),-5);"},
      {"missing-definition", "@input A f32[4]\n@output D f32[4]\na4 D(a)=A(a)+E(a);", 3, 14,
       "E is read but nothing writes it, and the signature does not name it",
       "@input A f32[4]\n@output D f32[4]\na4{E(a)=1;D(a)=A(a)+E(a);}"},
      {"unused-variable", "@input A f32[4]\n@output D f32[4]\na4 D(a)=1;", 0, 0, "the input A is never read",
       "@input A f32[4]\n@output D f32[4]\na4 D(a)=A(0);"},
      {"dead-store", "@input A f32[4]\n@output D f32[4]\na4{E(a)=1;D(a)=A(a);}", 3, 4,
       "the intermediate E is written but never read", "@input A f32[4]\n@output D f32[4]\na4{E(a)=1;D(a)=A(a)*E(a);}"},
      {"scope-axes", "@input A f32[4]\n@output D f32[4]\nbx1{tx4 E^l=A(tx);a4 D(a)=E;}", 3, 27,
       "E is in scope l and is used inside the axes bx here, but inside bx tx elsewhere",
       "@input A f32[4]\n@output D f32[4]\nbx1{tx4 E^l=A(tx);tx4 D(tx)=E;}"},
      {"block-placement", "@input A f32[4]\n@output D f32[4]\ntx4{D(tx)=A(tx);bx2 D(tx)=A(tx);}", 3, 17,
       "the block loop bx does not enclose all items of its kernel",
       "@input A f32[4]\n@output D f32[4]\ntx2{bx2{E(tx,bx)=A(tx);D(tx*2+bx)=E(tx,bx);}}"},
      {"scope-demoted", "@input A f32[4]\n@output D f32[4]\ntx4 E^s(tx)=A(tx);tx4 D(tx)=E(tx);", 3, 5,
       "E is in scope s but 2 kernels touch it: it is treated as g",
       "@input A f32[4]\n@output D f32[4]\nbx1{tx4 E^s(tx)=A(tx);tx4 D(tx)=E(tx);}"},
      {"division-by-zero", "@input A f32[4]\n@output D f32[4]\na4 c4 D(a)=A(c//(a+c)%4);", 3, 12,
       "an integer is divided by zero at a=0, c=0", "@input A f32[4]\n@output D f32[4]\na4 c4 D(a)=A(c//(a+1));"},
      {"division-by-zero-unknown", "@input A i32[4]\n@output D i32[4]\na4 D^i32(a)=7//(A^i32(a)-1);", 3, 17,
       "cannot show that this integer divisor is not zero",
       "@input A i32[4] [2,9)\n@output D i32[4]\na4 D^i32(a)=7//(A^i32(a)-1);"},
      {"out-of-range", "@input A f32[4]\n@output D f32[4]\na4 D(a)=A(a+1);", 3, 11,
       "subscript 0 of A is 4 at a=3, which is outside [0,4)",
       "@input A f32[4]\n@output D f32[4]\na4 D(a)=where(a<3,A(a+1),0);"},
      {"out-of-range-unknown", "@input A f32[4]\n@input C i64[4] any\n@output D f32[4]\na4 D(a)=A(C^i64(a));", 4, 11,
       "cannot show that subscript 0 of A stays in range: it may be 9223372036854775807 at a=0, where C holds "
       "9223372036854775807",
       "@input A f32[4]\n@input C i64[4] [0,4)\n@output D f32[4]\na4 D(a)=A(C^i64(a));"},
      {"out-of-range-unknown",
       "@input A f32[4]\n@input C i64[4] any\n@output D f32[4]\na4 c4 E^i64(a)=max(E^i64(a),C^i64(c));"
       "a4 D(a)=A(E^i64(a));",
       4, 49,
       "cannot show that subscript 0 of A stays in range: it may be 9223372036854775807 at a=0, where E holds "
       "9223372036854775807",
       "@input A f32[4]\n@input C i64[4] [0,4)\n@output D f32[4]\na4 c4 E^i64(a)=max(E^i64(a),C^i64(c));"
       "a4 D(a)=A(E^i64(a));"},
      {"undefined-read", "@input A f32[4]\n@output D f32[4]\na4 D(a)=D(a)*2+A(a);", 3, 9,
       "D_{0} is read before anything writes it, at a=0", "@input A f32[4]\n@output D f32[4]\na4 D(a)=A(a)*2+D(a);"},
      {"undefined-read-unknown", "@input C i64[4] [0,4)\n@output D f32[4]\na2 E(a)=1;a4 D(a)=E(C^i64(a));", 3, 19,
       "cannot show that every element of E read here was written before: data decides what is read",
       "@input C i64[4] [0,4)\n@output D f32[4]\na4 E(a)=1;a4 D(a)=E(C^i64(a));"},
      {"not-written", "@output D f32[4]\na3 D(a)=1;", 2, 4, "the output element D_{3} is never written",
       "@output D f32[4]\na3 D(a)=1;a3 D(a+1)=1;"},
      {"not-written-unknown", "@input C i64[4] [0,4)\n@output D f32[4]\na4 D(C^i64(a))=1;", 3, 4,
       "cannot show that every element of the output D is written",
       "@input C i64[4] [0,4)\n@output D f32[4]\na4{D(a)=0;D(C^i64(a))=1;}"},
      {"race", "@input A f32[4]\n@output D f32[4]\na4 D(a)=0;Pa4 D(a//2)=A(a);", 3, 15,
       "race: a=0 and a=1 both write D_{0}", "@input A f32[4]\n@output D f32[4]\na4 D(a)=0;Pa4 D(a//2)+=A(a);"},
      {"race-unknown", "@input C i64[4] [0,4)\n@output D f32[4]\na4 D(a)=0;Pa4 D(C^i64(a))=a;", 3, 15,
       "cannot show that no two iterations of a write one element of D: data decides",
       "@input C i64[4] [0,4)\n@output D f32[4]\na4 D(a)=0;a4 D(C^i64(a))=a;"},
      {"divergent-barrier",
       "@input A f32[4]\n@output D f32[4]\nbx1{tx4 E^s(tx)=0;tx4 ?(tx<4){E(tx)=A(tx);D(tx)=E(3-tx);}}", 3, 31,
       "race: bx=0, tx=0 writes E_{0}, and bx=0, tx=3 reads it at 0/1/1:right",
       "@input A f32[4]\n@output D f32[4]\nbx1 ?(bx<4){tx4 E^s(tx)=A(tx);tx4 D(tx)=E(3-tx);}"},
      {"redundant-write", "@input A f32[4]\n@output D f32[4]\ntx4 c4 D(c)=A(c);", 3, 8,
       "every iteration of tx writes the same to D", "@input A f32[4]\n@output D f32[4]\ntx1 c4 D(c)=A(c);"},
      {"launch-limit", "@output D f32[2048]\ntx2048 D(tx)=0;", 2, 1,
       "2048 threads along tx, but a GPU launches at most 1024", "@output D f32[2048]\nbx2 tx1024 D(bx*1024+tx)=0;"},
      {"shared-memory", "@output D f64[1024]\n^f64;bx1{tx1024 a32 E^s(tx,a)=a;tx1024 D(tx)=E(tx,31);}", 2, 21,
       "262144 bytes of shared memory in a block (E), but a GPU has at most 232448",
       "@output D f32[1024]\nbx1{tx1024 a32 E^s(tx,a)=a;tx1024 D(tx)=E(tx,31);}"},
      {"unit-axes", "@input A f16[32,32]\n@output D f32[32,32]\nwx2 a16 c32 D(wx*16+a,c)=A^f16(wx*16+a,c);", 3, 13,
       "an equation without T loops stands in a loop over units",
       "@input A f16[32,32]\n@output D f32[32,32]\nwx2 Ta16 Tc32 D(wx*16+a,c)=A^f16(wx*16+a,c);"},
      {"matrix-nest", "@input A f16[32,32]\n@output D f32[32,32]\nTa32 Tc32 D(a,c)=A^f16(a,c);", 3, 1,
       "T loops need a unit that runs them, and no loop over wx, wy or wz is around them",
       "@input A f16[32,32]\n@output D f32[32,32]\nwx1 Ta32 Tc32 D(a,c)=A^f16(a,c);"},
      {"matrix-form",
       "@input A f16[32,32]\n@output D f32[32,32]\nbx1{wx2 Ta16 Tc32 E^f(a,c)=A^f16(wx*16+a,c);wx2 Ta16 Tc32 "
       "N^f(c)=max(N(c),E(a,c));wx2 Ta16 Tc32 D(wx*16+a,c)=E(a,c)+N(c);}",
       3, 59, "N has the T index c but not a",
       "@input A f16[32,32]\n@output D f32[32,32]\nbx1{wx2 Ta16 Tc32 E^f(a,c)=A^f16(wx*16+a,c);wx2 Ta16 Tc32 "
       "N^f(a)=max(N(a),E(a,c));wx2 Ta16 Tc32 D(wx*16+a,c)=E(a,c)+N(a);}"},
      {"matrix-shape",
       "@input A f16[32,24]\n@output D f32[32,32]\nbx1{tx32 g24{F^f16^s(tx,g)=A^f16(tx,g);}wx2 Ta16 Tc32 Td24 "
       "E^f(a,c)+=F(wx*16+a,d)*F(c,d);wx2 Ta16 Tc32 D(wx*16+a,c)=E(a,c);}",
       3, 60, "24 inner iterations, and the instruction for f16 takes multiples of 16",
       "@input A f16[32,32]\n@output D f32[32,32]\nbx1{tx32 g32{F^f16^s(tx,g)=A^f16(tx,g);}wx2 Ta16 Tc32 Td32 "
       "E^f(a,c)+=F(wx*16+a,d)*F(c,d);wx2 Ta16 Tc32 D(wx*16+a,c)=E(a,c);}"},
      {"fragment",
       "@input A f16[32,32]\n@output D f32[32,32]\nbx1{wx2 Ta16 Tc32 E^f(a,c)=A^f16(wx*16+a,c);wx2 Ta16 Tc32 "
       "D(wx*16+a,c)=E(a,31-c);}",
       3, 72, "a subscript of E, which is in f, is not one T index with an offset that is a multiple of 8",
       "@input A f16[32,32]\n@output D f32[32,32]\nbx1{wx2 Ta16 Tc32 E^f(a,c)=A^f16(wx*16+a,c);wx2 Ta16 Tc32 "
       "D(wx*16+a,c)=E(a,c);}"},
      {"depth-loop", "@input A f32[8,32]\n@output D f32[32]\nbx1{tx32 E^s2(tx)=A(0,tx);tx32 D(tx)=E(31-tx);}", 3, 10,
       "E has a depth (s2), but no L loop of its kernel is around all of its accesses",
       "@input A f32[8,32]\n@output D f32[32]\nbx1{tx32 E^s(tx)=A(0,tx);tx32 D(tx)=E(31-tx);}"},
      {"depth-carried",
       "@input A f32[8,32]\n@output D f32[32]\nbx1{a8{tx32 ?(a<3) E^s2(tx)=A(a,tx);tx32 D(tx)+=E(31-tx);}}", 3, 49,
       "E has a depth (s2), but this element was not written in this round of a, at bx=0, a=3, tx=0",
       "@input A f32[8,32]\n@output D f32[32]\nbx1{a8{tx32 E^s2(tx)=A(a,tx);tx32 D(tx)+=E(31-tx);}}"},
      {"depth-carried-unknown",
       "@input A f32[8,32]\n@input C i64[32] [0,32)\n@output D f32[32]\nbx1{a8{tx32 ?(a<1) E^s2(tx)=0;tx32 ?(tx<31) "
       "E(tx)=A(a,tx);tx32 D(tx)+=E(C^i64(tx));}}",
       4, 71, "cannot show that every element of E read here was written in the same round of a",
       "@input A f32[8,32]\n@input C i64[32] [0,32)\n@output D f32[32]\nbx1{a8{tx32 ?(a<1) E^s2(tx)=0;tx32 "
       "E(tx)=A(a,tx);tx32 D(tx)+=E(C^i64(tx));}}"},
      {"index-size", "@input A f32[4]\n@output D f32[4]\na4 D(a)=A(a*4611686018427387904%3);", 3, 9,
       "a subscript can reach 2^62 or more, in itself or in a part",
       "@input A f32[4]\n@output D f32[4]\na4 D(a)=A(a*4611686018427387%3);"},
  };
}

/// As the command line does: what cannot be read is not checked.
Diagnostics diagnostics_of(const std::string& text) {
  const Document document = read_document("text", text);
  return document.ok ? check_document(document).diagnostics : document.diagnostics;
}

TEST(CheckDocument, EachDiagnosticAtItsPlace) {
  for (const Case& item : cases()) {
    const Diagnostics found = diagnostics_of(item.shows);
    ASSERT_EQ(found.size(), 1u) << item.id;
    EXPECT_EQ(found[0].id, item.id);
    EXPECT_EQ(found[0].message, item.message);
    EXPECT_EQ(found[0].line, item.line) << item.id;
    EXPECT_EQ(found[0].column, item.column) << item.id;
    EXPECT_EQ(found[0].length > 0, item.line > 0) << item.id;
    const Explanation* entry = find_explanation(item.id);
    ASSERT_NE(entry, nullptr) << item.id;
    EXPECT_EQ(found[0].severity, entry->severity) << item.id;
  }
}

TEST(CheckDocument, AProgramNextToItIsFine) {
  for (const Case& item : cases()) {
    const Document document = read_document("text", item.does_not);
    ASSERT_TRUE(document.ok) << item.id;
    const CheckReport report = check_document(document);
    EXPECT_EQ(report.verdict, CheckReport::Verdict::ok) << item.id;
    EXPECT_TRUE(report.diagnostics.empty()) << item.id << "\n" << render(report.diagnostics, *document.source);
  }
}

TEST(CheckDocument, VerdictFollowsTheWorstDiagnostic) {
  for (const Case& item : cases()) {
    const Document document = read_document("text", item.shows);
    if (!document.ok) continue;
    const CheckReport report = check_document(document);
    const Severity severity = report.diagnostics.front().severity;
    EXPECT_EQ(report.verdict, severity == Severity::error     ? CheckReport::Verdict::errors
                              : severity == Severity::unknown ? CheckReport::Verdict::unknown
                                                              : CheckReport::Verdict::ok)
        << item.id;
  }
}

/// It never comes alone: only a demoted tensor can be ambiguous.
TEST(CheckDocument, ADemotedTensorIsAmbiguousWhereItsOwnScopeHoldsAnotherValue) {
  const std::string header = "@input A f32[4]\n@output D f32[4]\n";
  const auto ids = [&](const std::string& text) {
    std::vector<std::string> found;
    for (const Diagnostic& item : check_document(read_document("text", header + text)).diagnostics)
      found.push_back(item.id);
    return found;
  };
  using Ids = std::vector<std::string>;
  // Each thread reads what it has just written, in both meanings; that g is then a race is another matter.
  EXPECT_EQ(ids("tx4{E^l=A(tx);D(tx)=E;}tx4 D(tx)=E;"), (Ids{"scope-demoted", "race"}));
  EXPECT_EQ(ids("bx1{tx4 E^l=A(tx);tx4 D(tx)=E;}tx4 D(tx)=E;"), (Ids{"scope-demoted", "scope-ambiguous", "race"}));
  // All threads write the same.
  EXPECT_EQ(ids("bx1{tx4 E^l=A(0);tx4 D(tx)=E;}tx4 D(tx)=E;"), (Ids{"scope-demoted", "redundant-write"}));
  // A sum that goes on in the next kernel, and one that begins at the identity there too.
  EXPECT_EQ(ids("tx4 E^l(tx)=1;tx4 E(tx)+=A(tx);tx4 D(tx)=E(tx);"), (Ids{"scope-demoted", "scope-ambiguous"}));
  EXPECT_EQ(ids("tx4 E^l(tx)=0;tx4 E(tx)+=A(tx);tx4 D(tx)=E(tx);"), Ids{"scope-demoted"});
  EXPECT_EQ(ids("tx4 E^l(tx)=A(tx);tx4 D(tx)=E(tx);"), Ids{"scope-demoted"});
  EXPECT_EQ(ids("tx4{E^l=A(tx);D(tx)=E;}tx4{F^l=A(tx);D(tx)=F;}"), Ids{});
  // Whether one thread of a row and the next agree depends on A.
  EXPECT_EQ(ids("bx1{tx2 ty2 E^l=A(tx);tx2 ty2 D(tx*2+ty)=E;}tx4 D(tx)=E;"),
            (Ids{"scope-demoted", "scope-ambiguous-unknown", "race"}));
}

Diagnostics on_device(const std::string& text, const char* device) {
  return check_document(read_document("text", text), {find_device(device)}).diagnostics;
}

TEST(CheckDocument, LaunchLimitsAreErrorsOnADevice) {
  const std::string wide = "@output D f32[2048]\ntx2048 D(tx)=0;";
  const Diagnostics found = on_device(wide, "nvidia-a100");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "launch-limit");
  EXPECT_EQ(found[0].severity, Severity::error);
  EXPECT_TRUE(on_device(wide, "cpu").empty());
  // Each dimension fits, the product does not.
  const std::string flat = "@output D f32[64,32]\ntx64 ty32 D(tx,ty)=0;";
  EXPECT_EQ(on_device(flat, "nvidia-h200").at(0).message,
            "2048 threads in a block, but nvidia-h200 launches at most 1024");
  EXPECT_EQ(on_device("@output D f32[65]\ntz65 D(tz)=0;", "nvidia-h200").at(0).message,
            "65 threads along tz, but nvidia-h200 launches at most 64");
  EXPECT_EQ(on_device("@output D f32[65536]\nby65536 D(by)=0;", "nvidia-h200").at(0).message,
            "65536 blocks along by, but nvidia-h200 launches at most 65535");
  EXPECT_TRUE(on_device("@output D f32[65536]\nbx65536 D(bx)=0;", "nvidia-h200").empty());
  // 200 KiB of shared memory fit on one of them.
  const std::string tile = "@output D f32[512]\nbx1{tx512 a100 E^s(tx,a)=a;tx512 D(tx)=E(tx,99);}";
  EXPECT_TRUE(on_device(tile, "nvidia-h200").empty());
  EXPECT_EQ(on_device(tile, "nvidia-a100").at(0).id, "shared-memory");
}

TEST(CheckDocument, LocalDataThatDoesNotStayInRegisters) {
  const auto ids = [](const std::string& text) {
    std::vector<std::string> found;
    for (const Diagnostic& item : on_device("@output D f32[4]\n@input C i64[4] [0,4)\n" + text, "nvidia-h200"))
      if (item.id != "unused-variable") found.push_back(item.id);
    return found;
  };
  using Ids = std::vector<std::string>;
  EXPECT_EQ(ids("tx4{a16 E^l(a)=a;D(tx)=E(3);}"), Ids{});
  EXPECT_EQ(ids("tx4{a300 E^l(a)=a;D(tx)=E(3);}"), Ids{"l-spills"});            // more than a kilobyte
  EXPECT_EQ(ids("tx4{a40 c40 E^l((a+c)//8)=a;D(tx)=E(3);}"), Ids{"l-spills"});  // 1600 iterations
  EXPECT_EQ(ids("tx4{a4 E^l(a)=a;D(tx)=E(C^i64(tx));}"), Ids{"l-spills"});      // data
  EXPECT_EQ(ids("tx4{a4 E^l(a)=a;D(tx)=E(tx);}"), Ids{"l-spills"});             // a thread index
  EXPECT_TRUE(on_device("@output D f32[4]\ntx4{a300 E^l(a)=a;D(tx)=E(3);}", "cpu").empty());
}

TEST(Catalogue, EveryEntryIsShownByATest) {
  // These come from the command line and are in its golden files, or from the readers of other files, from workers,
  // from datasets and from the capture, and are in their tests, by their id or by their message.
  // clang-format off
  std::set<std::string, std::less<>> shown = {
      "usage", "write", "file", "npz", "npy", "gzip", "utf8", "tokenizer", "capture", "capture-time", "zoo-type",
      "zoo-arguments", "scope-ambiguous", "scope-ambiguous-unknown", "l-spills", "budget", "memory", "input-missing",
      "input-mismatch", "invalid", "cancelled", "cannot-lower", "no-engine", "engine", "no-device", "no-nvrtc",
      "nvrtc", "device", "device-limit", "wrong-result", "root-mismatch", "worker-crashed", "worker-exited",
      "worker-timed-out", "worker-failed", "worker-garbled", "worker-not-started", "rival", "build", "endpoint",
      "prompts", "configuration", "internal", "inputs", "answers", "log", "dataset", "leak", "compile", "parquet",
      "zstd", "process", "worker", "zip", "pt2", "pt2-control-flow", "pt2-dtype", "pt2-dynamic", "pt2-in-place",
      "pt2-random", "pt2-weights", "graph-operator", "zoo-argument", "capture-no-torch", "capture-file",
      "capture-raises", "capture-control-flow", "capture-export", "estimate",
      "sentence", "state", "weights", "partition", "python", "journal", "recording", "search"};
  // clang-format on
  for (const Case& item : cases()) shown.insert(item.id);
  std::set<std::string_view> ids;
  for (const Explanation& entry : all_explanations()) {
    EXPECT_TRUE(shown.contains(entry.id)) << entry.id;
    EXPECT_TRUE(ids.insert(entry.id).second) << entry.id << " twice";
    EXPECT_FALSE(entry.summary.empty() || entry.explanation.empty() || entry.example.empty()) << entry.id;
    EXPECT_EQ(find_explanation(entry.id), &entry);
  }
  EXPECT_EQ(ids.size(), shown.size());
  EXPECT_EQ(find_explanation("no-such-id"), nullptr);
}

}  // namespace
}  // namespace steptp
