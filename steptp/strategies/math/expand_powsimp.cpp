/// expand_powsimp: a power becomes a product of powers.
///   exp(A_{a}+C_{a})   -->   exp(A_{a})*exp(C_{a})
/// Safe because the laws of exponents hold. An exponential is taken apart only where neither part leaves the range of
/// its type: both terms of one sign, or both within known bounds.
#include <cstdlib>

#include "steptp/algebra/build.h"
#include "steptp/strategies/scalar_steps.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"law", Parameter::Kind::word, "power, product, exponential, multiple or root"},
    {"term", Parameter::Kind::integer, "power: the first exponent; exponential: the term that is taken out"},
};
constexpr Precondition kPublished[] = {
    {Check::pattern_match, "matches", "a power, an exponential or a root can be taken apart"},
};
constexpr Precondition kSafety[] = {kOneType, kValueOnly, kAccumulator, kFinite, kNonZero, kOverflow, kSign};
constexpr Component kModifies[] = {Component::expressions, Component::equations};

Values values_of(const char* law, std::int64_t term) { return {{"law", law}, {"term", term}}; }

/// x**5 is x**2*x**3; (x*y)**2 is x**2*y**2.
void powers(const ScalarPlace& place, RewriteList& out) {
  const auto* power = std::get_if<Power>(&place.body->node);
  if (!power || !place.scalars().is_arithmetic(place.body)) return;
  const int exponent = *algebra::Scalars::natural_exponent(*power->exponent);
  for (int first = 1; first <= exponent / 2; ++first) {
    const ExprPtr body = make_product(algebra::make_power(power->base, first), ArithmeticOp::multiply,
                                      algebra::make_power(power->base, exponent - first));
    out.offer(values_of("power", first), body, {}, "a power is repeated multiplication");
  }
  algebra::Term product = place.scalars().product(power->base);
  if (product.factors.size() < 2) return;
  if (auto refusal = refuse_values(place, place.body)) {
    out.refuse(values_of("product", 0), *std::move(refusal));
    return;
  }
  for (algebra::Factor& factor : product.factors) factor.exponent *= exponent;
  const ExprPtr body = algebra::build_product(product.factors);
  out.offer(values_of("product", 0), product.negative && exponent % 2 == 1 ? algebra::make_negated(body) : body,
            {{&kFinite, {}}, {&kNonZero, {}}}, "a whole power of a product is the product of the powers");
}

/// exp(a+b) is exp(a)*exp(b), exp(2*a) is exp(a)**2.
void exponentials(const ScalarPlace& place, const ExprPtr& argument, RewriteList& out) {
  const std::vector<algebra::Term> terms = place.scalars().sum(argument);
  for (std::size_t i = 0; terms.size() > 1 && i < (terms.size() == 2 ? 1 : terms.size()); ++i) {
    std::vector<algebra::Term> rest = terms;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    const ExprPtr first = algebra::build_sum(std::vector<algebra::Term>{terms[i]});
    const ExprPtr second = algebra::build_sum(rest);
    Values values = values_of("exponential", static_cast<std::int64_t>(i));
    if (!exponents_in_range(place, first, second)) {
      out.refuse(std::move(values),
                 place.refusal(kOverflow, "one of the exponentials may leave the range where their product does not"));
      continue;
    }
    out.offer(std::move(values),
              make_product(make_call(Function::exp, first), ArithmeticOp::multiply, make_call(Function::exp, second)),
              {{&kOverflow, {}}}, "exp(a+b) is exp(a)*exp(b), and neither leaves the range of the type");
  }
  if (terms.size() != 1 || terms[0].factors.size() < 2) return;
  for (std::size_t i = 0; i < terms[0].factors.size(); ++i) {
    const algebra::Factor& factor = terms[0].factors[i];
    const bool natural = factor.number && factor.exponent == 1 && factor.number->denominator == 1 &&
                         factor.number->numerator > 1 && factor.number->numerator <= algebra::kMaxExponent;
    if (!natural) continue;
    algebra::Term rest = terms[0];
    rest.factors.erase(rest.factors.begin() + static_cast<std::ptrdiff_t>(i));
    const ExprPtr inner = make_call(Function::exp, algebra::build_sum(std::vector<algebra::Term>{rest}));
    out.offer(values_of("multiple", static_cast<std::int64_t>(i)),
              algebra::make_power(inner, static_cast<int>(factor.number->numerator)), {},
              "exp(n*a) is exp(a)**n, and exp(a) lies between 1 and exp(n*a)");
    return;
  }
}

/// sqrt(x*y) is sqrt(x)*sqrt(y) where neither is negative.
void roots(const ScalarPlace& place, const ExprPtr& argument, RewriteList& out) {
  const algebra::Term product = place.scalars().product(argument);
  if (product.factors.size() < 2) return;
  std::vector<algebra::Factor> factors;
  bool good = !product.negative;
  for (const algebra::Factor& factor : product.factors) {
    const ExprPtr inner = algebra::make_power(factor.base, std::abs(factor.exponent));
    const algebra::Fact fact = place.fact(inner);
    good = good && (factor.exponent > 0 ? fact.is_nonnegative() : fact.is_positive());
    if (factor.number && factor.number->is_one()) continue;
    factors.push_back({make_call(Function::sqrt, inner), nullptr, factor.exponent > 0 ? 1 : -1, {}});
  }
  if (!good) {
    out.refuse(values_of("root", 0), place.refusal(kSign, "a factor may be negative, or a divisor zero"));
    return;
  }
  out.offer(values_of("root", 0), algebra::build_product(factors), {{&kSign, {}}},
            "the root of a product is the product of the roots where no factor is negative");
}

void find(const ScalarPlace& place, RewriteList& out) {
  powers(place, out);
  const auto* call = std::get_if<Call>(&place.body->node);
  if (call && call->function == Function::exp) exponentials(place, call->argument, out);
  if (call && call->function == Function::sqrt) roots(place, call->argument, out);
}

constexpr ScalarRule kRule = {find, kPublished[0], kParameters, kPublished[0]};
void choices(View& view, Listing& listing) { scalar_choices(view, listing, kRule); }
Result<Applied, Refusal> apply(View& view, const Choice& choice) { return scalar_apply(view, choice, kRule); }

}  // namespace

const Strategy& expand_powsimp_strategy() {
  static constexpr Strategy kStrategy = {
      "expand_powsimp",
      Level::math,
      "a power becomes a product of powers",
      "exp(A_{a}+C_{a})   -->   exp(A_{a})*exp(C_{a})",
      "the laws of exponents hold, and an exponential is taken apart only where neither part leaves the range of its "
      "type",
      "powsimp",
      {"@input A f32[8] [-4,4)\n@input C f32[8] [-4,4)\n@output E f32[8]\n"
       "B^{8}_{tx=0}[E^{f32,g}_{tx}=exp(A^{f32,g}_{tx}+C^{f32,g}_{tx});];\n",
       R"({"at":"0/0:right","law":"exponential","term":0})"},
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
