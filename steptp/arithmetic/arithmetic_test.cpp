// The two arithmetics on the same operations: field intervals and balls hold the same value, which a long double
// computation lies in too.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "steptp/arithmetic/ball_arithmetic.h"
#include "steptp/arithmetic/failure.h"
#include "steptp/arithmetic/field_arithmetic.h"
#include "steptp/arithmetic/fraction.h"
#include "steptp/arithmetic/rounded_arithmetic.h"
#include "steptp/base/random.h"

namespace steptp::certify {
namespace {

double middle(const FieldArithmetic::Value& value) { return value.low / 2 + value.high / 2; }

double middle(const BallArithmetic::Value& value) { return arf_get_d(arb_midref(value.ball), ARF_RND_NEAR); }

struct Both {
  FieldArithmetic field{1};
  BallArithmetic balls{1, 192};
};

/// Whether the operation has a value there, and the same in both arithmetics and in long double.
void expect_same(Both& both, ArithmeticOp op, Fraction x, Fraction y, double expected) {
  FieldArithmetic::Value a;
  FieldArithmetic::Value b;
  BallArithmetic::Value c;
  BallArithmetic::Value d;
  both.field.input(a, x);
  both.field.input(b, y);
  both.balls.input(c, x);
  both.balls.input(d, y);
  both.field.arithmetic(op, a, a, b);
  both.balls.arithmetic(op, c, c, d);
  EXPECT_NEAR(middle(a), expected, 1e-12 * (1 + std::fabs(expected))) << text_of(op);
  EXPECT_NEAR(middle(c), expected, 1e-12 * (1 + std::fabs(expected))) << text_of(op);
  EXPECT_LE(a.low, middle(c) + 1e-15 * std::fabs(expected));
  EXPECT_GE(a.high, middle(c) - 1e-15 * std::fabs(expected));
}

TEST(Arithmetic, OperationsAgree) {
  Both both;
  Random random(5);
  for (int i = 0; i < 500; ++i) {
    const Fraction x{random.between(-(std::int64_t{1} << 52), std::int64_t{1} << 52), -50};
    const Fraction y{random.between(1, std::int64_t{1} << 52), -51};
    const double a = to_double(x);
    const double b = to_double(y);
    expect_same(both, ArithmeticOp::add, x, y, a + b);
    expect_same(both, ArithmeticOp::subtract, x, y, a - b);
    expect_same(both, ArithmeticOp::multiply, x, y, a * b);
    expect_same(both, ArithmeticOp::divide, x, y, a / b);
    expect_same(both, ArithmeticOp::max, x, y, std::max(a, b));
    expect_same(both, ArithmeticOp::min, x, y, std::min(a, b));
    expect_same(both, ArithmeticOp::floor_divide, x, y, std::floor(a / b));
    expect_same(both, ArithmeticOp::modulo, x, y, a - b * std::floor(a / b));
  }
}

TEST(Arithmetic, FunctionsAgree) {
  Both both;
  Random random(6);
  for (int i = 0; i < 100; ++i) {
    const Fraction x{random.between(1, std::int64_t{1} << 53), -51};
    const double a = to_double(x);
    const std::pair<Function, double> cases[] = {{Function::exp, std::exp(a)},     {Function::log, std::log(a)},
                                                 {Function::sqrt, std::sqrt(a)},   {Function::erf, std::erf(a)},
                                                 {Function::tanh, std::tanh(a)},   {Function::sin, std::sin(a)},
                                                 {Function::cos, std::cos(a)},     {Function::rsqrt, 1 / std::sqrt(a)},
                                                 {Function::floor, std::floor(a)}, {Function::ceil, std::ceil(a)},
                                                 {Function::negate, -a},           {Function::abs, a}};
    for (const auto& [function, expected] : cases) {
      FieldArithmetic::Value field;
      BallArithmetic::Value ball;
      both.field.input(field, x);
      both.balls.input(ball, x);
      both.field.function(function, field, field);
      both.balls.function(function, ball, ball);
      EXPECT_NEAR(middle(field), expected, 1e-12 * (1 + std::fabs(expected))) << text_of(function);
      EXPECT_NEAR(middle(ball), expected, 1e-12 * (1 + std::fabs(expected))) << text_of(function);
    }
  }
}

template <typename Arithmetic>
void expect_special_rules(Arithmetic& arithmetic) {
  using Value = typename Arithmetic::Value;
  const auto class_after = [&](ArithmeticOp op, const Value& a, const Value& b) {
    Value out;
    arithmetic.arithmetic(op, out, a, b);
    return Arithmetic::class_of(out);
  };
  Value plus;
  Value minus;
  Value zero;
  Value one;
  Value nan;
  arithmetic.infinity(plus, 1);
  arithmetic.infinity(minus, -1);
  arithmetic.integer(zero, 0);
  arithmetic.integer(one, 1);
  arithmetic.arithmetic(ArithmeticOp::add, nan, plus, minus);
  EXPECT_EQ(Arithmetic::class_of(nan), ValueClass::nan);
  EXPECT_EQ(class_after(ArithmeticOp::add, plus, one), ValueClass::positive_infinity);
  EXPECT_EQ(class_after(ArithmeticOp::subtract, plus, plus), ValueClass::nan);
  EXPECT_EQ(class_after(ArithmeticOp::multiply, plus, zero), ValueClass::nan);
  EXPECT_EQ(class_after(ArithmeticOp::multiply, minus, minus), ValueClass::positive_infinity);
  EXPECT_EQ(class_after(ArithmeticOp::divide, one, minus), ValueClass::finite);
  EXPECT_THROW(class_after(ArithmeticOp::divide, zero, zero), Failure);
  EXPECT_THROW(class_after(ArithmeticOp::divide, nan, zero), Failure);
  EXPECT_EQ(class_after(ArithmeticOp::max, nan, one), ValueClass::finite);
  EXPECT_EQ(class_after(ArithmeticOp::min, minus, one), ValueClass::negative_infinity);
  EXPECT_THROW(class_after(ArithmeticOp::divide, one, zero), Failure);
  Value out;
  arithmetic.function(Function::exp, out, minus);
  EXPECT_TRUE(arithmetic.compare(CompareOp::equal, out, zero));
  arithmetic.function(Function::log, out, zero);
  EXPECT_TRUE(arithmetic.compare(CompareOp::equal, out, minus));
  EXPECT_FALSE(arithmetic.compare(CompareOp::equal, nan, nan));
  EXPECT_TRUE(arithmetic.compare(CompareOp::not_equal, nan, nan));
  EXPECT_TRUE(arithmetic.compare(CompareOp::less, minus, one));
  EXPECT_EQ(arithmetic.to_integer(plus, DType::i8), 127);
  EXPECT_EQ(arithmetic.to_integer(nan, DType::i32), 0);
  EXPECT_EQ(arithmetic.to_integer(nan, DType::boolean), 1);
}

TEST(Arithmetic, InfinitiesAndNan) {
  Both both;
  expect_special_rules(both.field);
  expect_special_rules(both.balls);
}

/// x and y are the same number computed in different ways: no interval can show it, the identity does.
template <typename Arithmetic>
void expect_known_equal(Arithmetic& arithmetic) {
  typename Arithmetic::Value x;
  typename Arithmetic::Value y;
  typename Arithmetic::Value three;
  arithmetic.integer(three, 3);
  arithmetic.input(x, {12345678901, -40});
  y = x;
  arithmetic.arithmetic(ArithmeticOp::divide, x, x, three);
  arithmetic.function(Function::exp, x, x);
  arithmetic.arithmetic(ArithmeticOp::divide, y, y, three);
  arithmetic.function(Function::exp, y, y);
  EXPECT_TRUE(arithmetic.compare(CompareOp::equal, x, y));
  EXPECT_TRUE(arithmetic.compare(CompareOp::greater_equal, x, y));
  typename Arithmetic::Value largest;
  arithmetic.arithmetic(ArithmeticOp::max, largest, x, y);
  EXPECT_TRUE(arithmetic.compare(CompareOp::equal, largest, x));
}

/// The definition: the nearest multiple of the unit in the last place, ties to even.
double rounded_by_definition(DType dtype, double value) {
  const DTypeInfo& type = info(dtype);
  const int exponent = std::max(std::ilogb(value), 1 - type.max_exponent);
  const double unit = std::ldexp(1.0, exponent - type.precision + 1);
  const double rounded = std::nearbyint(value / unit) * unit;
  const double greatest = std::ldexp(2.0 - std::ldexp(1.0, 1 - type.precision), type.max_exponent);
  return std::fabs(rounded) > greatest ? std::copysign(std::numeric_limits<double>::infinity(), value) : rounded;
}

TEST(Arithmetic, RoundsToTheNearest) {
  Random random(4);
  for (int i = 0; i < 200000; ++i) {
    // Any bits, and numbers near the borders of the types: ties, subnormal ones, the greatest.
    double value = std::bit_cast<double>(random.next());
    if (i % 2 == 1) {
      const auto bits = static_cast<double>(random.between(-(1 << 14), 1 << 14));
      value = std::ldexp(bits + static_cast<double>(random.below(3)) / 2, static_cast<int>(random.between(-160, 130)));
    }
    if (!std::isfinite(value) || value == 0) continue;
    for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
      const double rounded = round_to(dtype, value);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(rounded),
                std::bit_cast<std::uint64_t>(rounded_by_definition(dtype, value)))
          << value << " in " << code(dtype);
      const int exponent = std::max(std::ilogb(value), 1 - info(dtype).max_exponent);
      EXPECT_EQ(unit_in_last_place(dtype, value), std::ldexp(1.0, exponent - info(dtype).precision + 1));
    }
    EXPECT_EQ(unit_in_last_place(DType::f64, value), std::ldexp(1.0, std::max(std::ilogb(value), -1022) - 52));
  }
}

