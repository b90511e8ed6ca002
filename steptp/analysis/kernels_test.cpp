#include "steptp/analysis/kernels.h"

#include <gtest/gtest.h>

#include "steptp/text/document.h"

namespace steptp::testing {
namespace {

Program read(const char* text) {
  Document document = read_document("test", text);
  EXPECT_TRUE(document.ok) << text;
  return document.program;
}

TEST(Kernels, BoundariesAndLaunchDimensions) {
  const Program program = read(
      "@input A f32[6,4]\n@output D f32[6,4]\n"
      "a6{bx1{tx2 E^s(tx)=A(a,tx);F^s=E(0);tx4{G^l=F;D(a,tx)=G;}}}tx4 D(0,tx)=0;");
  const AccessTable table = collect_accesses(program);
  const auto kernels = collect_kernels(table);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].kernel.host_loops, 1u);
  EXPECT_EQ(kernels[0].statements, (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(kernels[0].extents, (std::array<std::int64_t, kAxes>{1, 1, 1, 4, 1, 1, 1, 1, 1}));
  EXPECT_EQ(to_text(*kernels[0].widest[3]), "0/0/2:loop[0]");
  EXPECT_EQ(kernels[0].shared, (std::vector<std::string>{"E", "F"}));
  EXPECT_EQ(kernels[0].local, std::vector<std::string>{"G"});
  EXPECT_EQ(kernels[1].statements, std::vector<std::size_t>{4});
}

}  // namespace
}  // namespace steptp::testing
