// The replayer's arithmetic modulo primes, which takes another way for its own prime: compared with the remainder of
// 128-bit products.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "replay/number.h"
#include "replay/probe.h"
#include "steptp/base/random.h"

namespace steptp::testing {

namespace {

using replayer::Field;
using replayer::kPrime;

std::uint64_t remainder_of(std::uint64_t a, std::uint64_t b, std::uint64_t prime) {
  return static_cast<std::uint64_t>(static_cast<replayer::Double>(a) * b % prime);
}

std::vector<std::uint64_t> numbers_below(std::uint64_t prime) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 30;
  std::vector<std::uint64_t> out = {0,         1,         2,        kHalf - 1, kHalf, 2 * kHalf, 2 * kHalf + 1,
                                    prime / 2, prime - 2, prime - 1};
  Random random(1);
  while (out.size() < 200) out.push_back(random.below(prime));
  return out;
}

TEST(ReplayField, ProductsAreRemainders) {
  constexpr std::uint64_t kOther = 2305843009213693921;  // the prime before 2^61-1
  ASSERT_TRUE(replayer::is_prime(kOther));
  for (const std::uint64_t prime : {kPrime, kOther}) {
    const Field field(prime);
    const std::vector<std::uint64_t> numbers = numbers_below(prime);
    for (const std::uint64_t a : numbers) {
      for (const std::uint64_t b : numbers) {
        ASSERT_EQ(field.multiply(a, b), remainder_of(a, b, prime)) << a << " " << b << " modulo " << prime;
      }
      if (a == 0) continue;
      ASSERT_EQ(field.multiply(a, field.inverse(a)), 1U) << a << " modulo " << prime;
    }
  }
}

/// Of first + b*t + c*t*t, with a root of the prime's field where no quotient is one.
TEST(ReplayField, RootsOfWhatIsQuadratic) {
  struct Row {
    double b;
    double c;
    double constant;
    std::vector<double> roots;
    bool is_irrational;
  };
  const Row rows[] = {
      {0, 1, -30.25, {5.5, -5.5}, false},
      {-3, 1, -10, {5, -2}, false},
      {2, 1, 1, {-1}, false},
      {0, 1, -2, {1.4142135623730951, -1.4142135623730951}, true},
      {4, 0, -1, {0.25}, false},
  };
  for (const Row& row : rows) {
    replayer::Numbers numbers(kPrime);
    const replayer::Real start = numbers.of_dyadic(813, -9);
    const replayer::Real step = numbers.of_dyadic(1, -10);
    const auto at = [&](const replayer::Real& x) {
      return numbers.add(
          numbers.of_double(row.constant),
          numbers.multiply(x, numbers.add(numbers.of_double(row.b), numbers.multiply(x, numbers.of_double(row.c)))));
    };
    const replayer::Real second = numbers.add(start, step);
    const auto roots = replayer::roots_of(numbers, at(start), at(second), at(numbers.add(second, step)), start, step);
    ASSERT_EQ(roots.size(), row.roots.size()) << row.constant;
    for (const replayer::Root& root : roots) {
      EXPECT_TRUE(root.is_exact);
      EXPECT_EQ(root.is_irrational, row.is_irrational) << row.constant;
      EXPECT_EQ(at(root.at).residue, 0U) << row.constant;
      EXPECT_TRUE(std::any_of(row.roots.begin(), row.roots.end(), [&](double wanted) {
        return std::abs(static_cast<double>(root.at.value) - wanted) < 1e-12;
      })) << static_cast<double>(root.at.value);
    }
  }
}

}  // namespace

}  // namespace steptp::testing
