#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kOuter = R"(
@input A f32[8]
@input C f32[4]
@output D f32[8,4]
B(tx,8)L(c,4)[D[tx,c]=exp(A[tx])*C[c]+exp(A[tx]);];
)";

TEST(Hoist, OnceBeforeTheLoop) {
  expect_rewrite("hoist", kOuter, R"({"at":"0:loop[1]","of":"0/0:right.0.0"})",
                 "B(tx,8)[E:l[]=exp(A[tx]);L(c,4)[D[tx,c]=E:l[]*C[c]+E:l[];];];");
}

TEST(Hoist, OutOfANestInside) {
  expect_rewrite("hoist", R"(
@input A f32[8,3]
@input C f32[4]
@output D f32[8,4]
B(tx,8)L(a,3)[D[tx,a]=A[tx,a];L(c,4)[D[tx,c]=(A[tx,a]*A[tx,2-a]+1)*C[c]+c;];];
)",
                 R"({"at":"0/1:loop[0]","of":"0/1/0:right.0.0"})",
                 "B(tx,8)L(a,3)[D[tx,a]=A[tx,a];E:l[]=A[tx,a]*A[tx,2-a]+1;L(c,4)[D[tx,c]=E:l[]*C[c]+c;];];");
}

// The loops over threads that stand inside are repeated: each thread keeps its own value.
TEST(Hoist, ThreadsInsideKeepTheirOwn) {
  expect_rewrite("hoist", R"(
@input A f32[8]
@input C f32[2,4]
@output D f32[2,8,4]
B(bx,2)L(c,4)B(tx,8)[D[bx,tx,c]=exp(A[tx])*C[bx,c];];
)",
                 R"({"at":"0:loop[1]","of":"0/0:right.0"})",
                 "B(bx,2)[B(tx,8)[E:l[]=exp(A[tx]);];L(c,4)B(tx,8)[D[bx,tx,c]=E:l[]*C[bx,c];];];");
}

TEST(Hoist, Refusals) {
  const auto refused = [](std::string_view nest, std::string_view at, std::string_view of, std::string_view why) {
    expect_refusal("hoist", "@input A f32[8]\n@input C f32[4]\n@output D f32[8,4]\n" + std::string(nest) + "\n",
                   R"({"at":")" + std::string(at) + R"(","of":")" + std::string(of) + "\"}", why);
  };
  refused("B(tx,8)L(c,4)[D[tx,c]=exp(C[c])*A[tx];];", "0:loop[1]", "0/0:right.0", "independent");
  refused("B(tx,8)L(c,4)[D[tx,c]=exp(C[c])*A[tx];];", "0:loop[1]", "0/0:right.1", "independent");
  refused("B(tx,8)L(c,4)[D[tx,c]=exp(A[tx]);];B(tx,8)L(c,4)[D[tx,c]=D[tx,c]*2;];", "1:loop[1]", "0/0:right",
          "independent");
  refused("L(c,4)B(tx,8)[D[tx,c]=exp(A[tx]);];", "0:loop[0]", "0/0:right", "outside");
  // The loop itself changes what is read.
  refused("B(tx,8)L(c,4)[D[tx,c]=exp(D[tx,0]*2)+if_then_else(c<1,A[tx],0);];", "0:loop[1]", "0/0:right.0", "unchanged");
  // Where the condition fails there is no A[tx+1].
  refused("B(tx,8)L(c,4)[D[tx,c]=if_then_else(tx<7,exp(A[tx+1]),0)*C[c];];", "0:loop[1]", "0/0:right.0.1", "covered");
  refused("L(a,2)B(tx,8)L(c,4)[D[tx,c]=C[c]*exp(A[tx]);];", "0:loop[1]", "0/0:right.1", "independent");
  refused("L(a,2)B(tx,8)L(c,4)[D[tx,c]=C[c]*exp(A[a]);];", "0:loop[1]", "0/0:right.1", "placement");
  refused("B(tx,8)L(c,4)[D[tx,c]=exp(A[tx]);];", "0:loop[1]", "nowhere", "choice");
  refused("B(tx,8)L(c,4)[D[tx,c]=exp(A[tx]);];", "0:loop[1]", "3/0:right", "place");
}

TEST(Hoist, OffersTheLargestExpressionOfEachLoop) {
  EXPECT_EQ(listed("hoist", kOuter, false), std::vector<std::string>({R"({"at":"0:loop[1]","of":"0/0:right.0.0"})",
                                                                      R"({"at":"0:loop[1]","of":"0/0:right.1"})"}));
}

}  // namespace
}  // namespace steptp::testing
