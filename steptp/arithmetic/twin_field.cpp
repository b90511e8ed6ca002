// Two primes, p of 60 bits and q of 54 that divides p-1: then exp can be a power of an element of order q modulo p, and
// exp(a)*exp(b) is exp(a+b). docs/decisions/0012-every-way-at-once.md.
#include "steptp/arithmetic/twin_field.h"

#include <flint/flint.h>
#include <flint/ulong_extras.h>

#include "steptp/base/hash.h"

namespace steptp::certify {

TwinField::Primes TwinField::primes_of(std::uint64_t seed) {
  constexpr std::uint64_t kLeastQ = std::uint64_t{1} << 54;
  constexpr std::uint64_t kMostCofactor = 126;
  for (std::uint64_t attempt = seed;; attempt = mix(attempt)) {
    const std::uint64_t q = n_nextprime(kLeastQ + (mix(attempt) >> 10), 1);
    for (std::uint64_t cofactor = 64; cofactor <= kMostCofactor; cofactor += 2) {
      const std::uint64_t p = cofactor * q + 1;
      if (n_is_prime(p) != 0) return {p, q, seed};
    }
  }
}

TwinField::TwinField(Primes primes)
    : p_(PrimeField::modulo(primes.p)), q_(PrimeField::modulo(primes.q)), seed_(mix(primes.seed)) {
  const std::uint64_t cofactor = (primes.p - 1) / primes.q;
  // A power that is not one generates the subgroup, whose order is prime.
  for (std::int64_t base = 2; generator_ == 0 || generator_ == p_.one(); ++base) {
    generator_ = p_.power(p_.of_integer(base), cofactor);
  }
}

Twin TwinField::unknown(std::uint64_t key) const {
  const Hash first = combine(seed_, key);
  return {first % p_.prime(), mix(first) % q_.prime()};
}

Twin TwinField::exp(Twin a) const {
  if (a.q == 0) return one();
  const PrimeField::Residue value = p_.power(generator_, q_.number(a.q));
  constexpr std::uint64_t kExponential = 0x657870;
  return {value, unknown(combine(kExponential, value)).q};
}

}  // namespace steptp::certify
