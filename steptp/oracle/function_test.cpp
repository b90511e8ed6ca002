#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <thread>
#include <vector>

#include "steptp/base/random.h"
#include "steptp/oracle/arithmetic.h"
#include "steptp/oracle/exact_math.h"
#include "steptp/oracle/fast_math.h"
#include "testing/reference_rounding.h"

namespace steptp {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Function kReal[] = {Function::exp,  Function::log, Function::sqrt, Function::erf,
                              Function::tanh, Function::sin, Function::cos,  Function::rsqrt};

/// STEPTP_SOAK=N multiplies the random cases by N.
int scaled(int count) {
  const char* factor = std::getenv("STEPTP_SOAK");
  return factor != nullptr ? count * std::atoi(factor) : count;
}

::testing::AssertionResult same(double a, double b) {
  if ((std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b)))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << std::hexfloat << a << " is not " << b;
}

/// The true value by MPFR with 80 digits and MPFR's own wide exponents, cut to a double whose last bit is set where
/// anything was cut off ("to odd"). Rounding that to a type of at most 51 digits is rounding the true value.
class Reference {
 public:
  Reference() { mpfr_inits2(80, x_, y_, result_, nullptr); }
  ~Reference() { mpfr_clears(x_, y_, result_, nullptr); }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  double odd(Function function, double x) {
    mpfr_set_d(x_, x, MPFR_RNDN);
    int cut = 0;
    switch (function) {
      case Function::exp: cut = mpfr_exp(result_, x_, MPFR_RNDZ); break;
      case Function::log: cut = mpfr_log(result_, x_, MPFR_RNDZ); break;
      case Function::sqrt: cut = mpfr_sqrt(result_, x_, MPFR_RNDZ); break;
      case Function::erf: cut = mpfr_erf(result_, x_, MPFR_RNDZ); break;
      case Function::tanh: cut = mpfr_tanh(result_, x_, MPFR_RNDZ); break;
      case Function::sin: cut = mpfr_sin(result_, x_, MPFR_RNDZ); break;
      case Function::cos: cut = mpfr_cos(result_, x_, MPFR_RNDZ); break;
      case Function::rsqrt: cut = mpfr_rec_sqrt(result_, x_, MPFR_RNDZ); break;
      default: ADD_FAILURE();
    }
    return to_odd(cut);
  }

  double odd_power(double x, double y) {
    mpfr_set_d(x_, x, MPFR_RNDN);
    mpfr_set_d(y_, y, MPFR_RNDN);
    return to_odd(mpfr_pow(result_, x_, y_, MPFR_RNDZ));
  }

 private:
  double to_odd(int cut) {
    if (mpfr_nan_p(result_) != 0 || mpfr_inf_p(result_) != 0) return mpfr_get_d(result_, MPFR_RNDN);
    const double value = mpfr_get_d(result_, MPFR_RNDZ);
    if (cut == 0 && mpfr_cmp_d(result_, value) == 0) return value;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) | 1);
  }

  mpfr_t x_, y_, result_;
};

TEST(Functions, EveryHalfAndBfloat) {
  Reference reference;
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const NarrowType type(dtype);
    for (const Function function : kReal) {
      for (std::uint32_t pattern = 0; pattern < 65536; ++pattern) {
        const std::byte bytes[2] = {static_cast<std::byte>(pattern & 255), static_cast<std::byte>(pattern >> 8)};
        const Scalar x = load(dtype, bytes);
        double wanted = type.nearest(reference.odd(function, x.as_real()));
        if (function == Function::rsqrt && x.as_real() == 0) wanted = std::copysign(kInf, x.as_real());
        const Scalar got = evaluate(function, x);
        ASSERT_EQ(got.dtype(), dtype);
        ASSERT_TRUE(same(got.as_real(), wanted)) << text_of(function) << ' ' << code(dtype) << ' ' << x.as_real();
        ASSERT_TRUE(pattern % 5 != 0 || same(exact_function(dtype, function, x.as_real()), wanted));
      }
    }
  }
}

/// Any pattern, or a number of moderate size where the functions have their shape.
double draw(Random& random, DType dtype) {
  if (random.chance(1, 3)) return Scalar::real(dtype, std::bit_cast<double>(random.next())).as_real();
  if (dtype == DType::f32 && random.chance(1, 2)) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(random.next())));
  }
  return round_to(dtype, (static_cast<double>(random.next() >> 11) * 0x1p-53 - 0.5) *
                             std::ldexp(1.0, static_cast<int>(random.between(-12, 8))));
}

TEST(Functions, RandomSingles) {
  Reference reference;
  Random random(20);
  const int count = scaled(250000);
  for (const Function function : kReal) {
    for (int i = 0; i < count; ++i) {
      const double x = draw(random, DType::f32);
      if (x == 0) continue;
      const double wanted = static_cast<double>(static_cast<float>(reference.odd(function, x)));
      ASSERT_TRUE(same(evaluate(function, Scalar::real(DType::f32, x)).as_real(), wanted))
          << text_of(function) << ' ' << x;
      ASSERT_TRUE(i % 8 != 0 || same(exact_function(DType::f32, function, x), wanted)) << text_of(function) << ' ' << x;
    }
  }
}

