// Rule R10 of docs/language.md (races): one small program for each side of each rule. The enumeration has to agree.
#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "steptp/safety/check.h"
#include "steptp/text/document.h"
#include "testing/race_detector.h"

namespace steptp::testing {
namespace {

struct Case {
  const char* what;
  const char* text;     ///< compact, after the signature
  const char* message;  ///< of the race; null: there is none
  const char* id = "race";
};

constexpr const char* kSignature =
    "@input A f32[8,8]\n@input C i64[8] [0,8)\n@output D f32[8]\n@output G f32[8,8]\na8 D(a)=0;a8 c8 G(a,c)=0;";

constexpr Case kCases[] = {
    // P and V loops.
    {"each its own element", "Pa8 D(a)=A(a,0);", nullptr},
    {"a reversed and strided element", "Pa4 D(7-a*2)=A(a,0);", nullptr},
    {"two iterations write one element", "Pa8 D(a//2)=A(a,0);", "race: a=0 and a=1 both write D_{0}"},
    {"the same with V", "Va8 D(a%4)=A(a,0);", "race: a=0 and a=4 both write D_{0}"},
    {"a serial loop may", "a8 D(a//2)=A(a,0);", nullptr},
    {"an unrolled loop may", "Ua8 D(a//2)=A(a,0);", nullptr},
    {"a recurrence along P", "Pa7 D(a+1)=D(a)+A(a,0);", "race: a=0 writes D_{1}, and a=1 reads it at 2/0:right.0"},
    {"a recurrence beside P", "Pa8 c7 G(a,c+1)=G(a,c)+A(a,0);", nullptr},
    {"even and odd", "Pa4{D(a*2)=A(a,0);D(a*2+1)=A(a,1);}", nullptr},
    {"even and the next even", "Pa3{D(a*2)=A(a,0);D(a*2+2)=A(a,1);}",
     "race: a=1 writes D_{2}, and a=0 writes it at 2/1:left"},
    {"an inner loop meets the next iteration", "Pa4 c2 D(a+c)=A(a,c);", "race: a=0, c=1 and a=1, c=0 both write D_{1}"},
    {"a guard keeps them apart", "Pa4 c2 ?(c<1) D(a+c)=A(a,c);", nullptr},
    {"a condition keeps the read away", "Pa8 D(a)=where(a<0,D(a-1),1);", nullptr},
    {"P iterations share l data", "tx2{Pa4{E^l=A(tx,a);G(tx,a)=E;}}", "race: tx=0, a=0 and tx=0, a=1 both write E"},
    {"unless it has a place for each", "tx2{Pa4{E^l(a)=A(tx,a);G(tx,a)=E(a);}}", nullptr},
    {"fused and taken apart again", "Pa64 G(a//8,a%8)=A(a//8,a%8);", nullptr},
    {"taken apart with a gap too few", "Pa64 G(a//9,a%8)=A(a//8,a%8);", "race: a=0 and a=8 both write G_{0,0}"},

    // (a) reductions and collectives.
    {"a parallel reduction", "Pa8 D(0)+=A(a,0);", nullptr},
    {"beside another use of the element", "Pa8{D(0)+=A(a,0);G(a,0)=D(0);}",
     "race: a=0 writes D_{0}, and a=1 reads it at 2/1:right"},
    {"its operands read the tensor", "Pa8 D(0)=D(0)+A(a,0)*D(1);", "race: a=0 and a=1 both write D_{0}"},
    {"a collective over threads", "bx1{tx8 E^s+=A(tx,0);tx8 D(tx)=E;}", nullptr},
    {"a collective over blocks", "bx8 D(0)+=A(bx,0);", nullptr},
    {"a collective that is not alone", "bx1{tx8{G(tx,0)=A(tx,0);D(0)+=A(tx,1);}}",
     "race: bx=0, tx=0 and bx=0, tx=1 both write D_{0}"},
    {"the same one loop further in", "bx1{tx8{G(tx,0)=A(tx,0);c2 D(0)+=A(tx,c);}}",
     "race: bx=0, tx=0, c=0 and bx=0, tx=1, c=0 both write D_{0}"},
    {"alone in a nest over the axis it reduces", "bx1{ty2{G(ty,0)=A(ty,0);tx4 E^s(ty)+=A(ty,tx);}ty2 D(ty)=E(ty);}",
     nullptr},

    {"a thread's own data is another in each thread", "bx1{tx8 E^l=A(tx,0);tx8 D(0)=E;}",
     "race: bx=0, tx=0 and bx=0, tx=1 both write D_{0}"},
    {"a block's own data is another in each block", "bx2{tx1 E^s=A(bx,0);tx1 D(0)=E;}",
     "race: bx=0, tx=0 and bx=1, tx=0 both write D_{0}"},
    {"what all threads of a block share is one", "bx1{tx8 E^s=A(0,0);tx8 D(0)=E;}", nullptr},

    // (b) barriers.
    {"between items of a block-level body", "bx1{tx8 E^s(tx)=A(tx,0);tx8 D(tx)=E(7-tx);}", nullptr},
    {"g data in one block too", "bx1{tx8 D(tx)=A(tx,0);tx8 G(tx,0)=D(7-tx);}", nullptr},
    {"but not between blocks", "bx2{tx8 D(tx)=A(tx,0);tx8 G(tx,bx)=D(7-tx);}",
     "race: bx=0, tx=0 writes D_{0}, and bx=1, tx=7 reads it at 2/1/0:right"},
    {"between rounds of a serial loop: write after read", "bx1{c4{tx8 E^s(tx)=A(tx,c);tx8 G(tx,c)=E(7-tx);}}", nullptr},
    {"rounds of a loop in the header", "bx1 c4 tx8 D((tx+c)%8)=A(tx,c);", nullptr},
    {"the thread loop outside: no barrier", "bx1 tx8 c4 D((tx+c)%8)=A(tx,c);",
     "race: bx=0, tx=0, c=0 and bx=0, tx=5, c=3 both write D_{0}"},
    {"items inside a thread loop", "bx1{tx8{E^s(tx)=A(tx,0);F^s(tx)=E(tx);D(tx)=F(tx);}}", nullptr},
    {"data passing inside a thread loop", "bx1{tx8 E^s(tx)=0;tx8{E(tx)=A(tx,0);D(tx)=E(7-tx);}}",
     "race: bx=0, tx=0 writes E_{0}, and bx=0, tx=7 reads it at 2/1/1:right"},
    {"under a guard on threads", "bx1{tx8 E^s(tx)=0;tx8 ?(tx<8){E(tx)=A(tx,0);D(tx)=E(7-tx);}}",
     "race: bx=0, tx=0 writes E_{0}, and bx=0, tx=7 reads it at 2/1/1:right", "divergent-barrier"},
    {"a guard on blocks is uniform", "bx2 ?(bx<1){tx8 E^s(tx)=A(tx,0);tx8 D(tx)=E(7-tx);}", nullptr},
    {"a bare item runs in one thread", "bx1{E^s=A(0,0);tx8 D(tx)=E;}", nullptr},
    {"and inside a thread loop over another axis", "bx1{tx4{E^s(tx)=A(tx,0);ty2 G(tx,ty)=E(tx);}}",
     "race: bx=0, tx=0 writes E_{0}, and bx=0, tx=0, ty=1 reads it at 2/0/1/0:right"},
    {"sibling loops of other extents are the same threads", "bx1{tx4{ty4 G(tx,ty)=1;ty2 G(tx,ty)=A(tx,ty);}}", nullptr},
    {"two kernels", "tx8 D(tx)=A(tx,0);tx8 G(tx,0)=D(7-tx);", nullptr},
    {"launches of a host loop", "c4 tx8 D((tx+c)%8)=A(tx,c);", nullptr},
    {"launches of a parallel host loop", "Pc4 tx8 D((tx+c)%8)=A(tx,c);",
     "race: c=0, tx=0 and c=1, tx=7 both write D_{0}"},

    // (c) the same write in every iteration is no race.
    {"a constant", "tx8 D(0)=3;", nullptr},
    {"what an earlier expression left", "tx8 D(0)=A(3,3);", nullptr},
    {"a value of the loop itself", "tx8{E(tx)=A(tx,0);D(0)=E(0);}", "race: tx=0 and tx=1 both write D_{0}"},
    {"the index in a guard", "tx8 ?(tx<2) D(0)=3;", "race: tx=0 and tx=1 both write D_{0}"},
    {"one thread passes the guard", "tx8 ?(tx==2) D(0)=3;", nullptr},
    {"read by the others", "Pa4{E=3;D(a)=E;}", "race: a=0 writes E, and a=1 reads it at 2/1:right"},
};

TEST(RaceRules, EachSideOfEachRule) {
  for (const Case& item : kCases) {
    const Document document = read_document("text", concat(kSignature, item.text));
    ASSERT_TRUE(document.ok) << item.what << render(document.diagnostics, *document.source);
    const CheckReport report = check_program(document.program);
    std::vector<std::string> races;
    for (const Diagnostic& diagnostic : report.diagnostics) {
      EXPECT_NE(diagnostic.severity, Severity::unknown) << item.what << ": " << diagnostic.message;
      if (diagnostic.severity != Severity::error || diagnostic.id == "undefined-read") continue;
      EXPECT_EQ(diagnostic.id, item.id) << item.what << ": " << diagnostic.message;
      races.push_back(diagnostic.message);
    }
    EXPECT_EQ(races.empty(), item.message == nullptr) << item.what << ": " << (races.empty() ? "" : races[0]);
    if (item.message && !races.empty()) {
      EXPECT_EQ(races[0], item.message) << item.what;
    }
    EXPECT_EQ(detect_races(document.program, 0).races.empty(), item.message == nullptr) << item.what;
  }
}

TEST(RaceRules, DataIsUnknownUnlessTheRestDecides) {
  const auto verdict = [](const char* text) {
    return check_program(read_document("text", concat(kSignature, text)).program).verdict;
  };
  EXPECT_EQ(verdict("Pa8 D(C^i64(a))=a;"), CheckReport::Verdict::unknown);
  EXPECT_EQ(verdict("Pa8 D(C^i64(a))+=1;"), CheckReport::Verdict::ok);
  EXPECT_EQ(verdict("Pa8 G(a,C^i64(a))=a;"), CheckReport::Verdict::ok);
  EXPECT_EQ(verdict("c8 Pa8 G(C^i64(c),a)=a;"), CheckReport::Verdict::ok);
  EXPECT_EQ(verdict("Pa2 c4 D(c+4*(C^i64(a)%2))=a;"), CheckReport::Verdict::unknown);
  EXPECT_EQ(verdict("Pa7 D(a)=where(A(a,0)>0,D(a+1),0);"), CheckReport::Verdict::unknown);
}

}  // namespace
}  // namespace steptp::testing
