#include <gtest/gtest.h>

#include <cctype>

#include "steptp/base/text.h"
#include "steptp/verify/verify.h"
#include "testing/judge_support.h"
#include "testing/move_test.h"
#include "testing/shorthand.h"

namespace steptp::testing {
namespace {

/// Scores with a scale and a mask by indices, for each of two heads.
constexpr std::string_view kCausal = R"(
@input A f32[2,4,6]
@input C f32[2,8,6]
@input D f32[2,8,6]
@output E f32[2,4,6]
B(tx,2)L(a,4)L(c,8)L(d,6)[F[tx,a,c]=F[tx,a,c]+A[tx,a,d]*C[tx,c,d];];
B(tx,2)L(a,4)L(c,8)[G[tx,a,c]=if_then_else(c<=a*2,F[tx,a,c]*0.5,-inf);];
B(tx,2)L(a,4)L(c,8)[H[tx,a]=max(H[tx,a],G[tx,a,c]);];
B(tx,2)L(a,4)L(c,8)[I[tx,a]=I[tx,a]+exp(G[tx,a,c]-H[tx,a]);];
B(tx,2)L(a,4)L(c,8)[J[tx,a,c]=exp(G[tx,a,c]-H[tx,a])/I[tx,a];];
B(tx,2)L(a,4)L(d,6)L(c,8)[E[tx,a,d]=E[tx,a,d]+J[tx,a,c]*D[tx,c,d];];
)";
/// No batch, no mask; the keys are transposed, and the result is copied into another order and scaled.
constexpr std::string_view kPlain = R"(
@input A f32[6,4]
@input C f32[4,6]
@input D f32[6,5]
@output K f32[5,6]
B(tx,6)L(c,4)[M[tx,c]=C[c,tx];];
B(tx,6)L(c,6)L(d,4)[F[tx,c]=F[tx,c]+M[c,d]*A[tx,d];];
B(tx,6)L(c,6)[H[tx]=max(H[tx],F[tx,c]);];
B(tx,6)L(c,6)[I[tx]=I[tx]+exp(F[tx,c]-H[tx]);];
B(tx,6)L(c,6)[J[tx,c]=exp(F[tx,c]-H[tx])/I[tx];];
B(tx,6)L(d,5)L(c,6)[E[tx,d]=E[tx,d]+D[c,d]*J[tx,c];];
B(tx,5)L(d,6)[K[tx,d]=E[d,tx]*2;];
)";

std::string choice(std::string_view at, int queries, int keys, int threads, int rows, std::string_view scores,
                   std::string_view staged, int following = 0) {
  return concat(R"({"at":")", at, R"(","queries":)", queries, R"(,"keys":)", keys, R"(,"threads":)", threads,
                R"(,"rows":)", rows, R"(,"scores":")", scores, R"(","staged":")", staged, R"(","following":)",
                following, "}");
}