TEST(Arithmetic, SameExpressionsAreKnownEqual) {
  Both both;
  expect_known_equal(both.field);
  expect_known_equal(both.balls);
}

TEST(Arithmetic, BallsNoticeSummandsThatVanish) {
  BallArithmetic balls(1, 192);
  BallArithmetic::Value one;
  BallArithmetic::Value tiny;
  balls.integer(one, 1);
  balls.integer(tiny, -300);
  balls.function(Function::exp, tiny, tiny);
  balls.arithmetic(ArithmeticOp::add, one, one, tiny);
  EXPECT_GT(balls.wanted_precision(), 192);
}

TEST(Arithmetic, LiteralsAreDecimals) {
  Both both;
  EXPECT_EQ(both.field.add_literals({decimal_of(0.1), decimal_of(0.5)}), 0u);
  EXPECT_EQ(both.balls.add_literals({decimal_of(0.1), decimal_of(0.5)}), 0u);
  FieldArithmetic::Value a;
  FieldArithmetic::Value ten;
  both.field.literal(a, 0);
  both.field.integer(ten, 10);
  EXPECT_LT(a.low, a.high);
  both.field.arithmetic(ArithmeticOp::multiply, a, a, ten);
  FieldArithmetic::Value one;
  both.field.integer(one, 1);
  EXPECT_TRUE(both.field.compare(CompareOp::equal, a, one));
  both.field.literal(a, 1);
  EXPECT_EQ(a.low, a.high);
}

