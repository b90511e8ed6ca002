/// cancellation: what is divided by itself, or subtracted from itself, goes.
///   (A_{a}*C_{a}+C_{a})/(C_{a}*D_{a})   -->   (A_{a}+1)/D_{a}        A_{a}+C_{a}-C_{a}   -->   A_{a}
/// Safe because what is cancelled is finite, and not zero where it divides.
#include <algorithm>

#include "steptp/algebra/build.h"
#include "steptp/algebra/polynomial.h"
#include "steptp/strategies/scalar_steps.h"

namespace steptp {

namespace {

constexpr Precondition kPublished[] = {
    {Check::pattern_match, "matches", "a factor divides itself, or a term is subtracted from itself"},
};
constexpr Precondition kSafety[] = {kOneType, kValueOnly, kAccumulator, kFinite, kNonZero};
constexpr Component kModifies[] = {Component::expressions, Component::equations};

/// Terms that occur with both signs, two by two.
void differences(const ScalarPlace& place, RewriteList& out) {
  std::vector<algebra::Term> terms = place.scalars().sum(place.body);
  std::optional<Refusal> refusal;
  std::vector<ExprPtr> struck;
  std::vector<algebra::Term> struck_terms;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const ExprPtr own = algebra::build_product(terms[i].factors);
    const auto other =
        std::find_if(terms.begin() + static_cast<std::ptrdiff_t>(i) + 1, terms.end(), [&](const algebra::Term& term) {
          return term.negative != terms[i].negative && place.scalars().same(own, algebra::build_product(term.factors));
        });
    if (other == terms.end()) continue;
    if (!refusal) refusal = refuse_values(place, own);
    struck.push_back(own);
    struck_terms.push_back(terms[i]);
    terms.erase(other);
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(i));
    --i;
  }
  if (struck.empty() || terms.empty()) return;
  if (refusal) return out.refuse({}, *std::move(refusal));
  RewriteList::One& made =
      out.offer({}, algebra::build_sum(terms), {{&kFinite, {}}}, "a finite value less itself is zero");
  made.looked_at = algebra::build_sum(struck_terms);
  made.struck = std::move(struck);
}

/// A quotient whose factors lose what they have in common.
class Quotient {
 public:
  explicit Quotient(const ScalarPlace& place)
      : place_(place), scalars_(place.scalars()), product_(scalars_.product(place.body)) {}

  /// Cancels one common divisor of a factor above and a factor below; false where there is none.
  bool cancel_one() {
    for (std::size_t i = 0; i < product_.factors.size(); ++i) {
      for (std::size_t k = 0; k < product_.factors.size(); ++k) {
        if (product_.factors[i].exponent < 0 || product_.factors[k].exponent > 0) continue;
        if (product_.factors[i].number || product_.factors[k].number) continue;
        if (cancel(i, k)) return true;
      }
    }
    return false;
  }

  /// What it has lost, factor by factor.
  [[nodiscard]] const std::vector<ExprPtr>& struck() const { return struck_; }

  [[nodiscard]] ExprPtr built() const {
    std::vector<algebra::Factor> factors = product_.factors;
    if (factors.size() > 1) {
      std::erase_if(factors, [](const algebra::Factor& one) { return one.number && one.number->is_one(); });
    }
    const ExprPtr quotient = algebra::build_scaled(scale_.absolute(), std::move(factors));
    return product_.negative != scale_.is_negative() ? algebra::make_negated(quotient) : quotient;
  }

 private:
  bool cancel(std::size_t above, std::size_t below) {
    const algebra::Factor first = product_.factors[above];
    const algebra::Factor second = product_.factors[below];
    std::vector<algebra::Factor> left;
    if (equal(*first.key, *second.key)) {
      const int exponent = first.exponent + second.exponent;
      if (exponent != 0) left.push_back({first.base, first.key, exponent, {}});
      struck_.push_back(first.base);
      return replace(above, below, std::move(left), {}, {});
    }
    if (!scalars_.is_arithmetic(first.base) && !scalars_.is_arithmetic(second.base)) return false;
    // Sums inside stay closed if they can: the square of a difference is not multiplied out on the way.
    const bool opens =
        multiplied_differences(place_, first.base) < 2 && multiplied_differences(place_, second.base) < 2;
    return cancel(above, below, true) || (opens && cancel(above, below, false));
  }

