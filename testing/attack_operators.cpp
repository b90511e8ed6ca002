// Operators as networks have them, with one thing wrong: attention masks, online forms, pooling, norms, argmax, scans.

#include "testing/attack_templates.h"

#include <iterator>

namespace steptp::testing {

namespace {

constexpr std::string_view kRows = "@input A $T[$M,$N]\n@output D $T[$M,$N]\n";
constexpr std::string_view kFold = "@input A $T[$M,$N]\n@output D $T[$M]\n";
constexpr std::string_view kIndices = "@input A $T[$M,$N]\n@output D i64[$M]\n";
constexpr std::string_view kLine = "@input A $T[$N]\n@output D $T[$N]\n";
constexpr std::string_view kAttention = "@input Q $T[$M,4]\n@input K $T[$M,4]\n@input W $T[$M,4]\n@output D $T[$M,4]\n";
constexpr std::string_view kMasked = "@input A $T[$M,$N]\n@input G $T[$N] masked\n@output D $T[$M,$N]\n";
constexpr std::string_view kOneHot = "@input J i64[$M] [0,$N)\n@output D $T[$M,$N]\n";
constexpr std::string_view kEmbedding = "@input W $T[$N,5]\n@input J i64[$M] [0,$N)\n@output D $T[$M,5]\n";
constexpr std::string_view kNorm = "@input A $T[$M,$N]\n@param W $T[$N]\n@param G $T[$N]\n@output D $T[$M,$N]\n";

constexpr AttackTemplate kTemplates[] = {
    // argmax: which index wins a tie.
    {"argmax", kIndices, "tx$M a$N E(tx)=max(E(tx),A(tx,a));tx$M a$N D^i64(tx)=min(D(tx),where(A(tx,a)==E(tx),a,$N));",
     "tx$M a$N E(tx)=max(E(tx),A(tx,a));tx$M a$N D^i64(tx)=max(D(tx),where(A(tx,a)==E(tx),a,0));", "A@R,3=50 A@R,K=50",
     "D@R"},
    {"argmax", kIndices, "tx$M a$N E(tx)=max(E(tx),A(tx,a));tx$M a$N D^i64(tx)=min(D(tx),where(A(tx,a)>=E(tx),a,$N));",
     "tx$M a$N E(tx,a)=max(where(a-1<0,0-inf,E(tx,a-1)),A(tx,a));"
     "tx$M a$N F^i64(tx,a)=where(a-1<0,0,where(A(tx,a)>=E(tx,a-1),a,F(tx,a-1)));"
     "tx$M D^i64(tx)=F(tx,$Last);",
     "A@R,2=50 A@R,K=50", "D@R"},
    {"argmax", kIndices, "tx$M a$N E(tx)=max(E(tx),A(tx,a));tx$M a$N D^i64(tx)=min(D(tx),where(A(tx,a)==E(tx),a,$N));",
     "tx$M a$Last E(tx)=max(E(tx),A(tx,a));tx$M a$N D^i64(tx)=min(D(tx),where(A(tx,a)>=E(tx),a,$N));",
     "A@R,K=50 A@R,Last=51", "D@R"},
    {"argmax", kIndices, "tx$M a$N E(tx)=min(E(tx),A(tx,a));tx$M a$N D^i64(tx)=min(D(tx),where(A(tx,a)<=E(tx),a,$N));",
     "tx$M a$N E(tx)=min(E(tx),A(tx,a));tx$M a$N D^i64(tx)=min(D(tx),where(A(tx,a)<=E(tx)+0.0001,a,$N));",
     "A@R,3=-49.99995 A@R,K=-50", "D@R"},
    // Attention.
    {"attention", kAttention,
     "tx$M a$M c4 E(tx,a)+=Q(tx,c)*K(a,c);tx$M a$M F(tx,a)=where(a<=tx,E(tx,a),0-inf);"
     "tx$M a$M G(tx)=max(G(tx),F(tx,a));tx$M a$M H(tx)+=exp(F(tx,a)-G(tx));"
     "tx$M c4 a$M D(tx,c)+=exp(F(tx,a)-G(tx))/H(tx)*W(a,c);",
     "tx$M a$M c4 E(tx,a)+=Q(tx,c)*K(a,c);tx$M a$M F(tx,a)=where(a<tx|a==0,E(tx,a),0-inf);"
     "tx$M a$M G(tx)=max(G(tx),F(tx,a));tx$M a$M H(tx)+=exp(F(tx,a)-G(tx));"
     "tx$M c4 a$M D(tx,c)+=exp(F(tx,a)-G(tx))/H(tx)*W(a,c);",
     "W@R,1=40", "D@R,1"},
    {"attention", kAttention,
     "tx$M a$M c4 E(tx,a)+=Q(tx,c)*K(a,c);tx$M a$M H(tx)+=exp(E(tx,a)*0.5);"
     "tx$M c4 a$M D(tx,c)+=exp(E(tx,a)*0.5)/H(tx)*W(a,c);",
     "tx$M a$M c4 E(tx,a)+=Q(tx,c)*K(a,c);tx$M a$M H(tx)+=exp(E(tx,a)*0.5);"
     "tx$M c4 a$M D(tx,c)+=exp(E(tx,a)*0.5)/H(tx)*W(a,c)*where(tx==$R&a==$R,2,1);",
     "W@R,1=40", "D@R,1"},
    {"attention", kMasked, "tx$M a$N E(tx)+=exp(A(tx,a)+G(a));tx$M a$N D(tx,a)=exp(A(tx,a)+G(a))/E(tx);",
     "tx$M a$N E(tx)+=exp(A(tx,a)+max(G(a),-100));tx$M a$N D(tx,a)=exp(A(tx,a)+max(G(a),-100))/E(tx);", "A@R,K=1",
     "D@R,K"},
    {"attention", kMasked, "tx$M a$N E(tx)+=exp(A(tx,a)+G(a));tx$M a$N D(tx,a)=exp(A(tx,a)+G(a))/E(tx);",
     "tx$M a$N F(tx)=max(F(tx),A(tx,a)*G(a));tx$M a$N E(tx)+=exp(A(tx,a)+G(a));"
     "tx$M a$N D(tx,a)=exp(A(tx,a)+G(a))/E(tx)+0*F(tx);",
     "", "D@R,K"},
    // Online softmax with a wrong correction.
    {"online", kFold, "tx$M a$N E(tx)=max(E(tx),A(tx,a));tx$M a$N D(tx)+=exp(A(tx,a)-E(tx));",
     "tx$M a$N{E(tx,a)=max(where(a-1<0,0-inf,E(tx,a-1)),A(tx,a));"
     "F(tx,a)=where(a-1<0,0,F(tx,a-1)*exp(where(a-1<0,0-inf,E(tx,a-1))-E(tx,a)))*where(a==$K,2,1)+"
     "exp(A(tx,a)-E(tx,a));}tx$M D(tx)=F(tx,$Last);",
     "", "D@R"},
    {"online", kFold, "tx$M a$N E(tx)=max(E(tx),A(tx,a));tx$M a$N D(tx)+=exp(A(tx,a)-E(tx));",
     "tx$M a$N{E(tx,a)=max(where(a-1<0,0,E(tx,a-1)),A(tx,a));"
     "F(tx,a)=where(a-1<0,0,F(tx,a-1)*exp(where(a-1<0,0,E(tx,a-1))-E(tx,a)))+exp(A(tx,a)-E(tx,a));}"
     "tx$M D(tx)=F(tx,$Last)*exp(E(tx,$Last))*exp(-max(E(tx,$Last),-1));",
     "A@R,*=-3", "D@R"},
    {"online", kFold, "tx$M a$N D(tx)=max(D(tx),A(tx,a));", "tx$M D(tx)=0;tx$M a$N D(tx)=max(D(tx),A(tx,a)*1);",
     "A@R,*=-1", "D@R"},
    // Norms.
    {"norms", kNorm,
     "tx$M a$N E(tx)+=A(tx,a)/$N;tx$M a$N F(tx)+=(A(tx,a)-E(tx))*(A(tx,a)-E(tx));"
     "tx$M a$N D(tx,a)=(A(tx,a)-E(tx))/sqrt(F(tx)/$N+1e-05)*W(a)+G(a);",
     "tx$M a$N E(tx)+=A(tx,a)/$N;tx$M a$N F(tx)+=(A(tx,a)-E(tx))*(A(tx,a)-E(tx));"
     "tx$M a$N D(tx,a)=(A(tx,a)-E(tx))/sqrt(F(tx)/$Last+1e-05)*W(a)+G(a);",
     "A@R,K=9 W@K=1", "D@R,K"},
    {"norms", kNorm, "tx$M a$N F(tx)+=A(tx,a)*A(tx,a);tx$M a$N D(tx,a)=A(tx,a)*rsqrt(F(tx)/$N+1e-05)*W(a)+G(a);",
     "tx$M a$N F(tx)+=A(tx,a)*A(tx,a);tx$M a$N D(tx,a)=A(tx,a)*rsqrt(F(tx)/$N+1.0001e-05)*W(a)+G(a);", "A@R,K=9 W@K=1",
     "D@R,K"},
    {"norms", kNorm, "tx$M a$N F(tx)+=A(tx,a)*A(tx,a);tx$M a$N D(tx,a)=A(tx,a)/max(sqrt(F(tx)),1e-06)*W(a)+G(a);",
     "tx$M a$N F(tx)+=A(tx,a)*A(tx,a);tx$M a$N D(tx,a)=A(tx,a)*rsqrt(max(F(tx),1e-13))*W(a)+G(a);",
     "A@R,*=0 A@R,K=0.0000001 W@K=1", "D@R,K"},
    {"norms", kNorm, "tx$M a$N E(tx)+=A(tx,a);tx$M a$N D(tx,a)=(A(tx,a)-E(tx)/$N)*W(a)+G(a);",
     "tx$M a$N E(tx)+=A(tx,a)*where(a==$K&tx==$R,1.001,1);tx$M a$N D(tx,a)=(A(tx,a)-E(tx)/$N)*W(a)+G(a);",
     "A@R,K=9 W@K=1", "D@R,K"},
    // One-hot, embedding.
    {"one-hot", kOneHot, "tx$M a$N D(tx,a)=where(J^i64(tx)==a,1,0);",
     "tx$M a$N D(tx,a)=where(J^i64(tx)==a&a<$Last,1,0);", "J@R=Last", "D@R,Last"},
    {"one-hot", kOneHot, "tx$M a$N D(tx,a)=where(J^i64(tx)==a,1,0);",
     "tx$M a$N D(tx,a)=max(0,1-abs(J^i64(tx)-a))*where(tx==$R,2,1);", "J@R=K", "D@R,K"},
    {"one-hot", kEmbedding, "tx$M a5 D(tx,a)=W(J^i64(tx),a);",
     "tx$M a5 D(tx,a)=0;tx$M a5 c$Last D(tx,a)+=where(J^i64(tx)==c,W(c,a),0);", "J@R=Last W@Last,2=7", "D@R,2"},
    {"one-hot", kEmbedding, "tx$M a5 D(tx,a)=W(J^i64(tx),a);", "tx$M a5 D(tx,a)=W(J^i64(tx)*2//2%$Last,a);",
     "J@R=Last W@Last,2=7 W@0,2=6", "D@R,2"},
    // Scans and pooling.
    {"scans", kLine, "a$N D(a)=where(a-1<0,0,D(a-1))+A(a);",
     "a$N E(a)=where(a-1<0,0,where(a%8==0,0,E(a-1)))+A(a);a$N c$Groups F(a)+=0;"
     "a$N D(a)=where(a<8,E(a),E(a)+E(a//8*8-1));",
     "", ""},
    {"scans", kLine, "a$N c$N ?(c<=a) D(a)+=A(c);", "a$N c$N ?(c<=a) D(a)+=A(c)*where(c==0&a==$K,0,1);", "A@0=9",
     "D@K"},
    {"scans", kLine, "a$N c3 E(a)=max(E(a),where(0<=a+c-1<$N,A(a+c-1),0-inf));a$N D(a)=E(a);",
     "a$N c3 E(a)=max(E(a),where(0<=a+c-1<$N,A(a+c-1),0));a$N D(a)=E(a);", "A@0=-5 A@1=-6", "D@0"},
    {"scans", kLine, "a$N c3 D(a)+=where(0<=a+c-1<$N,A(a+c-1),0);", "a$N c3 D(a)+=where(0<a+c-1<$N,A(a+c-1),0);",
     "A@0=5", "D@0"},
    {"scans", kLine, "a$N c3 E(a)+=where(0<=a+c-1<$N,A(a+c-1),0);a$N D(a)=E(a)/3;",
     "a$N c3 E(a)+=where(0<=a+c-1<$N,A(a+c-1),0);a$N D(a)=E(a)/where(a==$Last,2,3);", "A@Last=5", "D@Last"},
    {"scans", kRows, "tx$M a$N D(tx,a)=where(a-1<0,1,D(tx,a-1))*A(tx,a);",
     "tx$M a$N D(tx,a)=where(a-1<0,1,where(tx==$R&a==$K,1,D(tx,a-1)))*A(tx,a);", "A@R,0=0 A@R,K=3", "D@R,K"},
    // Several kernels and scopes.
    {"scopes", kRows, "bx$M{tx32 E^s(tx)=where(tx<$N,A(bx,tx%$N),0);a$N D(bx,a)=E(a%32);}",
     "bx$M{tx32 E^s(tx)=where(tx<$N,A(bx,tx%$N),0);a$N D(bx,a)=where(bx==$R&a==$K,E((a+1)%32),E(a%32));}", "", "D@R,K"},
    {"scopes", kFold, "tx$M{a$N E^l=E+A(tx,a);D(tx)=E;}", "tx$M{E^l=where(tx==$R,1,0);a$N E=E+A(tx,a);D(tx)=E;}", "",
     "D@R"},
    {"scopes", kFold, "bx$M{tx8 a$N ?(a%8==tx) E^s(tx)+=A(bx,a);tx8 F^s+=E(tx);D(bx)=F;}",
     "bx$M{tx8 a$N ?(a%8==tx) E^s(tx)+=A(bx,a);tx7 F^s+=E(tx);D(bx)=F;}", "A@R,7=40", "D@R"},
};

}  // namespace

const std::vector<AttackTemplate>& operator_templates() {
  static const std::vector<AttackTemplate> kList(std::begin(kTemplates), std::end(kTemplates));
  return kList;
}

}  // namespace steptp::testing
