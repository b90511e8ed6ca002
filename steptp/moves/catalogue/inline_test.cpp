#include <gtest/gtest.h>

#include "testing/move_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kChain = R"(
@input A f32[8,6]
@output E f32[8,6]
B(tx,8)L(a,6)[D[tx,a]=A[tx,a]*2;];B(tx,8)L(a,6)[E[tx,a]=exp(D[tx,a]);];
)";

TEST(InlineMove, AProducerGoesIntoItsConsumer) {
  expect_move("inline", kChain, R"({"at":"0","form":"producer"})", "B(tx,8)L(a,6)[E[tx,a]=exp(A[tx,a]*2);];");
}

TEST(InlineMove, AConsumerIsTheEpilogueOfItsProducer) {
  expect_move("inline", R"(
@input A f32[8,6]
@input C f32[6,4]
@output E f32[8,4]
B(tx,8)L(a,4)L(c,6)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];B(tx,8)L(a,4)[E[tx,a]=max(D[tx,a],0);];
)",
              R"({"at":"1","form":"epilogue"})",
              "B(tx,8)L(a,4)[L(c,6)[D:l[tx,a]=D:l[tx,a]+A[tx,c]*C[c,a];];E[tx,a]=max(D:l[tx,a],0);];");
}

TEST(InlineMove, TheConsumersLoopsMayStandInAnotherOrderAndFartherOn) {
  expect_move("inline", R"(
@input A f32[8,6,4]
@input C f32[3]
@output E f32[4,8]
@output F f32[3]
L(g,8)L(a,4)L(c,6)[D[g,a]=D[g,a]+A[g,c,a];];L(a,3)[F[a]=C[a]*2;];L(d,4)L(f,8)[E[d,f]=D[f,d]*2;];
)",
              R"({"at":"2","form":"epilogue"})",
              "L(g,8)L(a,4)[L(c,6)[D:l[g,a]=D:l[g,a]+A[g,c,a];];E[a,g]=D:l[g,a]*2;];L(a,3)[F[a]=C[a]*2;];");
}

TEST(InlineMove, Refuses) {
  constexpr std::string_view kSum = R"(
@input A f32[8,6]
@output E f32[8]
B(tx,8)L(a,6)[D[tx]=D[tx]+A[tx,a];];B(tx,8)L(a,6)[E[tx]=E[tx]+D[tx]*A[tx,a];];
)";
  expect_move_refusal("inline", kSum, R"({"at":"0","form":"producer"})", "elementwise");
  expect_move_refusal("inline", kSum, R"({"at":"1","form":"epilogue"})", "elementwise");
  expect_move_refusal("inline", kChain, R"({"at":"0","form":"epilogue"})", "producer");
  expect_move_refusal("inline", kChain, R"({"at":"1","form":"producer"})", "step", "compute_inline refused");
  expect_move_refusal("inline", kChain, R"({"at":"1","form":"sideways"})", "choice");
}

}  // namespace
}  // namespace steptp::testing
