#include "steptp/moves/parts.h"

#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "testing/move_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kMatmul = R"(
@input A f32[8,6]
@input C f32[6,4]
@output E f32[8,4]
B(tx,8)L(a,4)L(c,6)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];B(tx,8)L(a,4)[E[tx,a]=max(D[tx,a],0);];
)";

std::string names(const std::vector<AxisOf>& axes) {
  return join(axes, " ", [](const AxisOf& axis) { return axis.index; });
}

TEST(Parts, AxesByWhatTheyAreFor) {
  const Program program = move_program(kMatmul);
  View view(program);
  const Axes axes = axes_of(*only_statement(view, 0));
  EXPECT_EQ(names(axes.spatial), "tx a");
  EXPECT_EQ(names(axes.reduced), "c");
  EXPECT_TRUE(axes.repeated.empty());
  EXPECT_EQ(to_text(axes.reduced[0].loop), "0:loop[2]");
  EXPECT_EQ(iterations(axes.spatial), 32);
  const Program again = move_program("@input A f32[8]\n@output D f32[8]\nL(c,3)L(a,8)[D[a]=A[a];];");
  View other(again);
  EXPECT_EQ(names(axes_of(*only_statement(other, 0)).repeated), "c");
  EXPECT_FALSE(is_elementwise(*only_statement(other, 0)));
}

TEST(Parts, ProducersAndConsumers) {
  const Program program = move_program(kMatmul);
  View view(program);
  EXPECT_EQ(only_writer(view, "D"), only_statement(view, 0));
  EXPECT_EQ(only_reader(view, "D"), only_statement(view, 1)) << "the accumulation's own read does not count";
  EXPECT_EQ(readers_of(view, "A").size(), 1U);
  EXPECT_TRUE(is_intermediate(view, "D"));
  EXPECT_FALSE(is_intermediate(view, "E"));
  EXPECT_FALSE(is_intermediate(view, "Q"));
  EXPECT_TRUE(is_elementwise(*only_statement(view, 1)));
  EXPECT_FALSE(is_elementwise(*only_statement(view, 0)));
  EXPECT_EQ(only_writer(view, "A"), nullptr);
}

TEST(Parts, Contractions) {
  const Program program = move_program(kMatmul);
  View view(program);
  const auto found = find_contraction(*only_statement(view, 0));
  ASSERT_TRUE(found);
  EXPECT_EQ(names(found->m), "tx");
  EXPECT_EQ(names(found->n), "a");
  EXPECT_EQ(names(found->k), "c");
  EXPECT_TRUE(found->batch.empty());
  EXPECT_FALSE(found->has_window({"tx", "a"}));
  EXPECT_EQ(to_text(found->b_site), "0/0:right.1.1");
  EXPECT_FALSE(find_contraction(*only_statement(view, 1)));
  const Program windows = move_program(R"(
@input A f32[2,3,10]
@input W f32[4,3,3]
@output D f32[2,4,8]
L(n,2)L(f,4)L(w,8)L(c,3)L(r,3)[D[n,f,w]=D[n,f,w]+A[n,c,w+r]*W[f,c,r];];
)");
  View other(windows);
  const auto convolution = find_contraction(*only_statement(other, 0));
  ASSERT_TRUE(convolution);
  EXPECT_EQ(names(convolution->m), "n w");
  EXPECT_EQ(names(convolution->n), "f");
  EXPECT_EQ(names(convolution->k), "c r");
  EXPECT_TRUE(convolution->has_window({"w"}));
  EXPECT_FALSE(convolution->has_window({"n", "f"}));
  EXPECT_EQ(tile_of(*convolution->statement, *convolution->a, {"w", "r"}), (std::vector<std::int64_t>{1, 1, 10}));
  EXPECT_EQ(tile_of(*convolution->statement, *convolution->b, {"f"}), (std::vector<std::int64_t>{4, 1, 1}));
}

TEST(Parts, StatementsByTheirPlace) {
  const Program program = move_program(R"(
@input A f32[8,6]
@output D f32[8,6]
@output E f32[8]
B(tx,8)[L(a,6)[D[tx,a]=A[tx,a];];E[tx]=A[tx,0];];
)");
  View view(program);
  EXPECT_EQ(only_statement(view, 0), nullptr);
  ASSERT_TRUE(statement_at(view, *parse_site("0/0")));
  EXPECT_EQ(statement_at(view, *parse_site("0/1"))->equation->left->tensor, "E");
  EXPECT_EQ(statement_at(view, *parse_site("0/0:loop[0]")), nullptr);
  EXPECT_EQ(statement_at(view, *parse_site("3")), nullptr);
}

}  // namespace
}  // namespace steptp::testing
