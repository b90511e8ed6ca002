/// powsimp: powers in a product are combined.
///   exp(A_{a})*exp(C_{a})   -->   exp(A_{a}+C_{a})
/// Safe because the laws of exponents hold: for whole exponents everywhere, for roots and other powers where the bases
/// are known not to be negative. The exponential of a sum overflows only where the product does.
#include <algorithm>
#include <cstdlib>

#include "steptp/algebra/build.h"
#include "steptp/strategies/scalar_steps.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"law", Parameter::Kind::word, "exponents, exponentials, bases, roots or nested"},
    {"by", Parameter::Kind::word, "the address of the first factor that is combined"},
};
constexpr Precondition kPublished[] = {
    {Check::pattern_match, "matches", "powers with one base or one exponent are multiplied"},
};
constexpr Precondition kSafety[] = {kOneType, kValueOnly, kAccumulator, kFinite, kNonZero, kSign};
constexpr Component kModifies[] = {Component::expressions, Component::equations};

using Factors = std::vector<algebra::Factor>;

const ExprPtr* argument_of(const ExprPtr& expr, Function function) {
  const auto* call = std::get_if<Call>(&expr->node);
  return call && call->function == function ? &call->argument : nullptr;
}

/// The product with some of its factors combined into one, which stands where the first of them stood.
ExprPtr combined(const algebra::Term& product, const std::vector<bool>& taken, const algebra::Factor& by) {
  Factors out;
  bool placed = false;
  for (std::size_t i = 0; i < product.factors.size(); ++i) {
    if (!taken[i]) out.push_back(product.factors[i]);
    if (taken[i] && !placed) out.push_back(by);
    placed = placed || taken[i];
  }
  if (out.size() > 1 && out[0].number && out[0].number->is_one() && out[1].exponent > 0) out.erase(out.begin());
  const ExprPtr built = algebra::build_product(out);
  return product.negative ? algebra::make_negated(built) : built;
}

struct Search {
  const ScalarPlace& place;
  RewriteList& out;
  const algebra::Term product = place.scalars().product(place.body);

  void add(const char* law, const std::vector<bool>& taken, const ExprPtr& body, std::optional<Refusal> refusal,
           std::vector<Holds> holds, std::string because) {
    const auto first = static_cast<std::size_t>(std::find(taken.begin(), taken.end(), true) - taken.begin());
    Values values = {{"law", law}, {"by", place.address_of(product.factors[first].key)}};
    if (refusal) {
      out.refuse(std::move(values), *std::move(refusal));
    } else {
      out.offer(std::move(values), body, std::move(holds), std::move(because));
    }
  }

  /// x*x**2 is x**3; also of divisors among themselves.
  void exponents() {
    std::vector<bool> done(product.factors.size(), false);
    for (std::size_t i = 0; i < product.factors.size(); ++i) {
      const algebra::Factor& first = product.factors[i];
      if (done[i] || first.number) continue;
      std::vector<bool> taken(product.factors.size(), false);
      int total = 0;
      int count = 0;
      for (std::size_t k = i; k < product.factors.size(); ++k) {
        const algebra::Factor& other = product.factors[k];
        if (other.number || (other.exponent > 0) != (first.exponent > 0) || !equal(*other.key, *first.key)) continue;
        taken[k] = done[k] = true;
        total += other.exponent;
        ++count;
      }
      if (count < 2 || std::abs(total) > algebra::kMaxExponent) continue;
      add("exponents", taken, combined(product, taken, {first.base, first.key, total, {}}), std::nullopt, {},
          "a power is repeated multiplication");
    }
  }

  /// exp(a)*exp(b) is exp(a+b), exp(a)/exp(b) is exp(a-b), exp(a)**2 is exp(2*a): for infinite a and b too.
  void exponentials() {
    std::vector<bool> taken(product.factors.size(), false);
    std::vector<algebra::Signed> sum;
    int powers = 0;
    for (std::size_t i = 0; i < product.factors.size(); ++i) {
      const algebra::Factor& factor = product.factors[i];
      const ExprPtr* argument = argument_of(factor.base, Function::exp);
      if (!argument) continue;
      taken[i] = true;
      powers += factor.exponent == 1 ? 1 : 2;
      algebra::Signed one{factor.exponent < 0, *argument};
      if (std::abs(factor.exponent) > 1) {
        one.expr = make_product(integer_literal(std::abs(factor.exponent)), ArithmeticOp::multiply, *argument);
      }
      sum.push_back(std::move(one));
    }
    if (powers < 2) return;
    const ExprPtr base = make_call(Function::exp, algebra::build_sum(std::move(sum)));
    add("exponentials", taken, combined(product, taken, {base, nullptr, 1, {}}), std::nullopt, {},
        "exp(a)*exp(b) is exp(a+b), which overflows only where the product does");
  }

  /// x**2*y**2 is (x*y)**2.
  void bases() {
    std::vector<int> done;
    for (std::size_t i = 0; i < product.factors.size(); ++i) {
      const int exponent = product.factors[i].exponent;
      const bool seen = std::find(done.begin(), done.end(), exponent) != done.end();
      if (std::abs(exponent) < 2 || seen || product.factors[i].number) continue;
      done.push_back(exponent);
      std::vector<bool> taken(product.factors.size(), false);
      Factors inner;
      for (std::size_t k = i; k < product.factors.size(); ++k) {
        if (product.factors[k].exponent != exponent || product.factors[k].number) continue;
        taken[k] = true;
        inner.push_back(product.factors[k]);
        inner.back().exponent = 1;
      }
      if (inner.size() < 2) continue;
      const ExprPtr base = algebra::build_product(inner);
      add("bases", taken, combined(product, taken, {base, nullptr, exponent, {}}), refuse_values(place, place.body),
          {{&kFinite, {}}, {&kNonZero, {}}}, "a whole power of a product is the product of the powers");
    }
  }