/// Sums of many summands at once against one at a time: the same residue, the same degrees, and bounds that hold the
/// ball's value.
void expect_sum(std::uint64_t seed, std::int64_t scale, std::size_t count, bool is_subtracted) {
  Both both;
  Random random(seed);
  std::vector<FieldArithmetic::Value> left(count);
  std::vector<FieldArithmetic::Value> right(count);
  std::vector<std::int64_t> left_inputs;
  std::vector<std::int64_t> right_inputs;
  FieldArithmetic::Value one_by_one;
  BallArithmetic::Value exact;
  both.field.integer(one_by_one, 3);
  both.balls.integer(exact, 3);
  FieldArithmetic::Value sum = one_by_one;
  FieldArithmetic::Value input_sum = one_by_one;
  const ArithmeticOp op = is_subtracted ? ArithmeticOp::subtract : ArithmeticOp::add;
  for (std::size_t i = 0; i < count; ++i) {
    const Fraction x{random.between(-scale, scale), -52};
    const Fraction y{random.between(-scale, scale), -52};
    left_inputs.push_back(x.mantissa);
    right_inputs.push_back(y.mantissa);
    both.field.input(left[i], x);
    both.field.input(right[i], y);
    FieldArithmetic::Value product;
    both.field.arithmetic(ArithmeticOp::multiply, product, left[i], right[i]);
    both.field.arithmetic(op, one_by_one, one_by_one, product);
    BallArithmetic::Value a;
    BallArithmetic::Value b;
    both.balls.input(a, x);
    both.balls.input(b, y);
    both.balls.arithmetic(ArithmeticOp::multiply, a, a, b);
    both.balls.arithmetic(op, exact, exact, a);
  }
  both.field.add_products(sum, left.data(), right.data(), count, is_subtracted);
  both.field.add_input_products(input_sum, left_inputs.data(), right_inputs.data(), count, is_subtracted);
  for (const FieldArithmetic::Value& value : {sum, input_sum}) {
    EXPECT_EQ(value.residue, one_by_one.residue);
    EXPECT_EQ(value.numerator, one_by_one.numerator);
    EXPECT_EQ(value.denominator, one_by_one.denominator);
    EXPECT_LE(value.low, middle(exact) + 1e-16 * std::fabs(middle(exact)));
    EXPECT_GE(value.high, middle(exact) - 1e-16 * std::fabs(middle(exact)));
    EXPECT_LE(value.high - value.low, 1e-10 * (1 + std::fabs(value.high)));
  }
}

