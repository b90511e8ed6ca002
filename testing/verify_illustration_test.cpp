// Differences of large programs, shown at small shapes.
#include <gtest/gtest.h>

#include "steptp/verify/illustration.h"
#include "testing/shorthand.h"

namespace steptp::testing {
namespace {

Program program_of(std::string_view text) { return shorthand_program(text, {{"T", "f32"}}); }

constexpr std::string_view kMatmul = "@input A f32[4096,512]\n@input C f32[512,1024]\n@output D f32[4096,1024]\n";

std::optional<Illustration> of_matmul(std::string_view before, std::string_view after) {
  return illustrate(program_of(std::string(kMatmul) + std::string(before)),
                    program_of(std::string(kMatmul) + std::string(after)));
}

constexpr std::string_view kRight = "B(tx,4096)L(a,1024)L(c,512)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];";

TEST(Illustration, OfAMatrixProduct) {
  const auto found = of_matmul(kRight, "B(tx,4096)L(a,1024)L(c,512)[D[tx,a]=D[tx,a]+A[tx,511-c]*C[c,a];];");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->before.signature.find("A")->shape, (std::vector<std::int64_t>{5, 3}));
  EXPECT_EQ(found->before.signature.find("C")->shape, (std::vector<std::int64_t>{3, 4}));
  EXPECT_NE(found->before_run, found->after_run);
  EXPECT_TRUE(found->example.given);
}

TEST(Illustration, DecimalsStayAsTheyAre) {
  const auto found = of_matmul(kRight, "B(tx,4096)L(a,1024)L(c,512)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a]*512.5;];");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->after_run, "1537.5");  // a sum of three
}

TEST(Illustration, NoneWhereSmallProgramsAreEqual) {
  EXPECT_FALSE(of_matmul(kRight,
                         "B(tx,4096)L(a,1024)L(c,512)[D[tx,a]=D[tx,a]+A[tx,c]*"
                         "if_then_else((tx*37+a*101)%9973==5,0,C[c,a]);];"));
}

TEST(Illustration, NoneWhereTheyDoNotCheck) {
  // 32*16 is 512, and 3*4 is not 5.
  EXPECT_FALSE(of_matmul(kRight, "B(tx,4096)L(a,1024)L(c,32)L(d,16)[D[tx,a]=D[tx,a]+A[tx,c*16+d]*C[511-c*16-d,a];];"));
}

TEST(Illustration, NoneWhereExtentsAreSmall) {
  const Program before = program_of("@input A f32[4]\n@output C f32[4]\nB(tx,4)[C[tx]=A[tx];];");
  const Program after = program_of("@input A f32[4]\n@output C f32[4]\nB(tx,4)[C[tx]=A[3-tx];];");
  EXPECT_FALSE(illustrate(before, after));
}

TEST(Illustration, NoneWhereTheTypeHidesIt) {
  const auto text = [](std::string_view right) {
    return "@input A f16[64]\n@output C f16[64]\nB(tx,64)[C:f16[tx]=" + std::string(right) + ";];";
  };
  EXPECT_FALSE(illustrate(program_of(text("A:f16[tx]")), program_of(text("A:f16[tx]+0.0000000001"))));
}

}  // namespace
}  // namespace steptp::testing
