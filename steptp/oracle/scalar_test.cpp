#include "steptp/oracle/scalar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "steptp/base/random.h"
#include "testing/reference_rounding.h"

namespace steptp {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double real(DType dtype, double value) { return Scalar::real(dtype, value).as_real(); }

std::int64_t to_integer(double value, DType dtype) {
  return convert(Scalar::real(DType::f64, value), dtype).as_integer();
}

TEST(Scalar, RoundsToHalfAtTheEdges) {
  EXPECT_EQ(real(DType::f16, 65504), 65504);
  EXPECT_EQ(real(DType::f16, 65519.99), 65504);
  EXPECT_EQ(real(DType::f16, 65520), kInf);
  EXPECT_EQ(real(DType::f16, -1e300), -kInf);
  EXPECT_EQ(real(DType::f16, 0x1p-25), 0);
  EXPECT_EQ(real(DType::f16, std::nextafter(0x1p-25, 1)), 0x1p-24);
  EXPECT_EQ(real(DType::f16, 0x1.8p-24), 0x1p-23);  // a tie between subnormals
  EXPECT_EQ(real(DType::f16, 0x1.ffep-15), 0x1p-14);
  EXPECT_EQ(real(DType::f16, 1 + 0x1p-11), 1);
  EXPECT_EQ(real(DType::f16, 1 + 3 * 0x1p-11), 1 + 0x1p-9);
  EXPECT_TRUE(std::signbit(real(DType::f16, -1e-300)));
  // f64 -> f32 -> f16 would round twice here, to 1 + 2^-10.
  EXPECT_EQ(real(DType::f16, 1 + 0x1p-11 - 0x1p-40), 1);
  EXPECT_EQ(real(DType::bf16, 1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);
  EXPECT_EQ(real(DType::bf16, 0x1.ffp127), kInf);
  EXPECT_EQ(real(DType::bf16, 0x1.fep127), 0x1.fep127);
  EXPECT_EQ(real(DType::bf16, 0x1p-134), 0);
  EXPECT_EQ(real(DType::f32, 0x1p-150), 0);
  EXPECT_EQ(real(DType::f32, 0x1.000001p-150), 0x1p-149);
}

TEST(Scalar, RoundsToTheNearestValueOfTheType) {
  Random random(1);
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const NarrowType type(dtype);
    for (int i = 0; i < 300000; ++i) {
      const std::uint64_t draw = random.next();
      // Exponents around the type's range; half of the draws lie on or next to a midpoint.
      const int exponent =
          static_cast<int>(random.between(-info(dtype).max_exponent - 14, info(dtype).max_exponent + 3));
      std::uint64_t fraction = draw >> 12;
      if ((draw & 1) != 0) fraction = (fraction & ~((std::uint64_t{1} << (53 - 12)) - 1)) + random.below(3) - 1;
      const double value =
          std::ldexp(1.0 + std::ldexp(static_cast<double>(fraction & ((std::uint64_t{1} << 52) - 1)), -52), exponent) *
          ((draw & 2) != 0 ? -1 : 1);
      const double rounded = real(dtype, value);
      ASSERT_EQ(rounded, type.nearest(value)) << code(dtype) << ' ' << std::hexfloat << value;
      ASSERT_EQ(std::signbit(rounded), std::signbit(value));
    }
  }
}

TEST(Scalar, EveryPatternSurvivesLoadAndStore) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::i16}) {
    for (std::uint32_t pattern = 0; pattern < 65536; ++pattern) {
      const auto bits = static_cast<std::uint16_t>(pattern);
      std::byte bytes[2];
      std::memcpy(bytes, &bits, 2);
      const Scalar value = load(dtype, bytes);
      std::byte back[2];
      store(value, back);
      std::uint16_t stored = 0;
      std::memcpy(&stored, back, 2);
      const bool nan = is_float(dtype) && std::isnan(value.as_real());
      ASSERT_EQ(stored, nan ? (dtype == DType::f16 ? 0x7e00 : 0x7fc0) : bits);
      ASSERT_TRUE(!is_float(dtype) || nan || real(dtype, value.as_real()) == value.as_real());
    }
  }
  std::byte bytes[8];
  store(Scalar::real(DType::f32, -1.5), bytes);
  EXPECT_EQ(bytes[3], std::byte{0xbf});
  EXPECT_EQ(bytes[2], std::byte{0xc0});
  store(Scalar::real(DType::f64, -kNan), bytes);
  EXPECT_EQ(bytes[7], std::byte{0x7f}) << "one NaN, and it is positive";
  store(Scalar::integer(DType::i64, -2), bytes);
  EXPECT_EQ(load(DType::i64, bytes).as_integer(), -2);
  EXPECT_EQ(load(DType::u8, bytes).as_integer(), 254);
  EXPECT_EQ(load(DType::i8, bytes).as_integer(), -2);
  EXPECT_EQ(load(DType::boolean, bytes).as_integer(), 1);
}