TEST(FieldSums, AgreeWithOneAtATime) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    // Down to sums of small integers, which stay exact.
    const std::int64_t scale = seed % 3 == 0 ? std::int64_t{4} << 52 : std::int64_t{1} << (52 - seed % 40);
    expect_sum(seed, scale, 1 + seed * 2, seed % 2 == 1);
  }
}

TEST(FieldSums, InfinitiesAreSummedAsUsual) {
  FieldArithmetic field{1};
  std::vector<FieldArithmetic::Value> values(5);
  for (std::size_t i = 0; i < values.size(); ++i) field.integer(values[i], static_cast<std::int64_t>(i));
  FieldArithmetic::Value sum;
  field.integer(sum, 0);
  field.add_all(sum, values.data(), values.size(), false);
  EXPECT_EQ(sum.low, 10);
  EXPECT_EQ(sum.high, 10) << "integers stay exact";
  field.infinity(values[3], -1);
  field.add_all(sum, values.data(), values.size(), false);
  EXPECT_EQ(FieldArithmetic::class_of(sum), ValueClass::negative_infinity);
}

/// The quick bounds of exp and the roots against balls.
TEST(FieldFunctions, BoundsHoldTheValue) {
  Both both;
  Random random(7);
  for (int i = 0; i < 4000; ++i) {
    const Fraction x{random.between(1, std::int64_t{1} << 53), static_cast<std::int32_t>(random.between(-62, -44))};
    for (const Function function : {Function::exp, Function::sqrt, Function::rsqrt}) {
      for (const bool is_negative : {false, true}) {
        if (is_negative && function != Function::exp) continue;
        FieldArithmetic::Value field;
        BallArithmetic::Value ball;
        both.field.input(field, {is_negative ? -x.mantissa : x.mantissa, x.exponent});
        both.balls.input(ball, {is_negative ? -x.mantissa : x.mantissa, x.exponent});
        both.field.function(function, field, field);
        both.balls.function(function, ball, ball);
        arb_t bounds;
        arb_init(bounds);
        arb_t high;
        arb_init(high);
        arb_set_d(bounds, field.low);
        arb_set_d(high, field.high);
        EXPECT_NE(arb_lt(bounds, ball.ball), 0) << text_of(function);
        EXPECT_NE(arb_gt(high, ball.ball), 0) << text_of(function);
        EXPECT_LT(field.high - field.low, 1e-13 * field.high);
        arb_clear(bounds);
        arb_clear(high);
      }
    }
  }
}

/// A fraction says the double exactly, however large or small it is, and in few bits.
TEST(Fraction, OfADoubleIsExact) {
  Random random(11);
  for (int i = 0; i < 20'000; ++i) {
    const auto value = std::bit_cast<double>(random.next());
    if (!std::isfinite(value)) continue;
    const Fraction fraction = fraction_of(value);
    EXPECT_EQ(to_double(fraction), value);
    EXPECT_TRUE(fraction.mantissa % 2 != 0 || fraction.exponent == -52) << value;
  }
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  for (const double value : {0.0, 1.0, -0.75, 0x1p-53, kLeast, -3 * kLeast, std::numeric_limits<double>::min(),
                             std::numeric_limits<double>::max(), 0x1.fffffffffffffp-1, 0x1p60}) {
    EXPECT_EQ(to_double(fraction_of(value)), value);
  }
  EXPECT_EQ(fraction_of(-0x3p-60), (Fraction{-3, -60}));
  EXPECT_EQ(fraction_of(3 * kLeast), (Fraction{3, -1074}));
}

}  // namespace
}  // namespace steptp::certify
