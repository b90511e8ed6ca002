/// exponential_split: a value is subtracted in an exponential and added in another.
///   exp(A_{a}-D)   -->   exp(A_{a}-Y)*exp(Y-D)        or   exp(A_{a}-Y)/exp(D-Y)
/// Safe because the value is defined there and finite, and neither exponential leaves the range of its type: of a value
/// between A_{a} and D both have the sign of A_{a}-D and are not larger.
#include <algorithm>

#include "steptp/algebra/build.h"
#include "steptp/base/text.h"
#include "steptp/strategies/scalar_terms.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"term", Parameter::Kind::integer, "which term of the exponent the value is subtracted from: a read that is added"},
    {"with", Parameter::Kind::word,
     "the value: previous, a tensor by its name, or the address of a read; half, the middle of the exponent, or "
     "clamp(...) of a value, which lies between the read and what is subtracted from it"},
    {"form", Parameter::Kind::word, "product or quotient"},
};
constexpr Precondition kPublished[] = {
    {Check::pattern_match, "matches", "the exponent is a sum with a read that is added"},
};
constexpr Precondition kSafety[] = {kInScope, kOneType, kValueOnly, kAccumulator, kFinite, kOverflow};
constexpr Component kModifies[] = {Component::expressions, Component::equations};
constexpr NewElement kIntroduces[] = {NewElement::index_calculations};

/// A read that is a term of its own, with the coefficient 1.
bool is_plain_read(const algebra::Term& term) {
  return !term.negative && term.factors.size() == 1 && term.factors[0].exponent == 1 &&
         std::holds_alternative<Read>(term.factors[0].base->node);
}

/// A value, and whether it lies between the read and what is subtracted from it, so that both exponents have the sign
/// of the whole one and are not larger.
struct SplitTerm {
  std::string name;
  ExprPtr expr;
  bool is_between = false;
};

struct Split {
  const ScalarPlace& place;
  const std::vector<algebra::Term>& terms;
  std::size_t at;
  RewriteList& out;

  void add(const SplitTerm& by, const char* form) {
    const algebra::Term y{false, {{by.expr, place.scalars().key(by.expr), 1, {}}}};
    algebra::Term minus = y;
    minus.negative = true;
    const bool is_quotient = std::string_view(form) == "quotient";
    std::vector<algebra::Term> rest = {y};
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (i != at) rest.push_back(terms[i]);
    }
    if (is_quotient) rest = {terms[1 - at], minus};
    if (is_quotient) rest[0].negative = false;
    const ExprPtr first = algebra::build_sum(std::vector<algebra::Term>{terms[at], minus});
    const ExprPtr second = algebra::build_sum(rest);
    Values values = {{"term", static_cast<std::int64_t>(at)}, {"with", by.name}, {"form", form}};
    std::optional<Refusal> refusal = refuse_term(place, by.expr, false);
    const ExprPtr sign_checked = is_quotient ? make_call(Function::negate, second) : second;
    if (!refusal && !by.is_between && !exponents_in_range(place, first, sign_checked)) {
      refusal = place.refusal(kOverflow, "one of the exponentials may leave the range of the type");
    }
    if (refusal) {
      out.refuse(std::move(values), *std::move(refusal));
      return;
    }
    const ArithmeticOp op = is_quotient ? ArithmeticOp::divide : ArithmeticOp::multiply;
    RewriteList::One& made = out.offer(
        std::move(values), make_product(make_call(Function::exp, first), op, make_call(Function::exp, second)),
        {{&kInScope, {}}, {&kFinite, {}}, {&kOverflow, {}}},
        "what is subtracted in one exponent is added in the other, and it is finite");
    made.inserted = by.expr;
    made.looked_at = by.expr;
  }
};

/// What is subtracted from the read, where that is one term; null otherwise.
ExprPtr other_end(const std::vector<algebra::Term>& terms, std::size_t at) {
  if (terms.size() != 2) return nullptr;
  algebra::Term other = terms[1 - at];
  other.negative = !other.negative;
  return algebra::build_sum(std::vector<algebra::Term>{other});
}

std::vector<SplitTerm> split_terms(const ScalarPlace& place, const std::vector<algebra::Term>& terms, std::size_t at) {
  std::vector<SplitTerm> out;
  const ExprPtr& read = terms[at].factors[0].base;
  for (const ScopeTerm& term : terms_in_scope(place, read, 0)) {
    const auto occurs = [&](const algebra::Term& one) {
      return one.factors.size() == 1 && equal(*one.factors[0].key, *place.scalars().key(term.expr));
    };
    if (std::none_of(terms.begin(), terms.end(), occurs)) out.push_back({term.name, term.expr, false});
  }
  const ExprPtr other = other_end(terms, at);
  if (!other) return out;
  const std::size_t plain = out.size();
  for (std::size_t i = 0; i < plain; ++i) {
    out.push_back({concat("clamp(", out[i].name, ")"), clamped_between(out[i].expr, read, other), true});
  }
  return out;
}

/// exp(e*0.5)*exp(e*0.5): the value is the middle between the read and what is subtracted from it, so that both
/// exponents are half of the whole one. Written like this neither has more roundings than that.
void offer_halves(const ScalarPlace& place, const ExprPtr& exponent, std::size_t at, RewriteList& out) {
  Values values = {{"term", static_cast<std::int64_t>(at)}, {"with", "half"}, {"form", "product"}};
  if (!place.fact(exponent).finite) {
    return out.refuse(std::move(values), place.refusal(kFinite, "the exponent may be infinite or undefined"));
  }
  const ExprPtr half = make_call(Function::exp, half_of(exponent));
  out.offer(std::move(values), make_product(half, ArithmeticOp::multiply, half),
            {{&kInScope, {}}, {&kFinite, {}}, {&kOverflow, {}}},
            "both exponents are half of what was there, and it is finite")
      .looked_at = exponent;
}

void find(const ScalarPlace& place, RewriteList& out) {
  const auto* call = std::get_if<Call>(&place.body->node);
  if (!call || call->function != Function::exp) return;
  const std::vector<algebra::Term> terms = place.scalars().sum(call->argument);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (!is_plain_read(terms[i])) continue;
    for (const SplitTerm& by : split_terms(place, terms, i)) {
      Split split{place, terms, i, out};
      split.add(by, "product");
      if (terms.size() == 2 && terms[1 - i].negative && !by.is_between) split.add(by, "quotient");
    }
    offer_halves(place, call->argument, i, out);
  }
}

constexpr ScalarRule kRule = {find, kPublished[0], kParameters, kInScope};
void choices(View& view, Listing& listing) { scalar_choices(view, listing, kRule); }
Result<Applied, Refusal> apply(View& view, const Choice& choice) { return scalar_apply(view, choice, kRule); }

}  // namespace

const Strategy& exponential_split_strategy() {
  static constexpr Strategy kStrategy = {
      "exponential_split",
      Level::math,
      "a value is subtracted in an exponential and added in another",
      "exp(A_{a}-D)   -->   exp(A_{a}-Y)*exp(Y-D)",
      "the value is defined there and finite, and neither exponential leaves the range of its type",
      "powsimp",
      {"@input A f32[8,6] [-4,4)\n@input D f32[8] [-4,4)\n@output E f32[8,6]\n"
       "B^{8}_{tx=0}L^{6}_{a=0}[E^{f32,g}_{tx,a}=exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx});];\n",
       R"({"at":"0/0:right","term":0,"with":"previous","form":"product"})"},
      kParameters,
      kPublished,
      kSafety,
      kModifies,
      kIntroduces,
      choices,
      apply,
  };
  return kStrategy;
}

}  // namespace steptp
