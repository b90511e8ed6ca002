#include "steptp/prove/field.h"

#include <cmath>
#include <numbers>

#include "steptp/base/hash.h"

namespace steptp::forms {

namespace {

__extension__ typedef unsigned __int128 Double;  // NOLINT(modernize-use-using): an extension

std::uint64_t drawn_prime(std::uint64_t seed, int bits) {
  for (std::uint64_t draw = 0;; ++draw) {
    const std::uint64_t candidate = ((std::uint64_t{1} << (bits - 1)) + (combine(seed, draw) >> (66 - bits))) | 1;
    constexpr int kRounds = 25;
    const mpz_class number(static_cast<unsigned long>(candidate));
    if (mpz_probab_prime_p(number.get_mpz_t(), kRounds) != 0) return candidate;
  }
}

/// A lower bound of the number of primes between 2^(bits-1) and 3/2 of that.
double primes_of(int bits) { return 0.9 * std::exp2(bits - 2) / (bits * std::numbers::ln2); }

}  // namespace

Field::Field(std::uint64_t seed, int bits)
    : prime_(drawn_prime(seed, bits)),
      seed_(seed),
      weight_(static_cast<double>(prime_) / primes_of(bits) / (bits - 1)) {}

Field::Residue Field::multiply(Residue a, Residue b) const {
  return static_cast<Residue>(static_cast<Double>(a) * b % prime_);
}

Field::Residue Field::power(Residue base, std::uint64_t exponent) const {
  Residue result = 1 % prime_;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = multiply(result, base);
    base = multiply(base, base);
  }
  return result;
}

Field::Residue Field::of_integer(std::int64_t value) const {
  const auto magnitude = static_cast<std::uint64_t>(value < 0 ? -(value + 1) : value) + (value < 0 ? 1 : 0);
  const Residue residue = magnitude % prime_;
  return value < 0 ? negate(residue) : residue;
}

std::optional<Field::Residue> Field::of_rational(const mpq_class& value) const {
  const auto reduced = [this](const mpz_class& number) {
    return static_cast<Residue>(mpz_fdiv_ui(number.get_mpz_t(), static_cast<unsigned long>(prime_)));
  };
  const Residue denominator = reduced(value.get_den());
  if (denominator == 0) return std::nullopt;
  const Residue numerator = reduced(value.get_num());
  return denominator == 1 ? numerator : multiply(numerator, inverse(denominator));
}

Field::Residue Field::of_key(std::uint64_t key) const { return combine(seed_, key) % prime_; }

}  // namespace steptp::forms
