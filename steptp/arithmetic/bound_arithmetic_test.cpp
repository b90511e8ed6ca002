// The error bound of `safe`: what operations are charged, and that errors on two ways cancel.
#include <gtest/gtest.h>

#include <cmath>

#include "steptp/arithmetic/bound_arithmetic.h"

namespace steptp::certify {
namespace {

using Value = BoundArithmetic::Value;
constexpr double kHalfUnit = 0x1p-24;  // of f32, beside 1

class Bound : public ::testing::Test {
 protected:
  Value given(double value) {
    Value out;
    BoundArithmetic::input(out, value);
    arithmetic.store_input(DType::f32, out);
    return out;
  }
  Value number(std::int64_t value) {
    Value out;
    arithmetic.integer(out, value);
    return out;
  }
  Value made(ArithmeticOp op, const Value& a, const Value& b) {
    arithmetic.set_type(DType::f32);
    Value out;
    arithmetic.arithmetic(op, out, a, b);
    return out;
  }
  /// As a tensor keeps it: read twice it has one error.
  Value kept(Value value) {
    arithmetic.store(DType::f32, value);
    arithmetic.settle(value);
    return value;
  }
  double bound(const Value& value) { return static_cast<double>(arithmetic.bound_of(value).of_roundings); }
  BoundArithmetic arithmetic;
};

TEST_F(Bound, ChargesHalfAUnitWhetherExactOrNot) {
  EXPECT_NEAR(bound(made(ArithmeticOp::add, given(1), given(0.5))), kHalfUnit, 1e-12);
  EXPECT_NEAR(bound(made(ArithmeticOp::multiply, given(3), given(1))), 2 * kHalfUnit, 1e-12);
}

TEST_F(Bound, ChargesNothingForWhatIsAlwaysExact) {
  EXPECT_EQ(bound(made(ArithmeticOp::multiply, given(3), number(4))), 0);
  EXPECT_EQ(bound(made(ArithmeticOp::divide, given(3), number(2))), 0);
  EXPECT_EQ(bound(made(ArithmeticOp::add, given(3), number(0))), 0);
  EXPECT_EQ(bound(made(ArithmeticOp::max, given(3), given(4))), 0);
  EXPECT_EQ(bound(made(ArithmeticOp::multiply, given(3), given(0))), 0);
  Value negated;
  arithmetic.function(Function::negate, negated, given(3));
  EXPECT_EQ(bound(negated), 0);
}

TEST_F(Bound, ChargesAPowerOfTwoThatUnderflows) {
  EXPECT_GT(bound(made(ArithmeticOp::multiply, given(0x1p-126), made(ArithmeticOp::add, number(0), given(0.5)))), 0);
  Value small = given(0x1p-126);
  Value half;
  arithmetic.integer(half, 2);
  EXPECT_GT(bound(made(ArithmeticOp::divide, small, half)), 0);
}

TEST_F(Bound, CancelsWhatReachesAValueTwice) {
  const Value x = kept(made(ArithmeticOp::multiply, given(3), given(5)));
  EXPECT_GT(bound(x), 0);
  EXPECT_EQ(bound(made(ArithmeticOp::subtract, x, x)), 0);
  const Value y = kept(made(ArithmeticOp::add, x, given(1)));
  // y-x has the rounding of y and its own, not that of x.
  EXPECT_LT(bound(made(ArithmeticOp::subtract, y, x)), 1.05 * (16 + 1) * kHalfUnit);
}

TEST_F(Bound, RemembersWhatCancellationLoses) {
  const Value sum = made(ArithmeticOp::add, given(1), given(0x1p40));
  EXPECT_NEAR(bound(made(ArithmeticOp::subtract, sum, given(0x1p40))), 0x1p16, 1);
}

TEST_F(Bound, AccumulationsCountMagnitudesInAnyOrder) {
  double bounds[2];
  for (const bool backwards : {false, true}) {
    Value sum = number(0);
    for (int i = 0; i < 10; ++i) {
      const int k = backwards ? 9 - i : i;
      arithmetic.accumulate(sum, given(k % 2 == 0 ? 1 : -1), false, DType::f32);
    }
    arithmetic.finish_accumulation(sum, DType::f32);
    EXPECT_EQ(sum.value, 0);
    bounds[backwards ? 1 : 0] = bound(sum);
  }
  EXPECT_NEAR(bounds[0], 9 * 10 * kHalfUnit, 1e-9);
  EXPECT_EQ(bounds[0], bounds[1]);
}

TEST_F(Bound, JoinsPartialAccumulations) {
  Value parts[2] = {number(0), number(0)};
  for (Value& part : parts) {
    for (int i = 0; i < 5; ++i) arithmetic.accumulate(part, given(1), false, DType::f32);
    arithmetic.finish_accumulation(part, DType::f32);
  }
  EXPECT_NEAR(bound(made(ArithmeticOp::add, parts[0], parts[1])), 9 * 10 * kHalfUnit, 1e-9);
}

TEST_F(Bound, SeesEvents) {
  static_cast<void>(made(ArithmeticOp::multiply, given(0x1p100), given(0x1p100)));
  EXPECT_GT(arithmetic.events().overflow, 0);
  arithmetic.restart();
  static_cast<void>(made(ArithmeticOp::divide, given(1), given(0)));
  EXPECT_TRUE(arithmetic.events().has_zero_divisor);
  arithmetic.restart();
  const Value near = made(ArithmeticOp::subtract, made(ArithmeticOp::add, given(1), given(0x1p30)), given(0x1p30));
  static_cast<void>(arithmetic.compare(CompareOp::greater, near, given(0)));
  EXPECT_GT(arithmetic.events().close_branch, 0);
  arithmetic.restart();
  static_cast<void>(arithmetic.compare(CompareOp::greater, given(1), given(1)));
  EXPECT_LT(arithmetic.events().close_branch, 0);
}

}  // namespace
}  // namespace steptp::certify
