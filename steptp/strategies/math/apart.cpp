/// apart: a quotient becomes a sum of quotients.
///   1/(A_{a}*(A_{a}+1))   -->   1/A_{a}-1/(A_{a}+1)        (A_{a}+C_{a})/D_{a}   -->   A_{a}/D_{a}+C_{a}/D_{a}
/// Safe because no denominator is zero and all values are finite.
#include <algorithm>

#include "steptp/algebra/build.h"
#include "steptp/algebra/partial_fractions.h"
#include "steptp/strategies/scalar_steps.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"form", Parameter::Kind::word, "terms: a sum above is divided term by term; fractions: by factors of the divisor"},
    {"by", Parameter::Kind::word, "the address of the sum, or of the value in which the divisor has factors"},
};
constexpr Precondition kPublished[] = {
    {Check::pattern_match, "matches", "a sum is divided, or the divisor has several factors in one value"},
};
constexpr Precondition kSafety[] = {kOneType, kValueOnly, kAccumulator, kFinite, kNonZero};
constexpr Component kModifies[] = {Component::expressions, Component::equations};

/// (p+q)/d is p/d+q/d.
void terms(const ScalarPlace& place, const algebra::Term& product, RewriteList& out) {
  const bool divides = std::any_of(product.factors.begin(), product.factors.end(),
                                   [](const algebra::Factor& factor) { return factor.exponent < 0; });
  for (std::size_t i = 0; i < product.factors.size() && divides; ++i) {
    const algebra::Factor& factor = product.factors[i];
    if (factor.exponent != 1 || !is_sum(place, factor.base)) continue;
    Values values = {{"form", "terms"}, {"by", place.address_of(factor.key)}};
    if (auto refusal = refuse_values(place, place.body)) {
      out.refuse(std::move(values), *std::move(refusal));
      continue;
    }
    const auto sum = algebra::distributed(product, i, place.scalars().sum(factor.base));
    out.offer(std::move(values), algebra::build_sum(sum), {{&kFinite, {}}, {&kNonZero, {}}},
              "a sum is divided term by term, and the divisor is not zero");
  }
}

bool has_only(const algebra::Polynomial& polynomial, std::size_t generator) {
  return std::all_of(polynomial.terms.begin(), polynomial.terms.end(), [&](const auto& term) {
    for (std::size_t i = 0; i < term.first.size(); ++i) {
      if (i != generator && term.first[i] > 0) return false;
    }
    return true;
  });
}

/// The quotient with the divisors split: a product of polynomials in one generator, and the rest.
struct Quotient {
  algebra::Polynomial numerator;
  algebra::Polynomial denominator = algebra::Polynomial::constant({1, 1});
  std::vector<algebra::Factor> outer;
};
std::optional<Quotient> quotient_in(const ScalarPlace& place, const algebra::Term& product,
                                    algebra::Generators& generators, std::size_t generator) {
  Quotient out;
  std::vector<algebra::Factor> above;
  for (const algebra::Factor& factor : product.factors) {
    if (factor.number || factor.exponent > 0) {
      above.push_back(factor);
      continue;
    }
    const auto base = algebra::to_polynomial(place.scalars(), generators, factor.base);
    if (!base) return std::nullopt;
    if (algebra::degree(*base, generator) == 0) {
      out.outer.push_back(factor);
      continue;
    }
    if (!has_only(*base, generator)) return std::nullopt;
    for (int i = 0; i < -factor.exponent; ++i) {
      const auto next = algebra::multiply(out.denominator, *base);
      if (!next) return std::nullopt;
      out.denominator = *next;
    }
  }
  const ExprPtr numerator = algebra::build_product(above);
  const bool keep_sums = multiplied_differences(place, numerator) > 1;
  const auto polynomial = algebra::to_polynomial(place.scalars(), generators, numerator, keep_sums);
  const auto with_sign = polynomial ? algebra::scaled(*polynomial, {product.negative ? -1 : 1, 1}) : std::nullopt;
  if (!with_sign) return std::nullopt;
  out.numerator = *with_sign;
  return out;
}

