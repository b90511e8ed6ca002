#include "steptp/strategies/moving_points.h"

#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

std::string choice(std::string_view at, std::string_view direction, std::string_view of, std::string_view scope,
                   std::string_view form, int points = 1) {
  return concat(R"({"at":")", at, R"(","direction":")", direction, R"(","of":")", of, R"(","scope":")", scope,
                R"(","form":")", form, R"(","points":)", points, "}");
}

// A window over rows of 6, the pixels of both rows in one loop, in tiles of 4 that run from one row into the next.
constexpr std::string_view kFused = R"(
@input A f32[2,8]
@input C f32[3]
@output D f32[2,6]
B(bx,3)B(tx,2)L(a,2)L(g,3)[D[(bx*4+tx*2+a)//6,(bx*4+tx*2+a)%6]=D[(bx*4+tx*2+a)//6,(bx*4+tx*2+a)%6]
+A[(bx*4+tx*2+a)//6,(bx*4+tx*2+a)%6+g]*C[g];];
)";

TEST(MovingPoints, ATileOfFusedPixels) {
  expect_rewrite("cache_read_write", kFused, choice("0:loop[0]", "read", "A", "s", "plain"),
                 "B(bx,3)[L(f,4)L(g,3)[E:s[f,g]=A[(bx*4+f)//6,(bx*4+f)%6+g];];"
                 "B(tx,2)L(a,2)L(g,3)[D[(bx*4+tx*2+a)//6,(bx*4+tx*2+a)%6]=D[(bx*4+tx*2+a)//6,(bx*4+tx*2+a)%6]"
                 "+E:s[tx*2+a,g]*C[g];];];");
}

TEST(MovingPoints, AccumulatorsOfAThread) {
  expect_rewrite("cache_read_write", kFused, choice("0:loop[0]", "write", "D", "l", "plain"),
                 "B(bx,3)[B(tx,2)L(a,2)L(g,3)[E:l[a]=E:l[a]+A[(bx*4+tx*2+a)//6,(bx*4+tx*2+a)%6+g]*C[g];];"
                 "B(tx,2)L(a,2)[D[(bx*4+tx*2+a)//6,(bx*4+tx*2+a)%6]=E:l[a];];];");
}

// Rows of 5 with padding, 10 pixels in tiles of 4: both the padding and what lies beyond the last pixel are zero.
constexpr std::string_view kPadded = R"(
@input A f32[2,5]
@input C f32[3]
@output D f32[2,5]
B(bx,3)[B(tx,4)L(g,3)?{bx*4+tx<10}[I:l[]=I:l[]+if_then_else(1<=(bx*4+tx)%5+g<6,A[(bx*4+tx)//5,(bx*4+tx)%5+g-1],0)*C[g];];
B(tx,4)?{bx*4+tx<10}[D[(bx*4+tx)//5,(bx*4+tx)%5]=I:l[];];];
)";

TEST(MovingPoints, PaddingAndTheEdgeOfThePixels) {
  expect_rewrite("cache_read_write", kPadded, choice("0:loop[0]", "read", "0/0/0:right.1.0", "s", "plain"),
                 "B(bx,3)[L(f,4)L(g,3)?{bx*4+f<10}[E:s[f,g]=if_then_else(1<=(bx*4+f)%5+g<6,"
                 "A[(bx*4+f)//5,(bx*4+f)%5+g-1],0);];"
                 "B(tx,4)L(g,3)?{bx*4+tx<10}[I:l[]=I:l[]+E:s[tx,g]*C[g];];"
                 "B(tx,4)?{bx*4+tx<10}[D[(bx*4+tx)//5,(bx*4+tx)%5]=I:l[];];];");
  expect_rewrite("cache_read_write", kPadded, choice("0:loop[0]", "read", "0/0/0:right.1.0", "s", "fill"),
                 "B(bx,3)[L(f,4)L(g,3)[E:s[f,g]=if_then_else(bx*4+f<10&1<=(bx*4+f)%5+g<6,"
                 "A[(bx*4+f)//5,(bx*4+f)%5+g-1],0);];"
                 "B(tx,4)L(g,3)[I:l[]=I:l[]+E:s[tx,g]*C[g];];"
                 "B(tx,4)?{bx*4+tx<10}[D[(bx*4+tx)//5,(bx*4+tx)%5]=I:l[];];];");
}

TEST(MovingPoints, Refusals) {
  const auto refused = [](std::string_view program, const std::string& chosen, std::string_view why) {
    expect_refusal("cache_read_write", program, chosen, why);
  };
  // Two iterations of a share an element, and each would have a place of its own.
  refused("@input A f32[2,4]\n@output D f32[2,2]\nB(tx,2)L(a,4)[D[tx,a//2]=D[tx,a//2]+A[tx,a];];\n",
          choice("0:loop[0]", "write", "D", "l", "plain"), "footprint");
  refused("@input A f32[2,4]\n@output D f32[2,4]\nB(tx,2)L(a,4)[D[tx,a]=A[tx,a//2]+A[tx,a];];\n",
          choice("0:loop[0]", "read", "A", "l", "plain"), "footprint");
  refused("@input A f32[2,4]\n@output D f32[2,2,2]\nB(tx,2)L(a,2)L(c,2)[D[tx,a,c]=A[tx,(a+1)//(c+1)];];\n",
          choice("0:loop[0]", "read", "A", "l", "plain"), "footprint");
  refused(kFused, choice("0:loop[0]", "read", "A", "s", "plain", 2), "choice");
}

TEST(MovingPoints, AreOfferedWhereSubscriptsDivide) {
  std::size_t points = 0;
  for (const std::string& one : listed("cache_read_write", kFused, true)) {
    points += one.find("points") == std::string::npos ? 0 : 1;
  }
  EXPECT_GT(points, 0U);
  for (const std::string& one : listed("cache_read_write", kFused, false)) {
    EXPECT_EQ(one.find("points"), std::string::npos);
  }
}

// 12 pixels in rows of 3 and images of 6, in tiles of 4: (bx*4+tx*2+a)//6 is (bx*2+tx)//3, and tx is the quotient of
// tx*2+a by 2, no dimension of its own.
TEST(MovingPoints, AQuotientOfAnotherPartIsNoDimension) {
  expect_rewrite("cache_read_write", R"(
@input A f32[2,2,3]
@output D f32[2,2,3]
B(bx,3)B(tx,2)L(a,2)[D[(bx*2+tx)//3,(bx*4+tx*2+a)//3%2,(bx*4+tx*2+a)%3]=A[(bx*2+tx)//3,(bx*4+tx*2+a)//3%2,(bx*4+tx*2+a)%3]*2;];
)",
                 choice("0:loop[0]", "read", "A", "s", "plain"),
                 "B(bx,3)[L(f,4)[E:s[f]=A[(bx*2+f//2)//3,(bx*4+f)//3%2,(bx*4+f)%3];];"
                 "B(tx,2)L(a,2)[D[(bx*2+tx)//3,(bx*4+tx*2+a)//3%2,(bx*4+tx*2+a)%3]=E:s[tx*2+a]*2;];];");
}

// What was noted piece by piece is found again in a sum of it.
TEST(MovingPoints, SumsOfWhatWasNoted) {
  const auto v = [](const char* name) { return Index::variable(name); };
  const auto n = [](std::int64_t value) { return Index::constant(value); };
  Ranges box;
  box.variables["b"] = {0, 9};
  box.variables["t"] = {0, 3};
  box.variables["a"] = {0, 1};
  MovingPoints points({"b"}, true);
  const Index tile = *Index::add(*Index::multiply(n(4), v("b")), v("t"));
  ASSERT_TRUE(points.note(*Index::floor_divide(tile, n(7)), box));
  ASSERT_TRUE(points.note(v("a"), box));
  EXPECT_EQ(points.extents(), (std::vector<std::int64_t>{4, 2}));
  const Index whole = *Index::add(*Index::multiply(n(2), tile), v("a"));
  const Index wanted = *Index::add(*Index::add(*Index::multiply(n(8), v("b")), *Index::multiply(n(2), v("x"))), v("y"));
  EXPECT_EQ(points.at(whole, {v("x"), v("y")}), wanted);
  EXPECT_FALSE(points.at(v("c"), {v("x"), v("y")}));
  EXPECT_EQ(points.at(v("b"), {v("x"), v("y")}), v("b"));
}

}  // namespace
}  // namespace steptp::testing
