// Quotients by sums, and what exponentials and logarithms do in them (docs/decisions/0024): 1/(exp(x)+exp(-x)) and
// exp(x)/(exp(2*x)+1) are one. Of all multiples of a divisor by exponentials one is chosen, always the same; a power of
// an exponential beside a divisor is reduced by it, as polynomials are by division with remainder; and no divisor
// stands in a divisor. All of it is about numbers: a sum that may be infinite or NaN is left as it is.
#include <algorithm>
#include <functional>

#include "steptp/prove/arena.h"

namespace steptp::forms {

namespace {

constexpr std::size_t kMostTerms = 6;   ///< of a divisor from which an exponential is taken out
constexpr std::int64_t kMostSteps = 4;  ///< from one power of an exponential to another

}  // namespace

/// The argument of the exponential in a product: 0 where there is none.
PolynomialId Quotients::exponent_of(MonomialId monomial) {
  PolynomialId argument = constant(0);
  for (const auto& [factor, exponent] : monomials_[monomial].factors) {
    const Generator& node = generators_[factor];
    if (node.kind != Generator::Kind::call || static_cast<Function>(node.tag) != Function::exp) continue;
    argument = add(argument, scale(node.polynomials[0], mpq_class(exponent)));
  }
  return argument;
}

/// x+y = exp(a)*(x*exp(-a)+y*exp(-a)), of numbers. Of all multiples of a sum by exponentials and numbers, always the
/// same one, and the exponent that was taken out. The multiples to choose from have a term without an exponential:
/// there are as many as there are exponents, whichever multiple one starts with.
std::pair<PolynomialId, PolynomialId> Quotients::without_exponential(PolynomialId sum) {
  const PolynomialId none = constant(0);
  const auto terms = polynomials_[sum].terms;
  if (terms.size() > kMostTerms || traits(sum).is_wild()) return {sum, none};
  std::vector<PolynomialId> exponents;
  exponents.reserve(terms.size());
  for (const auto& [monomial, coefficient] : terms) exponents.push_back(exponent_of(monomial));
  std::sort(exponents.begin(), exponents.end());
  exponents.erase(std::unique(exponents.begin(), exponents.end()), exponents.end());
  if (exponents.size() == 1 && exponents[0] == none) return {sum, none};
  std::optional<std::pair<PolynomialId, PolynomialId>> best;
  for (const PolynomialId exponent : exponents) {
    PolynomialId rest = exponent == none ? sum : multiply(sum, call(Function::exp, negate(exponent)));
    if (polynomials_[rest].terms.size() != terms.size()) return {sum, none};
    rest = scale(rest, 1 / polynomials_[rest].terms.front().second);
    if (!best || rest < best->first) best = {rest, exponent};
  }
  for (const auto& [monomial, coefficient] : terms) note({Need::Kind::finite, true, monomial});
  return {multiply(sum, call(Function::exp, negate(best->second))), best->second};
}

/// The terms of a sum of powers of one exponential, by power.
std::optional<Quotients::PowersOfExponential> Quotients::powers_of_exponential(PolynomialId sum) {
  PowersOfExponential out;
  const PolynomialId none = constant(0);
  out.step = none;
  std::vector<std::pair<PolynomialId, mpq_class>> exponents;
  for (const auto& [monomial, coefficient] : polynomials_[sum].terms) {
    const auto& factors = monomials_[monomial].factors;
    if (factors.size() > 1) return std::nullopt;
    const PolynomialId exponent = exponent_of(monomial);
    if (!factors.empty() && (factors[0].second != 1 || exponent == none)) return std::nullopt;
    exponents.emplace_back(exponent, coefficient);
    if (out.step == none) out.step = exponent;
  }
  if (out.step == none) return std::nullopt;
  // The greatest step of which all exponents are whole multiples.
  const auto ratio_to = [this](PolynomialId exponent, PolynomialId step) -> std::optional<mpq_class> {
    if (polynomials_[exponent].terms.empty()) return mpq_class(0);
    mpq_class ratio = polynomials_[exponent].terms.front().second / polynomials_[step].terms.front().second;
    if (scale(step, ratio) != exponent) return std::nullopt;
    return ratio;
  };
  mpz_class denominators = 1;
  mpz_class numerators = 0;
  std::vector<mpq_class> ratios;
  for (const auto& [exponent, coefficient] : exponents) {
    const auto ratio = ratio_to(exponent, out.step);
    if (!ratio) return std::nullopt;
    ratios.push_back(*ratio);
    denominators = lcm(denominators, ratio->get_den());
  }
  for (const mpq_class& ratio : ratios) numerators = gcd(numerators, mpz_class(ratio * denominators));
  const mpq_class unit(numerators, denominators);
  out.step = scale(out.step, unit);
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const mpq_class power = ratios[i] / unit;
    if (abs(power) > kMostSteps) return std::nullopt;
    out.terms[power.get_num().get_si()] = exponents[i].second;
  }
  return out;
}

