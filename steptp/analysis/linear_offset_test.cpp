#include "steptp/analysis/linear_offset.h"

#include <gtest/gtest.h>

namespace steptp::testing {
namespace {

Index n(std::int64_t value) { return Index::constant(value); }
Index quotient(const Index& index, std::int64_t by) { return *Index::floor_divide(index, n(by)); }
Index remainder(const Index& index, std::int64_t by) { return *Index::modulo(index, n(by)); }

TEST(LinearOffset, Strides) {
  EXPECT_EQ(row_major_strides({2, 3, 4}), (std::vector<std::int64_t>{12, 4, 1}));
  EXPECT_EQ(row_major_strides({}), std::vector<std::int64_t>());
  EXPECT_FALSE(row_major_strides({2, INT64_MAX, INT64_MAX}));
}

TEST(LinearOffset, DigitsAreOneNumberAgain) {
  const Index p = Index::variable("p");
  const std::vector<BoxVariable> box{{"p", 2 * 3 * 5 * 7}};
  EXPECT_EQ(linear_offset({quotient(p, 7), remainder(p, 7)}, {7, 1}, box), p);
  EXPECT_EQ(linear_offset({quotient(quotient(quotient(p, 7), 5), 3), remainder(quotient(quotient(p, 7), 5), 3),
                           remainder(quotient(p, 7), 5), remainder(p, 7)},
                          {105, 35, 7, 1}, box),
            p);
  // A dimension in between that the number does not run over.
  EXPECT_EQ(
      linear_offset({quotient(p, 35), Index::variable("a"), remainder(quotient(p, 7), 5), remainder(p, 7)},
                    {350, 35, 7, 1}, box),
      *Index::add(*Index::add(*Index::multiply(n(350), quotient(p, 35)), *Index::multiply(n(35), Index::variable("a"))),
                  remainder(p, 35)));
}

TEST(LinearOffset, OtherStridesStayApart) {
  const Index p = Index::variable("p");
  const std::vector<BoxVariable> box{{"p", 35}};
  const Index apart = *Index::add(*Index::multiply(n(8), quotient(p, 7)), remainder(p, 7));
  EXPECT_EQ(linear_offset({quotient(p, 7), remainder(p, 7)}, {8, 1}, box), apart);
  EXPECT_NE(linear_offset({quotient(p, 5), remainder(p, 7)}, {7, 1}, box), p);
  EXPECT_FALSE(linear_offset({p}, {INT64_MAX}, {{"p", 3}}).value_or(p) == p);
}

}  // namespace
}  // namespace steptp::testing
