/// expand_collect: a factor that is a sum is multiplied out, each of its terms with the other factors.
///   A_{a}*(C_{a}+D_{a})   -->   A_{a}*C_{a}+A_{a}*D_{a}
/// Safe because multiplication distributes over addition where all values are finite.
#include <algorithm>

#include "steptp/algebra/build.h"
#include "steptp/strategies/scalar_steps.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"by", Parameter::Kind::word, "the address of the sum: where it stands first in the part"},
};
constexpr Precondition kPublished[] = {
    {Check::pattern_match, "matches", "a product has a factor that is a sum"},
};
constexpr Precondition kSafety[] = {kOneType, kValueOnly, kAccumulator, kFinite, kNonZero};
constexpr Component kModifies[] = {Component::expressions, Component::equations};

void find(const ScalarPlace& place, RewriteList& out) {
  if (!place.scalars().is_arithmetic(place.body) || is_sum(place, place.body)) return;
  const algebra::Term product = place.scalars().product(place.body);
  for (std::size_t i = 0; i < product.factors.size(); ++i) {
    const algebra::Factor& factor = product.factors[i];
    if (factor.exponent != 1 || !is_sum(place, factor.base)) continue;
    const bool multiplied = std::any_of(product.factors.begin(), product.factors.end(),
                                        [&](const auto& other) { return &other != &factor && other.exponent > 0; });
    if (!multiplied) continue;
    Values by = {{"by", place.address_of(factor.key)}};
    if (auto refusal = refuse_values(place, place.body)) {
      out.refuse(std::move(by), *std::move(refusal));
      continue;
    }
    const auto terms = algebra::distributed(product, i, place.scalars().sum(factor.base));
    out.offer(std::move(by), algebra::build_sum(terms), {{&kFinite, {}}},
              "multiplication distributes over addition, and all values in the product are finite");
  }
}

constexpr ScalarRule kRule = {find, kPublished[0], kParameters, kPublished[0]};
void choices(View& view, Listing& listing) { scalar_choices(view, listing, kRule); }
Result<Applied, Refusal> apply(View& view, const Choice& choice) { return scalar_apply(view, choice, kRule); }

}  // namespace

const Strategy& expand_collect_strategy() {
  static constexpr Strategy kStrategy = {
      "expand_collect",
      Level::math,
      "a factor that is a sum is multiplied out, each of its terms with the other factors",
      "A_{a}*(C_{a}+D_{a})   -->   A_{a}*C_{a}+A_{a}*D_{a}",
      "multiplication distributes over addition where all values are finite",
      "collect",
      {"@input A f32[8]\n@input C f32[8]\n@input D f32[8]\n@output E f32[8]\n"
       "B^{8}_{tx=0}[E^{f32,g}_{tx}=A^{f32,g}_{tx}*(C^{f32,g}_{tx}+D^{f32,g}_{tx});];\n",
       R"({"at":"0/0:right","by":"0/0:right.1"})"},
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
