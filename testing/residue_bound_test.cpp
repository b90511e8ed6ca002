// The bound on the chance of an error, put to the test: the code that compares forms modulo a prime, with a prime near
// 2^10 and one point, takes unequal forms for equal at most as often as its bound says, and does so where it should.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <tuple>

#include "steptp/base/random.h"
#include "steptp/prove/cells.h"
#include "steptp/prove/give_up.h"
#include "testing/soak.h"

namespace steptp::testing {

namespace {

using namespace forms;  // NOLINT(google-build-using-namespace): the test is about them

constexpr int kSmallPrime = 11;
constexpr std::uint32_t kInputs = 3;
using TwoForms = std::pair<PolynomialId, PolynomialId>;
using Maker = std::function<TwoForms(Arena&, Random&)>;

/// What came of many pairs that differ.
struct Tally {
  std::uint64_t pairs = 0;
  int accepted = 0;
  double allowed = 0;  ///< the sum of the bounds
  /// Errors are at most as frequent as the bound, up to five standard deviations.
  [[nodiscard]] bool is_within_bound() const { return accepted <= allowed + 5 * std::sqrt(allowed) + 1; }
};

Value real(PolynomialId id) {
  Value out;
  out.real = id;
  return out;
}

bool agree(Arena& arena, const TwoForms& pair, std::uint64_t seed, int prime_bits, double* bound = nullptr) {
  try {
    const PointAnswer answer = compare_at_point(arena, real(pair.first), real(pair.second), seed, prime_bits);
    if (bound) *bound = std::exp2(answer.bound_log2);
    return answer.agree;
  } catch (const GiveUp&) {
    return false;  // a divisor that vanishes: such a pair is not accepted
  }
}

Tally tally(const Maker& maker, std::uint64_t count, std::uint64_t seed) {
  const Random random(seed);
  Tally out;
  for (std::uint64_t i = 0; i < count; ++i) {
    Random draw = random.fork(i);
    Arena arena(100'000);
    arena.inputs.resize(kInputs);
    const TwoForms pair = maker(arena, draw);
    // What agrees modulo two large primes is the same function written in two ways.
    if (agree(arena, pair, draw.next(), 61) && agree(arena, pair, draw.next(), 61)) continue;
    double bound = 0;
    ++out.pairs;
    out.accepted += agree(arena, pair, draw.next(), kSmallPrime, &bound) ? 1 : 0;
    out.allowed += bound;
  }
  return out;
}

PolynomialId input(Arena& arena, Random& random) {
  return arena.functions.input(static_cast<std::uint32_t>(random.below(kInputs)), {});
}

PolynomialId shifted(Arena& arena, PolynomialId of, std::int64_t by) {
  return arena.polynomials.add(of, arena.polynomials.constant(mpq_class(static_cast<long>(by))));
}

/// A random expression: sums, products, quotients by what is positive, functions, maxima and choices.
PolynomialId expression(Arena& arena, Random& random, int depth) {
  const auto part = [&] { return expression(arena, random, depth - 1); };
  if (depth == 0) {
    if (random.below(4) != 0) return input(arena, random);
    return arena.polynomials.constant(mpq_class(static_cast<long>(random.below(19)) - 9, random.below(4) == 0 ? 3 : 1));
  }
  switch (random.below(9)) {
    case 0:
    case 1: return arena.polynomials.add(part(), part());
    case 2: return arena.polynomials.add(part(), arena.polynomials.negate(part()));
    case 3:
    case 4: return arena.polynomials.multiply(part(), part());
    case 5: {
      const PolynomialId divisor = part();
      return arena.polynomials.multiply(
          part(), arena.polynomials.inverse(shifted(arena, arena.polynomials.multiply(divisor, divisor), 1)));
    }
    case 6: return arena.functions.call(random.below(2) == 0 ? Function::sin : Function::erf, part());
    case 7: return arena.choices.extremum(true, {part(), part()});
    default: {
      const ConditionId condition = arena.conditions.compare(CompareOp::less, input(arena, random), part());
      return arena.choices.select(condition, part(), part());
    }
  }
}

TwoForms any_two(Arena& arena, Random& random) {
  const int depth = 1 + static_cast<int>(random.below(2));
  return {expression(arena, random, depth), expression(arena, random, depth)};
}

/// One expression and the same with something small beside it.
TwoForms nearly_equal(Arena& arena, Random& random) {
  const PolynomialId one = expression(arena, random, 1);
  return {one, arena.polynomials.add(one, expression(arena, random, 1))};
}

/// A product of as many differences from numbers as it may have: every one of them makes an error.
TwoForms many_roots(Arena& arena, Random& random) {
  const PolynomialId one = input(arena, random);
  PolynomialId product = arena.polynomials.constant(1);
  const auto degree = static_cast<std::int64_t>(4 + random.below(12));
  for (std::int64_t root = 0; root < degree; ++root)
    product = arena.polynomials.multiply(product, shifted(arena, one, root));
  return {arena.polynomials.constant(0), product};
}

/// A coefficient that some of the primes divide.
TwoForms divided_coefficient(Arena& arena, Random& random) {
  constexpr std::array<long, 8> kPrimes = {1031, 1093, 1163, 1213, 1289, 1367, 1433, 1531};
  mpq_class factor = 1;
  for (const long prime : kPrimes) factor *= random.below(4) == 0 ? 1 : prime;
  const PolynomialId one = input(arena, random);
  return {one, arena.polynomials.add(one, arena.polynomials.scale(one, factor))};
}

/// The same behind functions: arguments that differ by what the prime may divide.
TwoForms divided_argument(Arena& arena, Random& random) {
  const auto [one, other] = divided_coefficient(arena, random);
  return {arena.functions.call(Function::sin, one), arena.functions.call(Function::sin, other)};
}

/// Sums of a function at many arguments, of which one is another.
TwoForms many_arguments(Arena& arena, Random& random) {
  PolynomialId left = arena.polynomials.constant(0);
  PolynomialId right = arena.polynomials.constant(0);
  const PolynomialId base = input(arena, random);
  const std::uint64_t count = 1 + random.below(4);
  for (std::uint64_t i = 0; i < count; ++i) {
    const PolynomialId argument = shifted(arena, base, static_cast<std::int64_t>(i * i));
    left = arena.polynomials.add(left, arena.functions.call(Function::sin, argument));
    const PolynomialId other = i == 0 ? arena.polynomials.multiply(argument, argument) : argument;
    right = arena.polynomials.add(right, arena.functions.call(Function::sin, other));
  }
  return {left, right};
}

TEST(ResidueBound, UnequalFormsAreAcceptedAtMostAsOftenAsTheBoundSays) {
  const std::vector<std::tuple<const char*, Maker, std::uint64_t>> families = {
      {"any two", any_two, 50'000},
      {"nearly equal", nearly_equal, 30'000},
      {"many roots", many_roots, 10'000},
      {"a coefficient that the prime divides", divided_coefficient, 5'000},
      {"an argument that the prime divides", divided_argument, 5'000},
      {"many arguments", many_arguments, 10'000},
  };
  std::uint64_t pairs = 0;
  std::uint64_t seed = 18;
  for (const auto& [name, maker, count] : families) {
    const Tally found = tally(maker, soaked(count), ++seed);
    std::printf("%s: %llu pairs, %d accepted, bound %.1f\n", name, static_cast<unsigned long long>(found.pairs),
                found.accepted, found.allowed);
    EXPECT_TRUE(found.is_within_bound()) << name;
    EXPECT_GT(found.pairs, count / 2) << name;
    pairs += found.pairs;
  }
  EXPECT_GE(pairs, 100'000U);
}

/// Planted: where a bound is nearly reached, errors happen, so that a bound that is too small would be seen.
TEST(ResidueBound, ErrorsHappenWhereTheyShould) {
  for (const Maker& maker : {Maker(many_roots), Maker(divided_coefficient), Maker(divided_argument)}) {
    Tally found = tally(maker, 5'000, 7);
    EXPECT_GT(found.accepted, 20);
    found.allowed = found.accepted / 4.0;
    EXPECT_FALSE(found.is_within_bound());
  }
}

/// At the prime of the judge the same pairs are never accepted.
TEST(ResidueBound, NoErrorWithLargePrimes) {
  const Random random(3);
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    Random draw = random.fork(i);
    Arena arena(100'000);
    arena.inputs.resize(kInputs);
    const TwoForms pair = i % 2 == 0 ? many_roots(arena, draw) : divided_argument(arena, draw);
    EXPECT_FALSE(agree(arena, pair, draw.next(), 61));
  }
}

}  // namespace

}  // namespace steptp::testing
