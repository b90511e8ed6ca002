#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "testing/move_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kSoftmax = R"(
@input A f32[7,21]
@output C f32[7,21]
B(tx,7)L(a,21)[D[tx]=max(D[tx],A[tx,a]);];B(tx,7)L(a,21)[E[tx]=E[tx]+exp(A[tx,a]-D[tx]);];B(tx,7)L(a,21)[C[tx,a]=exp(A[tx,a]-D[tx])/E[tx];];
)";
constexpr std::string_view kMean = R"(
@input A f16[3,10,12]
@output C f16[3,12]
B(tx,3)L(a,12)L(c,10)[D:f16[tx,a]=D:f16[tx,a]+A:f16[tx,c,a];];B(tx,3)L(a,12)[C:f16[tx,a]=D:f16[tx,a]/10;];
)";
constexpr std::string_view kNorm = R"(
@input A f32[4,30]
@output C f32[4,30]
B(tx,4)L(a,30)[D[tx]=D[tx]+A[tx,a]**2;];B(tx,4)L(a,30)[C[tx,a]=A[tx,a]/D[tx];];
)";
constexpr std::string_view kLoss = R"(
@input A f16[6,10]
@input C f16[6,10]
@output D f16[]
B(tx,6)L(a,10)[F:f16[]=F:f16[]+(A:f16[tx,a]-C:f16[tx,a])**2;];B(tx,1)[D:f16[]=F:f16[]/60;];
)";

std::string choice(int expressions, int threads, int rows, std::string_view order, int vector, int keep,
                   std::string_view sums = "plain") {
  return concat(R"({"at":"0","expressions":)", expressions, R"(,"threads":)", threads, R"(,"rows":)", rows,
                R"(,"order":")", order, R"(","vector":)", vector, R"(,"keep":)", keep, R"(,"sums":")", sums, R"("})");
}

TEST(RowsMove, ABlockKeepsAnOddRowInRegisters) {
  expect_move("rows", kSoftmax, choice(3, 8, 1, "row", 1, 1),
              "B(bx,7)[B(tx,8)L(c,3)?{tx+c*8<21}[E:l[c]=A[bx,tx+c*8];];"
              "B(tx,8)L(c,3)?{c*8+tx<21}[F:s[]=max(F:s[],E:l[c]);];"
              "B(tx,8)L(c,3)?{c*8+tx<21}[D:s[]=D:s[]+exp(E:l[c]-F:s[]);];"
              "B(tx,8)L(c,3)?{c*8+tx<21}[C[bx,c*8+tx]=exp(E:l[c]-F:s[])/D:s[];];];");
}

TEST(RowsMove, ABlockHasSeveralRowsAndTheLastOneFewer) {
  expect_move(
      "rows", kSoftmax, choice(3, 4, 2, "row", 1, 0),
      "B(bx,4)[B(ty,2)B(tx,4)L(c,6)?{bx*2+ty<7&c*4+tx<21}[F:s[ty]=max(F:s[ty],A[bx*2+ty,c*4+tx]);];"
      "B(ty,2)B(tx,4)L(c,6)?{bx*2+ty<7&c*4+tx<21}[D:s[ty]=D:s[ty]+exp(A[bx*2+ty,c*4+tx]-F:s[ty]);];"
      "B(ty,2)B(tx,4)L(c,6)?{bx*2+ty<7&c*4+tx<21}[C[bx*2+ty,c*4+tx]=exp(A[bx*2+ty,c*4+tx]-F:s[ty])/D:s[ty];];];");
}

TEST(RowsMove, AThreadHasARowOfItsOwn) {
  expect_move("rows", kSoftmax, choice(3, 1, 4, "row", 1, 0),
              "B(bx,2)B(tx,4)[L(a,21)?{bx*4+tx<7}[F:l[]=max(F:l[],A[bx*4+tx,a]);];"
              "L(a,21)?{bx*4+tx<7}[D:l[]=D:l[]+exp(A[bx*4+tx,a]-F:l[]);];"
              "L(a,21)?{bx*4+tx<7}[C[bx*4+tx,a]=exp(A[bx*4+tx,a]-F:l[])/D:l[];];];");
}