TEST(Functions, RandomDoubles) {
  Random random(21);
  const int count = scaled(40000);
  for (const Function function : kReal) {
    for (int i = 0; i < count; ++i) {
      const double x = draw(random, DType::f64);
      ASSERT_TRUE(
          same(evaluate(function, Scalar::real(DType::f64, x)).as_real(), exact_function(DType::f64, function, x)))
          << text_of(function) << ' ' << std::hexfloat << x;
    }
  }
}

TEST(Functions, AProposalCountsOnlyWhereItsNeighboursAgree) {
  const double middle = 1 + 0x1p-24;
  EXPECT_FALSE(settled(DType::f32, middle));
  EXPECT_FALSE(settled(DType::f32, middle * (1 + 0x1p-41)));
  EXPECT_FALSE(settled(DType::f32, middle * (1 - 0x1p-41)));
  EXPECT_EQ(settled(DType::f32, middle * (1 + 0x1p-39)), 1 + 0x1p-23);
  EXPECT_EQ(settled(DType::f32, middle * (1 - 0x1p-39)), 1.0);
  EXPECT_FALSE(settled(DType::f16, -65520.0));
  EXPECT_FALSE(settled(DType::f32, 0x1p-150));
  EXPECT_FALSE(settled(DType::f32, 0.0));
  EXPECT_FALSE(settled(DType::f32, kInf));
  EXPECT_FALSE(settled(DType::f32, kNan));
  EXPECT_EQ(settled(DType::f32, 1e300), kInf);
  const long double wide = 1 + 0x1p-53L;
  EXPECT_FALSE(settled(wide));
  EXPECT_FALSE(settled(wide * (1 + 0x1p-59L)));
  EXPECT_FALSE(settled(wide * (1 - 0x1p-59L)));
  constexpr bool kWide = std::numeric_limits<long double>::digits >= 64;
  EXPECT_TRUE(!kWide || settled(wide * (1 + 0x1p-57L)) == 1 + 0x1p-52);
}

TEST(Functions, ABadLibmWouldNotShow) {
  // A proposal that is wrong by 2^-41, much more than any libm is, gives the right number or none.
  Reference reference;
  Random random(24);
  int settled_count = 0;
  constexpr int kCount = 100000;
  for (int i = 0; i < kCount; ++i) {
    const double x = static_cast<double>(random.between(-8000, 8000)) / 256;
    const double truth = reference.odd(Function::exp, x);
    const auto got = settled(DType::f32, truth * (random.chance(1, 2) ? 1 + 0x1p-41 : 1 - 0x1p-41));
    settled_count += got ? 1 : 0;
    ASSERT_TRUE(!got || *got == static_cast<double>(static_cast<float>(truth))) << x;
  }
  EXPECT_GT(settled_count, kCount * 99 / 100);
}

TEST(Functions, HardCases) {
  const auto f64 = [](Function function, double x) {
    return evaluate(function, Scalar::real(DType::f64, x)).as_real();
  };
  // The hardest arguments to round in double (Lefevre and Muller), and a sine whose argument is almost a multiple of
  // pi.
  EXPECT_EQ(f64(Function::exp, 0x1.9e9cbbfd6080bp-31),
            exact_function(DType::f64, Function::exp, 0x1.9e9cbbfd6080bp-31));
  EXPECT_EQ(f64(Function::sin, 0x1.6ac5b262ca1ffp+849), 1.0);
  EXPECT_EQ(f64(Function::cos, 0x1.6ac5b262ca1ffp+849),
            exact_function(DType::f64, Function::cos, 0x1.6ac5b262ca1ffp+849));
  EXPECT_EQ(f64(Function::exp, 1), 0x1.5bf0a8b145769p+1);
  EXPECT_EQ(f64(Function::log, 10), 0x1.26bb1bbb55516p+1);
  EXPECT_EQ(f64(Function::exp, -745), 0x1p-1074);
  EXPECT_EQ(f64(Function::exp, -746), 0);
  EXPECT_EQ(f64(Function::exp, 710), kInf);
  EXPECT_TRUE(same(f64(Function::tanh, -0x1p-1074), -0x1p-1074));
  EXPECT_TRUE(same(f64(Function::sin, -0.0), -0.0));
  EXPECT_EQ(f64(Function::log, 0), -kInf);
  EXPECT_TRUE(same(f64(Function::rsqrt, -0.0), -kInf));
  EXPECT_TRUE(same(f64(Function::sqrt, -0.0), -0.0));
  EXPECT_EQ(f64(Function::rsqrt, kInf), 0);
  EXPECT_TRUE(std::isnan(f64(Function::cos, kInf)));
  EXPECT_TRUE(std::isnan(f64(Function::exp, kNan)));
  EXPECT_EQ(f64(Function::erf, -kInf), -1);
}

