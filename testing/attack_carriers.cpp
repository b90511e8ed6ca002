#include "testing/attack_scalar_pairs.h"

#include <iterator>

namespace steptp::testing {

namespace {

constexpr Carrier kCarriers[] = {
    {"pointwise", "$N", "a", "K", "$N", "a$N D(a)=$e;", "K"},
    {"rows", "$M,$N", "tx,a", "R,K", "$M,$N", "tx$M a$N D(tx,a)=$e;", "R,K"},
    {"mirrored", "$N", "a", "K", "$N", "a$N E(a)=$e;a$N D(a)=E($Last-a)*2+1;", "Mirror"},
    {"transposed", "$M,$N", "tx,a", "R,K", "$M,$N", "a$N tx$M E(a,tx)=$e;tx$M a$N D(tx,a)=E(a,tx);", "R,K"},
    {"sum", "$M,$N", "tx,a", "R,K", "$M", "tx$M a$N D(tx)+=$e;", "R"},
    {"mean of squares", "$M,$N", "tx,a", "R,K", "$M", "tx$M a$N E(tx)+=($e)*($e);tx$M D(tx)=E(tx)/$N;", "R"},
    {"max", "$M,$N", "tx,a", "R,K", "$M", "tx$M a$N D(tx)=max(D(tx),$e);", "R"},
    {"min", "$M,$N", "tx,a", "R,K", "$M", "tx$M a$N D(tx)=min(D(tx),$e);", "R"},
    {"shared", "$Tiles,32", "bx,tx", "Tile,S", "$Tiles,32", "bx$Tiles{tx32 E^s(tx)=$e;tx32 D(bx,tx)=E(31-tx);}",
     "Tile,Opposite"},
    {"local", "$N", "tx", "K", "$N", "tx$N{E^l=$e;D(tx)=E+E*E;}", "K"},
    {"local sum", "$M,$N", "tx,a", "R,K", "$M", "tx$M{a$N E^l+=$e;D(tx)=E*0.5;}", "R"},
    {"in place", "$N", "a", "K", "$N", "a$N D(a)=A(a);a$N D(a)=$e;", "K", "", "", "D"},
    {"in place twice", "$N", "a", "K", "$N", "a$N E(a)=A(a);a$N E(a)=$e;a$N D(a)=E(a)+C(a);", "K", "", "", "E"},
    {"recurrence", "$N", "a", "K", "$N", "a$N D(a)=where(a-1<0,0,D(a-1))*0.5+$e;", "K"},
    {"cumulative", "$N", "a", "K", "$N", "a$N D(a)=where(a-1<0,0,D(a-1))+$e;", "Last"},
    {"rare branch", "$N", "a", "K", "$N", "a$N D(a)=where(G(a)>100,$e,A(a));", "K", "@input G $T[$N]\n", "G@K=128"},
    {"one row", "$M,$N", "tx,a", "R,K", "$M,$N", "tx$M a$N D(tx,a)=where(tx==$R,$e,A(tx,a));", "R,K"},
    {"one element", "$M,$N", "tx,a", "R,K", "$M,$N", "tx$M a$N D(tx,a)=where(tx==$R&a==$K,$e,A(tx,a));", "R,K"},
    {"masked", "$N", "a", "K", "$N", "a$N D(a)=where(a<$After,$e,0);", "K"},
    {"guarded", "$N", "bx*32+tx", "K", "$N", "bx$Groups tx32 ?(bx*32+tx<$N) D(bx*32+tx)=$e;", "K"},
    {"gather", "$N", "a", "K", "$N", "a$N E(a)=$e;a$N D(a)=E(J^i64(a));", "Last", "@input J i64[$N] [0,$N)\n",
     "J@Last=K"},
    {"denominator", "$M,$N", "tx,a", "R,K", "$M,$N", "tx$M a$N E(tx)+=exp($e);tx$M a$N D(tx,a)=exp(A(tx,a))/E(tx);",
     "R,0"},
    {"softmax", "$M,$N", "tx,a", "R,K", "$M,$N",
     "tx$M a$N F(tx,a)=$e;tx$M a$N G(tx)=max(G(tx),F(tx,a));tx$M a$N H(tx)+=exp(F(tx,a)-G(tx));"
     "tx$M a$N D(tx,a)=exp(F(tx,a)-G(tx))/H(tx);",
     "R,K"},
    {"layer norm", "$M,$N", "tx,a", "R,K", "$M,$N",
     "tx$M a$N F(tx,a)=$e;tx$M a$N G(tx)+=F(tx,a)/$N;tx$M a$N H(tx)+=(F(tx,a)-G(tx))*(F(tx,a)-G(tx));"
     "tx$M a$N D(tx,a)=(F(tx,a)-G(tx))/sqrt(H(tx)/$N+1e-05);",
     "R,K"},
    {"matrix product", "$M,$N", "tx,a", "R,K", "$M,3", "tx$M a$N E(tx,a)=$e;tx$M c3 a$N D(tx,c)+=E(tx,a)*W(a,c);",
     "R,1", "@param W $T[$N,3] positive\n"},
    {"window", "$N", "a", "K", "$Inner", "a$N E(a)=$e;a$Inner c3 D(a)+=E(a+c);", "Before"},
    {"padded window", "$N", "a", "K", "$N", "a$N E(a)=$e;a$N c3 D(a)+=where(1<=a+c<=$N,E(a+c-1),0);", "K"},
    {"chunks", "$M,$N", "tx,a", "R,K", "$M",
     "tx$M{a$N E^l(0)+=where(a%2==0,$e,0);a$N E(1)+=where(a%2==0,0,$e);D(tx)=E(0)+E(1);}", "R"},
    {"difference squared", "$N", "a", "K", "$N", "a$N E(a)=$e;a$N D(a)=(E(a)-C(a))*(E(a)-C(a));", "K"},
    {"exponential", "$N", "a", "K", "$N", "a$N E(a)=$e;a$N D(a)=exp(E(a)*0.125);", "K"},
    {"updated", "$N", "a", "K", "$N", "a$N D(a)=$e;a3 D(a+$K)=D(a+$K)+1;", "K"},
    {"overwritten elsewhere", "$N", "a", "K", "$N", "a$N D(a)=$e;a$K D(a)=1;", "K"},
    {"scatter", "$N", "a", "K", "$N", "a$N D(a)=0;a$N D(J^i64(a))+=$e;", "Last", "@input J i64[$N] [0,$N)\n",
     "J@K=Last"},
    {"two outputs", "$N", "a", "K", "$N", "a$N{O(a)=A(a)*C(a);D(a)=$e;}", "K", "@output O $T[$N]\n"},
    {"three axes", "$M,3,$N", "tx,c,a", "R,One,K", "$M,3,$N", "tx$M c3 a$N D(tx,c,a)=$e;", "R,One,K"},
    {"running maximum", "$N", "a", "K", "$N", "a$N D(a)=max(where(a-1<0,0-inf,D(a-1)),$e);", "Last"},
    {"product", "$M,$N", "tx,a", "R,K", "$M", "tx$M a$N D(tx)=D(tx)*(1+0.0625*($e));", "R"},
};

}  // namespace

const std::vector<Carrier>& carriers() {
  static const std::vector<Carrier> kList(std::begin(kCarriers), std::end(kCarriers));
  return kList;
}

}  // namespace steptp::testing