TEST(RowsMove, AResultThatIsUsedLaterIsWrittenBack) {
  expect_move("rows", kSoftmax, choice(2, 8, 1, "row", 1, 0),
              "B(bx,7)[B(tx,8)L(c,3)?{c*8+tx<21}[F:s[]=max(F:s[],A[bx,c*8+tx]);];"
              "B(tx,8)L(c,3)?{c*8+tx<21}[G:s[]=G:s[]+exp(A[bx,c*8+tx]-F:s[]);];E[bx]=G:s[];D[bx]=F:s[];];"
              "B(tx,7)L(a,21)[C[tx,a]=exp(A[tx,a]-D[tx])/E[tx];];");
}

TEST(RowsMove, NeighboursInAColumnAreFoldedInF32) {
  expect_move("rows", kMean, choice(2, 4, 8, "column", 1, 0, "wide"),
              "B(bx,3)B(by,2)[B(tx,8)B(ty,4)L(a,3)?{by*8+tx<12&a*4+ty<10}"
              "[E:s[tx]=E:s[tx]+A:f16[bx,a*4+ty,by*8+tx];];"
              "B(tx,8)?{by*8+tx<12}[C:f16[bx,by*8+tx]=E:s[tx]/10;];];");
  // What only the block has is written back by its threads, not by one of them.
  expect_move("rows", kMean, choice(1, 4, 8, "column", 1, 0),
              "B(bx,3)B(by,2)[B(tx,8)B(ty,4)L(a,3)?{by*8+tx<12&a*4+ty<10}"
              "[E:f16,s[tx]=E:f16,s[tx]+A:f16[bx,a*4+ty,by*8+tx];];"
              "B(tx,8)?{by*8+tx<12}[D:f16[bx,by*8+tx]=E:f16,s[tx];];];"
              "B(tx,3)L(a,12)[C:f16[tx,a]=D:f16[tx,a]/10;];");
}

TEST(RowsMove, VectorsHaveARestWhereARowHas) {
  expect_move("rows", kNorm, choice(2, 4, 1, "row", 2, 0),
              "B(bx,4)[B(tx,4)L(d,4)L(a,2)?{d*4+tx<15}[E:s[]=E:s[]+A[bx,d*8+tx*2+a]**2;];"
              "B(tx,4)L(d,4)V(a,2)?{d*4+tx<15}[C[bx,d*8+tx*2+a]=A[bx,d*8+tx*2+a]/E:s[];];];");
  expect_move("rows", kNorm, choice(2, 4, 1, "row", 4, 1),
              "B(bx,4)[B(tx,4)L(d,2)[V(a,4)?{tx*4+d*16+3<30}[D:l[d,a]=A[bx,tx*4+d*16+a];];"
              "L(a,4)?{tx*4+d*16+3>=30&tx*4+d*16+a<30}[D:l[d,a]=A[bx,tx*4+d*16+a];];];"
              "B(tx,4)L(d,2)L(a,4)?{d*16+tx*4+a<30}[E:s[]=E:s[]+D:l[d,a]**2;];"
              "B(tx,4)L(d,2)[V(a,4)?{d*16+tx*4+3<30}[C[bx,d*16+tx*4+a]=D:l[d,a]/E:s[];];"
              "L(a,4)?{d*16+tx*4+3>=30&d*16+tx*4+a<30}[C[bx,d*16+tx*4+a]=D:l[d,a]/E:s[];];];];");
}

