#include "steptp/arithmetic/prime_field.h"

#include <gtest/gtest.h>

#include "steptp/base/random.h"

namespace steptp::certify {
namespace {

__extension__ typedef unsigned __int128 Double;  // NOLINT(modernize-use-using): an extension

std::uint64_t multiply(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
  return static_cast<std::uint64_t>(static_cast<Double>(a) * b % modulus);
}

std::uint64_t power(std::uint64_t base, std::uint64_t exponent, std::uint64_t modulus) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = multiply(result, base, modulus);
    base = multiply(base, base, modulus);
  }
  return result;
}

/// Miller and Rabin with the first twelve primes, which decides every 64-bit number.
bool is_prime(std::uint64_t n) {
  std::uint64_t odd = n - 1;
  int twos = 0;
  for (; odd % 2 == 0; odd /= 2) ++twos;
  for (const std::uint64_t base : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}) {
    std::uint64_t x = power(base, odd, n);
    bool passed = x == 1 || x == n - 1;
    for (int i = 1; i < twos && !passed; ++i) {
      x = multiply(x, x, n);
      passed = x == n - 1;
    }
    if (!passed) return false;
  }
  return true;
}

TEST(PrimeField, DrawsPrimesOf61Bits) {
  std::uint64_t before = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const PrimeField field(seed);
    EXPECT_TRUE(is_prime(field.prime()));
    EXPECT_GE(field.prime(), std::uint64_t{1} << 60);
    EXPECT_LT(field.prime(), std::uint64_t{1} << 61);
    EXPECT_NE(field.prime(), before);
    before = field.prime();
  }
}

TEST(PrimeField, AgreesWithPlainArithmetic) {
  const PrimeField field(7);
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const auto a = static_cast<std::int64_t>(random.next());
    const auto b = static_cast<std::int64_t>(random.next());
    const std::uint64_t p = field.prime();
    const auto plain = [p](std::int64_t x) {
      const auto rest = static_cast<std::int64_t>(x % static_cast<std::int64_t>(p));
      return static_cast<std::uint64_t>(rest < 0 ? rest + static_cast<std::int64_t>(p) : rest);
    };
    const auto x = field.of_integer(a);
    const auto y = field.of_integer(b);
    EXPECT_EQ(field.number(x), plain(a));
    EXPECT_EQ(field.number(field.multiply(x, y)), multiply(plain(a), plain(b), p));
    EXPECT_EQ(field.number(field.add(x, y)), (plain(a) + plain(b)) % p);
    EXPECT_EQ(field.add(field.subtract(x, y), y), x);
    EXPECT_EQ(field.multiply(field.inverse(x), x), field.one());
  }
}

TEST(PrimeField, FractionsAreWhatTheyMean) {
  const PrimeField field(11);
  const auto times = [&](PrimeField::Residue residue, std::int64_t factor) {
    return field.multiply(residue, field.of_integer(factor));
  };
  EXPECT_EQ(times(field.of_decimal(decimal_of(0.1)), 10), field.one());
  EXPECT_EQ(times(field.of_decimal(decimal_of(1e-5)), 100000), field.one());
  EXPECT_EQ(field.of_decimal(decimal_of(2.5e3)), field.of_integer(2500));
  EXPECT_EQ(times(field.of_fraction({-3, -52}), std::int64_t{1} << 52), field.of_integer(-3));
  EXPECT_EQ(times(field.of_fraction({5, -7}), 128), field.of_integer(5));
  EXPECT_EQ(field.of_fraction({5, 3}), field.of_integer(40));
}

TEST(Decimal, IsTheShortestTextOfADouble) {
  EXPECT_EQ(decimal_of(0.1), (Decimal{1, -1, 0.1}));
  EXPECT_EQ(decimal_of(1e-05), (Decimal{1, -5, 1e-05}));
  EXPECT_EQ(decimal_of(1234.5), (Decimal{12345, -1, 1234.5}));
  EXPECT_EQ(decimal_of(6.02e23), (Decimal{602, 21, 6.02e23}));
  EXPECT_EQ(decimal_of(0), (Decimal{0, 0, 0}));
  EXPECT_EQ(decimal_of(0.7978845608028654).digits, 7978845608028654);
}

}  // namespace
}  // namespace steptp::certify
