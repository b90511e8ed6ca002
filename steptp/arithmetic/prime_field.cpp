// The prime is the first one after a hash of the pair and the draw, so that nobody can write a program against it.
// docs/decisions/0010-certified-evaluation.md.
#include "steptp/arithmetic/prime_field.h"

#include <flint/flint.h>
#include <flint/ulong_extras.h>

#include "steptp/base/hash.h"

namespace steptp::certify {

PrimeField::PrimeField(std::uint64_t seed)
    : PrimeField(n_nextprime((std::uint64_t{1} << 60) + (mix(seed) >> 5), 1), Given{}) {}

PrimeField::PrimeField(std::uint64_t prime, Given) : prime_(prime) {
  std::uint64_t inverse = prime_;  // correct to 3 bits; each round doubles them
  for (int round = 0; round < 5; ++round) inverse *= 2 - prime_ * inverse;
  negated_inverse_ = 0 - inverse;
  one_ = static_cast<std::uint64_t>((static_cast<Double>(1) << 64) % prime_);
  square_ = static_cast<std::uint64_t>(static_cast<Double>(one_) * one_ % prime_);
  half_ = inverse_of_two();
  input_unit_ = power(half_, 52);
  input_factor_ = multiply(input_unit_, square_);
}

PrimeField::Residue PrimeField::inverse_of_two() const { return of_number((prime_ + 1) / 2); }

PrimeField::Residue PrimeField::inverse(Residue a) const { return of_number(n_invmod(number(a), prime_)); }

PrimeField::Residue PrimeField::power(Residue base, std::uint64_t exponent) const {
  Residue result = one_;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = multiply(result, base);
    base = multiply(base, base);
  }
  return result;
}

PrimeField::Residue PrimeField::of_integer(std::int64_t value) const {
  if (value >= 0) return of_number(static_cast<std::uint64_t>(value));
  return negate(of_number(0 - static_cast<std::uint64_t>(value)));
}

PrimeField::Residue PrimeField::power_of_two(std::int32_t exponent) const {
  if (exponent >= 0) return power(add(one_, one_), static_cast<std::uint64_t>(exponent));
  return power(half_, static_cast<std::uint64_t>(-static_cast<std::int64_t>(exponent)));
}

PrimeField::Residue PrimeField::of_any_fraction(Fraction value) const {
  const Residue binary = multiply(of_integer(value.mantissa), power_of_two(value.exponent));
  return value.divisor == 1 ? binary : multiply(binary, inverse(of_integer(value.divisor)));
}

PrimeField::Residue PrimeField::of_decimal(const Decimal& value) const {
  const Residue digits = of_integer(value.digits);
  const Residue ten = of_integer(10);
  if (value.exponent >= 0) return multiply(digits, power(ten, static_cast<std::uint64_t>(value.exponent)));
  const auto places = static_cast<std::uint64_t>(-static_cast<std::int64_t>(value.exponent));
  return multiply(digits, inverse(power(ten, places)));
}

PrimeField::Residue PrimeField::of_function(std::uint64_t function, Residue argument, Residue second) const {
  Hash hash = combine(combine(combine(prime_, function), argument), second);
  while ((hash >> 3) >= prime_) hash = mix(hash);
  return hash >> 3;
}

}  // namespace steptp::certify