TEST(FlashMove, OneThreadHasAQuery) {
  expect_move("flash", kCausal, choice("5", 2, 4, 1, 1, "keys", "keys"), R"(
B(by,2)B(bxh,2)[
  B(txa,2)L(d,6)[J:l[d]=A[by,bxh*2+txa,d];];
  B(txa,2)[Aa:l[]=-inf;];
  B(txa,2)[R:l[]=0;];
  B(txa,2)L(g,6)[Y:l[g]=0;];
  L(f,2)[
    B(txa,2)L(g,6)[I:l[g]=Y:l[g];];
    B(txa,2)[K:l[]=R:l[];];
    B(txa,2)[H:l[]=Aa:l[];];
    L(h,12)B(txa,2)[S:s[h//3,(h%3)*2+txa]=C[by,f*4+h//3,(h%3)*2+txa];];
    L(i,12)B(txa,2)[W:s[i//3,(i%3)*2+txa]=D[by,f*4+i//3,(i%3)*2+txa];];
    B(txa,2)[
      L(c,4)[X:l[c]=0;];
      L(c,4)L(d,6)[X:l[c]=X:l[c]+J:l[d]*S:s[c,d];];
      L(c,4)[F:l[c]=if_then_else(f*4+c<=bxh*4+txa*2,X:l[c]*0.5,-inf);];
      G:l[]=-inf;
      L(c,4)[G:l[]=max(G:l[],F:l[c]);];
      Aa:l[]=max(H:l[],G:l[]);
      M:l[]=if_then_else(Aa:l[]==-inf,0,exp(H:l[]-Aa:l[]));
      L(c,4)[O:l[c]=if_then_else(Aa:l[]==-inf,0,exp(F:l[c]-Aa:l[]));];
      Q:l[]=0;
      L(c,4)[Q:l[]=Q:l[]+O:l[c];];
      R:l[]=K:l[]*M:l[]+Q:l[];
      L(g,6)[N:l[g]=0;];
      L(g,6)[
        L(c,4)[N:l[g]=N:l[g]+O:l[c]*W:s[c,g];];
        Y:l[g]=I:l[g]*M:l[]+N:l[g];];];];
  B(txa,2)L(d,6)[E[by,bxh*2+txa,d]=Y:l[d]/if_then_else(Aa:l[]==-inf,inf-inf,R:l[]);];];
)");
}

TEST(FlashMove, ThreadsOfAQueryHaveKeysOfTheirOwn) {
  expect_move("flash", kCausal, choice("5", 4, 4, 2, 2, "keys", "queries"), R"(
B(by,2)B(bxh,1)[
  B(tyr,2)B(txq,2)L(a,6)[J:s[(a*2+tyr)//3,((a*2+tyr)%3)*2+txq]=A[by,bxh*4+(a*2+tyr)//3,((a*2+tyr)%3)*2+txq];];
  B(tya,2)L(h,2)[R:s[h*2+tya]=-inf;];
  L(f,2)[
    B(tya,2)L(h,2)[H:s[h*2+tya]=R:s[h*2+tya];];
    B(tys,2)B(txq,2)L(r,6)[S:s[(r*2+tys)//3,((r*2+tys)%3)*2+txq]=C[by,f*4+(r*2+tys)//3,((r*2+tys)%3)*2+txq];];
    B(tys,2)B(txq,2)L(g,6)[W:s[(g*2+tys)//3,((g*2+tys)%3)*2+txq]=D[by,f*4+(g*2+tys)//3,((g*2+tys)%3)*2+txq];];
    B(tya,2)B(txc,2)L(h,2)L(i,2)[Y:l[h,i]=0;];
    B(tya,2)B(txc,2)L(d,6)L(h,2)L(i,2)[Y:l[h,i]=Y:l[h,i]+J:s[h*2+tya,d]*S:s[i*2+txc,d];];
    B(tya,2)B(txc,2)L(h,2)L(j,2)[F:l[h,j]=if_then_else(f*4+j*2+txc<=bxh*8+h*4+tya*2,Y:l[h,j]*0.5,-inf);];
    B(tyq,2)L(h,2)[G:s[h*2+tyq]=-inf;];
    B(tya,2)B(txc,2)L(h,2)L(k,2)[G:s[h*2+tya]=max(G:s[h*2+tya],F:l[h,k]);];
    B(tya,2)L(h,2)[R:s[h*2+tya]=max(H:s[h*2+tya],G:s[h*2+tya]);];
    B(tya,2)L(h,2)[M:s[h*2+tya]=if_then_else(R:s[h*2+tya]==-inf,0,exp(H:s[h*2+tya]-R:s[h*2+tya]));];
    B(tya,2)B(txc,2)L(h,2)L(l,2)[O:s[h*2+tya,l*2+txc]=if_then_else(R:s[h*2+tya]==-inf,0,exp(F:l[h,l]-R:s[h*2+tya]));];
    B(tyq,2)L(h,2)[Q:s[h*2+tyq]=0;];
    B(tya,2)B(txc,2)L(h,2)L(m,2)[Q:s[h*2+tya]=Q:s[h*2+tya]+O:s[h*2+tya,m*2+txc];];
    B(tya,2)L(h,2)[X:s[h*2+tya]=if_then_else(f-1<0,0,X:s[h*2+tya])*M:s[h*2+tya]+Q:s[h*2+tya];];
    B(tya,2)B(txg,2)L(h,2)L(n,3)[N:l[h,n]=0;];
    B(tya,2)B(txg,2)L(c,4)L(h,2)L(n,3)[N:l[h,n]=N:l[h,n]+O:s[h*2+tya,c]*W:s[c,n*2+txg];];
    B(tya,2)B(txg,2)L(h,2)L(p,3)[K:l[h,p]=if_then_else(f-1<0,0,K:l[h,p])*M:s[h*2+tya]+N:l[h,p];];];
  B(tya,2)B(txd,2)L(h,2)L(o,3)[E[by,bxh*4+h*2+tya,o*2+txd]=K:l[h,o]/if_then_else(R:s[h*2+tya]==-inf,inf-inf,X:s[h*2
    +tya]);];];
)");
}

TEST(FlashMove, ThreadsOfAQueryShareEachScore) {
  expect_move("flash", kCausal, choice("5", 2, 4, 4, 1, "head", "queries"), R"(
B(by,2)B(bxh,2)[
  B(tym,2)B(txl,4)L(a,2)?{a*8+tym*4+txl<12}[J:s[(a*8+tym*4+txl)//6,(a*8+tym*4+txl)%6]=A[by,bxh*2+(a*8+tym*4
    +txl)//6,(a*8+tym*4+txl)%6];];
  B(tya,2)[R:s[tya]=-inf;];
  L(f,2)[
    B(tya,2)[H:s[tya]=R:s[tya];];
    B(tym,2)B(txl,4)L(d,3)[S:s[(d*8+tym*4+txl)//6,(d*8+tym*4+txl)%6]=C[by,f*4+(d*8+tym*4+txl)//6,(d*8+tym*4+txl)%6];];
    B(tym,2)B(txl,4)L(g,3)[W:s[(g*8+tym*4+txl)//6,(g*8+tym*4+txl)%6]=D[by,f*4+(g*8+tym*4+txl)//6,(g*8+tym*4+txl)%6];];
    B(tya,2)B(txd,4)L(h,2)?{txd+h*4<6}[Y:l[h]=J:s[tya,txd+h*4];];
    B(tyl,2)B(txc,4)[Z:s[tyl,txc]=0;];
    B(tya,2)B(txd,4)L(c,4)L(h,2)?{h*4+txd<6}[Z:s[tya,c]=Z:s[tya,c]+Y:l[h]*S:s[c,h*4+txd];];
    B(tya,2)B(txc,4)[F:l[]=if_then_else(f*4+txc<=bxh*4+tya*2,Z:s[tya,txc]*0.5,-inf);];
    B(tyl,2)[G:s[tyl]=-inf;];
    B(tya,2)B(txc,4)[G:s[tya]=max(G:s[tya],F:l[]);];
    B(tya,2)[R:s[tya]=max(H:s[tya],G:s[tya]);];
    B(tya,2)[M:s[tya]=if_then_else(R:s[tya]==-inf,0,exp(H:s[tya]-R:s[tya]));];
    B(tya,2)B(txc,4)[O:s[tya,txc]=if_then_else(R:s[tya]==-inf,0,exp(F:l[]-R:s[tya]));];
    B(tyl,2)[Q:s[tyl]=0;];
    B(tya,2)B(txc,4)[Q:s[tya]=Q:s[tya]+O:s[tya,txc];];
    B(tya,2)[X:s[tya]=if_then_else(f-1<0,0,X:s[tya])*M:s[tya]+Q:s[tya];];
    B(tya,2)B(txg,4)L(i,2)[N:l[i]=0;];
    B(tya,2)B(txg,4)L(c,4)L(i,2)?{i*4+txg<6}[N:l[i]=N:l[i]+O:s[tya,c]*W:s[c,i*4+txg];];
    B(tya,2)B(txg,4)L(k,2)?{k*4+txg<6}[K:l[k]=if_then_else(f-1<0,0,K:l[k])*M:s[tya]+N:l[k];];];
  B(tya,2)B(txd,4)L(j,2)?{j*4+txd<6}[E[by,bxh*2+tya,j*4+txd]=K:l[j]/if_then_else(R:s[tya]==-inf,inf-inf,X:s[tya]);];];
)");
}

/// Queries and outputs in `s`; what follows is made in the kernel; no batch, and so no axis for it.
TEST(FlashMove, OtherPlacesAndPrograms) {
  for (const std::string& one :
       {choice("5", 3, 3, 1, 1, "keys", "queries"), choice("5", 3, 2, 1, 1, "keys", "outputs", 1),
        choice("5", 6, 6, 8, 3, "keys", "queries", 1), choice("5", 2, 3, 2, 2, "head", "queries", 1)}) {
    const Program before = move_program(kPlain);
    const Program after = after_move("flash", before, one);
    EXPECT_EQ(after.nests.size(), one.find("\"following\":1") != std::string::npos ? 1U : 2U);
    const Judgement judgement = verify(before, after);
    EXPECT_TRUE(is_equal(judgement.verdict)) << describe(before, after, judgement);
    EXPECT_TRUE(judgement.is_safe()) << describe(before, after, judgement);
    const OracleOpinion opinion = ask_oracle(before, after, 2);
    EXPECT_TRUE(opinion.compared);
    EXPECT_FALSE(opinion.difference.has_value()) << *opinion.difference;
  }
}

TEST(FlashMove, Refuses) {
  const auto refuse = [](const std::string& choice, std::string_view need, std::string_view message) {
    expect_move_refusal("flash", kCausal, choice, need, message);
  };
  refuse(choice("4", 2, 4, 1, 1, "keys", "keys"), "attention", "accumulates nothing");
  refuse(choice("0", 2, 4, 1, 1, "keys", "keys"), "attention", "no factor of the sum is a softmax");
  refuse(choice("5", 3, 4, 1, 1, "keys", "keys"), "sizes", "blocks of 3 of 4 queries");
  std::string buffers = choice("5", 2, 4, 1, 1, "keys", "keys");
  buffers.insert(1, R"("buffers":-1,)");
  refuse(buffers, "choice", "\"buffers\" is from 1 to 5, not -1");
  refuse(choice("5", 2, 5, 1, 1, "keys", "keys"), "sizes", "rounds of 5 of 8 keys");
  refuse(choice("5", 4, 4, 2, 3, "keys", "queries"), "sizes", "3 for each thread");
  refuse(choice("5", 4, 4, 3, 1, "keys", "queries"), "threads", "3 threads");
  refuse(choice("5", 4, 4, 64, 1, "keys", "queries"), "threads", "64 threads");
  refuse(choice("5", 4, 4, 1, 2, "keys", "keys"), "form", "one thread");
  refuse(choice("5", 4, 4, 1, 1, "head", "keys"), "form", "one thread");
  refuse(choice("5", 4, 4, 2, 1, "keys", "keys"), "form", "several threads");
  refuse(choice("5", 4, 4, 2, 1, "keys", "outputs"), "form", "several threads");
  refuse(choice("5", 4, 4, 1, 1, "keys", "keys", 1), "following", "0 expressions");
  refuse(choice("5", 4, 4, 1, 1, "sideways", "keys"), "choice", "");
  refuse(choice("5", 4, 4, 1, 1, "keys", "nowhere"), "choice", "");
}

/// Units: the types and the dimensions of instructions.
TEST(FlashMove, RefusesWhatInstructionsDoNotTake) {
  std::string doubles;
  for (const char c : std::string(kCausal)) {
    if (c == '[' && std::isupper(static_cast<unsigned char>(doubles.back())) != 0) doubles += ":f64";
    doubles += c;
  }
  for (std::size_t at = 0; (at = doubles.find("f32", at)) != std::string::npos;) doubles.replace(at, 3, "f64");
  const auto units = [](int queries, int keys, int threads, int rows) {
    return choice("5", queries, keys, threads, rows, "matrix", "queries");
  };
  expect_move_refusal("flash", kCausal, units(4, 8, 32, 4), "types", "no instruction for f32");
  expect_move_refusal("flash", doubles, units(4, 8, 32, 4), "tiles", "multiples of 8, 8, 4 and 8");
  expect_move_refusal("flash", doubles, units(4, 8, 16, 4), "form", "units have 32 threads");
  expect_move_refusal("flash", doubles, choice("5", 4, 8, 32, 4, "matrix", "keys"), "form",
                      "want their queries staged");
}

std::string with_head(int head, int values) {
  std::string out(kCausal);
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"4,6]", concat("4,", head, "]")},
                                 {"8,6]", concat("8,", head, "]")},
                                 {"L(d,6)[F", concat("L(d,", head, ")[F")}}) {
    for (std::size_t at = 0; (at = out.find(from, at)) != std::string::npos; at += to.size()) {
      out.replace(at, from.size(), to);
    }
  }
  const std::string last = concat("L(d,", values, ")L(c,8)[E");
  out.replace(out.find("L(d,6)L(c,8)[E"), 14, last);
  return out;
}

TEST(FlashMove, RefusesWhatHasNoRoom) {
  expect_move_refusal("flash", with_head(90, 90), choice("5", 4, 8, 1, 1, "keys", "keys"), "registers", "bytes");
  expect_move_refusal("flash", with_head(9000, 9000), choice("5", 4, 8, 1, 1, "keys", "outputs"), "shared", "bytes");
}

TEST(FlashMove, WeightsThatAreNeededElsewhereStay) {
  const std::string program = concat("@output K f32[2,4,8]", kCausal, "B(tx,2)L(a,4)L(c,8)[K[tx,a,c]=J[tx,a,c];];\n");
  expect_move_refusal("flash", program, choice("5", 4, 8, 1, 1, "keys", "keys"), "step",
                      "flashattention_wo_tiling refused [alone]");
}

}  // namespace
}  // namespace steptp::testing
