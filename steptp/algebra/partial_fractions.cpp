#include "steptp/algebra/partial_fractions.h"

namespace steptp::algebra {

namespace {

struct Division {
  Polynomial quotient;
  Polynomial remainder;
};

/// Long division in one generator; the divisor has no other.
std::optional<Division> divided(const Polynomial& dividend, const Polynomial& divisor, std::size_t generator) {
  const std::uint16_t size = degree(divisor, generator);
  const Rational leading = divisor.terms.begin()->second;
  Division out{{}, dividend};
  while (!out.remainder.terms.empty() && degree(out.remainder, generator) >= size) {
    const std::uint16_t top = degree(out.remainder, generator);
    Polynomial step;
    for (const auto& [exponents, value] : out.remainder.terms) {
      if (exponent_of(exponents, generator) != top) continue;
      Exponents rest = exponents;
      if (generator < rest.size()) rest[generator] = static_cast<std::uint16_t>(top - size);
      while (!rest.empty() && rest.back() == 0) rest.pop_back();
      const auto ratio = divide(value, leading);
      if (!ratio) return std::nullopt;
      step.terms.emplace(std::move(rest), *ratio);
    }
    const auto product = multiply(step, divisor);
    const auto negated = product ? scaled(*product, {-1, 1}) : std::nullopt;
    const auto rest = negated ? add(out.remainder, *negated) : std::nullopt;
    const auto quotient = add(out.quotient, step);
    if (!rest || !quotient) return std::nullopt;
    out = {*quotient, *rest};
    if (size == 0) break;
  }
  return out;
}

std::optional<Polynomial> raised(const PolynomialPower& factor) {
  std::optional<Polynomial> out = Polynomial::constant({1, 1});
  for (int i = 0; out && i < factor.exponent; ++i) out = multiply(*out, factor.base);
  return out;
}

}  // namespace

std::optional<PartialFractions> partial_fractions(const Polynomial& numerator, const Polynomial& denominator,
                                                  std::size_t generator) {
  const auto factors = factorise(denominator, false);
  if (!factors || factors->factors.size() < 2) return std::nullopt;
  const auto whole = divided(numerator, denominator, generator);
  if (!whole) return std::nullopt;
  PartialFractions out{whole->quotient, {}};
  for (std::size_t i = 0; i < factors->factors.size(); ++i) {
    const auto own = raised(factors->factors[i]);
    std::optional<Polynomial> others = Polynomial::constant(factors->scale);
    for (std::size_t k = 0; k < factors->factors.size() && others; ++k) {
      const auto other = k == i ? Polynomial::constant({1, 1}) : raised(factors->factors[k]);
      others = other ? multiply(*others, *other) : std::nullopt;
    }
    const auto identity = own && others ? bezout(*own, *others, generator) : std::nullopt;
    const auto product = identity ? multiply(numerator, identity->v) : std::nullopt;
    const auto part = product ? divided(*product, *own, generator) : std::nullopt;
    if (!part) return std::nullopt;
    if (!part->remainder.terms.empty()) out.parts.push_back({part->remainder, factors->factors[i]});
  }
  return out.parts.size() < 2 ? std::nullopt : std::optional(out);
}

}  // namespace steptp::algebra
