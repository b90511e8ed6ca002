// Pairs that differ in what a store keeps (narrow integers, bools, narrow floats) or that an assumption from elsewhere
// would make equal.

#include "testing/attack_templates.h"

#include <iterator>

namespace steptp::testing {

namespace {

constexpr std::string_view kFloat = "@input A $T[$N]\n@output D $T[$N]\n";
constexpr std::string_view kTwo = "@input A $T[$N]\n@input C $T[$N]\n@output D $T[$N]\n";
constexpr std::string_view kBool = "@input A $T[$N]\n@output D bool[$N]\n";
constexpr std::string_view kWhole = "@input A $T[$N]\n@output D i32[$N]\n";
constexpr std::string_view kInteger = "@input I i32[$N] [0,100000)\n@output D i32[$N]\n";
constexpr std::string_view kAnyInteger = "@input I i32[$N]\n@output D i32[$N]\n";
constexpr std::string_view kIndexed = "@input A $T[$N]\n@input I i64[$N]\n@output D i64[$N]\n@output O $T[$N]\n";
constexpr std::string_view kTwoOutputs = "@input A $T[$N]\n@input C $T[$N]\n@output D $T[$N]\n@output O $T[$N]\n";
constexpr std::string_view kRows = "@input A f32[$M,$N]\n@output D f32[$M]\n";
constexpr std::string_view kSingle = "@input A f32[$N]\n@input C f32[$N]\n@output D f32[$N]\n";
constexpr std::string_view kDouble = "@input A f64[$N]\n@output D f64[$N]\n";
constexpr std::string_view kWide = "@input I i32[$N]\n@output D f64[$N]\n";

constexpr AttackTemplate kTemplates[] = {
    // Narrow stores.
    {"narrow stores", kInteger, "a$N E^i32(a)=I^i32(a);a$N D^i32(a)=E(a);", "a$N E^i16(a)=I^i32(a);a$N D^i32(a)=E(a);",
     "I@K=40000", "D@K"},
    {"narrow stores", kInteger, "a$N E^i32(a)=I^i32(a)%200;a$N D^i32(a)=E(a);",
     "a$N E^i8(a)=I^i32(a)%200;a$N D^i32(a)=E(a);", "I@K=150", "D@K"},
    {"narrow stores", kInteger, "a$N E^u8(a)=I^i32(a)%200;a$N D^i32(a)=E(a);",
     "a$N E^i8(a)=I^i32(a)%200;a$N D^i32(a)=E(a);", "I@K=150", "D@K"},
    {"narrow stores", kInteger, "a$N D^i32(a)=I^i32(a)+1;", "a$N E^i16(a)=I^i32(a);a$N D^i32(a)=E(a)+1;", "I@K=99999",
     "D@K"},
    {"narrow stores", kWhole, "a$N E^i32(a)=A(a);a$N D^i32(a)=E(a);", "a$N E^i8(a)=A(a);a$N D^i32(a)=E(a);", "A@K=200",
     "D@K"},
    {"narrow stores", kWhole, "a$N D^i32(a)=A(a);", "a$N D^i32(a)=floor(A(a));", "A@K=-1.5", "D@K"},
    {"narrow stores", kWhole, "a$N D^i32(a)=A(a);", "a$N D^i32(a)=ceil(A(a)-0.5);", "A@K=1.75", "D@K"},
    {"narrow stores", kWhole, "a$N D^i32(a)=A(a)*2;", "a$N E^i32(a)=A(a);a$N D^i32(a)=E(a)*2;", "A@K=1.75", "D@K"},
    {"narrow stores", kFloat, "a$N D(a)=A(a);", "a$N E^i64(a)=A(a)*4096;a$N D(a)=E(a)/4096;", "A@K=0.000030517578125",
     "D@K"},
    {"narrow stores", kFloat, "a$N D(a)=where(A(a)>0,1,0);", "a$N E^i32(a)=A(a);a$N D(a)=where(E(a)>0,1,0);", "A@K=0.5",
     "D@K"},
    {"narrow stores", kFloat, "a$N D(a)=max(A(a),0)*3;", "a$N E^u8(a)=A(a);a$N D(a)=E(a)*3;", "A@K=300", "D@K"},
    {"narrow stores", "@input I i64[$N] [0,300)\n@output D i64[$N]\n", "a$N D^i64(a)=I^i64(a);",
     "a$N E^u8(a)=I^i64(a);a$N D^i64(a)=E(a);", "I@K=256", "D@K"},
    {"narrow stores", "@input I i8[$M,$N]\n@output D i64[$M]\n", "tx$M a$N E^i64(tx)+=I^i8(tx,a);tx$M D^i64(tx)=E(tx);",
     "tx$M a$N E^i8(tx)+=I^i8(tx,a);tx$M D^i64(tx)=E(tx);", "I@R,0=100 I@R,1=100 I@R,2=100", "D@R"},
    {"narrow stores", "@input I i32[$N]\n@output D i32[$N]\n", "a$N D^i32(a)=I^i32(a);",
     "a$N{E^i32(a)=I^i32(a)*65536;D(a)=E(a)//65536;}", "I@K=40000", "D@K"},
    // Bools.
    {"bools", kBool, "a$N D^bool(a)=sqrt(A(a));", "a$N D^bool(a)=sqrt(max(A(a),0));", "A@K=-1", "D@K"},
    {"bools", kBool, "a$N D^bool(a)=A(a);", "a$N D^bool(a)=A(a)>0;", "A@K=-1", "D@K"},
    {"bools", kBool, "a$N D^bool(a)=A(a)!=0;", "a$N E^i32(a)=A(a);a$N D^bool(a)=E(a);", "A@K=0.5", "D@K"},
    {"bools", kBool, "a$N D^bool(a)=log(A(a));", "a$N D^bool(a)=log(max(A(a),1));", "A@K=0.5", "D@K"},
    {"bools", kBool, "a$N D^bool(a)=log(A(a));", "a$N D^bool(a)=log(abs(A(a)));", "A@K=-1", "D@K"},
    {"bools", kBool, "a$N D^bool(a)=A(a)>$C;", "a$N D^bool(a)=A(a)>=$C;", "A@K=C", "D@K"},
    {"bools", kBool, "a$N D^bool(a)=A(a)>$C|A(a)<0;", "a$N D^bool(a)=A(a)>$C|A(a)<=0;", "A@K=0", "D@K"},
    {"bools", kBool, "a$N D^bool(a)=A(a)-$C;", "a$N D^bool(a)=1;", "A@K=C", "D@K"},
    {"bools", kBool, "a$N D^bool(a)=a!=$K;", "a$N D^bool(a)=1;", "", "D@K"},
    {"bools", "@input G bool[$M,$M]\n@input A $T[$M]\n@output D $T[$M]\n",
     "tx$M D(tx)=0;tx$M a$M D(tx)+=where(G^bool(tx,a),A(a),0);",
     "tx$M D(tx)=0;tx$M a$M D(tx)+=where(G^bool(tx,a)|(a==tx&tx==$R),A(a),0);", "G@R,R=0 A@R=5", "D@R"},
    {"bools", "@input G bool[$N]\n@input H bool[$N]\n@output D bool[$N]\n", "a$N D^bool(a)=G^bool(a)&H^bool(a);",
     "a$N D^bool(a)=(G^bool(a)&H^bool(a))|a==$K;", "G@K=0", "D@K"},
    {"bools", "@input G bool[$N]\n@input H bool[$N]\n@output D bool[$N]\n", "a$N D^bool(a)=G^bool(a)+H^bool(a);",
     "a$N D^bool(a)=(G^bool(a)*1+H^bool(a)*1)%2;", "G@K=1 H@K=1", "D@K"},
    // Assumptions from elsewhere: dead code, other elements, other outputs, branches that are not taken.
    {"assumptions", kFloat, "a$N E(a)=log(A(a));a$N D(a)=A(a);", "a$N E(a)=log(A(a));a$N D(a)=abs(A(a));", "A@K=-1",
     "D@K"},
    {"assumptions", kFloat, "a$N E(a)=sqrt(A(a));a$N D(a)=A(a);", "a$N E(a)=sqrt(A(a));a$N D(a)=abs(A(a));", "A@K=-1",
     "D@K"},
    {"assumptions", kTwo, "a$N E(a)=1/A(a);a$N D(a)=C(a);", "a$N E(a)=1/A(a);a$N D(a)=C(a)*A(a)/A(a);", "A@K=0", "D@K"},
    {"assumptions", kTwoOutputs, "a$N{O(a)=log(A(a));D(a)=A(a);}", "a$N{O(a)=log(A(a));D(a)=abs(A(a));}", "A@K=-1",
     "D@K"},
    {"assumptions", kTwoOutputs, "a$N{O(a)=C(a)/A(a);D(a)=C(a);}", "a$N{O(a)=C(a)/A(a);D(a)=C(a)*A(a)/A(a);}", "A@K=0",
     "D@K"},
    {"assumptions", kTwoOutputs, "a$N{O(a)=A(a)**0.5;D(a)=C(a);}", "a$N{O(a)=A(a)**0.5;D(a)=C(a)+sqrt(A(a))*0;}",
     "A@K=-1", "D@K"},
    {"assumptions", kTwo, "a$N D(a)=where(C(a)>0,log(A(a)),A(a));", "a$N D(a)=where(C(a)>0,log(A(a)),abs(A(a)));",
     "A@K=-1 C@K=-1", "D@K"},
    {"assumptions", kTwo, "a$N D(a)=where(C(a)>0,1/A(a),A(a));", "a$N D(a)=where(C(a)>0,1/A(a),A(a)*A(a)/A(a));",
     "A@K=0 C@K=-1", "D@K"},
    {"assumptions", kFloat, "a$N D(a)=where(a<$K,log(A(a)),A(a));", "a$N D(a)=where(a<$K,log(A(a)),abs(A(a)));",
     "A@After=-1", "D@After"},
    {"assumptions", kFloat, "a$N E(a)=log(A(a));a$K D(a)=E(a);a$N ?(a>=$K) D(a)=A(a);",
     "a$N E(a)=log(A(a));a$K D(a)=E(a);a$N ?(a>=$K) D(a)=abs(A(a));", "A@After=-1", "D@After"},
    {"assumptions", kTwo, "a$N D(a)=C(a)/A(0)+0;a1 D(a+$K)=C(a+$K);",
     "a$N D(a)=C(a)/A(0)+0;a1 D(a+$K)=C(a+$K)*A(0)/A(0);", "A@0=0", "D@K"},
    {"assumptions", kIndexed, "a$N{O(a)=where(A(a)>3.9,A(I^i64(a)),0);D^i64(a)=I(a);}",
     "a$N{O(a)=where(A(a)>3.9,A(I^i64(a)),0);D^i64(a)=abs(I(a));}", "I@K=-3 A@K=1", "D@K"},
    {"assumptions", kIndexed, "a$N{O(a)=A(a);D^i64(a)=I^i64(a);}", "a$N{O(a)=A(a);D^i64(a)=max(I^i64(a),0);}", "I@K=-3",
     "D@K"},
    {"assumptions", kIndexed, "a$N{O(a)=A(I^i64(a));D^i64(a)=I(a);}",
     "a$N{O(a)=A(I^i64(a));D^i64(a)=min(max(I(a),0),$Last);}", "I@K=-3", "D@K"},
    {"assumptions", kFloat, "a$N E(a)=exp(A(a));a$N D(a)=log(E(a));", "a$N E(a)=exp(A(a));a$N D(a)=log(E(a)+1e-40);",
     "A@K=1", "D@K"},
    {"assumptions", kTwo, "a$N E(a)=log(A(a));a$N D(a)=C(a);", "a$N E(a)=log(A(a));a$N D(a)=C(a)/E(a)*E(a);", "A@K=1",
     "D@K"},
    {"assumptions", kTwo, "a$N E(a)=log(A(a));a$N D(a)=max(E(a),C(a));",
     "a$N E(a)=log(abs(A(a)));a$N D(a)=max(E(a),C(a));", "A@K=-1000 C@K=-1", "D@K"},
    {"assumptions", "@input A $T[$N] positive\n@input C $T[$N]\n@output D $T[$N]\n", "a$N D(a)=sqrt(A(a)*A(a))+C(a);",
     "a$N D(a)=A(a)+abs(C(a));", "C@K=-1", "D@K"},
    {"assumptions", "@input A $T[$N] nonzero\n@output D $T[$N]\n", "a$N D(a)=A(a);", "a$N D(a)=sqrt(A(a)*A(a));",
     "A@K=-1", "D@K"},
    {"assumptions", "@input A $T[$N] [-2,2)\n@output D $T[$N]\n", "a$N D(a)=A(a);",
     "a$N D(a)=min(max(A(a),-1.9375),2);", "A@K=-2", "D@K"},
    {"assumptions", "@input A $T[$N] [0,4)\n@output D $T[$N]\n", "a$N D(a)=A(a);", "a$N D(a)=A(a)*A(a)/A(a);", "A@K=0",
     "D@K"},
    // Precision: nothing has another value over the reals.
    {"precision", kFloat, "a$N D^$T(a)=A(a)*0.1;", "a$N E^bf16(a)=0.1;a$N D^$T(a)=A(a)*E(a);", "", "", true},
    {"precision", kSingle, "a$N D(a)=A(a)*C(a)+1;", "a$N E^f16(a)=A(a)*C(a);a$N D(a)=E(a)+1;", "", "", true},
    {"precision", kSingle, "a$N D(a)=A(a)*C(a)+1;", "a$N E^bf16(a)=A(a);a$N D(a)=E(a)*C(a)+1;", "", "", true},
    {"precision", kRows, "tx$M a$N D(tx)+=A(tx,a);", "tx$M a$N E^f16(tx)+=A(tx,a);tx$M D(tx)=E(tx);", "", "", true},
    {"precision", kDouble, "a$N D(a)=A(a)*A(a);", "a$N E^f32(a)=A(a);a$N D(a)=E(a)*A(a);", "", "", true},
    {"precision", kSingle, "a$N D(a)=where(A(a)<C(a),1,0);", "a$N E^f16(a)=A(a);a$N D(a)=where(E(a)<C(a),1,0);", "", "",
     true},
    {"precision", kWide, "a$N D^f64(a)=I^i32(a);", "a$N E^f32(a)=I^i32(a);a$N D^f64(a)=E(a);", "", "", true},
    {"precision", kAnyInteger, "a$N D^i32(a)=I^i32(a);", "a$N E^f32(a)=I^i32(a);a$N D^i32(a)=E(a);", "", "", true},
    {"precision", kSingle, "a$N D(a)=A(a)*(a*4097);", "a$N E^f16(a)=a*4097;a$N D(a)=A(a)*E(a);", "", "", true},
    {"precision", kSingle, "a$N D(a)=A(a)+16777217;", "a$N E^f16(a)=1.6777217e7;a$N D(a)=A(a)+E(a);", "", "", true},
    {"precision", kDouble, "a$N D(a)=A(a)/3;", "a$N E^f32(a)=1;a$N F^f32(a)=E(a)/3;a$N D(a)=A(a)*F(a);", "", "", true},
};

}  // namespace

const std::vector<AttackTemplate>& store_templates() {
  static const std::vector<AttackTemplate> kList(std::begin(kTemplates), std::end(kTemplates));
  return kList;
}

}  // namespace steptp::testing
