/// collect: the terms of a sum that have a factor in common become that factor times the sum of the rest.
///   A_{a}*C_{a}+A_{a}*D_{a}+C_{a}   -->   A_{a}*(C_{a}+D_{a})+C_{a}
/// Safe because multiplication distributes over addition where all values are finite.
#include <algorithm>

#include "steptp/algebra/build.h"
#include "steptp/strategies/scalar_steps.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"by", Parameter::Kind::word, "the address of the factor: where it stands first in the part"},
};
constexpr Precondition kPublished[] = {
    {Check::pattern_match, "matches", "a factor occurs with the same power in two terms of a sum"},
};
constexpr Precondition kSafety[] = {kOneType, kValueOnly, kAccumulator, kFinite, kNonZero};
constexpr Component kModifies[] = {Component::expressions, Component::equations};

/// The power with which a factor occurs in a term, divisors apart.
int power_in(const algebra::Term& term, const ExprPtr& key) {
  int out = 0;
  for (const algebra::Factor& factor : term.factors) {
    if (!factor.number && factor.exponent > 0 && equal(*factor.key, *key)) out += factor.exponent;
  }
  return out;
}

algebra::Term without(const algebra::Term& term, const ExprPtr& key) {
  algebra::Term out{term.negative, {}};
  for (const algebra::Factor& factor : term.factors) {
    const bool taken = !factor.number && factor.exponent > 0 && equal(*factor.key, *key);
    if (!taken) out.factors.push_back(factor);
  }
  return out;
}

/// The sum of what is left of the terms: one number where all of them are numbers. Nothing where that is zero.
std::optional<algebra::Signed> sum_of_rests(const std::vector<algebra::Term>& rests) {
  algebra::Rational total{0, 1};
  bool numbers = true;
  bool negative = true;
  for (const algebra::Term& rest : rests) {
    negative = negative && rest.negative;
    const auto value = algebra::symbols(rest).empty() ? algebra::coefficient(rest) : std::nullopt;
    const auto next = value ? algebra::add(total, *value) : std::nullopt;
    numbers = numbers && next;
    if (next) total = *next;
  }
  if (numbers) {
    if (total.is_zero()) return std::nullopt;
    return algebra::Signed{total.is_negative(), algebra::build_scaled(total.absolute(), {})};
  }
  std::vector<algebra::Term> terms = rests;
  for (algebra::Term& term : terms) term.negative = term.negative && !negative;
  return algebra::Signed{negative, algebra::build_sum(terms)};
}

/// The sum with every power of the factor collected; null where no two terms share one.
ExprPtr collected(const std::vector<algebra::Term>& terms, const algebra::Factor& by) {
  std::vector<algebra::Signed> out;
  std::vector<bool> done(terms.size(), false);
  bool found = false;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (done[i]) continue;
    const int power = power_in(terms[i], by.key);
    std::vector<algebra::Term> rests;
    for (std::size_t k = i; k < terms.size() && power > 0; ++k) {
      if (power_in(terms[k], by.key) != power) continue;
      rests.push_back(without(terms[k], by.key));
      done[k] = true;
    }
    if (rests.size() < 2) {
      out.push_back(algebra::build(terms[i]));
      continue;
    }
    const auto sum = sum_of_rests(rests);
    if (!sum) return nullptr;
    found = true;
    const ExprPtr base = algebra::make_power(by.base, power);
    // A number stands in front, a sum behind.
    const bool number = std::holds_alternative<Literal>(sum->expr->node);
    out.push_back({sum->negative, number ? make_product(sum->expr, ArithmeticOp::multiply, base)
                                         : make_product(base, ArithmeticOp::multiply, sum->expr)});
  }
  return found ? algebra::build_sum(std::move(out)) : nullptr;
}

void find(const ScalarPlace& place, RewriteList& out) {
  if (!is_sum(place, place.body)) return;
  const std::vector<algebra::Term> terms = place.scalars().sum(place.body);
  std::vector<ExprPtr> seen;
  for (const algebra::Term& term : terms) {
    for (const algebra::Factor& factor : term.factors) {
      const auto same = [&factor](const ExprPtr& key) { return equal(*key, *factor.key); };
      if (factor.number || factor.exponent < 0 || std::any_of(seen.begin(), seen.end(), same)) continue;
      seen.push_back(factor.key);
      const ExprPtr body = collected(terms, factor);
      if (!body) continue;
      Values by = {{"by", place.address_of(factor.key)}};
      if (auto refusal = refuse_values(place, place.body)) {
        out.refuse(std::move(by), *std::move(refusal));
        continue;
      }
      out.offer(std::move(by), body, {{&kFinite, {}}},
                "multiplication distributes over addition, and all values in the sum are finite");
    }
  }
}

constexpr ScalarRule kRule = {find, kPublished[0], kParameters, kPublished[0]};
void choices(View& view, Listing& listing) { scalar_choices(view, listing, kRule); }
Result<Applied, Refusal> apply(View& view, const Choice& choice) { return scalar_apply(view, choice, kRule); }

}  // namespace

const Strategy& collect_strategy() {
  static constexpr Strategy kStrategy = {
      "collect",
      Level::math,
      "the terms of a sum that have a factor in common become that factor times the sum of the rest",
      "A_{a}*C_{a}+A_{a}*D_{a}+C_{a}   -->   A_{a}*(C_{a}+D_{a})+C_{a}",
      "multiplication distributes over addition where all values are finite",
      "expand_collect",
      {"@input A f32[8]\n@input C f32[8]\n@input D f32[8]\n@output E f32[8]\n"
       "B^{8}_{tx=0}[E^{f32,g}_{tx}=A^{f32,g}_{tx}*C^{f32,g}_{tx}+A^{f32,g}_{tx}*D^{f32,g}_{tx}+C^{f32,g}_{tx};];\n",
       R"({"at":"0/0:right","by":"0/0:right.0.0"})"},
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
