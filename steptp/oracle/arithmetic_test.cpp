#include "steptp/oracle/arithmetic.h"

#include <gmp.h>
#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <limits>

#include "steptp/base/random.h"
#include "testing/reference_rounding.h"

namespace steptp {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double real(ArithmeticOp op, double a, double b, DType dtype = DType::f64) {
  return evaluate(op, Scalar::real(dtype, a), Scalar::real(dtype, b))->as_real();
}

std::optional<std::int64_t> integer(ArithmeticOp op, DType dtype, std::int64_t a, std::int64_t b) {
  const auto result = evaluate(op, Scalar::integer(dtype, a), Scalar::integer(dtype, b));
  if (!result) return std::nullopt;
  return result->as_integer();
}

/// Equal as numbers and in the sign of a zero; any NaN equals any.
::testing::AssertionResult same(double a, double b) {
  if ((std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b)))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << std::hexfloat << a << " is not " << b;
}

Scalar random_value(Random& random, DType dtype) {
  std::byte bytes[8];
  const std::uint64_t draw = random.next();
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(draw >> (8 * i));
  const Scalar any = load(dtype, bytes);
  // Whole patterns rarely meet each other's exponents; half of the draws are near 1.
  if (random.chance(1, 2)) return any;
  return Scalar::real(dtype,
                      static_cast<double>(random.between(-4096, 4096)) / static_cast<double>(1 << random.below(12)));
}

double round_reference(DType dtype, mpfr_ptr value, const NarrowType* narrow) {
  if (dtype == DType::f64) return mpfr_get_d(value, MPFR_RNDN);
  if (dtype == DType::f32) return static_cast<double>(mpfr_get_flt(value, MPFR_RNDN));
  // To odd: what is left after cutting off shows in the last bit.
  double cut = mpfr_get_d(value, MPFR_RNDZ);
  if (mpfr_cmp_d(value, cut) != 0) cut = std::bit_cast<double>(std::bit_cast<std::uint64_t>(cut) | 1);
  return narrow->nearest(cut);
}

/// The exact result, by rational arithmetic, rounded once.
double exact(ArithmeticOp op, Scalar left, Scalar right, const NarrowType* narrow) {
  mpq_t a, b, q;
  mpq_inits(a, b, q, nullptr);
  mpz_t floor;
  mpz_init(floor);
  mpq_set_d(a, left.as_real());
  mpq_set_d(b, right.as_real());
  if (op == ArithmeticOp::add) mpq_add(q, a, b);
  if (op == ArithmeticOp::subtract) mpq_sub(q, a, b);
  if (op == ArithmeticOp::multiply) mpq_mul(q, a, b);
  if (op == ArithmeticOp::divide || op == ArithmeticOp::floor_divide || op == ArithmeticOp::modulo) mpq_div(q, a, b);
  if (op == ArithmeticOp::floor_divide || op == ArithmeticOp::modulo) {
    mpz_fdiv_q(floor, mpq_numref(q), mpq_denref(q));
    mpq_set_z(q, floor);
  }
  if (op == ArithmeticOp::modulo) {
    mpq_mul(q, q, b);
    mpq_sub(q, a, q);
  }
  mpfr_t value;
  mpfr_init2(value, 4400);  // every sum, product and rest of doubles is exact with that many digits
  mpfr_set_q(value, q, MPFR_RNDZ);
  const double result = round_reference(left.dtype(), value, narrow);
  mpfr_clear(value);
  mpz_clear(floor);
  mpq_clears(a, b, q, nullptr);
  return result;
}

TEST(Arithmetic, RoundsTheExactResultOnce) {
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
    const NarrowType narrow(dtype == DType::bf16 ? DType::bf16 : DType::f16);
    Random random(static_cast<std::uint64_t>(dtype) + 10);
    for (const ArithmeticOp op : {ArithmeticOp::add, ArithmeticOp::subtract, ArithmeticOp::multiply,
                                  ArithmeticOp::divide, ArithmeticOp::floor_divide, ArithmeticOp::modulo}) {
      for (int i = 0; i < 20000; ++i) {
        const Scalar a = random_value(random, dtype);
        const Scalar b = random_value(random, dtype);
        if (!std::isfinite(a.as_real()) || !std::isfinite(b.as_real()) || b.as_real() == 0) continue;
        const double got = evaluate(op, a, b)->as_real();
        const double wanted = exact(op, a, b, &narrow);
        ASSERT_EQ(got, wanted) << code(dtype) << std::hexfloat << ' ' << a.as_real() << text_of(op) << b.as_real();
      }
    }
  }
}

