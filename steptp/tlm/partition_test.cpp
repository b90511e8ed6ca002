#include "steptp/tlm/partition.h"

#include <gtest/gtest.h>

#include "testing/shorthand.h"

namespace steptp::tlm {
namespace {

TEST(TlmPartition, EndsBeforeAContractionAndWhereNothingIsRead) {
  const Program program = testing::shorthand_program(R"(
@input A f32[8,6]
@input C f32[6,4]
@input W f32[4,4]
@input Z f32[8]
@output H f32[8,4]
@output Y f32[8]
B(tx,8)L(a,4)L(c,6)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];B(tx,8)L(a,4)[E[tx]=max(E[tx],D[tx,a]);];B(tx,8)L(a,4)[G[tx,a]=D[tx,a]-E[tx];];B(tx,8)L(a,4)L(c,4)[H[tx,a]=H[tx,a]+G[tx,c]*W[c,a];];B(tx,8)[Y[tx]=Z[tx]*2;];
)",
                                                     {{"T", "f32"}});
  const auto parts = parts_of(program);
  ASSERT_TRUE(parts.ok()) << parts.error();
  ASSERT_EQ(parts->size(), 3U);
  EXPECT_EQ((*parts)[0].nests.size(), 3U);
  EXPECT_NE((*parts)[0].signature.find("G"), nullptr);
  EXPECT_EQ((*parts)[1].nests.size(), 1U);
  EXPECT_EQ((*parts)[2].nests.size(), 1U);
}

}  // namespace
}  // namespace steptp::tlm
