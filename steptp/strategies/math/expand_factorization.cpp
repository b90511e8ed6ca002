/// expand_factorization: a product with sums among its factors is multiplied out.
///   A_{a}*(1+C_{a})   -->   A_{a}*C_{a}+A_{a}
/// Safe because both are the same polynomial in values that are finite. The square of a difference stays whole: of
/// (x-m)**2 nothing is left but rounding errors once it is multiplied out.
#include <algorithm>

#include "steptp/algebra/polynomial.h"
#include "steptp/strategies/scalar_steps.h"

namespace steptp {

namespace {

constexpr Precondition kPublished[] = {
    {Check::pattern_match, "matches", "a product or a power has a factor that is a sum"},
};
constexpr Precondition kSafety[] = {kOneType, kValueOnly, kAccumulator, kFinite, kNonZero, kAccuracy};
constexpr Component kModifies[] = {Component::expressions, Component::equations};

void find(const ScalarPlace& place, RewriteList& out) {
  if (!place.scalars().is_arithmetic(place.body) || is_sum(place, place.body)) return;
  const algebra::Term product = place.scalars().product(place.body);
  const auto above = std::count_if(product.factors.begin(), product.factors.end(),
                                   [](const algebra::Factor& factor) { return factor.exponent > 0; });
  const bool has_sum = std::any_of(product.factors.begin(), product.factors.end(), [&](const auto& factor) {
    return factor.exponent > 0 && is_sum(place, factor.base) && (above > 1 || factor.exponent > 1);
  });
  if (!has_sum) return;
  algebra::Generators generators;
  const auto polynomial = algebra::to_polynomial(place.scalars(), generators, place.body);
  if (!polynomial || polynomial->terms.size() < 2) return;
  if (auto refusal = refuse_values(place, place.body)) return out.refuse({}, *std::move(refusal));
  if (const int count = multiplied_differences(place, place.body); count > 1) {
    return out.refuse(
        {}, place.refusal(kAccuracy, "sums whose terms may cancel are multiplied with each other", {{"sums", count}}));
  }
  out.offer({}, algebra::to_expr(generators, *polynomial), {{&kFinite, {}}, {&kAccuracy, {}}},
            "both are the same polynomial in values that are finite, and at most one factor can cancel");
}

constexpr ScalarRule kRule = {find, kPublished[0], {}, kPublished[0]};
void choices(View& view, Listing& listing) { scalar_choices(view, listing, kRule); }
Result<Applied, Refusal> apply(View& view, const Choice& choice) { return scalar_apply(view, choice, kRule); }

}  // namespace

const Strategy& expand_factorization_strategy() {
  static constexpr Strategy kStrategy = {
      "expand_factorization",
      Level::math,
      "a product with sums among its factors is multiplied out",
      "A_{a}*(1+C_{a})   -->   A_{a}*C_{a}+A_{a}",
      "both are the same polynomial in values that are finite, and at most one factor is a difference",
      "factorization",
      {"@input A f32[8]\n@input C f32[8]\n@output E f32[8]\n"
       "B^{8}_{tx=0}[E^{f32,g}_{tx}=A^{f32,g}_{tx}*(1+C^{f32,g}_{tx});];\n",
       R"({"at":"0/0:right"})"},
      {},
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
