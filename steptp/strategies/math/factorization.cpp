/// factorization: a sum becomes the product of its factors over the rationals.
///   A_{a}**2+2*A_{a}*C_{a}+C_{a}**2   -->   (A_{a}+C_{a})**2
/// Safe because both are the same polynomial in reads, indices and calls, all of them finite.
#include <algorithm>

#include "steptp/algebra/build.h"
#include "steptp/algebra/polynomial.h"
#include "steptp/strategies/scalar_steps.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"form", Parameter::Kind::word, "full: irreducible factors; square-free: grouped by how often they occur"},
};
constexpr Precondition kPublished[] = {
    {Check::pattern_match, "matches", "a sum has factors"},
};
constexpr Precondition kSafety[] = {kOneType, kValueOnly, kAccumulator, kFinite, kNonZero};
constexpr Component kModifies[] = {Component::expressions, Component::equations};

/// Larger questions are not asked: the time for an answer grows fast.
constexpr std::size_t kMaxGenerators = 12;
constexpr std::size_t kMaxTerms = 24;

bool has_unit_coefficients(const algebra::Polynomial& polynomial) {
  return std::all_of(polynomial.terms.begin(), polynomial.terms.end(),
                     [](const auto& term) { return term.second.absolute().is_one(); });
}

/// Factors that are worth a step: two of them, or a number that all terms share.
bool is_product(const algebra::Factorisation& found) {
  int count = 0;
  bool has_sum = false;
  bool units = true;
  for (const algebra::PolynomialPower& factor : found.factors) {
    count += factor.exponent;
    if (!factor.base.is_monomial()) {
      has_sum = true;
      units = units && has_unit_coefficients(factor.base);
    }
  }
  if (!has_sum) return false;
  return count > 1 || (units && !found.scale.absolute().is_one());
}

ExprPtr built(const ScalarPlace& place, const algebra::Generators& generators, const algebra::Factorisation& found) {
  std::vector<algebra::Factor> factors;
  for (const algebra::PolynomialPower& factor : found.factors) {
    const ExprPtr base = algebra::to_expr(generators, factor.base);
    if (!factor.base.is_monomial()) {
      factors.push_back({base, nullptr, factor.exponent, {}});
      continue;
    }
    for (algebra::Factor one : place.scalars().product(base).factors) {
      one.exponent *= factor.exponent;
      if (!one.number || !one.number->is_one()) factors.push_back(std::move(one));
    }
  }
  const ExprPtr product = algebra::build_scaled(found.scale.absolute(), std::move(factors));
  return found.scale.is_negative() ? algebra::make_negated(product) : product;
}

/// The factors with sums inside multiplied out or kept as they are; nothing where that is no product.
ExprPtr product_of(const ScalarPlace& place, bool keep_sums, bool square_free) {
  algebra::Generators generators;
  const auto polynomial = algebra::to_polynomial(place.scalars(), generators, place.body, keep_sums);
  if (!polynomial || polynomial->terms.size() < 2 || polynomial->terms.size() > kMaxTerms) return nullptr;
  if (generators.all().size() > kMaxGenerators) return nullptr;
  const auto found = algebra::factorise(*polynomial, square_free);
  return found && is_product(*found) ? built(place, generators, *found) : nullptr;
}

void find(const ScalarPlace& place, RewriteList& out) {
  if (!is_sum(place, place.body)) return;
  ExprPtr full;
  for (const bool square_free : {false, true}) {
    ExprPtr body;
    // A square of a difference stays one.
    if (multiplied_differences(place, place.body) < 2) body = product_of(place, false, square_free);
    if (!body) body = product_of(place, true, square_free);
    if (!body || (full && place.scalars().same(full, body))) continue;
    full = body;
    Values form = {{"form", square_free ? "square-free" : "full"}};
    if (auto refusal = refuse_values(place, place.body)) {
      out.refuse(std::move(form), *std::move(refusal));
      continue;
    }
    out.offer(std::move(form), body, {{&kFinite, {}}},
              "both are the same polynomial in values that are finite, divisors apart");
  }
}

constexpr ScalarRule kRule = {find, kPublished[0], kParameters, kPublished[0]};
void choices(View& view, Listing& listing) { scalar_choices(view, listing, kRule); }
Result<Applied, Refusal> apply(View& view, const Choice& choice) { return scalar_apply(view, choice, kRule); }

}  // namespace

const Strategy& factorization_strategy() {
  static constexpr Strategy kStrategy = {
      "factorization",
      Level::math,
      "a sum becomes the product of its factors over the rationals",
      "A_{a}**2+2*A_{a}*C_{a}+C_{a}**2   -->   (A_{a}+C_{a})**2",
      "both are the same polynomial in reads, indices and calls, all of them finite",
      "expand_factorization",
      {"@input A f32[8]\n@input C f32[8]\n@output E f32[8]\n"
       "B^{8}_{tx=0}[E^{f32,g}_{tx}=A^{f32,g}_{tx}**2+2*A^{f32,g}_{tx}*C^{f32,g}_{tx}+C^{f32,g}_{tx}**2;];\n",
       R"({"at":"0/0:right","form":"full"})"},
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
