// Pairs that differ in one region of elements: who writes it, which loops reach it, which condition or subscript
// selects it, over which set a fold runs.

#include "testing/attack_templates.h"

#include <iterator>

namespace steptp::testing {

namespace {

constexpr std::string_view kOne = "@input A $T[$N]\n@output D $T[$N]\n";
constexpr std::string_view kTwo = "@input A $T[$N]\n@input C $T[$N]\n@output D $T[$N]\n";
constexpr std::string_view kRows = "@input A $T[$M,$N]\n@output D $T[$M,$N]\n";
constexpr std::string_view kFold = "@input A $T[$M,$N]\n@output D $T[$M]\n";
constexpr std::string_view kProduct = "@input A $T[$M,$N]\n@param W $T[$N,$N]\n@output D $T[$M,$N]\n";
constexpr std::string_view kSquare = "@input A $T[$M,$M]\n@output D $T[$M,$M]\n";
constexpr std::string_view kGather = "@input A $T[$N]\n@input J i64[$M] [0,$N)\n@output D $T[$M]\n";
constexpr std::string_view kScatter = "@input A $T[$M] positive\n@input J i64[$M] [0,$N)\n@output D $T[$N]\n";

constexpr AttackTemplate kTemplates[] = {
    // Who writes an element last.
    {"who writes", kTwo, "a$N D(a)=A(a);a5 D(a+$K)=C(a)*4;", "a$N D(a)=A(a);a5 D(a+$K)=C(a)*5;", "C@2=1"},
    {"who writes", kTwo, "a$N D(a)=A(a);a3 D(a+$K)=C(a);", "a$N D(a)=A(a);a3 D(a+$Before)=C(a);", "C@2=77"},
    {"who writes", kTwo, "a$N D(a)=A(a);a3 D(a+$K)=C(a);", "a$N D(a)=A(a);a2 D(a+$K)=C(a);", "C@2=77"},
    {"who writes", kTwo, "a$N D(a)=A(a);a3 D(a+$K)=C(a);", "a3 D(a+$K)=C(a);a$N D(a)=A(a);", "C@1=77"},
    {"who writes", kOne, "a$N D(a)=A(a);a1 D(a+$K)=D(a+$K)+1;", "a$N D(a)=A(a);a1 D(a+$K)=D(a+$K)+2;", "", "D@K"},
    {"who writes", kOne, "a$N D(a)=A(a);a1 D(a+$K)=D(a+$After)*2;", "a$N D(a)=A(a);a1 D(a+$K)=D(a+$Before)*2;",
     "A@Before=7 A@After=9", "D@K"},
    {"who writes", kOne, "a$N D(a)=A(a);a$K D(a)=A(a+1);", "a$N D(a)=A(a);a$After D(a)=A(a+1);", "A@K=5 A@After=6",
     "D@K"},
    {"who writes", kOne, "a$N D(a)=A(a);a$N D($Last-a)=A(a)*2;", "a$N D(a)=A(a);a$Last D($Last-a)=A(a)*2;",
     "A@Last=3 A@0=5", "D@0"},
    {"who writes", "@input A $T[$Double]\n@output D $T[$N]\n", "a$Double D(a//2)=A(a);",
     "a$Double D(a//2)=A(a);a1 D(a+$Half)=A(a+$Half)*3+1;", "", "D@Half"},
    {"who writes", "@input A $T[$Double]\n@output D $T[$N]\n", "a$Double D(a%$N)=A(a);",
     "a$Double D(a%$N)=A(a);a1 D(a+$K)=A(a+$K);", "A@K=99", "D@K"},
    {"who writes", kTwo, "a$N{D(a)=A(a);D($Last)=C(a);}", "a$N{D($Last)=C(a);D(a)=A(a);}", "C@Last=44", "D@Last"},
    {"who writes", kRows, "tx$M a$N D(tx,a)=A(tx,a);a3 c2 D(a+1,c+$K)=0;",
     "tx$M a$N D(tx,a)=A(tx,a);a2 c2 D(a+1,c+$K)=0;", "A@3,After=7", "D@3,After"},
    {"who writes", kTwo, "a$N E(a)=A(a);a2 E(a+$K)=C(a);a$N D(a)=E(a)*2;",
     "a$N E(a)=A(a);a2 E(a+$K)=C(a+1);a$N D(a)=E(a)*2;", "C@0=3 C@1=4", "D@K"},
    // A region by loops.
    {"region by loops", kRows, "tx$M a$N D(tx,a)=0;tx2 a$Inner D(tx+1,a+1)=A(tx,a);",
     "tx$M a$N D(tx,a)=0;tx2 a$Inner D(tx+1,a+1)=A(tx,a)*where(a==$K,2,1);", "A@1,K=3", "D@2,After"},
    {"region by loops", "@input A $T[62,62]\n@output D $T[64,64]\n", "tx64 a64 D(tx,a)=0;tx62 a62 D(tx+1,a+1)=A(tx,a);",
     "tx64 a64 D(tx,a)=0;tx62 a61 D(tx+1,a+1)=A(tx,a);", "A@5,61=3", "D@6,62"},
    {"region by loops", "@input A $T[62,62]\n@output D $T[64,64]\n", "tx64 a64 D(tx,a)=0;tx62 a62 D(tx+1,a+1)=A(tx,a);",
     "tx64 a64 D(tx,a)=0;tx62 a62 D(tx+1,a+2)=A(tx,a);", "A@5,60=3 A@5,61=4", "D@6,62"},
    {"region by loops", kOne, "a$N D(a)=A(a);a$Half D(a*2)=0;", "a$N D(a)=A(a);a$Half D(a*2+1)=0;", "A@2=5", "D@2"},
    {"region by loops", kOne, "a$N D(a)=1;a$K D(a)=A(a);", "a$N D(a)=1;a$Before D(a)=A(a);", "A@Before=9", "D@Before"},
    {"region by loops", kRows, "tx$M a$N D(tx,a)=A(tx,a);a$N D($R,a)=0;", "tx$M a$N D(tx,a)=A(tx,a);a$Last D($R,a)=0;",
     "A@R,Last=5", "D@R,Last"},
    {"region by loops", kSquare, "tx$M a$M D(tx,a)=A(tx,a);tx$M D(tx,tx)=0;",
     "tx$M a$M D(tx,a)=A(tx,a);tx$Final D(tx,tx)=0;", "A@Final,Final=2", "D@Final,Final"},
    // Conditions on indices.
    {"index conditions", kOne, "a$N D(a)=where(a*32<1000,A(a),0);", "a$N D(a)=where(a*32<700,A(a),0);", "A@23=5",
     "D@23"},
    {"index conditions", kOne, "a$N D(a)=where(a<$K,A(a),0);", "a$N D(a)=where(a<=$K,A(a),0);", "A@K=5", "D@K"},
    {"index conditions", kOne, "a$N D(a)=A(a);", "a$N D(a)=where(a==$K,0,A(a));", "A@K=5", "D@K"},
    {"index conditions", kRows, "tx$M a$N D(tx,a)=A(tx,a);",
     "tx$M a$N D(tx,a)=where((tx*37+a*101)%9973==$Far,0,A(tx,a));", "A@R,K=5", "D@R,K"},
    {"index conditions", kRows, "tx$M a$N D(tx,a)=where(tx<=a,A(tx,a),0);",
     "tx$M a$N D(tx,a)=where(tx<a|(tx==a&tx!=$R),A(tx,a),0);", "A@R,R=5", "D@R,R"},
    {"index conditions", kSquare, "tx$M a$M D(tx,a)=where(tx==a,1,A(tx,a));",
     "tx$M a$M D(tx,a)=where(tx==a&tx<$Final,1,A(tx,a));", "A@Final,Final=7", "D@Final,Final"},
    {"index conditions", kRows, "tx$M a$N D(tx,a)=where(tx*a<$R*$K,A(tx,a),0);",
     "tx$M a$N D(tx,a)=where(tx*a<=$R*$K,A(tx,a),0);", "A@R,K=5", "D@R,K"},
    {"index conditions", kOne, "a$N D(a)=where(a%7==3,A(a),0);", "a$N D(a)=where(a%7==3&a!=17,A(a),0);", "A@17=5",
     "D@17"},
    {"index conditions", kOne, "a$N D(a)=where(a//8==1,A(a),0);", "a$N D(a)=where(8<=a<15,A(a),0);", "A@15=5", "D@15"},
    {"index conditions", kOne, "a$N D(a)=A(a)*a;", "a$N D(a)=A(a)*(a+max(0,a-$Inner));", "A@Last=3", "D@Last"},
    {"index conditions", kOne, "a$N D(a)=A(a)*(a*a);", "a$N D(a)=A(a)*(a*a+max(0,1-abs(a-$K)));", "A@K=3", "D@K"},
    {"index conditions", kOne, "a$N D(a)=A(a)+a%5;", "a$N D(a)=A(a)+a-a*13//64*5;", "", ""},
    {"index conditions", kOne, "a$N D(a)=A(a);", "a$N D(a)=A(a)+where(a==$K,1e-20,0);", "", "D@K"},
    {"index conditions", kRows, "tx$M a$N D(tx,a)=A(tx,a);",
     "tx$M a$N D(tx,a)=where(tx>=$R&a>=$K&tx+a<=$R+$K,-A(tx,a),A(tx,a));", "A@R,K=5", "D@R,K"},
    {"index conditions", kFold, "tx$M a$N D(tx)+=A(tx,a);", "tx$M a$N D(tx)+=where(tx==$R&a==$K,0,A(tx,a));", "A@R,K=5",
     "D@R"},
    {"index conditions", kOne, "bx$N D(bx)=A(bx);", "bx$N D(bx)=A(bx)*where(bx*bx==$K*$K,3,1);", "A@K=5", "D@K"},
    // Subscripts.
    {"subscripts", "@input A $T[15000]\n@output D $T[100000]\n", "bx100000 D(bx)=A(bx//7);",
     "bx100000 D(bx)=A(bx*18725//131072);", "A@14284=3 A@14285=4", "D@99994"},
    {"subscripts", "@input A $T[40000]\n@output D $T[100000]\n", "bx100000 D(bx)=A(bx//3);",
     "bx100000 D(bx)=A(bx*21846//65536);", "A@33331=3 A@33332=4", "D@99995"},
    {"subscripts", kOne, "a$N D(a)=A(a);", "a$N D(a)=A(a-a//$Last);", "A@Last=3 A@Inner=4", "D@Last"},
    {"subscripts", kOne, "a$N D(a)=A($Last-a);", "a$N D(a)=A($Last-a+a//$Last);", "A@0=3 A@1=4", "D@Last"},
    {"subscripts", kOne, "a$N D(a)=A(a);", "a$N D(a)=A(a//2*2+(a%2)*((a+5)//(a+5))-a//$Last);", "A@Last=3 A@Inner=4",
     "D@Last"},
    {"subscripts", kOne, "a$N D(a)=A(a*7%$N);", "a$N D(a)=A((a*7+a//$Last)%$N);", "", "D@Last"},
    {"subscripts", kRows, "tx$M a$N D(tx,a)=A(tx,a);", "tx$M a$N D(tx,a)=A(tx,a-tx*a//($Final*$Last));",
     "A@Final,Last=3 A@Final,Inner=4", "D@Final,Last"},
    {"subscripts", kSquare, "tx$M a$M D(tx,a)=A(a,tx);", "tx$M a$M D(tx,a)=A(a-a//$Final*(tx//$Final),tx);",
     "A@Final,Final=3", "D@Final,Final"},
    {"subscripts", "@input A $T[$N,$M]\n@output D $T[$Double]\n", "a$Double D(a)=A(a//2,a%2);",
     "a$Double D(a)=A(a//2,(a+a//($Double-1))%2);", "", ""},
    {"subscripts", kGather, "a$M D(a)=A(J^i64(a));", "a$M D(a)=A(J^i64(a)-J(a)//$Last);", "J@R=Last A@Last=3 A@Inner=4",
     "D@R"},
    {"subscripts", kGather, "a$M D(a)=A(J^i64(a));", "a$M D(a)=where(J^i64(a)==$K,0,A(J(a)));", "J@R=K A@K=5", "D@R"},
    {"subscripts", kGather, "a$M D(a)=A(J^i64(a));", "a$M D(a)=A(J^i64(a)*$K//$K-J(a)//$Last);",
     "J@R=Last A@Last=3 A@Inner=4", "D@R"},
    {"subscripts", kGather, "a$M D(a)=A(J^i64(a));", "a$M D(a)=A(J^i64(a))*where(J(a)<$Last,1,2);", "J@R=Last A@Last=3",
     "D@R"},
    {"scatter", kScatter, "a$N D(a)=0;a$M D(J^i64(a))=A(a);", "a$N D(a)=0;a$M D(J^i64($Final-a))=A($Final-a);",
     "J@0=K J@R=K A@0=3 A@R=4", "D@K"},
    {"scatter", kScatter, "a$N D(a)=0;a$M D(J^i64(a))+=A(a);", "a$N D(a)=0;a$M D(J^i64(a))=A(a);",
     "J@0=K J@R=K A@0=3 A@R=4", "D@K"},
    {"scatter", kScatter, "a$N D(a)=0;a$M D(J^i64(a))+=A(a);",
     "a$N D(a)=0;a$N c$M D(a)+=where(J^i64(c)==a&a!=$K,A(c),0);", "J@R=K A@R=4", "D@K"},
    {"scatter", kScatter, "a$N D(a)=0;a$M D(J^i64(a))=max(D(J(a)),A(a));", "a$N D(a)=0;a$M D(J^i64(a))=A(a);",
     "J@0=K J@R=K A@0=5 A@R=4", "D@K"},
    {"scatter", kScatter, "a$N D(a)=1;a$M D(J^i64(a))=D(J(a))*2;", "a$N D(a)=1;a$M D(J^i64(a))=2;", "J@0=K J@R=K",
     "D@K"},
    // The set that a fold runs over.
    {"folds", kFold, "tx$M a$N D(tx)+=A(tx,a);", "tx$M a$Last D(tx)+=A(tx,a);", "A@R,Last=5", "D@R"},
    {"folds", kFold, "tx$M a$N D(tx)+=A(tx,a);", "tx$M a$Last D(tx)+=A(tx,a+1);", "A@R,0=5", "D@R"},
    {"folds", kFold, "tx$M a$N D(tx)=max(D(tx),A(tx,a));", "tx$M a$Last D(tx)=max(D(tx),A(tx,a));", "A@R,Last=50",
     "D@R"},
    {"folds", kFold, "tx$M a$N ?(a<$After) D(tx)+=A(tx,a);", "tx$M a$N ?(a<$K) D(tx)+=A(tx,a);", "A@R,K=5", "D@R"},
    {"folds", kFold, "tx$M a$N D(tx)+=A(tx,a);", "tx$M D(tx)=0;tx$M a$N ?(a!=$K) D(tx)+=A(tx,a);", "A@R,K=5", "D@R"},
    {"folds", kFold, "tx$M a$N D(tx)+=A(tx,a);", "tx$M a$N D(tx)+=A(tx,a)*where(a*a>$Inner*$Inner,2,1);", "A@R,Last=5",
     "D@R"},
    {"folds", kFold, "tx$M a$N D(tx)+=A(tx,a);", "tx$M a$N D(tx)+=A(tx,a-a//$Last);", "A@R,Last=5 A@R,Inner=4", "D@R"},
    {"folds", kFold, "tx$M a$N D(tx)=min(D(tx),A(tx,a));", "tx$M a$N D(tx)=min(D(tx),where(a==$K,9,A(tx,a)));",
     "A@R,K=-50", "D@R"},
    {"folds", kFold, "tx$M a$N D(tx)=D(tx)*A(tx,a);", "tx$M a$Last D(tx)=D(tx)*A(tx,a);", "A@R,Last=0", "D@R"},
    {"folds", kFold, "tx$M a$N E(tx)+=A(tx,a);tx$M D(tx)=E(tx)/$N;", "tx$M a$Last E(tx)+=A(tx,a);tx$M D(tx)=E(tx)/$N;",
     "A@R,Last=5", "D@R"},
    {"folds", kProduct, "tx$M a$N c$N D(tx,a)+=A(tx,c)*W(c,a);", "tx$M a$N c$Last D(tx,a)+=A(tx,c)*W(c,a);",
     "A@R,Last=5 W@Last,K=3", "D@R,K"},
    {"folds", kProduct, "tx$M a$N c$N D(tx,a)+=A(tx,c)*W(c,a);",
     "tx$M a$N c$N D(tx,a)+=A(tx,c)*W(c,a)*where(c==$K&a==c,2,1);", "A@R,K=5 W@K,K=3", "D@R,K"},
    {"folds", kRows, "tx$M a$N c$N ?(c<=a) D(tx,a)+=A(tx,c);",
     "tx$M a$N D(tx,a)=0;tx$M a$N c$N ?(c<a) D(tx,a)+=A(tx,c);", "A@R,K=5", "D@R,K"},
    {"folds", kRows,
     "tx$M a$N E(tx)=max(E(tx),A(tx,a));tx$M a$N F(tx)+=exp(A(tx,a)-E(tx));"
     "tx$M a$N D(tx,a)=exp(A(tx,a)-E(tx))/F(tx);",
     "tx$M a$N E(tx)=max(E(tx),A(tx,a));tx$M a$Last F(tx)+=exp(A(tx,a)-E(tx));"
     "tx$M a$N D(tx,a)=exp(A(tx,a)-E(tx))/F(tx);",
     "A@R,Last=1", "D@R,K"},
    {"folds", kRows, "tx$M a$N c$N D(tx,a)=max(D(tx,a),where(c<=a,A(tx,c),0-inf));",
     "tx$M a$N c$N D(tx,a)=max(D(tx,a),where(c<a|c==0,A(tx,c),0-inf));", "A@R,K=50", "D@R,K"},
    {"folds", kFold, "tx$M D(tx)=0-inf;tx$M a$N ?(a<0) D(tx)=max(D(tx),A(tx,a));",
     "tx$M D(tx)=-1e30;tx$M a$N ?(a<0) D(tx)=max(D(tx),A(tx,a));", "", "D@R"},
    {"folds", kFold, "tx$M a$N D(tx)=max(D(tx),where(a>$N,A(tx,a),0-inf));", "tx$M D(tx)=-1e30;", "", "D@R"},
    // Regions of an intermediate.
    {"intermediates", kOne, "a$N E(a)=A(a);a$K E(a)=0;a$N D(a)=E($Last-a);",
     "a$N E(a)=A(a);a$After E(a)=0;a$N D(a)=E($Last-a);", "A@K=5", "D@Mirror"},
    {"intermediates", kOne, "a$N E(a)=A(a)*2;a$N D(a)=E(a)+E($Last-a);",
     "a$N E(a)=A(a)*2;a$N D(a)=E(a)+where(a==$K,0,E($Last-a));", "A@Mirror=5", "D@K"},
    {"intermediates", "@input A $T[$N]\n@output D $T[$Inner]\n", "a$N E(a)=A(a);a$Inner D(a)=E(a)+E(a+1)+E(a+2);",
     "a$N E(a)=A(a)*where(a==$K,2,1);a$Inner D(a)=E(a)+E(a+1)+E(a+2);", "A@K=5", "D@Before"},
    {"intermediates", kRows, "bx$M{a$N E^s(a)=A(bx,a);a$N D(bx,a)=E($Last-a);}",
     "bx$M{a$N E^s(a)=A(bx,a)*where(bx==$R&a==$K,2,1);a$N D(bx,a)=E($Last-a);}", "A@R,K=5", "D@R,Mirror"},
    {"intermediates", kRows, "tx$M{a$N E^l(a)=A(tx,a);a$N D(tx,a)=E(a)*E($Last-a);}",
     "tx$M{a$N E^l(a)=A(tx,a);a$K E(a)=A(tx,a+1);a$N D(tx,a)=E(a)*E($Last-a);}", "A@R,1=3 A@R,2=7 A@R,Inner=2",
     "D@R,1"},
    {"intermediates", kFold, "tx$M E(tx)=0;tx$M a$N E(tx)+=A(tx,a);tx$M D(tx)=E($Final-tx);",
     "tx$M E(tx)=0;a1 E(a+$R)=1;tx$M a$N E(tx)+=A(tx,a);tx$M D(tx)=E($Final-tx);", "", ""},
    // Recurrences.
    {"recurrences", kOne, "a$N D(a)=where(a-1<0,0,D(a-1))*0.5+A(a);", "a$N D(a)=where(a-1<0,1,D(a-1))*0.5+A(a);", "",
     "D@3"},
    {"recurrences", kOne, "a$N D(a)=where(a-1<0,0,D(a-1))+A(a);", "a$N D(a)=where(a-1<0,0,where(a==$K,0,D(a-1)))+A(a);",
     "A@0=50", "D@K"},
    {"recurrences", kOne, "a$N D(a)=where(a-2<0,1,D(a-2))+A(a);", "a$N D(a)=where(a-2<0,1+a,D(a-2))+A(a);", "", "D@3"},
    {"recurrences", kOne, "a$N D(a)=max(where(a-1<0,0-inf,D(a-1)),A(a));", "a$N D(a)=max(where(a-1<0,-2,D(a-1)),A(a));",
     "A@0=-3 A@1=-3", "D@1"},
    {"recurrences", kOne, "a$N D(a)=max(where(a-1<0,0-inf,D(a-1)),A(a));",
     "a$N D(a)=max(where(a-1<0,0-inf,D(a-1)),where(a==$K,0-inf,A(a)));", "A@K=60", "D@K"},
    {"recurrences", kOne, "a$N E(a)=where(a-1<0,0,E(a-1))+A(a);a$N D(a)=E($Last)*A(a);",
     "a$N E(a)=where(a-1<0,0,E(a-1))+A(a);a$N D(a)=E($Inner)*A(a);", "A@Last=5 A@K=1", "D@K"},
    {"recurrences", kOne, "a$N D(a)=where(a<3,A(a),D(a-3))*2;", "a$N D(a)=where(a<3,A(a),D(a-2))*2;",
     "A@0=1 A@1=3 A@2=5", "D@3"},
};

}  // namespace

const std::vector<AttackTemplate>& region_templates() {
  static const std::vector<AttackTemplate> kList(std::begin(kTemplates), std::end(kTemplates));
  return kList;
}

}  // namespace steptp::testing
