/// expand_cancellation: a quotient is multiplied by a value above and below.
///   (A_{a}+1)/D_{a}   -->   (A_{a}*C_{a}+C_{a})/(C_{a}*D_{a})
/// Safe because the value is defined there, finite and not zero. Numerically as good is one that neither overflows nor
/// underflows: two, 1+abs(Y), a sum of exponentials below their maximum.
#include <algorithm>

#include "steptp/algebra/build.h"
#include "steptp/strategies/scalar_terms.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"with", Parameter::Kind::word,
     "the value: a tensor by its name, or the address of a read; two, or 1+abs(...) of a value"},
};
constexpr Precondition kPublished[] = {
    {Check::pattern_match, "matches", "the part is a quotient whose divisor is not a number"},
};
constexpr Precondition kSafety[] = {kInScope, kOneType, kValueOnly, kAccumulator, kFinite, kNonZero, kOverflow};
constexpr Component kModifies[] = {Component::expressions, Component::equations};

ExprPtr multiplied(const ScalarPlace& place, std::vector<algebra::Factor> above, bool negative, const ExprPtr& by) {
  if (above.size() == 1 && above[0].exponent == 1 && is_sum(place, above[0].base)) {
    std::vector<algebra::Term> terms = place.scalars().sum(above[0].base);
    for (algebra::Term& term : terms) {
      std::erase_if(term.factors, [](const algebra::Factor& one) { return one.number && one.number->is_one(); });
      term.factors.push_back({by, nullptr, 1, {}});
      term.negative = term.negative != negative;
    }
    return algebra::build_sum(terms);
  }
  std::erase_if(above, [](const algebra::Factor& one) { return one.number && one.number->is_one(); });
  above.push_back({by, nullptr, 1, {}});
  const ExprPtr out = algebra::build_product(above);
  return negative ? algebra::make_negated(out) : out;
}

void find(const ScalarPlace& place, RewriteList& out) {
  if (!place.scalars().is_arithmetic(place.body) || is_sum(place, place.body)) return;
  const algebra::Term product = place.scalars().product(place.body);
  std::vector<algebra::Factor> above;
  std::vector<algebra::Factor> below;
  bool divides = false;
  for (algebra::Factor factor : product.factors) {
    divides = divides || (factor.exponent < 0 && !factor.number);
    if (factor.exponent > 0) above.push_back(factor);
    if (factor.exponent > 0) continue;
    factor.exponent = -factor.exponent;
    below.push_back(std::move(factor));
  }
  if (!divides) return;
  if (auto refusal = refuse_values(place, place.body)) return out.refuse({{"with", ""}}, *std::move(refusal));
  std::vector<ScopeTerm> terms = terms_in_scope(place, nullptr, 1);
  for (ScopeTerm& more : harmless_factors(terms)) terms.push_back(std::move(more));
  for (const ScopeTerm& term : terms) {
    Values with = {{"with", term.name}};
    std::optional<Refusal> refusal = refuse_term(place, term.expr, true);
    const ExprPtr numerator = multiplied(place, above, product.negative, term.expr);
    const ExprPtr divisor = make_product(term.expr, ArithmeticOp::multiply, algebra::build_product(below));
    if (!refusal) refusal = refuse_size(place, numerator);
    if (!refusal) refusal = refuse_size(place, divisor);
    if (refusal) {
      out.refuse(std::move(with), *std::move(refusal));
      continue;
    }
    RewriteList::One& made =
        out.offer(std::move(with), make_product(numerator, ArithmeticOp::divide, divisor),
                  {{&kInScope, {}}, {&kFinite, {}}, {&kNonZero, {}}}, "the value is finite and not zero");
    made.inserted = term.expr;
    made.brings_in_number = std::holds_alternative<Literal>(term.expr->node);
  }
}

constexpr ScalarRule kRule = {find, kPublished[0], kParameters, kInScope};
void choices(View& view, Listing& listing) { scalar_choices(view, listing, kRule); }
Result<Applied, Refusal> apply(View& view, const Choice& choice) { return scalar_apply(view, choice, kRule); }

}  // namespace

const Strategy& expand_cancellation_strategy() {
  static constexpr Strategy kStrategy = {
      "expand_cancellation",
      Level::math,
      "a quotient is multiplied by a value above and below",
      "(A_{a}+1)/D_{a}   -->   (A_{a}*C_{a}+C_{a})/(C_{a}*D_{a})",
      "the value is defined there, finite and not zero",
      "cancellation",
      {"@input A f32[8] positive\n@input C f32[8] positive\n@input D f32[8] positive\n@output E f32[8]\n"
       "B^{8}_{tx=0}[E^{f32,g}_{tx}=(A^{f32,g}_{tx}+1)/D^{f32,g}_{tx};];\n",
       R"({"at":"0/0:right","with":"C"})"},
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
