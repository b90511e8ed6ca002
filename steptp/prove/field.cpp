#include "steptp/prove/field.h"

#include "steptp/base/hash.h"

namespace steptp::forms {

namespace {

__extension__ typedef unsigned __int128 Double;  // NOLINT(modernize-use-using): an extension

std::uint64_t prime_after(std::uint64_t start) {
  mpz_class next;
  mpz_nextprime(next.get_mpz_t(), mpz_class(static_cast<unsigned long>(start)).get_mpz_t());
  return next.get_ui();
}

}  // namespace

Field::Field(std::uint64_t seed, int bits)
    : prime_(prime_after((std::uint64_t{1} << (bits - 1)) + (mix(seed) >> (66 - bits)))), seed_(seed) {}

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