/// The terms of a polynomial in one generator, by power.
std::optional<std::pair<GeneratorId, std::map<std::int64_t, mpq_class>>> Quotients::powers_of_generator(
    PolynomialId sum) {
  std::optional<GeneratorId> base;
  std::map<std::int64_t, mpq_class> terms;
  for (const auto& [monomial, coefficient] : polynomials_[sum].terms) {
    const auto& factors = monomials_[monomial].factors;
    if (factors.size() > 1) return std::nullopt;
    if (!factors.empty() && (base.value_or(factors[0].first) != factors[0].first || factors[0].second < 1)) {
      return std::nullopt;
    }
    if (!factors.empty()) base = factors[0].first;
    terms[factors.empty() ? 0 : factors[0].second] = coefficient;
  }
  if (!base) return std::nullopt;
  return std::pair(*base, std::move(terms));
}

/// e**2/(e**2+2*e+2) = 1-(2*e+2)/(e**2+2*e+2) with e = exp(a), where the divisor is never zero: beside a sum of powers
/// as a divisor only exponentials stand whose multiple of a is within the powers of the divisor, the highest left out.
/// Powers of anything else too.
std::optional<PolynomialId> Quotients::divide_powers(MonomialId product) {
  const Monomial whole = monomials_[product];
  for (const auto& [divisor, power] : whole.factors) {
    if (power < 1 || generators_[divisor].kind != Generator::Kind::inverse) continue;
    const PolynomialId sum = generators_[divisor].polynomials[0];
    const std::size_t size = polynomials_[sum].terms.size();
    if (size < 2 || size > kMostTerms || traits(sum).is_wild() || !sign(sum).nonzero) continue;
    std::map<std::int64_t, mpq_class> terms;
    mpz_class count;
    std::function<PolynomialId(MonomialId, std::int64_t)> times;
    if (const auto powers = powers_of_exponential(sum)) {
      const auto& [unit, unit_size] = polynomials_[powers->step].terms.front();
      mpq_class steps = 0;
      for (const auto& [monomial, coefficient] : polynomials_[exponent_of(product)].terms) {
        if (monomial == unit) steps = coefficient / unit_size;
      }
      mpz_fdiv_q(count.get_mpz_t(), steps.get_num_mpz_t(), steps.get_den_mpz_t());
      terms = powers->terms;
      times = [this, step = powers->step](MonomialId monomial, std::int64_t number) {
        const PolynomialId exponential = call(Function::exp, scale(step, mpq_class(number)));
        return multiply(intern_polynomial({{{monomial, mpq_class(1)}}}), exponential);
      };
    } else if (const auto plain = powers_of_generator(sum)) {
      for (const auto& [factor, exponent] : whole.factors) {
        if (factor == plain->first) count = exponent;
      }
      terms = plain->second;
      if (count < terms.rbegin()->first) continue;
      times = [this, base = plain->first](MonomialId monomial, std::int64_t number) {
        return divided(times_power(monomial, base, number));
      };
    } else {
      continue;
    }
    const std::int64_t low = terms.begin()->first;
    const std::int64_t high = terms.rbegin()->first;
    if ((count >= low && count < high) || abs(count) > kMostSteps) continue;
    // One term of the divisor, times its inverse, is one less the others.
    const auto& [taken, coefficient] = count >= high ? *terms.rbegin() : *terms.begin();
    note({Need::Kind::nonzero, false, divisor});
    PolynomialId result = times(times_power(product, divisor, -1), -taken);
    for (const auto& [number, weight] : terms) {
      if (number != taken) result = add(result, scale(times(product, number - taken), -weight));
    }
    return scale(result, 1 / coefficient);
  }
  return std::nullopt;
}

PolynomialId Quotients::divided(MonomialId product) {
  const Deeper deeper(budget_);
  if (const auto quotient = with_algebra_ ? divide_powers(product) : std::nullopt) return *quotient;
  return intern_polynomial({{{product, mpq_class(1)}}});
}

MonomialId Quotients::times_power(MonomialId product, GeneratorId factor, std::int64_t power) {
  std::map<GeneratorId, std::int32_t> exponents(monomials_[product].factors.begin(), monomials_[product].factors.end());
  exponents[factor] += static_cast<std::int32_t>(power);
  Monomial result;
  for (const auto& [one, exponent] : exponents) {
    if (exponent != 0) result.factors.emplace_back(one, exponent);
  }
  return intern_monomial(std::move(result));
}

