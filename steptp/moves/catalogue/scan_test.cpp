#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "testing/move_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kSums = R"(
@input A f32[6,12]
@output D f32[6,12]
B(tx,6)L(a,12)L(c,12)[D[tx,a]=D[tx,a]+if_then_else(c<=a,A[tx,c],0);];
)";

std::string choice(int part, int rows, int keep, int at = 0) {
  return concat(R"({"at":")", at, R"(","part":)", part, R"(,"rows":)", rows, R"(,"keep":)", keep, "}");
}

TEST(ScanMove, AThreadHasARow) {
  expect_move(
      "scan", kSums, choice(0, 4, 0),
      "B(bx,2)B(tx,4)?{bx*4+tx<6}[L(a,12)[E:l[]=if_then_else(a-1<0,0,E:l[])+A[bx*4+tx,a];D[bx*4+tx,a]=E:l[];];];");
}

TEST(ScanMove, AThreadHasAPartOfARow) {
  expect_move("scan", kSums, choice(4, 1, 0),
              "B(bx,6)[B(tx,3)L(c,4)[E:s[tx]=E:s[tx]+A[bx,tx*4+c];];"
              "B(tx,3)L(c,3)[F:l[]=F:l[]+if_then_else(c<tx,E:s[c],0);];"
              "B(tx,3)[L(a,4)[G:l[]=if_then_else(a-1<0,0,G:l[])+A[bx,tx*4+a];H:l[]=G:l[];"
              "D[bx,tx*4+a]=F:l[]+H:l[];];];];");
}

TEST(ScanMove, PartsStayInRegisters) {
  expect_move("scan", kSums, choice(4, 2, 1),
              "B(bx,3)[B(ty,2)B(tx,3)U(c,4)[I:l[c]=A[bx*2+ty,tx*4+c];];"
              "B(ty,2)B(tx,3)U(c,4)[E:s[ty,tx]=E:s[ty,tx]+I:l[c];];"
              "B(ty,2)B(tx,3)L(c,3)[F:l[]=F:l[]+if_then_else(c<tx,E:s[ty,c],0);];"
              "B(ty,2)B(tx,3)[U(a,4)[G:l[]=if_then_else(a-1<0,0,G:l[])+I:l[a];H:l[]=G:l[];"
              "D[bx*2+ty,tx*4+a]=F:l[]+H:l[];];];];");
}

/// Programs that the zoo does not have: other operators, other orders of loops, one row, no own term.
TEST(ScanMove, OfAnyFold) {
  const auto made = [](std::string_view program, int part, int rows, int keep) {
    (void)after_move("scan", move_program(program), choice(part, rows, keep));
  };
  constexpr std::string_view kLast = R"(
@input A f64[13,3,5]
@output D f64[13,3,5]
L(a,13)L(d,3)L(c,13)L(f,5)[D:f64[a,d,f]=max(D:f64[a,d,f],if_then_else(a<c,-inf,A:f64[c,d,f]*A:f64[c,d,f]));];
)";
  constexpr std::string_view kOne = R"(
@input A f32[37]
@output D f32[37]
B(tx,37)L(c,37)[D[tx]=D[tx]*if_then_else(tx>=c,A[c],1);];
)";
  constexpr std::string_view kStrict = R"(
@input A f32[3,40]
@output D f32[3,41]
B(tx,3)L(a,41)L(c,40)[D[tx,a]=D[tx,a]+if_then_else(c<a,exp(A[tx,c]),0);];
)";
  for (const int keep : {0, 1}) {
    made(kLast, 4, 3, keep);
    made(kOne, 5, 1, keep);
    made(kStrict, 6, 2, keep);
    made(kStrict, 41 / 3, 1, keep);
  }
  made(kLast, 0, 2, 0);
  made(kLast, 0, 15, 0);
}

TEST(ScanMove, Refuses) {
  expect_move_refusal("scan", kSums, choice(1, 1, 0), "part");
  expect_move_refusal("scan", kSums, choice(12, 1, 0), "part");
  expect_move_refusal("scan", kSums, choice(-4, 1, 0), "part");
  expect_move_refusal("scan", kSums, choice(4, 0, 0), "rows");
  expect_move_refusal("scan", kSums, choice(4, 7, 0), "rows");
  expect_move_refusal("scan", kSums, choice(0, 4, 1), "keep");
  expect_move_refusal("scan", kSums, choice(4, 1, 4096), "choice", "\"keep\" is from 0 to 1, not 4096");
  expect_move_refusal("scan", R"(
@input A f32[12]
@output D f32[12]
L(a,12)L(c,12)[D[a]=D[a]+if_then_else(c<=a,A[c],0);];
)",
                      choice(0, 1, 0), "rows");
  expect_move_refusal("scan", R"(
@input A f32[600,4000]
@output D f32[600,4000]
B(tx,600)L(a,4000)L(c,4000)[D[tx,a]=D[tx,a]+if_then_else(c<=a,A[tx,c],0);];
)",
                      choice(3, 1, 0), "threads");
  expect_move_refusal("scan", R"(
@input A f32[600,4000]
@output D f32[600,4000]
B(tx,600)L(a,4000)L(c,4000)[D[tx,a]=D[tx,a]+if_then_else(c<=a,A[tx,c],0);];
)",
                      choice(65, 1, 1), "keep");
  expect_move_refusal("scan", R"(
@input A f32[6,12]
@output D f32[6]
B(tx,6)L(c,12)[D[tx]=D[tx]+if_then_else(c<=5,A[tx,c],0);];
)",
                      choice(4, 1, 0), "prefix");
  // A place takes what is behind it.
  expect_move_refusal("scan", R"(
@input A f32[6,12]
@output D f32[6,12]
B(tx,6)L(a,12)L(c,12)[D[tx,a]=D[tx,a]+if_then_else(a<=c,A[tx,c],0);];
)",
                      choice(4, 1, 0), "step", "prefix_fold refused [prefix]");
}

}  // namespace
}  // namespace steptp::testing
