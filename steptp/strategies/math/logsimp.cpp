/// logsimp: logarithms in a sum become the logarithm of a product.
///   log(A_{a})+log(C_{a})   -->   log(A_{a}*C_{a})
/// Safe because the arguments are positive, and no exponential makes their product too large or too small.
#include <cstdlib>

#include "steptp/algebra/build.h"
#include "steptp/strategies/scalar_steps.h"

namespace steptp {

namespace {

constexpr Precondition kPublished[] = {
    {Check::pattern_match, "matches", "several logarithms are added, or one is multiplied by a whole number"},
};
constexpr Precondition kSafety[] = {kOneType, kValueOnly, kAccumulator, kOverflow, kSign};
constexpr Component kModifies[] = {Component::expressions, Component::equations};

/// k*log(x) with a whole k.
struct Logarithm {
  ExprPtr argument;
  int times = 1;
};
std::optional<Logarithm> logarithm(const algebra::Term& term) {
  const auto symbols = algebra::symbols(term);
  if (symbols.size() != 1 || symbols[0].exponent != 1) return std::nullopt;
  const auto* call = std::get_if<Call>(&symbols[0].base->node);
  const auto times = algebra::coefficient(term);
  if (!call || call->function != Function::log || !times || times->denominator != 1 || times->is_zero()) {
    return std::nullopt;
  }
  if (std::abs(times->numerator) > algebra::kMaxExponent) return std::nullopt;
  return Logarithm{call->argument, static_cast<int>(times->numerator)};
}

void find(const ScalarPlace& place, RewriteList& out) {
  if (!place.scalars().is_arithmetic(place.body)) return;
  std::vector<algebra::Factor> factors;
  std::vector<algebra::Signed> sum;
  std::optional<std::size_t> position;
  std::optional<Refusal> refusal;
  for (const algebra::Term& term : place.scalars().sum(place.body)) {
    const auto one = logarithm(term);
    if (!one) {
      sum.push_back(algebra::build(term));
      continue;
    }
    if (!position) {
      position = sum.size();
      sum.push_back({});
    }
    factors.push_back({one->argument, nullptr, one->times, {}});
    if (!refusal && !place.fact(one->argument).is_positive()) {
      refusal = place.refusal(kSign, "the argument of a logarithm may not be positive",
                              {{"argument", place.address_of(place.scalars().key(one->argument))}});
    }
  }
  if (factors.empty() || (factors.size() == 1 && std::abs(factors[0].exponent) == 1)) return;
  const ExprPtr product = algebra::build_product(factors);
  if (!refusal) refusal = refuse_size(place, product);
  if (refusal) return out.refuse({}, *std::move(refusal));
  sum[*position] = {false, make_call(Function::log, product)};
  RewriteList::One& offered =
      out.offer({}, algebra::build_sum(std::move(sum)), {{&kSign, {}}, {&kOverflow, {}}},
                "the logarithm of a product of positive numbers is the sum of their logarithms");
  for (const algebra::Factor& factor : factors) offered.positives.push_back(factor.base);
}

constexpr ScalarRule kRule = {find, kPublished[0], {}, kPublished[0]};
void choices(View& view, Listing& listing) { scalar_choices(view, listing, kRule); }
Result<Applied, Refusal> apply(View& view, const Choice& choice) { return scalar_apply(view, choice, kRule); }

}  // namespace

const Strategy& logsimp_strategy() {
  static constexpr Strategy kStrategy = {
      "logsimp",
      Level::math,
      "logarithms in a sum become the logarithm of a product",
      "log(A_{a})+log(C_{a})   -->   log(A_{a}*C_{a})",
      "the arguments are positive, and no exponential makes their product too large or too small",
      "expand_log",
      {"@input A f32[8] positive\n@input C f32[8] positive\n@input D f32[8] positive\n@output E f32[8]\n"
       "B^{8}_{tx=0}[E^{f32,g}_{tx}=log(A^{f32,g}_{tx})+log(C^{f32,g}_{tx});];\n",
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