/// exp(2*log(S)+r) = S**2*exp(r), where S is a positive number.
std::optional<PolynomialId> Quotients::exp_of_logs(PolynomialId argument) {
  constexpr int kMostPower = 4;
  Polynomial rest;
  PolynomialId powers = constant(1);
  for (const auto& [monomial, coefficient] : polynomials_[argument].terms) {
    const auto& factors = monomials_[monomial].factors;
    const bool is_power = factors.size() == 1 && factors[0].second == 1 && coefficient.get_den() == 1 &&
                          abs(coefficient.get_num()) <= kMostPower;
    const Generator* node = is_power ? &generators_[factors[0].first] : nullptr;
    if (!node || node->kind != Generator::Kind::call || static_cast<Function>(node->tag) != Function::log) {
      rest.terms.emplace_back(monomial, coefficient);
      continue;
    }
    const PolynomialId inside = node->polynomials[0];
    const Sign s = sign(inside);
    if (traits(inside).is_wild() || !s.nonnegative || !s.nonzero) {
      rest.terms.emplace_back(monomial, coefficient);
      continue;
    }
    powers = multiply(powers, integer_power(inside, coefficient.get_num().get_si()));
  }
  if (rest.terms.size() == polynomials_[argument].terms.size()) return std::nullopt;
  return multiply(powers, call(Function::exp, intern_polynomial(std::move(rest))));
}

/// log(exp(a)*S) = a+log(S), and log(1+exp(-abs(x))) = log(1+exp(x))-max(x,0), of numbers.
std::optional<PolynomialId> Quotients::log_of_exponentials(PolynomialId argument) {
  if (traits(argument).is_wild()) return std::nullopt;
  const auto [rest, exponent] = without_exponential(argument);
  // What does not stay where it was put (powers of functions that join differently) is left as it is.
  const bool is_settled = exponent == constant(0) || without_exponential(rest).second == constant(0);
  if (!is_settled) return std::nullopt;
  if (exponent != constant(0)) return add(exponent, call(Function::log, rest));
  const auto powers = polynomials_[argument].terms.size() == 2 ? powers_of_exponential(argument) : std::nullopt;
  if (!powers) return std::nullopt;
  const auto& [low, low_weight] = *powers->terms.begin();
  const auto& [high, high_weight] = *powers->terms.rbegin();
  const auto scaled = as_scaled_generator(powers->step);
  if (low_weight != 1 || high_weight != 1 || (low != 0 && high != 0) || !scaled) return std::nullopt;
  const Generator& node = generators_[scaled->first];
  if (node.kind != Generator::Kind::call || static_cast<Function>(node.tag) != Function::abs) return std::nullopt;
  // 1+exp(s*abs(x)): with t=abs(s)*x it is log(1+exp(t))-max(t,0), and s*abs(x) more where s is positive.
  const mpq_class slope = scaled->second * (low == 0 ? high : low);
  const PolynomialId inside = scale(node.polynomials[0], abs(slope));
  const PolynomialId one = constant(1);
  PolynomialId result = call(Function::log, add(one, call(Function::exp, inside)));
  result = add(result, negate(arena_.choices.extremum(true, {inside, constant(0)})));
  if (slope > 0) result = add(result, scale(generator(node), slope));
  return result;
}

/// 1/(S+1/S) = S/(S**2+1), where S is never zero: no divisor stands in a divisor.
std::optional<PolynomialId> Quotients::inverse_of_fractions(PolynomialId sum) {
  constexpr std::size_t kMostWork = 16;
  const auto terms = polynomials_[sum].terms;
  if (terms.size() > kMostTerms || traits(sum).is_wild()) return std::nullopt;
  for (const auto& [monomial, coefficient] : terms) {
    for (const auto& [factor, exponent] : monomials_[monomial].factors) {
      if (exponent < 1 || generators_[factor].kind != Generator::Kind::inverse) continue;
      const PolynomialId divisor = generators_[factor].polynomials[0];
      if (polynomials_[divisor].terms.size() * terms.size() > kMostWork) return std::nullopt;
      if (traits(divisor).is_wild() || !sign(divisor).nonzero) continue;
      note({Need::Kind::nonzero, false, factor});
      PolynomialId cleared = constant(0);
      for (const auto& [other, weight] : terms) {
        Monomial factors = monomials_[other];
        const auto at = std::find_if(factors.factors.begin(), factors.factors.end(),
                                     [id = factor](const auto& one) { return one.first == id && one.second > 0; });
        const bool has_it = at != factors.factors.end();
        if (has_it && --at->second == 0) factors.factors.erase(at);
        const PolynomialId term = intern_polynomial({{{intern_monomial(std::move(factors)), weight}}});
        cleared = add(cleared, has_it ? term : multiply(term, divisor));
      }
      if (polynomials_[cleared].terms.empty()) return std::nullopt;
      return multiply(divisor, inverse(cleared));
    }
  }
  return std::nullopt;
}

}  // namespace steptp::forms
