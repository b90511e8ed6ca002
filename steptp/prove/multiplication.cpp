// Products and inverses (docs/decisions/0011). Products are multiplied out, one pair of terms at a time; what a product
// of two products becomes is decided by the laws of multiply_monomials. A sum beside a factor that may be infinite
// stays whole (a lump), because inf*(3-1) is inf and inf*3-inf*1 is not a number. Factors that are never zero and
// always finite may stand under a divisor with negative exponents and cancel; all others stay inside one inverse.
#include <algorithm>
#include <map>

#include "steptp/prove/arena.h"
#include "steptp/prove/give_up.h"

namespace steptp::forms {

/// n*lump(x) = lump(n*x): the first coefficient stands outside.
PolynomialId Polynomials::lump(PolynomialId polynomial) {
  if (polynomials_[polynomial].terms.size() < 2) return polynomial;
  const mpq_class leading = polynomials_[polynomial].terms.front().second;
  if (leading == 0 || !with_algebra_) return generator({Generator::Kind::lump, 0, {polynomial}, {}, {}, {}});
  return scale(generator({Generator::Kind::lump, 0, {scale(polynomial, 1 / leading)}, {}, {}, {}}), leading);
}

PolynomialId Polynomials::multiply(PolynomialId left, PolynomialId right) {
  const Deeper deeper(budget_);
  if (const auto value = as_constant(left)) return scale(right, *value);
  if (const auto value = as_constant(right)) return scale(left, *value);
  // NaN*x = NaN.
  if (const auto veiled = as_veiled(left)) {
    return veil({veiled->where, multiply(veiled->value, arena_.masks.where(negation(veiled->where), right))});
  }
  if (as_veiled(right)) return multiply(right, left);
  // x*(y+z) = x*y+x*z only where x is finite: inf*(3-1) is inf, inf*3-inf*1 is not a number.
  if (!with_algebra_) {
    left = lump(left);
    right = lump(right);
  }
  if (traits(left).may_be_infinite && polynomials_[right].terms.size() > 1) right = lump(right);
  if (traits(right).may_be_infinite && polynomials_[left].terms.size() > 1) left = lump(left);
  const Polynomial& a = polynomials_[left];
  const Polynomial& b = polynomials_[right];
  budget_.spend(a.terms.size() * b.terms.size());
  PolynomialId result = constant(0);
  for (const auto& [ma, ca] : a.terms) {
    for (const auto& [mb, cb] : b.terms) result = add(result, scale(multiply_monomials(ma, mb), ca * cb));
  }
  return left == right ? arena_.signs.as_nonnegative(result) : result;
}

std::optional<PolynomialId> Polynomials::under_root(GeneratorId id) {
  const Generator& node = generators_[id];
  if (!with_algebra_ || node.kind != Generator::Kind::call || static_cast<Function>(node.tag) != Function::sqrt) {
    return std::nullopt;
  }
  const PolynomialId inside = node.polynomials[0];
  if (traits(inside).is_wild() || !sign(inside).nonnegative) return std::nullopt;
  return inside;
}

/// sqrt(x)*sqrt(x) = x where x is a number and never negative.
std::optional<PolynomialId> Polynomials::without_roots(Exponents& exponents) {
  for (auto& [generator, exponent] : exponents) {
    const auto inside = exponent > 1 ? under_root(generator) : std::nullopt;
    if (!inside) continue;
    const std::int64_t whole = exponent / 2;
    exponent %= 2;
    Monomial rest;
    for (const auto& [other, power] : exponents) {
      if (power != 0) rest.factors.emplace_back(other, static_cast<std::int32_t>(power));
    }
    return multiply(intern_polynomial({{{intern_monomial(std::move(rest)), mpq_class(1)}}}),
                    integer_power(*inside, whole));
  }
  return std::nullopt;
}

/// product{a..b}(x)*product{b+1..c}(x) = product{a..c}(x): products over neighbouring ranges are one product.
std::optional<PolynomialId> Polynomials::with_joined_folds(const Monomial& product, const Exponents& exponents) {
  for (std::size_t i = 0; i < product.factors.size(); ++i) {
    const auto& [first, power] = product.factors[i];
    const Generator& node = generators_[first];
    const bool is_product = power == 1 && node.kind == Generator::Kind::reduction &&
                            static_cast<ArithmeticOp>(node.tag) == ArithmeticOp::multiply;
    for (std::size_t j = i + 1; is_product && j < product.factors.size(); ++j) {
      const auto& [second, other_power] = product.factors[j];
      const auto joined =
          other_power == 1 ? arena_.reductions.join_two(ArithmeticOp::multiply, first, second) : std::nullopt;
      if (!joined) continue;
      Monomial others;
      for (const auto& [generator, exponent] : exponents) {
        if (exponent == 0 || generator == first || generator == second) continue;
        others.factors.emplace_back(generator, static_cast<std::int32_t>(exponent));
      }
      return multiply(intern_polynomial({{{intern_monomial(std::move(others)), mpq_class(1)}}}), *joined);
    }
  }
  return std::nullopt;
}

/// A product whose factors have all been put together; what divides it may still reduce it.
PolynomialId Polynomials::product_of(Monomial factors) {
  if (const auto none = arena_.masks.nothing_by_nothing(factors)) return *none;
  return arena_.quotients.divided(intern_monomial(std::move(factors)));
}

PolynomialId Polynomials::multiply_monomials(MonomialId left, MonomialId right) {
  const Deeper deeper(budget_);
  Exponents exponents;
  for (const MonomialId id : {left, right}) {
    for (const auto& [generator, exponent] : monomials_[id].factors) exponents[generator] += exponent;
  }
  budget_.look(exponents.size());
  if (const auto product = without_roots(exponents)) return *product;
  // exp(a)*exp(b) = exp(a+b), for every value, infinite ones included: one exponential per product.
  PolynomialId argument = constant(0);
  std::size_t exponentials = 0;
  Monomial result;
  for (const auto& [generator, exponent] : exponents) {
    if (exponent == 0) continue;  // only generators that are never zero and always finite have negative exponents
    if (exponent > 1000 || exponent < -1000) throw GiveUp{"a power beyond 1000"};
    const Generator& node = generators_[generator];
    if (with_algebra_ && node.kind == Generator::Kind::call && static_cast<Function>(node.tag) == Function::exp) {
      argument = add(argument, scale(node.polynomials[0], mpq_class(static_cast<long>(exponent))));
      exponentials += exponent == 1 ? 1 : 2;
    } else {
      result.factors.emplace_back(generator, static_cast<std::int32_t>(exponent));
    }
  }
  if (const auto product = with_joined_folds(result, exponents)) return *product;
  if (exponentials < 2 || !with_algebra_) {
    result.factors.clear();
    for (const auto& [generator, exponent] : exponents) {
      if (exponent != 0) result.factors.emplace_back(generator, static_cast<std::int32_t>(exponent));
    }
    return product_of(std::move(result));
  }
  const PolynomialId merged = call(Function::exp, argument);
  const MonomialId rest = intern_monomial(std::move(result));
  if (as_constant(merged)) return scale(arena_.quotients.divided(rest), *as_constant(merged));
  // The sum of the arguments may be a difference of infinities, or have a mask.
  if (!as_generator(merged)) return multiply(merged, intern_polynomial({{{rest, mpq_class(1)}}}));
  Monomial whole = monomials_[rest];
  whole.factors.emplace_back(*as_generator(merged), 1);
  std::sort(whole.factors.begin(), whole.factors.end());
  return product_of(std::move(whole));
}

/// x**-n = 1/x**n; x**(2*n) >= 0.
PolynomialId Polynomials::integer_power(PolynomialId base, std::int64_t exponent) {
  if (exponent < 0) return inverse(integer_power(base, -exponent));
  if (exponent > 64) throw GiveUp{"a power beyond 64"};
  PolynomialId result = constant(1);
  for (std::int64_t i = 0; i < exponent; ++i) result = multiply(result, base);
  return exponent % 2 == 0 ? arena_.signs.as_nonnegative(result) : result;
}

/// 1/(n*x*y) = (1/n)*x**-1*(1/y), where x is never zero and always finite: such factors can cancel. 1/exp(x) = exp(-x).
PolynomialId Polynomials::inverse_of_product(PolynomialId product) {
  const Polynomial& node = polynomials_[product];
  const mpq_class leading = node.terms.front().second;
  Monomial outside;
  Monomial inside;
  PolynomialId exponentials = constant(1);
  for (const auto& [factor, exponent] : monomials_[node.terms[0].first].factors) {
    const Generator& inner = generators_[factor];
    if (inner.kind == Generator::Kind::call && static_cast<Function>(inner.tag) == Function::exp) {
      exponentials = multiply(exponentials, call(Function::exp, scale(inner.polynomials[0], mpq_class(-exponent))));
    } else if (!generators_.traits(factor).is_wild() && arena_.signs.sign_of_generator(factor).nonzero) {
      outside.factors.emplace_back(factor, -exponent);
      note({Need::Kind::nonzero, false, factor});
    } else {
      inside.factors.emplace_back(factor, exponent);
    }
  }
  PolynomialId result = constant(1 / leading);
  if (!outside.factors.empty()) {
    result = multiply(result, intern_polynomial({{{intern_monomial(std::move(outside)), mpq_class(1)}}}));
  }
  result = multiply(result, exponentials);
  if (inside.factors.empty()) return result;
  const PolynomialId rest = intern_polynomial({{{intern_monomial(std::move(inside)), mpq_class(1)}}});
  return multiply(result, generator({Generator::Kind::inverse, 0, {rest}, {}, {}, {}}));
}

PolynomialId Polynomials::inverse(PolynomialId polynomial) {
  const Deeper deeper(budget_);
  // 1/NaN = NaN.
  if (const auto veiled = as_veiled(polynomial)) {
    return veil({veiled->where, arena_.masks.inverse_where({negation(veiled->where)}, veiled->value)});
  }
  const Polynomial& node = polynomials_[polynomial];
  if (const auto value = as_constant(polynomial)) {
    if (*value == 0) throw GiveUp{"a division by the constant zero"};
    return constant(1 / *value);
  }
  // 1/(n*x) = (1/n)*(1/x): what is left inside is the same for all multiples.
  const mpq_class leading = node.terms.front().second;
  if (leading == 0 || !with_algebra_) return generator({Generator::Kind::inverse, 0, {polynomial}, {}, {}, {}});
  if (node.terms.size() == 1) return inverse_of_product(polynomial);
  if (const auto cleared = arena_.quotients.inverse_of_fractions(polynomial)) return *cleared;
  const auto [sum, exponent] = arena_.quotients.without_exponential(polynomial);
  const mpq_class factor = 1 / polynomials_[sum].terms.front().second;
  const PolynomialId monic = scale(sum, factor);
  const PolynomialId result = scale(generator({Generator::Kind::inverse, 0, {monic}, {}, {}, {}}), factor);
  return exponent == constant(0) ? result : multiply(result, call(Function::exp, negate(exponent)));
}

}  // namespace steptp::forms
