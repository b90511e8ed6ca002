#include "steptp/prove/interner.h"

namespace steptp::forms {

namespace {

Hash number(std::int64_t value) { return static_cast<Hash>(value); }

Hash hash_of(const mpq_class& value) {
  const auto limbs = [](const mpz_class& integer) {
    Hash hash = number(mpz_sgn(integer.get_mpz_t()));
    for (std::size_t i = 0; i < mpz_size(integer.get_mpz_t()); ++i) {
      hash = combine(hash, mpz_getlimbn(integer.get_mpz_t(), static_cast<mp_size_t>(i)));
    }
    return hash;
  };
  return combine(limbs(value.get_num()), limbs(value.get_den()));
}

}  // namespace

Hash hash_of(const Affine& affine) {
  Hash hash = number(affine.constant);
  for (const auto& [atom, coefficient] : affine.terms) hash = combine(combine(hash, atom), number(coefficient));
  return hash;
}

Hash hash_of(const Atom& atom) {
  Hash hash = combine(number(static_cast<int>(atom.kind)), atom.argument);
  hash = combine(hash, number(atom.divisor));
  for (const AtomId factor : atom.factors) hash = combine(hash, factor);
  return hash;
}

Hash hash_of(const Condition& condition) {
  Hash hash = combine(number(static_cast<int>(condition.kind)), condition.left);
  hash = combine(hash, condition.right);
  for (const ConditionId part : condition.parts) hash = combine(hash, part);
  return hash;
}

Hash hash_of(const Generator& generator) {
  Hash hash = combine(number(static_cast<int>(generator.kind)), generator.tag);
  for (const PolynomialId id : generator.polynomials) hash = combine(hash, id);
  hash = combine(hash, 1);
  for (const ConditionId id : generator.conditions) hash = combine(hash, id);
  hash = combine(hash, 2);
  for (const AffineId id : generator.subscripts) hash = combine(hash, id);
  for (const auto& [low, high] : generator.ranges) hash = combine(combine(hash, number(low)), number(high));
  return hash;
}

Hash hash_of(const Monomial& monomial) {
  Hash hash = 0;
  for (const auto& [generator, exponent] : monomial.factors) hash = combine(combine(hash, generator), number(exponent));
  return hash;
}

Hash hash_of(const Polynomial& polynomial) {
  Hash hash = 0;
  for (const auto& [monomial, coefficient] : polynomial.terms) {
    hash = combine(combine(hash, monomial), hash_of(coefficient));
  }
  return hash;
}

}  // namespace steptp::forms