TEST(Functions, FloorCeilRound) {
  struct Case {
    double x, floor, ceil, round;
  };
  const Case cases[] = {{0.5, 0, 1, 0.0},
                        {1.5, 1, 2, 2},
                        {2.5, 2, 3, 2},
                        {-0.5, -1, -0.0, -0.0},
                        {-1.5, -2, -1, -2},
                        {-0.0, -0.0, -0.0, -0.0},
                        {0.25, 0, 1, 0},
                        {-2.75, -3, -2, -3},
                        {kInf, kInf, kInf, kInf},
                        {kNan, kNan, kNan, kNan},
                        {1023.5, 1023, 1024, 1024}};
  for (const DType dtype : {DType::f64, DType::f16}) {
    for (const Case& c : cases) {
      EXPECT_TRUE(same(evaluate(Function::floor, Scalar::real(dtype, c.x)).as_real(), c.floor)) << c.x;
      EXPECT_TRUE(same(evaluate(Function::ceil, Scalar::real(dtype, c.x)).as_real(), c.ceil)) << c.x;
      EXPECT_TRUE(same(evaluate(Function::round, Scalar::real(dtype, c.x)).as_real(), c.round)) << c.x;
    }
  }
  Random random(22);
  for (int i = 0; i < 100000; ++i) {
    const double x = draw(random, DType::f64);
    ASSERT_TRUE(same(evaluate(Function::round, Scalar::real(DType::f64, x)).as_real(),
                     exact_function(DType::f64, Function::round, x)));
  }
  EXPECT_EQ(evaluate(Function::round, Scalar::real(DType::f64, 0x1.fffffffffffffp-2)).as_real(), 0);
  EXPECT_EQ(evaluate(Function::round, Scalar::real(DType::f64, 0x1.0000000000001p-1)).as_real(), 1);
}

TEST(Power, RandomArguments) {
  Reference reference;
  Random random(23);
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
    const NarrowType narrow(dtype == DType::bf16 ? DType::bf16 : DType::f16);
    for (int i = 0; i < scaled(dtype == DType::f64 ? 4000 : 30000); ++i) {
      const double x = draw(random, dtype);
      // Small whole exponents meet exact results and midpoints; the others are as they come.
      const double y = random.chance(1, 2) ? static_cast<double>(random.between(-4, 5)) : draw(random, dtype);
      const double odd = reference.odd_power(x, y);
      double wanted = exact_power(dtype, x, y);
      if (dtype == DType::f32) wanted = static_cast<double>(static_cast<float>(odd));
      if (dtype == DType::f16 || dtype == DType::bf16) wanted = narrow.nearest(odd);
      const auto got = evaluate(ArithmeticOp::power, Scalar::real(dtype, x), Scalar::real(dtype, y));
      ASSERT_TRUE(same(got->as_real(), wanted)) << code(dtype) << ' ' << std::hexfloat << x << "**" << y;
    }
  }
}

TEST(Power, SpecialCases) {
  const auto power = [](double x, double y) {
    return evaluate(ArithmeticOp::power, Scalar::real(DType::f32, x), Scalar::real(DType::f32, y))->as_real();
  };
  EXPECT_EQ(power(kNan, 0), 1);
  EXPECT_EQ(power(1, kNan), 1);
  EXPECT_EQ(power(-8, 3), -512);
  EXPECT_TRUE(std::isnan(power(-8, 0.5)));
  EXPECT_TRUE(same(power(-0.0, 0.5), 0.0));
  EXPECT_TRUE(same(power(-0.0, -1), -kInf));
  EXPECT_TRUE(same(power(-0.0, -2), kInf));
  EXPECT_TRUE(same(power(-0.0, 3), -0.0));
  EXPECT_EQ(power(-kInf, 2), kInf);
  EXPECT_EQ(power(0.5, -kInf), kInf);
  EXPECT_EQ(power(-1, kInf), 1);
  EXPECT_EQ(power(2, -149), 0x1p-149);
  EXPECT_EQ(power(2, -150), 0);
  EXPECT_EQ(power(2, 128), kInf);
}

TEST(Functions, ThreadsDoNotDisturbEachOther) {
  // Different types set different exponent ranges at the same time.
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  const DType dtypes[] = {DType::f16, DType::f32, DType::f64, DType::bf16};
  std::vector<std::vector<double>> alone(4);
  const auto arguments = [](std::size_t t, int i) { return static_cast<double>(i - 500) * (t == 0 ? 0.02 : 0.1); };
  for (std::size_t t = 0; t < 4; ++t) {
    for (int i = 0; i < 1000; ++i)
      alone[t].push_back(exact_function(dtypes[t], Function::exp, round_to(dtypes[t], arguments(t, i))));
  }
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 1000; ++i) {
        const double value = exact_function(dtypes[t], Function::exp, round_to(dtypes[t], arguments(t, i)));
        if (value != alone[t][static_cast<std::size_t>(i)]) ++wrong[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace steptp
