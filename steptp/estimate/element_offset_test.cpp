#include "steptp/estimate/element_offset.h"

#include <gtest/gtest.h>

namespace steptp::estimation {
namespace {

Index variable(const char* name) { return Index::variable(name); }
Index number(std::int64_t value) { return Index::constant(value); }
Index sum(const Index& a, const Index& b) { return *Index::add(a, b); }
Index product(const Index& a, const Index& b) { return *Index::multiply(a, b); }

TEST(ElementOffset, FollowsItsLoops) {
  const Loop a{LoopKind::serial, 4, "a"};
  const Loop c{LoopKind::serial, 8, "c"};
  const ElementOffset offset(sum(product(variable("a"), number(8)), variable("c")), {&a, &c});
  EXPECT_EQ(offset.at({2, 3}), 19);
  EXPECT_EQ(offset.loops(), 3U);
  EXPECT_EQ(offset.step_of(0, 2), 8);
  EXPECT_EQ(offset.step_of(1, 2), 1);
}

TEST(ElementOffset, EvaluatesQuotientsAndRemainders) {
  const Loop a{LoopKind::serial, 12, "a"};
  const Index quotient = *Index::floor_divide(variable("a"), number(5));
  const Index remainder = *Index::modulo(variable("a"), number(5));
  const ElementOffset offset(sum(product(quotient, number(100)), remainder), {&a});
  EXPECT_EQ(offset.at({11}), 201);
  // 3 rows of 5, of which 12 elements exist: rows count whole, and never more than there are iterations in one.
  EXPECT_EQ(footprint(offset.strides({12}), 4, 4, 1e9), 3 * 5 * 4);
}

TEST(Footprint, MergesWhatLiesSideBySide) {
  EXPECT_EQ(footprint({{1, 16}, {16, 8}}, 4, 4, 1e9), 16 * 8 * 4);
  // Rows of 16 elements, 100 apart.
  EXPECT_EQ(footprint({{100, 8}, {1, 16}}, 4, 4, 1e9), 16 * 8 * 4);
}

TEST(Footprint, CountsWhatMemoryMoves) {
  // Every element in a sector of its own.
  EXPECT_EQ(footprint({{100, 8}}, 4, 32, 1e9), 8 * 32);
  // Every other element: sectors are used by half.
  EXPECT_EQ(footprint({{2, 64}}, 4, 32, 1e9), 512);
  // No more than the tensor has.
  EXPECT_EQ(footprint({{1, 1000}}, 4, 32, 128), 128);
}

TEST(Footprint, SeesThatWindowsOverlap) {
  // Rows y+r of a picture with 56 columns, for 54 rows and 3 taps: 56 rows.
  EXPECT_EQ(footprint({{56, 54}, {56, 3}, {1, 56}}, 4, 4, 1e9), 56 * 56 * 4);
}

TEST(ElementOffset, DataLeadsAnywhere) {
  const Loop a{LoopKind::serial, 64, "a"};
  const RefPtr read = make_ref("I", DType::i64, Scope::global, {variable("a")});
  const ElementOffset offset(Index::read(read), {&a});
  EXPECT_NE(offset.at({1}), offset.at({2}));
  EXPECT_EQ(offset.at({1}), offset.at({1}));
  EXPECT_GE(footprint(offset.strides({64}), 4, 32, 1e9), 64 * 32);
}

}  // namespace
}  // namespace steptp::estimation