TEST(Scalar, FloatToIntegerTruncatesAndSaturates) {
  EXPECT_EQ(to_integer(-2.9, DType::i32), -2);
  EXPECT_EQ(to_integer(kNan, DType::i64), 0);
  EXPECT_EQ(to_integer(kInf, DType::i64), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(to_integer(-kInf, DType::i64), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(to_integer(0x1p63, DType::i64), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(to_integer(0x1.fffffffffffffp62, DType::i64), 0x7ffffffffffffc00);
  EXPECT_EQ(to_integer(-0x1p63, DType::i64), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(to_integer(300, DType::u8), 255);
  EXPECT_EQ(to_integer(-0.99, DType::u8), 0);
  EXPECT_EQ(to_integer(-1, DType::u8), 0);
  EXPECT_EQ(to_integer(127.9, DType::i8), 127);
  EXPECT_EQ(to_integer(-1e9, DType::i16), -32768);
}

TEST(Scalar, IntegersWrapAndBoolIsNonZero) {
  const Scalar big = Scalar::integer(DType::i64, 0x1234567890abcdef);
  EXPECT_EQ(convert(big, DType::i32).as_integer(), static_cast<std::int32_t>(0x90abcdef));
  EXPECT_EQ(convert(big, DType::i8).as_integer(), -17);
  EXPECT_EQ(convert(big, DType::u8).as_integer(), 0xef);
  EXPECT_EQ(convert(Scalar::integer(DType::i64, 256), DType::boolean).as_integer(), 1);
  EXPECT_EQ(convert(Scalar::real(DType::f64, 1e-300), DType::boolean).as_integer(), 1);
  EXPECT_EQ(convert(Scalar::real(DType::f64, kNan), DType::boolean).as_integer(), 1);
  EXPECT_EQ(convert(Scalar::real(DType::f64, -0.0), DType::boolean).as_integer(), 0);
  EXPECT_EQ(convert(Scalar::boolean(true), DType::bf16).as_real(), 1);
}

TEST(Scalar, IntegerToFloatRoundsOnce) {
  // 2^60 + 2^36 + 1 lies above a midpoint of f32; by way of f64 the 1 is lost and the tie goes down.
  const Scalar awkward = Scalar::integer(DType::i64, (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1);
  EXPECT_EQ(convert(awkward, DType::f32).as_real(), 0x1.000002p60);
  EXPECT_EQ(convert(Scalar::integer(DType::i64, 65519), DType::f16).as_real(), 65504);
  EXPECT_EQ(convert(Scalar::integer(DType::i64, 65520), DType::f16).as_real(), kInf);
  EXPECT_EQ(convert(Scalar::integer(DType::i64, INT64_MIN), DType::bf16).as_real(), -0x1p63);
  EXPECT_EQ(convert(Scalar::integer(DType::i64, INT64_MAX), DType::f64).as_real(), 0x1p63);
  Random random(2);
  for (int i = 0; i < 200000; ++i) {
    const auto value = static_cast<std::int64_t>(random.next()) >> random.below(63);
    const Scalar scalar = Scalar::integer(DType::i64, value);
    ASSERT_EQ(convert(scalar, DType::f32).as_real(), static_cast<double>(static_cast<float>(value)));
    ASSERT_EQ(convert(scalar, DType::f64).as_real(), static_cast<double>(value));
  }
}

TEST(Scalar, Identities) {
  for (const DType dtype : kAllDTypes) {
    EXPECT_FALSE(identity(ArithmeticOp::subtract, dtype));
    EXPECT_EQ(identity(ArithmeticOp::add, dtype), convert(Scalar::boolean(false), dtype));
    EXPECT_EQ(identity(ArithmeticOp::multiply, dtype), convert(Scalar::boolean(true), dtype));
  }
  EXPECT_EQ(identity(ArithmeticOp::max, DType::f16), Scalar::real(DType::f16, -kInf));
  EXPECT_EQ(identity(ArithmeticOp::min, DType::bf16), Scalar::real(DType::bf16, kInf));
  EXPECT_EQ(identity(ArithmeticOp::max, DType::i64)->as_integer(), INT64_MIN);
  EXPECT_EQ(identity(ArithmeticOp::min, DType::u8)->as_integer(), 255);
  EXPECT_EQ(identity(ArithmeticOp::max, DType::boolean)->as_integer(), 0);
  EXPECT_EQ(identity(ArithmeticOp::min, DType::boolean)->as_integer(), 1);
}

}  // namespace
}  // namespace steptp
