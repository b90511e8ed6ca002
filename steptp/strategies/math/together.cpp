/// together: a sum with quotients becomes one quotient over the common denominator.
///   1/A_{a}+1/C_{a}   -->   (A_{a}+C_{a})/(A_{a}*C_{a})
/// Safe because no denominator is zero, all values are finite, and no exponential is multiplied out of its range.
#include <algorithm>

#include "steptp/algebra/build.h"
#include "steptp/strategies/scalar_steps.h"

namespace steptp {

namespace {

constexpr Precondition kPublished[] = {
    {Check::pattern_match, "matches", "a term of a sum has a divisor that is not a number"},
};
constexpr Precondition kSafety[] = {kOneType, kValueOnly, kAccumulator, kFinite, kNonZero, kOverflow};
constexpr Component kModifies[] = {Component::expressions, Component::equations};

using Factors = std::vector<algebra::Factor>;

algebra::Factor* find_key(Factors& factors, const ExprPtr& key) {
  const auto at = std::find_if(factors.begin(), factors.end(),
                               [&key](const algebra::Factor& one) { return equal(*one.key, *key); });
  return at == factors.end() ? nullptr : &*at;
}

/// What a term is divided by, numbers apart, each factor once.
Factors divisors_of(const algebra::Term& term) {
  Factors out;
  for (const algebra::Factor& factor : term.factors) {
    if (factor.number || factor.exponent > 0) continue;
    if (algebra::Factor* same = find_key(out, factor.key)) {
      same->exponent -= factor.exponent;
    } else {
      out.push_back(factor);
      out.back().exponent = -factor.exponent;
    }
  }
  return out;
}

/// The least product that all divisors divide.
Factors common_divisor(const std::vector<algebra::Term>& terms) {
  Factors out;
  for (const algebra::Term& term : terms) {
    for (const algebra::Factor& factor : divisors_of(term)) {
      if (algebra::Factor* same = find_key(out, factor.key)) {
        same->exponent = std::max(same->exponent, factor.exponent);
      } else {
        out.push_back(factor);
      }
    }
  }
  return out;
}

/// The term over the common divisor: without its own divisors, times what those lack.
algebra::Term numerator(const algebra::Term& term, const Factors& common) {
  algebra::Term out{term.negative, {}};
  Factors own = divisors_of(term);
  for (const algebra::Factor& factor : term.factors) {
    if (factor.number || factor.exponent > 0) out.factors.push_back(factor);
  }
  for (algebra::Factor factor : common) {
    const algebra::Factor* has = find_key(own, factor.key);
    factor.exponent -= has ? has->exponent : 0;
    if (factor.exponent > 0) out.factors.push_back(std::move(factor));
  }
  if (out.factors.size() > 1) {
    std::erase_if(out.factors, [](const algebra::Factor& factor) { return factor.number && factor.number->is_one(); });
  }
  return out;
}

/// Terms in the order in which what they are made of stands in the sum, as polynomials are written.
void sort_by_appearance(std::vector<algebra::Term>& numerators, const std::vector<algebra::Term>& terms) {
  Factors seen;
  for (const algebra::Term& term : terms) {
    for (const algebra::Factor& factor : term.factors) {
      if (!factor.number && !find_key(seen, factor.key)) seen.push_back(factor);
    }
  }
  const auto powers = [&seen](const algebra::Term& term) {
    std::vector<int> out(seen.size(), 0);
    for (const algebra::Factor& factor : term.factors) {
      for (std::size_t i = 0; i < seen.size() && !factor.number; ++i) {
        if (equal(*seen[i].key, *factor.key)) out[i] += factor.exponent;
      }
    }
    return out;
  };
  std::stable_sort(numerators.begin(), numerators.end(),
                   [&](const algebra::Term& a, const algebra::Term& b) { return powers(b) < powers(a); });
}

void find(const ScalarPlace& place, RewriteList& out) {
  if (!is_sum(place, place.body)) return;
  const std::vector<algebra::Term> terms = place.scalars().sum(place.body);
  const Factors common = common_divisor(terms);
  if (common.empty()) return;
  if (auto refusal = refuse_values(place, place.body)) return out.refuse({}, *std::move(refusal));
  std::vector<algebra::Term> numerators;
  numerators.reserve(terms.size());
  for (const algebra::Term& term : terms) numerators.push_back(numerator(term, common));
  sort_by_appearance(numerators, terms);
  for (const algebra::Term& term : numerators) {
    if (auto refusal = refuse_size(place, algebra::build_product(term.factors))) {
      return out.refuse({}, *std::move(refusal));
    }
  }
  const ExprPtr divisor = algebra::build_product(common);
  if (auto refusal = refuse_size(place, divisor)) return out.refuse({}, *std::move(refusal));
  out.offer({}, make_product(algebra::build_sum(numerators), ArithmeticOp::divide, divisor),
            {{&kFinite, {}}, {&kNonZero, {}}, {&kOverflow, {}}},
            "each term is multiplied and divided by what its own denominator lacks, which is not zero");
}

constexpr ScalarRule kRule = {find, kPublished[0], {}, kPublished[0]};
void choices(View& view, Listing& listing) { scalar_choices(view, listing, kRule); }
Result<Applied, Refusal> apply(View& view, const Choice& choice) { return scalar_apply(view, choice, kRule); }

}  // namespace

const Strategy& together_strategy() {
  static constexpr Strategy kStrategy = {
      "together",
      Level::math,
      "a sum with quotients becomes one quotient over the common denominator",
      "1/A_{a}+1/C_{a}   -->   (A_{a}+C_{a})/(A_{a}*C_{a})",
      "no denominator is zero, all values are finite, and no exponential is multiplied out of its range",
      "apart",
      {"@input A f32[8] positive\n@input C f32[8] positive\n@input D f32[8] positive\n@output E f32[8]\n"
       "B^{8}_{tx=0}[E^{f32,g}_{tx}=1/A^{f32,g}_{tx}+1/C^{f32,g}_{tx};];\n",
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
