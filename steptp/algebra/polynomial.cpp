#include "steptp/algebra/polynomial.h"

#include <algorithm>
#include <cmath>

#include "steptp/algebra/build.h"

namespace steptp::algebra {

namespace {

constexpr unsigned kMaxDegree = 64;

std::optional<Exponents> sum_of(const Exponents& a, const Exponents& b) {
  Exponents out = a.size() < b.size() ? b : a;
  const Exponents& other = a.size() < b.size() ? a : b;
  unsigned total = 0;
  for (std::size_t i = 0; i < other.size(); ++i) out[i] = static_cast<std::uint16_t>(out[i] + other[i]);
  for (const std::uint16_t exponent : out) total += exponent;
  return total <= kMaxDegree ? std::optional(out) : std::nullopt;
}

/// False where the coefficient does not fit.
bool add_to(Monomials& terms, const Exponents& exponents, const Rational& value) {
  const auto [at, fresh] = terms.emplace(exponents, value);
  if (!fresh) {
    const auto total = add(at->second, value);
    if (!total) return false;
    at->second = *total;
  }
  if (at->second.is_zero()) terms.erase(at);
  return true;
}

std::optional<Polynomial> power_of(const Polynomial& base, int exponent) {
  std::optional<Polynomial> out = Polynomial::constant({1, 1});
  for (int i = 0; out && i < exponent; ++i) out = multiply(*out, base);
  return out;
}

}  // namespace

std::size_t Generators::number(const ExprPtr& base, const ExprPtr& key, bool inverse) {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].inverse == inverse && equal(*all_[i].key, *key)) return i;
  }
  all_.push_back({base, key, inverse});
  return all_.size() - 1;
}

Polynomial Polynomial::constant(const Rational& value) {
  Polynomial out;
  if (!value.is_zero()) out.terms.emplace(Exponents{}, value);
  return out;
}

bool Polynomial::is_constant() const { return terms.empty() || (terms.size() == 1 && terms.begin()->first.empty()); }

std::optional<Polynomial> add(const Polynomial& a, const Polynomial& b) {
  Polynomial out = a;
  for (const auto& [exponents, value] : b.terms) {
    if (!add_to(out.terms, exponents, value)) return std::nullopt;
  }
  return out.terms.size() <= kMaxTerms ? std::optional(out) : std::nullopt;
}

std::optional<Polynomial> multiply(const Polynomial& a, const Polynomial& b) {
  Polynomial out;
  for (const auto& [left, left_value] : a.terms) {
    for (const auto& [right, right_value] : b.terms) {
      const auto exponents = sum_of(left, right);
      const auto value = multiply(left_value, right_value);
      if (!exponents || !value || !add_to(out.terms, *exponents, *value)) return std::nullopt;
    }
    if (out.terms.size() > kMaxTerms) return std::nullopt;
  }
  return out;
}

std::optional<Polynomial> scaled(const Polynomial& a, const Rational& by) {
  return multiply(a, Polynomial::constant(by));
}

std::optional<Polynomial> to_polynomial(Scalars& scalars, Generators& generators, const ExprPtr& expr, bool keep_sums) {
  Polynomial out;
  const auto is_opened = [&](const ExprPtr& base) {
    return scalars.is_arithmetic(base) && (!keep_sums || scalars.sum(base).size() == 1);
  };
  for (const Term& term : scalars.sum(expr)) {
    const auto scale = coefficient(term);
    if (!scale) return std::nullopt;
    std::optional<Polynomial> product = Polynomial::constant(*scale);
    for (const Factor& factor : symbols(term)) {
      std::optional<Polynomial> one;
      if (factor.exponent > 0 && is_opened(factor.base)) {
        const auto base = to_polynomial(scalars, generators, factor.base, keep_sums);
        one = base ? power_of(*base, factor.exponent) : std::nullopt;
      } else {
        const std::size_t number = generators.number(factor.base, factor.key, factor.exponent < 0);
        Exponents exponents(number + 1, 0);
        exponents[number] = static_cast<std::uint16_t>(std::abs(factor.exponent));
        one = Polynomial{{{exponents, Rational{1, 1}}}};
      }
      product = product && one ? multiply(*product, *one) : std::nullopt;
      if (!product) return std::nullopt;
    }
    const auto total = add(out, *product);
    if (!total) return std::nullopt;
    out = *total;
  }
  return out;
}

ExprPtr to_expr(const Generators& generators, const Polynomial& polynomial) {
  std::vector<Signed> terms;
  for (const auto& [exponents, value] : polynomial.terms) {
    std::vector<Factor> factors;
    for (std::size_t i = 0; i < exponents.size(); ++i) {
      if (exponents[i] == 0) continue;
      const Generator& generator = generators.all()[i];
      const int exponent = generator.inverse ? -int{exponents[i]} : int{exponents[i]};
      factors.push_back({generator.base, generator.key, exponent, {}});
    }
    terms.push_back({value.is_negative(), build_scaled(value.absolute(), std::move(factors))});
  }
  return build_sum(std::move(terms));
}

std::uint16_t exponent_of(const Exponents& exponents, std::size_t generator) {
  return generator < exponents.size() ? exponents[generator] : std::uint16_t{0};
}

std::uint16_t degree(const Polynomial& polynomial, std::size_t generator) {
  std::uint16_t out = 0;
  for (const auto& [exponents, value] : polynomial.terms) out = std::max(out, exponent_of(exponents, generator));
  return out;
}

std::size_t generator_count(const Polynomial& polynomial) {
  std::size_t out = 0;
  for (const auto& [exponents, value] : polynomial.terms) out = std::max(out, exponents.size());
  return out;
}

}  // namespace steptp::algebra