TEST(Arithmetic, FloorDivisionNextToIntegersAndFarOut) {
  const NarrowType narrow(DType::f16);
  Random random(3);
  for (int i = 0; i < 100000; ++i) {
    // a is the rounded product of b and an integer: the quotient lies within rounding of that integer.
    const double b = static_cast<double>(random.between(1, 1 << 30)) * (random.chance(1, 2) ? 1 : -1) * 0x1.8p-20;
    const double whole = static_cast<double>(static_cast<std::int64_t>(random.next()) >> random.below(60));
    const Scalar left = Scalar::real(DType::f64, whole * b);
    const Scalar right = Scalar::real(DType::f64, b);
    for (const ArithmeticOp op : {ArithmeticOp::floor_divide, ArithmeticOp::modulo}) {
      ASSERT_EQ(evaluate(op, left, right)->as_real(), exact(op, left, right, &narrow))
          << std::hexfloat << left.as_real() << text_of(op) << b;
    }
  }
  EXPECT_EQ(real(ArithmeticOp::floor_divide, 1.0, 0.1), 9.0);
  EXPECT_EQ(real(ArithmeticOp::floor_divide, -1e-300, 1e300), -1.0);
  EXPECT_EQ(real(ArithmeticOp::floor_divide, 1e300, 1e-300), kInf);
  EXPECT_EQ(real(ArithmeticOp::floor_divide, 65504, 0.00001, DType::f16), kInf);
}

TEST(Arithmetic, SpecialValuesOfFloorDivisionAndModulo) {
  struct Case {
    double a, b, quotient, rest;
  };
  // As numpy.floor_divide and numpy.remainder answer.
  const Case cases[] = {
      {1, 0.0, kInf, kNan},  {-1, 0.0, -kInf, kNan}, {1, -0.0, -kInf, kNan},  {0, 0, kNan, kNan},
      {kInf, 2, kNan, kNan}, {-kInf, 2, kNan, kNan}, {kInf, 0.0, kNan, kNan}, {kInf, kInf, kNan, kNan},
      {3, kInf, 0, 3},       {-3, kInf, -1, kInf},   {3, -kInf, -1, -kInf},   {-3, -kInf, 0, -3},
      {0.0, 5, 0.0, 0.0},    {-0.0, 5, -0.0, 0.0},   {0.0, -5, -0.0, -0.0},   {6, -3, -2, -0.0},
      {7, -3, -3, -2},       {-7, 3, -3, 2},         {kNan, 1, kNan, kNan},   {1, kNan, kNan, kNan},
      {-1e-20, 1, -1, 1},
  };
  for (const DType dtype : {DType::f64, DType::f32, DType::bf16}) {
    for (const Case& c : cases) {
      EXPECT_TRUE(same(real(ArithmeticOp::floor_divide, c.a, c.b, dtype), c.quotient)) << c.a << "//" << c.b;
      EXPECT_TRUE(same(real(ArithmeticOp::modulo, c.a, c.b, dtype), c.rest)) << c.a << '%' << c.b;
    }
  }
}

TEST(Arithmetic, MaxAndMin) {
  EXPECT_TRUE(same(real(ArithmeticOp::max, -0.0, 0.0), 0.0));
  EXPECT_TRUE(same(real(ArithmeticOp::max, 0.0, -0.0), 0.0));
  EXPECT_TRUE(same(real(ArithmeticOp::min, -0.0, 0.0), -0.0));
  EXPECT_TRUE(same(real(ArithmeticOp::min, 0.0, -0.0), -0.0));
  EXPECT_TRUE(same(real(ArithmeticOp::max, kNan, -kInf), -kInf));
  EXPECT_TRUE(same(real(ArithmeticOp::min, 3, kNan), 3));
  EXPECT_TRUE(same(real(ArithmeticOp::min, kNan, kNan), kNan));
  EXPECT_EQ(real(ArithmeticOp::max, 1, 2), 2);
  EXPECT_EQ(real(ArithmeticOp::min, 1, 2), 1);
  EXPECT_EQ(integer(ArithmeticOp::max, DType::i8, -3, 2), 2);
  EXPECT_EQ(integer(ArithmeticOp::min, DType::i8, -3, 2), -3);
}

TEST(Arithmetic, ThereIsOneNan) {
  const Scalar nan = Scalar::real(DType::f32, kNan);
  EXPECT_EQ(*evaluate(ArithmeticOp::subtract, Scalar::real(DType::f32, kInf), Scalar::real(DType::f32, kInf)), nan);
  EXPECT_EQ(evaluate(Function::negate, nan), nan);
  EXPECT_EQ(evaluate(Function::sqrt, Scalar::real(DType::f32, -1)), nan);
  EXPECT_EQ(evaluate(Function::log, Scalar::real(DType::f32, -1)), nan);
  EXPECT_EQ(*evaluate(ArithmeticOp::min, nan, nan), nan);
}

