#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kChain = R"(
@input A f32[8,6]
@output E f32[8,6]
B(tx,8)L(a,6)[D[tx,a]=A[tx,a]*2;E[tx,a]=exp(D[tx,a]);];
)";

TEST(SetStorageScope, IntoRegisters) {
  expect_rewrite("set_storage_scope", kChain, R"({"at":"0/0","scope":"l"})",
                 "B(tx,8)L(a,6)[D:l[tx,a]=A[tx,a]*2;E[tx,a]=exp(D:l[tx,a]);];");
}

TEST(SetStorageScope, IntoSharedMemory) {
  expect_rewrite("set_storage_scope", kChain, R"({"at":"0/0","scope":"s"})",
                 "B(tx,8)L(a,6)[D:s[tx,a]=A[tx,a]*2;E[tx,a]=exp(D:s[tx,a]);];");
}

TEST(SetStorageScope, BackToGlobalMemory) {
  expect_rewrite("set_storage_scope", R"(
@input A f32[8,6]
@output E f32[8,6]
B(tx,8)L(a,6)[D:l[tx,a]=A[tx,a]*2;E[tx,a]=exp(D:l[tx,a]);];
)",
                 R"({"at":"0/0","scope":"g"})", "B(tx,8)L(a,6)[D[tx,a]=A[tx,a]*2;E[tx,a]=exp(D[tx,a]);];");
}

// Threads of a block hand data to each other: shared memory with a barrier, no register.
constexpr std::string_view kExchange = R"(
@input A f32[4,8]
@output E f32[4,8]
B(bx,4)[B(tx,8)[D[bx,tx]=A[bx,tx]*2;];B(tx,8)[E[bx,tx]=D[bx,7-tx];];];
)";

TEST(SetStorageScope, ThreadsOfABlockShare) {
  expect_rewrite("set_storage_scope", kExchange, R"({"at":"0/0/0","scope":"s"})",
                 "B(bx,4)[B(tx,8)[D:s[bx,tx]=A[bx,tx]*2;];B(tx,8)[E[bx,tx]=D:s[bx,7-tx];];];");
  expect_refusal("set_storage_scope", kExchange, R"({"at":"0/0/0","scope":"l"})", "ownership");
}

TEST(SetStorageScope, ACollectiveStaysSharedByTheThreads) {
  constexpr std::string_view kSum = R"(
@input A f32[4,8]
@output E f32[4,8]
B(bx,4)[B(tx,8)[D[bx]=D[bx]+A[bx,tx];];B(tx,8)[E[bx,tx]=A[bx,tx]/D[bx];];];
)";
  expect_rewrite("set_storage_scope", kSum, R"({"at":"0/0/0","scope":"s"})",
                 "B(bx,4)[B(tx,8)[D:s[bx]=D:s[bx]+A[bx,tx];];B(tx,8)[E[bx,tx]=A[bx,tx]/D:s[bx];];];");
  expect_refusal("set_storage_scope", kSum, R"({"at":"0/0/0","scope":"l"})", "ownership");
}

TEST(SetStorageScope, RegistersAreNotSharedInGlobalMemory) {
  constexpr std::string_view kScalar = R"(
@input A f32[8]
@output E f32[8]
B(tx,8)[D:l[]=A[tx]*2;E[tx]=exp(D:l[]);];
)";
  expect_refusal("set_storage_scope", kScalar, R"({"at":"0/0","scope":"g"})", "ownership");
  expect_refusal("set_storage_scope", kScalar, R"({"at":"0/0","scope":"l"})", "other");
}

TEST(SetStorageScope, AnAccumulatorThatLivesThroughLaunchesStaysGlobal) {
  expect_refusal("set_storage_scope", R"(
@input A f32[3,8]
@output E f32[8]
L(a,3)B(tx,8)[D[tx]=D[tx]+A[a,tx];E[tx]=D[tx];];
)",
                 R"({"at":"0/0","scope":"l"})", "ownership");
}

TEST(SetStorageScope, ARaceStaysOne) {
  expect_refusal("set_storage_scope", R"(
@input A f32[8]
@output E f32[8]
B(tx,8)[D[0]=A[tx];E[tx]=D[0];];
)",
                 R"({"at":"0/0","scope":"s"})", "races");
}

TEST(SetStorageScope, Refusals) {
  expect_refusal("set_storage_scope", kChain, R"({"at":"0/1","scope":"l"})", "intermediate");
  expect_refusal("set_storage_scope", kChain, R"({"at":"0/0","scope":"x"})", "choice");
  expect_refusal("set_storage_scope", kChain, R"({"at":"0","scope":"l"})", "place");
  expect_refusal("set_storage_scope", R"(
@input A f32[8]
@output E f32[8]
B(tx,8)[D[tx]=A[tx]*2;];B(tx,8)[E[tx]=exp(D[tx]);];
)",
                 R"({"at":"0/0","scope":"s"})", "placement");
  expect_refusal("set_storage_scope", R"(
@input A f32[64,64]
@output E f32[64,64]
B(tx,64)L(a,64)[D[tx,a]=A[tx,a]*2;E[tx,a]=exp(D[tx,a]);];
)",
                 R"({"at":"0/0","scope":"l"})", "size");
}

}  // namespace
}  // namespace steptp::testing