/// A polynomial over some divisors, the sign in front.
algebra::Signed over(const algebra::Generators& generators, const algebra::Polynomial& numerator,
                     std::vector<algebra::Factor> divisors) {
  const bool negative = std::all_of(numerator.terms.begin(), numerator.terms.end(),
                                    [](const auto& term) { return term.second.is_negative(); });
  const auto positive = negative ? *algebra::scaled(numerator, {-1, 1}) : numerator;
  const bool is_one = positive == algebra::Polynomial::constant({1, 1});
  if (!is_one) divisors.insert(divisors.begin(), {algebra::to_expr(generators, positive), nullptr, 1, {}});
  return {negative, algebra::build_product(divisors)};
}

void fractions(const ScalarPlace& place, const algebra::Term& product, RewriteList& out) {
  algebra::Generators generators;
  int divisors = 0;
  for (const algebra::Factor& factor : product.factors) {
    if (factor.number || factor.exponent > 0) continue;
    divisors += place.scalars().is_arithmetic(factor.base) ? 2 : 1;
    if (!algebra::to_polynomial(place.scalars(), generators, factor.base)) return;
  }
  if (divisors < 2) return;
  const std::size_t count = generators.all().size();
  for (std::size_t generator = 0; generator < count; ++generator) {
    const auto quotient = quotient_in(place, product, generators, generator);
    if (!quotient || algebra::degree(quotient->denominator, generator) < 2) continue;
    const auto found = algebra::partial_fractions(quotient->numerator, quotient->denominator, generator);
    if (!found) continue;
    Values values = {{"form", "fractions"}, {"by", place.address_of(generators.all()[generator].key)}};
    std::optional<Refusal> refusal = refuse_values(place, place.body);
    std::vector<algebra::Signed> sum;
    for (const algebra::PartialFraction& part : found->parts) {
      const ExprPtr base = algebra::to_expr(generators, part.denominator.base);
      if (!refusal && !place.fact(base).is_nonzero()) {
        refusal = place.refusal(kNonZero, "a factor of the divisor is not known to be other than zero");
      }
      std::vector<algebra::Factor> below = {{base, nullptr, -part.denominator.exponent, {}}};
      below.insert(below.end(), quotient->outer.begin(), quotient->outer.end());
      sum.push_back(over(generators, part.numerator, std::move(below)));
    }
    if (!found->whole.terms.empty()) sum.push_back(over(generators, found->whole, quotient->outer));
    if (refusal) {
      out.refuse(std::move(values), *std::move(refusal));
      continue;
    }
    out.offer(std::move(values), algebra::build_sum(std::move(sum)), {{&kFinite, {}}, {&kNonZero, {}}},
              "the fractions add up to the quotient, and no factor of its divisor is zero");
  }
}

void find(const ScalarPlace& place, RewriteList& out) {
  if (!place.scalars().is_arithmetic(place.body) || is_sum(place, place.body)) return;
  const algebra::Term product = place.scalars().product(place.body);
  terms(place, product, out);
  fractions(place, product, out);
}

constexpr ScalarRule kRule = {find, kPublished[0], kParameters, kPublished[0]};
void choices(View& view, Listing& listing) { scalar_choices(view, listing, kRule); }
Result<Applied, Refusal> apply(View& view, const Choice& choice) { return scalar_apply(view, choice, kRule); }

}  // namespace

const Strategy& apart_strategy() {
  static constexpr Strategy kStrategy = {
      "apart",
      Level::math,
      "a quotient becomes a sum of quotients",
      "1/(A_{a}*(A_{a}+1))   -->   1/A_{a}-1/(A_{a}+1)",
      "no denominator is zero and all values are finite",
      "together",
      {"@input A f32[8] positive\n@input C f32[8] positive\n@input D f32[8] positive\n@output E f32[8]\n"
       "B^{8}_{tx=0}[E^{f32,g}_{tx}=1/(A^{f32,g}_{tx}*(A^{f32,g}_{tx}+1));];\n",
       R"({"at":"0/0:right","form":"fractions","by":"0/0:right.1.0"})"},
      kParameters,
      kPublished,
      kSafety,
      kModifies,
      {},
      choices,
      apply,
  };
  return kStrategy;
}

}  // namespace steptp
