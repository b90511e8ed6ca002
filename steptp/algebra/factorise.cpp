// Factors, common divisors and quotients by FLINT; everything goes in and comes out as a Polynomial.
#include <flint/flint.h>
#include <flint/fmpq.h>
#include <flint/fmpq_mpoly.h>
#include <flint/fmpq_mpoly_factor.h>
#include <flint/fmpq_poly.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "steptp/algebra/polynomial.h"

namespace steptp::algebra {

namespace {

class Context {
 public:
  explicit Context(std::size_t generators) : generators_(std::max<std::size_t>(generators, 1)) {
    fmpq_mpoly_ctx_init(context_, static_cast<slong>(generators_), ORD_LEX);
  }
  ~Context() { fmpq_mpoly_ctx_clear(context_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  [[nodiscard]] const fmpq_mpoly_ctx_struct* get() const { return context_; }
  [[nodiscard]] std::size_t generators() const { return generators_; }

 private:
  std::size_t generators_;
  fmpq_mpoly_ctx_t context_;
};

class Fraction {
 public:
  Fraction() { fmpq_init(value_); }
  ~Fraction() { fmpq_clear(value_); }
  Fraction(const Fraction&) = delete;
  Fraction& operator=(const Fraction&) = delete;
  [[nodiscard]] fmpq* get() { return value_; }
  void set(const Rational& value) { fmpq_set_si(value_, value.numerator, static_cast<ulong>(value.denominator)); }
  [[nodiscard]] std::optional<Rational> rational() const {
    if (!fmpz_fits_si(fmpq_numref(value_)) || !fmpz_fits_si(fmpq_denref(value_))) return std::nullopt;
    return make_rational(fmpz_get_si(fmpq_numref(value_)), fmpz_get_si(fmpq_denref(value_)));
  }

 private:
  fmpq_t value_;
};

class Multivariate {
 public:
  explicit Multivariate(const Context& context) : context_(context) { fmpq_mpoly_init(value_, context_.get()); }
  Multivariate(const Context& context, const Polynomial& polynomial) : Multivariate(context) {
    std::vector<ulong> exponents(context.generators());
    Fraction fraction;
    for (const auto& [powers, coefficient] : polynomial.terms) {
      std::fill(exponents.begin(), exponents.end(), 0);
      std::copy(powers.begin(), powers.end(), exponents.begin());
      fraction.set(coefficient);
      fmpq_mpoly_push_term_fmpq_ui(value_, fraction.get(), exponents.data(), context_.get());
    }
    fmpq_mpoly_sort_terms(value_, context_.get());
    fmpq_mpoly_combine_like_terms(value_, context_.get());
  }
  ~Multivariate() { fmpq_mpoly_clear(value_, context_.get()); }
  Multivariate(const Multivariate&) = delete;
  Multivariate& operator=(const Multivariate&) = delete;
  [[nodiscard]] fmpq_mpoly_struct* get() { return value_; }

  [[nodiscard]] std::optional<Polynomial> polynomial() const {
    Polynomial out;
    std::vector<ulong> exponents(context_.generators());
    Fraction fraction;
    const slong length = fmpq_mpoly_length(value_, context_.get());
    for (slong i = 0; i < length; ++i) {
      fmpq_mpoly_get_term_coeff_fmpq(fraction.get(), value_, i, context_.get());
      fmpq_mpoly_get_term_exp_ui(exponents.data(), value_, i, context_.get());
      const auto coefficient = fraction.rational();
      if (!coefficient) return std::nullopt;
      Exponents powers(exponents.begin(), exponents.end());
      while (!powers.empty() && powers.back() == 0) powers.pop_back();
      out.terms.emplace(std::move(powers), *coefficient);
    }
    return out;
  }

 private:
  const Context& context_;
  fmpq_mpoly_t value_;
};

class Factors {
 public:
  explicit Factors(const Context& context) : context_(context) { fmpq_mpoly_factor_init(value_, context_.get()); }
  ~Factors() { fmpq_mpoly_factor_clear(value_, context_.get()); }
  Factors(const Factors&) = delete;
  Factors& operator=(const Factors&) = delete;
  [[nodiscard]] fmpq_mpoly_factor_struct* get() { return value_; }

 private:
  const Context& context_;
  fmpq_mpoly_factor_t value_;
};

/// How much there is to write: digits of coefficients other than 1; nothing where one of them has no literal.
std::optional<std::size_t> length_of(const Rational& value) {
  if (value.absolute().is_one()) return 0;
  if (!literal_of(value.absolute())) return std::nullopt;
  std::size_t digits = 1;
  for (std::int64_t rest = std::abs(value.numerator); rest > 9; rest /= 10) ++digits;
  for (std::int64_t rest = value.denominator; rest > 1; rest /= 10) ++digits;
  return digits;
}

std::optional<std::size_t> length_of(const Polynomial& polynomial) {
  std::size_t total = 0;
  for (const auto& [exponents, value] : polynomial.terms) {
    const auto one = length_of(value);
    if (!one) return std::nullopt;
    total += *one;
  }
  return total;
}

/// The polynomial times the number that makes its coefficients whole without a common divisor.
std::optional<Rational> whole_scale(const Polynomial& polynomial) {
  std::int64_t above = 0;
  std::int64_t below = 1;
  for (const auto& [exponents, value] : polynomial.terms) {
    above = std::gcd(above, value.numerator);
    const std::int64_t part = value.denominator / std::gcd(below, value.denominator);
    if (part > INT64_MAX / below) return std::nullopt;
    below *= part;
  }
  return make_rational(below, above);
}

/// Multiplies a factor and keeps the product as it was; false where a number does not fit.
bool rescale(Factorisation& whole, std::size_t factor, const Rational& by) {
  const auto base = scaled(whole.factors[factor].base, by);
  const auto raised = power(by, -whole.factors[factor].exponent);
  const auto scale = raised ? multiply(whole.scale, *raised) : std::nullopt;
  if (!base || !scale) return false;
  whole.factors[factor].base = *base;
  whole.scale = *scale;
  return true;
}

/// Divides each factor by one of its coefficients where the whole is shorter to write that way: 1+0.044715*A**2, not
/// 200000+8943*A**2. Nothing where no way has literals for all numbers.
std::optional<Factorisation> spelled(const Factorisation& found) {
  Factorisation whole = found;
  for (std::size_t i = 0; i < whole.factors.size(); ++i) {
    const auto scale = whole_scale(whole.factors[i].base);
    if (!scale || !rescale(whole, i, *scale)) return std::nullopt;
  }
  std::optional<Factorisation> best;
  std::size_t least = 0;
  std::vector<std::size_t> choice(found.factors.size(), 0);  // 0: whole numbers; i: divided by coefficient i-1
  constexpr std::size_t kChoices = 4;
  for (std::size_t round = 0; round < 256; ++round) {
    Factorisation one = whole;
    std::optional<std::size_t> length = 0;
    for (std::size_t i = 0; i < choice.size() && length; ++i) {
      PolynomialPower& factor = one.factors[i];
      if (choice[i] > 0) {
        auto term = factor.base.terms.begin();
        for (std::size_t k = 1; k < choice[i] && term != factor.base.terms.end(); ++k) ++term;
        if (term == factor.base.terms.end()) {
          length.reset();
          break;
        }
        const auto inverse = divide({1, 1}, term->second);
        if (!inverse || !rescale(one, i, *inverse)) {
          length.reset();
          break;
        }
      }
      const auto size = length_of(factor.base);
      length = size ? std::optional(*length + *size) : std::nullopt;
    }
    const auto scale = length ? length_of(one.scale) : std::nullopt;
    if (scale && (!best || *length + *scale < least)) {
      least = *length + *scale;
      best = one;
    }
    std::size_t at = 0;
    while (at < choice.size() && ++choice[at] > kChoices) choice[at++] = 0;
    if (at == choice.size()) break;
  }
  return best;
}

}  // namespace

std::optional<Factorisation> factorise(const Polynomial& polynomial, bool square_free) {
  if (polynomial.terms.empty()) return std::nullopt;
  const Context context(generator_count(polynomial));
  Multivariate value(context, polynomial);
  Factors factors(context);
  const int done = square_free ? fmpq_mpoly_factor_squarefree(factors.get(), value.get(), context.get())
                               : fmpq_mpoly_factor(factors.get(), value.get(), context.get());
  if (done == 0) return std::nullopt;
  Factorisation out;
  Fraction constant;
  fmpq_mpoly_factor_get_constant_fmpq(constant.get(), factors.get(), context.get());
  const auto scale = constant.rational();
  if (!scale) return std::nullopt;
  out.scale = *scale;
  const slong count = fmpq_mpoly_factor_length(factors.get(), context.get());
  for (slong i = 0; i < count; ++i) {
    Multivariate base(context);
    fmpq_mpoly_factor_get_base(base.get(), factors.get(), i, context.get());
    const auto converted = base.polynomial();
    const slong exponent = fmpq_mpoly_factor_get_exp_si(factors.get(), i, context.get());
    if (!converted || exponent < 1 || exponent > kMaxExponent) return std::nullopt;
    out.factors.push_back({*converted, static_cast<int>(exponent)});
  }
  // The order in which FLINT finds them means nothing; that of the generators does.
  std::sort(out.factors.begin(), out.factors.end(), [](const PolynomialPower& a, const PolynomialPower& b) {
    if (a.base.is_monomial() != b.base.is_monomial()) return a.base.is_monomial();
    return b.base.terms.begin()->first < a.base.terms.begin()->first;
  });
  return spelled(out);
}

std::optional<Polynomial> common_divisor(const Polynomial& a, const Polynomial& b) {
  const Context context(std::max(generator_count(a), generator_count(b)));
  Multivariate left(context, a);
  Multivariate right(context, b);
  Multivariate out(context);
  if (fmpq_mpoly_gcd(out.get(), left.get(), right.get(), context.get()) == 0) return std::nullopt;
  return out.polynomial();
}

std::optional<Polynomial> quotient(const Polynomial& a, const Polynomial& b) {
  if (b.terms.empty()) return std::nullopt;
  const Context context(std::max(generator_count(a), generator_count(b)));
  Multivariate left(context, a);
  Multivariate right(context, b);
  Multivariate out(context);
  if (fmpq_mpoly_divides(out.get(), left.get(), right.get(), context.get()) == 0) return std::nullopt;
  return out.polynomial();
}

namespace {

class Univariate {
 public:
  Univariate() { fmpq_poly_init(value_); }
  Univariate(const Polynomial& polynomial, std::size_t generator) : Univariate() {
    Fraction fraction;
    for (const auto& [exponents, coefficient] : polynomial.terms) {
      fraction.set(coefficient);
      fmpq_poly_set_coeff_fmpq(value_, exponent_of(exponents, generator), fraction.get());
    }
  }
  ~Univariate() { fmpq_poly_clear(value_); }
  Univariate(const Univariate&) = delete;
  Univariate& operator=(const Univariate&) = delete;
  [[nodiscard]] fmpq_poly_struct* get() { return value_; }
  [[nodiscard]] std::optional<Polynomial> polynomial(std::size_t generator) {
    Polynomial out;
    Fraction fraction;
    for (slong i = 0; i < fmpq_poly_length(value_); ++i) {
      fmpq_poly_get_coeff_fmpq(fraction.get(), value_, i);
      const auto coefficient = fraction.rational();
      if (!coefficient) return std::nullopt;
      if (coefficient->is_zero()) continue;
      Exponents exponents;
      if (i > 0) {
        exponents.assign(generator + 1, 0);
        exponents[generator] = static_cast<std::uint16_t>(i);
      }
      out.terms.emplace(std::move(exponents), *coefficient);
    }
    return out;
  }

 private:
  fmpq_poly_t value_;
};

}  // namespace

std::optional<Bezout> bezout(const Polynomial& a, const Polynomial& b, std::size_t generator) {
  Univariate left(a, generator);
  Univariate right(b, generator);
  Univariate divisor;
  Univariate u;
  Univariate v;
  fmpq_poly_xgcd(divisor.get(), u.get(), v.get(), left.get(), right.get());
  if (fmpq_poly_is_one(divisor.get()) == 0) return std::nullopt;
  auto left_factor = u.polynomial(generator);
  auto right_factor = v.polynomial(generator);
  if (!left_factor || !right_factor) return std::nullopt;
  return Bezout{*std::move(left_factor), *std::move(right_factor)};
}

}  // namespace steptp::algebra