TEST(Arithmetic, IntegersWrap) {
  EXPECT_EQ(integer(ArithmeticOp::add, DType::i64, INT64_MAX, 1), INT64_MIN);
  EXPECT_EQ(integer(ArithmeticOp::multiply, DType::i64, INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(integer(ArithmeticOp::subtract, DType::u8, 0, 1), 255);
  EXPECT_EQ(integer(ArithmeticOp::multiply, DType::i32, 65536, 65536), 0);
  EXPECT_EQ(integer(ArithmeticOp::floor_divide, DType::i64, INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(integer(ArithmeticOp::modulo, DType::i64, INT64_MIN, -1), 0);
  EXPECT_EQ(integer(ArithmeticOp::floor_divide, DType::i8, -128, -1), -128);
  EXPECT_EQ(evaluate(Function::abs, Scalar::integer(DType::i8, -128)).as_integer(), -128);
  EXPECT_EQ(evaluate(Function::negate, Scalar::integer(DType::u8, 1)).as_integer(), 255);
  EXPECT_EQ(evaluate(Function::negate, Scalar::integer(DType::i64, INT64_MIN)).as_integer(), INT64_MIN);
  EXPECT_EQ(evaluate(Function::round, Scalar::integer(DType::i64, 7)).as_integer(), 7);
}

TEST(Arithmetic, IntegerDivisionFloorsAndRefusesZero) {
  for (std::int64_t a = -128; a < 128; ++a) {
    for (std::int64_t b = -128; b < 128; ++b) {
      const auto quotient = integer(ArithmeticOp::floor_divide, DType::i8, a, b);
      const auto rest = integer(ArithmeticOp::modulo, DType::i8, a, b);
      ASSERT_EQ(quotient.has_value(), b != 0);
      ASSERT_EQ(rest.has_value(), b != 0);
      if (b == 0) continue;
      ASSERT_EQ(*quotient, static_cast<std::int8_t>(std::floor(static_cast<double>(a) / static_cast<double>(b))));
      ASSERT_EQ(*rest, a - static_cast<std::int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b))) * b);
    }
  }
  EXPECT_FALSE(integer(ArithmeticOp::divide, DType::i64, 6, 3));
  EXPECT_FALSE(integer(ArithmeticOp::modulo, DType::boolean, 1, 0));
}

TEST(Arithmetic, IntegerPowerWraps) {
  EXPECT_EQ(integer_power(Scalar::integer(DType::i64, 3), 39).as_integer(), 4052555153018976267);
  EXPECT_EQ(integer_power(Scalar::integer(DType::i64, 2), 64).as_integer(), 0);
  EXPECT_EQ(integer_power(Scalar::integer(DType::i8, 3), 5).as_integer(), -13);
  EXPECT_EQ(integer_power(Scalar::integer(DType::i8, 3), 200).as_integer(), -95);
  EXPECT_EQ(integer_power(Scalar::integer(DType::u8, 0), 0).as_integer(), 1);
  EXPECT_EQ(integer(ArithmeticOp::power, DType::i32, -7, 3), -343);
  EXPECT_FALSE(integer(ArithmeticOp::power, DType::i32, 2, -1));
}

TEST(Arithmetic, BoolIsLogic) {
  for (const int a : {0, 1}) {
    for (const int b : {0, 1}) {
      EXPECT_EQ(integer(ArithmeticOp::add, DType::boolean, a, b), a | b);
      EXPECT_EQ(integer(ArithmeticOp::multiply, DType::boolean, a, b), a & b);
      EXPECT_EQ(integer(ArithmeticOp::subtract, DType::boolean, a, b), a ^ b);
      EXPECT_EQ(integer(ArithmeticOp::max, DType::boolean, a, b), a | b);
      EXPECT_EQ(integer(ArithmeticOp::min, DType::boolean, a, b), a & b);
    }
    EXPECT_EQ(evaluate(Function::negate, Scalar::boolean(a != 0)).as_integer(), a);
  }
}

TEST(Arithmetic, Comparisons) {
  const auto all = [](Scalar a, Scalar b) {
    std::string out;
    for (const CompareOp op : kAllCompareOps) out += compare(op, a, b) ? '1' : '0';
    return out;
  };
  const auto f = [](double x) { return Scalar::real(DType::f16, x); };
  const auto i = [](std::int64_t x) { return Scalar::integer(DType::i64, x); };
  EXPECT_EQ(all(f(1), f(2)), "110001");
  EXPECT_EQ(all(f(2), f(1)), "001101");
  EXPECT_EQ(all(f(0.0), f(-0.0)), "010110");
  EXPECT_EQ(all(f(kNan), f(1)), "000001");
  EXPECT_EQ(all(f(kNan), f(kNan)), "000001");
  EXPECT_EQ(all(i(INT64_MIN), i(INT64_MAX)), "110001");
  EXPECT_EQ(all(i(INT64_MAX), i(INT64_MAX - 1)), "001101") << "no detour by way of double";
}

TEST(Arithmetic, IdentitiesLeaveEveryValueAlone) {
  Random random(4);
  for (const DType dtype : kAllDTypes) {
    for (const ArithmeticOp op : {ArithmeticOp::add, ArithmeticOp::multiply, ArithmeticOp::max, ArithmeticOp::min}) {
      for (int i = 0; i < 1000; ++i) {
        const Scalar value = convert(random_value(random, is_float(dtype) ? dtype : DType::f64), dtype);
        if (is_float(dtype) && (std::isnan(value.as_real()) || value.as_real() == 0)) continue;
        ASSERT_EQ(*evaluate(op, *identity(op, dtype), value), value) << text_of(op) << code(dtype);
      }
    }
  }
}

}  // namespace
}  // namespace steptp