  bool cancel(std::size_t above, std::size_t below, bool keep_sums) {
    const algebra::Factor first = product_.factors[above];
    const algebra::Factor second = product_.factors[below];
    std::vector<algebra::Factor> left;
    algebra::Generators generators;
    const auto a = algebra::to_polynomial(scalars_, generators, first.base, keep_sums);
    const auto b = algebra::to_polynomial(scalars_, generators, second.base, keep_sums);
    if (!a || !b || a->terms.empty() || b->terms.empty()) return false;
    const auto common = algebra::common_divisor(*a, *b);
    if (!common || common->is_constant()) return false;
    const auto a_rest = algebra::quotient(*a, *common);
    const auto b_rest = algebra::quotient(*b, *common);
    if (!a_rest || !b_rest) return false;
    const int exponent = first.exponent + second.exponent;
    if (exponent != 0) left.push_back(factor(generators, *common, exponent));
    std::vector<algebra::Factor> a_left;
    std::vector<algebra::Factor> b_left;
    const algebra::Rational scale = scale_;
    if (!keep(generators, *a_rest, first.exponent, a_left) || !keep(generators, *b_rest, second.exponent, b_left)) {
      scale_ = scale;
      return false;
    }
    struck_.push_back(algebra::to_expr(generators, *common));
    return replace(above, below, std::move(left), std::move(a_left), std::move(b_left));
  }

  algebra::Factor factor(const algebra::Generators& generators, const algebra::Polynomial& base, int exponent) {
    const ExprPtr expr = algebra::to_expr(generators, base);
    return {expr, scalars_.key(expr), exponent, {}};
  }

  /// What is left of a factor: a number goes into the scale.
  bool keep(const algebra::Generators& generators, const algebra::Polynomial& rest, int exponent,
            std::vector<algebra::Factor>& out) {
    if (!rest.is_constant()) {
      out.push_back(factor(generators, rest, exponent));
      return true;
    }
    const auto raised = algebra::power(rest.terms.begin()->second, exponent);
    const auto scale = raised ? algebra::multiply(scale_, *raised) : std::nullopt;
    if (scale) scale_ = *scale;
    return scale.has_value();
  }

  bool replace(std::size_t above, std::size_t below, std::vector<algebra::Factor> common,
               std::vector<algebra::Factor> first, std::vector<algebra::Factor> second) {
    std::vector<algebra::Factor> factors;
    for (std::size_t i = 0; i < product_.factors.size(); ++i) {
      if (i == above) {
        factors.insert(factors.end(), common.begin(), common.end());
        factors.insert(factors.end(), first.begin(), first.end());
      } else if (i == below) {
        factors.insert(factors.end(), second.begin(), second.end());
      } else {
        factors.push_back(product_.factors[i]);
      }
    }
    product_.factors = std::move(factors);
    return true;
  }

  const ScalarPlace& place_;
  algebra::Scalars& scalars_;
  algebra::Term product_;
  algebra::Rational scale_{1, 1};
  std::vector<ExprPtr> struck_;
};

/// Each round takes a common divisor away, so that few are enough.
constexpr int kMaxRounds = 16;

void find(const ScalarPlace& place, RewriteList& out) {
  if (!place.scalars().is_arithmetic(place.body)) return;
  if (is_sum(place, place.body)) return differences(place, out);
  Quotient quotient(place);
  int rounds = 0;
  while (rounds < kMaxRounds && quotient.cancel_one()) ++rounds;
  if (rounds == 0) return;
  // A divisor that is not zero has no factor that is.
  if (auto refusal = refuse_values(place, place.body)) return out.refuse({}, *std::move(refusal));
  RewriteList::One& made = out.offer({}, quotient.built(), {{&kFinite, {}}, {&kNonZero, {}}},
                                     "what is above and below is finite and not zero, so that it cancels");
  made.struck = quotient.struck();
  made.strikes_factors = true;
}

constexpr ScalarRule kRule = {find, kPublished[0], {}, kPublished[0]};
void choices(View& view, Listing& listing) { scalar_choices(view, listing, kRule); }
Result<Applied, Refusal> apply(View& view, const Choice& choice) { return scalar_apply(view, choice, kRule); }

}  // namespace

const Strategy& cancellation_strategy() {
  static constexpr Strategy kStrategy = {
      "cancellation",
      Level::math,
      "what is divided by itself, or subtracted from itself, goes",
      "(A_{a}*C_{a}+C_{a})/(C_{a}*D_{a})   -->   (A_{a}+1)/D_{a}",
      "what is cancelled is finite, and not zero where it divides",
      "expand_cancellation",
      {"@input A f32[8] positive\n@input C f32[8] positive\n@input D f32[8] positive\n@output E f32[8]\n"
       "B^{8}_{tx=0}[E^{f32,g}_{tx}=(A^{f32,g}_{tx}*C^{f32,g}_{tx}+C^{f32,g}_{tx})/"
       "(C^{f32,g}_{tx}*D^{f32,g}_{tx});];\n",
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