  /// sqrt(x)*sqrt(y) is sqrt(x*y) where neither is negative; sqrt(x)*sqrt(x) is x.
  void roots() {
    std::vector<bool> taken(product.factors.size(), false);
    Factors inner;
    std::optional<Refusal> refusal;
    for (std::size_t i = 0; i < product.factors.size(); ++i) {
      const algebra::Factor& factor = product.factors[i];
      const ExprPtr* argument = argument_of(factor.base, Function::sqrt);
      if (!argument) continue;
      taken[i] = true;
      const algebra::Fact fact = place.fact(*argument);
      if (!(factor.exponent > 0 ? fact.is_nonnegative() : fact.is_positive()) && !refusal) {
        refusal = place.refusal(kSign, "the argument of a root may be negative, or a divisor zero",
                                {{"root", place.address_of(factor.key)}});
      }
      inner.push_back({*argument, place.scalars().key(*argument), factor.exponent, {}});
    }
    if (inner.empty() || (inner.size() == 1 && std::abs(inner[0].exponent) == 1)) return;
    const auto same = [&](const algebra::Factor& one) {
      return equal(*one.key, *inner[0].key) && (one.exponent > 0) == (inner[0].exponent > 0);
    };
    int total = 0;
    for (const algebra::Factor& one : inner) total += one.exponent;
    algebra::Factor by{make_call(Function::sqrt, algebra::build_product(inner)), nullptr, 1, {}};
    if (std::all_of(inner.begin(), inner.end(), same) && total % 2 == 0) by = {inner[0].base, nullptr, total / 2, {}};
    add("roots", taken, combined(product, taken, by), std::move(refusal), {{&kSign, {}}},
        "a product of roots is the root of the product where no argument is negative");
  }
};

std::optional<algebra::Rational> number_of(const ExprPtr& expr) {
  const auto* literal = std::get_if<Literal>(&expr->node);
  return literal ? algebra::value_of(*literal) : std::nullopt;
}

/// (x**a)**b is x**(a*b), sqrt(x**a) is x**(a/2): for whole exponents everywhere, otherwise where x is positive.
void nested(const ScalarPlace& place, RewriteList& out) {
  const auto* power = std::get_if<Power>(&place.body->node);
  const ExprPtr* root = argument_of(place.body, Function::sqrt);
  const ExprPtr* inside = power ? &power->base : root;
  const auto* inner = inside ? std::get_if<Power>(&(*inside)->node) : nullptr;
  if (!inner) return;
  const auto first = number_of(inner->exponent);
  const auto second = root ? std::optional(algebra::Rational{1, 2}) : number_of(power->exponent);
  const auto product = first && second ? algebra::multiply(*first, *second) : std::nullopt;
  const ExprPtr exponent = product ? algebra::literal_of(*product) : nullptr;
  if (!exponent) return;
  Values values = {{"law", "nested"}, {"by", place.address_of(place.scalars().key(*inside))}};
  const bool whole = first->denominator == 1 && second->denominator == 1 && !first->is_zero() && !second->is_zero();
  const algebra::Fact fact = place.fact(inner->base);
  const bool root_of_natural = first->denominator == 1 && fact.is_nonnegative() && !product->is_zero();
  if (!whole && !fact.is_positive() && !root_of_natural) {
    out.refuse(std::move(values), place.refusal(kSign, "the base may be negative, where a root of a square is abs"));
    return;
  }
  if (!fact.finite) {
    out.refuse(std::move(values), place.refusal(kFinite, "the base may be infinite or undefined"));
    return;
  }
  const ExprPtr body = product->is_one() ? inner->base : make_expr(Power{inner->base, exponent});
  out.offer(std::move(values), body, {{&kSign, {}}}, "exponents multiply, and the base has the sign for it");
}

void find(const ScalarPlace& place, RewriteList& out) {
  if (place.scalars().is_arithmetic(place.body) && !is_sum(place, place.body)) {
    Search search{place, out};
    search.exponents();
    search.exponentials();
    search.bases();
    search.roots();
  }
  nested(place, out);
}

constexpr ScalarRule kRule = {find, kPublished[0], kParameters, kPublished[0]};
void choices(View& view, Listing& listing) { scalar_choices(view, listing, kRule); }
Result<Applied, Refusal> apply(View& view, const Choice& choice) { return scalar_apply(view, choice, kRule); }

}  // namespace

const Strategy& powsimp_strategy() {
  static constexpr Strategy kStrategy = {
      "powsimp",
      Level::math,
      "powers in a product are combined",
      "exp(A_{a})*exp(C_{a})   -->   exp(A_{a}+C_{a})",
      "the laws of exponents hold: for whole exponents everywhere, for roots where the bases are known not to be "
      "negative",
      "expand_powsimp",
      {"@input A f32[8] positive\n@input C f32[8] positive\n@input D f32[8] positive\n@output E f32[8]\n"
       "B^{8}_{tx=0}[E^{f32,g}_{tx}=exp(A^{f32,g}_{tx})*exp(C^{f32,g}_{tx});];\n",
       R"({"at":"0/0:right","law":"exponentials","by":"0/0:right.0"})"},
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
