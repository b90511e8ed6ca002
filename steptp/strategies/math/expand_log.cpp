/// expand_log: the logarithm of a product, quotient, power, root or exponential becomes a sum.
///   log(A_{a}*C_{a})   -->   log(A_{a})+log(C_{a})
/// Safe because every factor is positive; the logarithm of an exponential is its argument.
#include <cstdlib>

#include "steptp/algebra/build.h"
#include "steptp/strategies/scalar_steps.h"

namespace steptp {

namespace {

constexpr Precondition kPublished[] = {
    {Check::pattern_match, "matches",
     "the argument of a logarithm is a product, a quotient, a power, a root or an exponential"},
};
constexpr Precondition kSafety[] = {kOneType, kValueOnly, kAccumulator, kSign};
constexpr Component kModifies[] = {Component::expressions, Component::equations};

/// log(base)*times, with roots and exponentials taken apart.
algebra::Signed logarithm(const ExprPtr& base, int times) {
  const auto* call = std::get_if<Call>(&base->node);
  algebra::Rational scale{std::abs(times), 1};
  ExprPtr inner;
  if (call && call->function == Function::exp) {
    inner = call->argument;
  } else if (call && call->function == Function::sqrt) {
    inner = make_call(Function::log, call->argument);
    scale = *algebra::make_rational(std::abs(times), 2);
  } else {
    inner = make_call(Function::log, base);
  }
  return {times < 0, algebra::build_scaled(scale, {{inner, nullptr, 1, {}}})};
}

bool is_taken_apart(const ExprPtr& base) {
  const auto* call = std::get_if<Call>(&base->node);
  return call && (call->function == Function::exp || call->function == Function::sqrt);
}

void find(const ScalarPlace& place, RewriteList& out) {
  const auto* call = std::get_if<Call>(&place.body->node);
  if (!call || call->function != Function::log) return;
  const algebra::Term product = place.scalars().product(call->argument);
  const algebra::Factor& first = product.factors[0];
  if (product.factors.size() == 1 && first.exponent == 1 && !is_taken_apart(first.base)) return;
  if (product.negative) return out.refuse({}, place.refusal(kSign, "the argument is a negated product"));
  std::vector<algebra::Signed> sum;
  for (const algebra::Factor& factor : product.factors) {
    if (factor.number && factor.number->is_one()) continue;
    if (!place.fact(factor.base).is_positive()) {
      return out.refuse(
          {}, place.refusal(kSign, "a factor may not be positive", {{"factor", place.address_of(factor.key)}}));
    }
    sum.push_back(logarithm(factor.base, factor.exponent));
  }
  RewriteList::One& offered =
      out.offer({}, algebra::build_sum(std::move(sum)), {{&kSign, {}}},
                "the logarithm of a product of positive numbers is the sum of their logarithms");
  for (const algebra::Factor& factor : product.factors) offered.positives.push_back(factor.base);
}

constexpr ScalarRule kRule = {find, kPublished[0], {}, kPublished[0]};
void choices(View& view, Listing& listing) { scalar_choices(view, listing, kRule); }
Result<Applied, Refusal> apply(View& view, const Choice& choice) { return scalar_apply(view, choice, kRule); }

}  // namespace

const Strategy& expand_log_strategy() {
  static constexpr Strategy kStrategy = {
      "expand_log",
      Level::math,
      "the logarithm of a product, quotient, power, root or exponential becomes a sum",
      "log(A_{a}*C_{a})   -->   log(A_{a})+log(C_{a})",
      "every factor is positive; the logarithm of an exponential is its argument",
      "logsimp",
      {"@input A f32[8] positive\n@input C f32[8] positive\n@input D f32[8] positive\n@output E f32[8]\n"
       "B^{8}_{tx=0}[E^{f32,g}_{tx}=log(A^{f32,g}_{tx}*C^{f32,g}_{tx});];\n",
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
