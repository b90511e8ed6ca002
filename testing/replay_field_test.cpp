// The replayer's arithmetic modulo primes, which takes another way for its own prime: compared with the remainder of
// 128-bit products.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "replay/number.h"
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

}  // namespace

}  // namespace steptp::testing
