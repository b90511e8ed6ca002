// Proof that two programs do the same operations (prove/as_written.cpp): for each law a pair that it accepts, and an
// equal pair that it must refuse because something else is rounded.
#include <gtest/gtest.h>

#include <string>

#include "steptp/base/text.h"
#include "steptp/prove/prove.h"
#include "steptp/text/document.h"
#include "steptp/verify/verify.h"

namespace steptp {
namespace {

constexpr const char* kHeader =
    "@input A f32[12]\n@input C f32[12]\n@input E f32[12]\n@input F f64[12]\n@input G f32[12,16]\n@output D f32[12]\n";

Program program_of(const std::string& text) {
  const Document document = read_document("test", concat(kHeader, text));
  EXPECT_TRUE(document.ok) << text;
  return document.program;
}

struct Law {
  const char* what;
  const char* before;
  const char* accepted;
  const char* refused;
};

constexpr Law kLaws[] = {
    {"operands change places", "a12 D(a)=A(a)*C(a)*E(a)+1;", "a12 D(a)=1+E(a)*(C(a)*A(a));",
     "a12 D(a)=A(a)*(C(a)*E(a))+1;"},
    {"written sums stay trees", "a12 D(a)=G(a,0)-G(a,1)+(G(a,2)-G(a,3));", "a12 D(a)=(G(a,2)-G(a,3))+(G(a,0)-G(a,1));",
     "a12 D(a)=G(a,0)+G(a,2)-(G(a,1)+G(a,3));"},
    {"accumulations come in any order", "a12 c16 D(a)=D(a)+G(a,c);", "c4 a12 d4 D(a)=D(a)+G(a,d*4+c);",
     "a12 c8 D(a)=D(a)+(G(a,c)+G(a,c+8));"},
    {"and in parts", "a12 c16 D(a)=D(a)+G(a,c);", "a12 d4 c4 X(a,d)=X(a,d)+G(a,d*4+c);a12 d4 D(a)=D(a)+X(a,d);",
     "a12 c16 D(a)=D(a)+(G(a,c)+A(a)-A(a));"},
    {"a sum of two accumulations is one", "a12 c16 D(a)=D(a)+G(a,c);",
     "a12 c8 X(a)=X(a)+G(a,c);a12 c8 Y(a)=Y(a)+G(a,c+8);a12 D(a)=X(a)+Y(a);",
     "a12 c16 X(a)=X(a)+G(a,c);a12 D(a)=X(a)+A(a)-A(a);"},
    {"what is split off an accumulation", "a12 c16 D(a)=D(a)+G(a,c);",
     "a12 c15 X(a)=X(a)+G(a,c);a12 D(a)=X(a)+G(a,15);",
     "a12 c15 X(a)=X(a)+G(a,c);a12 D(a)=(X(a)+A(a))+(G(a,15)-A(a));"},
    {"but nothing is taken into one", "a12 c15 X(a)=X(a)+G(a,c);a12 D(a)=X(a)+G(a,15);",
     "a12 c15 X(a)=X(a)+G(a,14-c);a12 D(a)=G(a,15)+X(a);", "a12 c16 D(a)=D(a)+G(a,c);"},
    {"two rounds have one order", "a12 D(a)=A(a)+C(a);", "a12{D(a)=A(a);D(a)=D(a)+C(a);}",
     "a12{D(a)=A(a)+E(a);D(a)=D(a)+(C(a)-E(a));}"},
    {"sums that are done once stay as they are written", "a12 D(a)=A(a)+C(a)+E(a);",
     "a12{D(a)=A(a);D(a)=D(a)+C(a);D(a)=D(a)+E(a);}", "a12{D(a)=E(a);D(a)=D(a)+C(a);D(a)=D(a)+A(a);}"},
    {"also one by one", "a12{D(a)=A(a);D(a)=D(a)+C(a);D(a)=D(a)-E(a);}", "a12 X(a)=A(a)+C(a);a12 D(a)=X(a)-E(a);",
     "a12 D(a)=A(a)+(C(a)-E(a));"},
    {"what comes after an accumulation", "a12 c16 X(a)=X(a)+G(a,c);a12 D(a)=X(a)+A(a);",
     "a12 c16 D(a)=D(a)+G(a,15-c);a12 D(a)=D(a)+A(a);", "a12{D(a)=A(a);c16 D(a)=D(a)+G(a,c);}"},
    {"rounds that alternate", "a12 c16{D(a)=D(a)+G(a,c);D(a)=D(a)+A(c%12);}",
     "a12 c16 D(a)=D(a)+G(a,c);a12 c16 D(a)=D(a)+A(c%12);", "a12 c16 D(a)=D(a)+(G(a,c)+A(c%12));"},
    {"literals are not combined", "a12 D(a)=A(a)*2.5*3.5;", "a12 D(a)=3.5*(A(a)*2.5);", "a12 D(a)=A(a)*8.75;"},
    {"signs are exact", "a12 D(a)=-(A(a)*C(a));", "a12 D(a)=(-A(a))*C(a);", "a12 D(a)=-(A(a)*C(a)+E(a)-E(a));"},
    {"max and min are exact", "a12 D(a)=max(A(a),max(C(a),E(a)));", "a12 D(a)=max(max(E(a),C(a)),A(a));",
     "a12 D(a)=max(A(a)-E(a),max(C(a)-E(a),0))+E(a);"},
    {"products are rounded in their order", "a12 c16 D(a)=D(a)*G(a,c);", "a12 d4 c4 D(a)=D(a)*G(a,d*4+c);",
     "a12 c16 D(a)=D(a)*G(a,15-c);"},
    {"nothing is added", "a12 D(a)=A(a)*C(a);", "a12 D(a)=0+A(a)*C(a)*1;", "a12 D(a)=A(a)*C(a)+1e10-1e10;"},
    {"copies are free", "a12 D(a)=exp(A(a))+C(a);", "a12 X(a)=A(a);a12 Y(a)=exp(X(a));a12 D(a)=Y(a)+C(a);",
     "a12 X(a)=exp(A(a)-C(a));a12 D(a)=X(a)*exp(C(a))+C(a);"},
    {"a wider type on the way is another operation", "a12 X^f64(a)=A(a)*C(a);a12 D(a)=X^f64(a)+C(a);",
     "a3 c4 X^f64(a*4+c)=A(a*4+c)*C(a*4+c);a12 D(a)=X^f64(a)+C(a);", "a12 X(a)=A(a)*C(a);a12 D(a)=X(a)+C(a);"},
    {"a narrow product first", "a12 X^f64(a)=A(a)*F^f64(a)*C(a);a12 D(a)=X^f64(a);",
     "a12 X^f64(a)=F^f64(a)*A(a)*C(a);a12 D(a)=X^f64(a);", "a12 X^f64(a)=A(a)*C(a)*F^f64(a);a12 D(a)=X^f64(a);"},
    {"constants in a wider type", "tx1 W^f64=1/sqrt(24);a12 X(a)=A(a)*C(a);a12 D(a)=X(a)*W^f64;",
     "tx1 W^f64=1/sqrt(24);a12 D(a)=A(a)*C(a)*W^f64;", "tx1 W=1/sqrt(24);a12 D(a)=A(a)*C(a)*W;"},
    {"a running sum is not an accumulation", "a12 D(a)=A(a);a12 D(a)=where(a<1,0,D(a-1))+A(a);",
     "a12 D(a)=A(a);a12 D(a)=A(a)+where(a<1,0,D(a-1));", "a12 c12 D(a)=D(a)+where(c<=a,A(c),0);"},
};

TEST(AsWritten, EachLawAcceptsAndRefuses) {
  for (const Law& law : kLaws) {
    const Program before = program_of(law.before);
    const Proof accepted = prove(before, program_of(law.accepted));
    EXPECT_TRUE(accepted.proved && accepted.is_as_written) << law.what << ": " << accepted.reason;
    const Proof refused = prove(before, program_of(law.refused));
    EXPECT_FALSE(refused.is_as_written) << law.what;
  }
}

TEST(AsWritten, IsSafeByProof) {
  const Law& law = kLaws[2];
  const Judgement judgement = verify(program_of(law.before), program_of(law.accepted));
  EXPECT_EQ(judgement.verdict, Grade::proved);
  EXPECT_TRUE(judgement.is_safe());
  EXPECT_EQ(judgement.safe_by, SafeBy::proof);
  EXPECT_EQ(judgement.stable, Shown::yes);
}

}  // namespace
}  // namespace steptp