TEST(RowsMove, ALossIsOneRow) {
  expect_move("rows", kLoss, choice(2, 16, 1, "row", 1, 0, "wide"),
              "B(bx,1)[B(tx,16)L(a,4)?{a*16+tx<60}"
              "[E:s[]=E:s[]+(A:f16[bx*6+(a*16+tx)//10,(a*16+tx)%10]-C:f16[bx*6+(a*16+tx)//10,(a*16+tx)%10])**2;];"
              "D:f16[]=E:s[]/60;];");
}

TEST(RowsMove, LayerNormOverTwoDimensionsIsOneKernel) {
  const Program program = move_program(R"(
@input A f16[3,5,4,7]
@param D f16[5]
@output C f16[3,5,4,7]
B(tx,3)L(a,5)L(c,4)L(d,7)[F:f16[tx,a]=F:f16[tx,a]+A:f16[tx,a,c,d];];B(tx,3)L(a,5)[G:f16[tx,a]=F:f16[tx,a]/28;];
B(tx,3)L(a,5)L(c,4)L(d,7)[H:f16[tx,a]=H:f16[tx,a]+(A:f16[tx,a,c,d]-G:f16[tx,a])**2;];
B(tx,3)L(a,5)[I:f16[tx,a]=H:f16[tx,a]/28;];
B(tx,3)L(a,5)L(c,4)L(d,7)[C:f16[tx,a,c,d]=D:f16[a]*(A:f16[tx,a,c,d]-G:f16[tx,a])/sqrt(I:f16[tx,a]+1);];
)");
  for (const std::string_view sums : {"plain", "wide"}) {
    EXPECT_EQ(after_move("rows", program, choice(5, 8, 2, "row", 1, 0, sums)).nests.size(), 1U);
  }
}

TEST(RowsMove, Refuses) {
  expect_move_refusal("rows", kSoftmax, choice(4, 8, 1, "row", 1, 0), "chain", "3 expressions from here on");
  expect_move_refusal("rows", kSoftmax, choice(0, 8, 1, "row", 1, 0), "chain");
  expect_move_refusal("rows", kSoftmax, choice(3, 1025, 1, "row", 1, 0), "threads");
  expect_move_refusal("rows", kSoftmax, choice(3, 512, 3, "row", 1, 0), "threads");
  expect_move_refusal("rows", kSoftmax, choice(3, 8, 8, "row", 1, 0), "threads", "8 rows, of 7");
  expect_move_refusal("rows", kSoftmax, choice(3, 1, 1, "row", 1, 0), "threads");
  expect_move_refusal("rows", kSoftmax, choice(3, 8, 1, "row", 4, 0), "vector", "rows of 21");
  expect_move_refusal("rows", kSoftmax, choice(3, 4, 1, "row", 3, 0), "vector");
  expect_move_refusal("rows", kSoftmax, choice(3, 8, 1, "sideways", 1, 0), "choice");
  expect_move_refusal("rows", kSoftmax, choice(3, 8, 1, "row", 1, -1), "choice", "\"keep\" is from 0 to 1, not -1");
  expect_move_refusal("rows", kSoftmax, choice(3, 8, 1, "row", 1, 1000), "choice", "from 0 to 1, not 1000");
  expect_move_refusal("rows", R"(
@input A f32[4,130]
@output C f32[4]
B(tx,4)L(a,130)[C[tx]=C[tx]+A[tx,a];];
)",
                      choice(1, 2, 1, "row", 1, 1), "keep", "65 elements");
}

// Each row needs all others: the second expression cannot run in the block of a row.
TEST(RowsMove, RowsThatNeedEachOtherAreNoChain) {
  expect_move_refusal("rows", R"(
@input A f32[7,21]
@output C f32[7,21]
B(tx,7)L(a,21)[D[tx]=max(D[tx],A[tx,a]);];B(tx,7)L(a,21)[C[tx,a]=A[tx,a]-D[6-tx];];
)",
                      choice(2, 8, 1, "row", 1, 0), "step", "operator_fusion refused");
}

}  // namespace
}  // namespace steptp::testing
