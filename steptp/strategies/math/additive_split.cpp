/// additive_split: a value is added to a read and subtracted again.
///   A_{a}   -->   A_{a}+Y-Y
/// Safe because the value is defined there and finite. Numerically as good is only a value that is not larger than the
/// read: half of it, or another clamped to its size, max(min(Y,abs(A_{a})),-abs(A_{a})).
#include "steptp/base/text.h"
#include "steptp/strategies/scalar_terms.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"with", Parameter::Kind::word,
     "the value: previous, a tensor by its name, or the address of a read; half of what is read, or clamp(...) of a "
     "value, "
     "which is never larger than it"},
};
constexpr Precondition kSafety[] = {kInScope, kOneType, kValueOnly, kAccumulator, kFinite, kOverflow};
constexpr Component kModifies[] = {Component::expressions, Component::equations};
constexpr NewElement kIntroduces[] = {NewElement::index_calculations};

ExprPtr split(const ExprPtr& read, const ExprPtr& by) {
  return make_expr(Sum{{read, by, by}, {ArithmeticOp::add, ArithmeticOp::subtract}});
}

/// Values that are never larger than the read: what is added and taken away costs it two roundings at most.
std::vector<ScopeTerm> smaller_values(const ExprPtr& read, const std::vector<ScopeTerm>& in_scope) {
  std::vector<ScopeTerm> out = {{"half", half_of(read)}};
  for (const ScopeTerm& term : in_scope) {
    if (equal(*term.expr, *read)) continue;
    out.push_back({concat("clamp(", term.name, ")"), clamped_to_size_of(term.expr, read)});
  }
  return out;
}

void find(const ScalarPlace& place, RewriteList& out) {
  split_read(place, {0, false, split, smaller_values, "the value is finite, so that what is added is taken away again"},
             out);
}

constexpr ScalarRule kRule = {find, kInScope, kParameters, kInScope, true};
void choices(View& view, Listing& listing) { scalar_choices(view, listing, kRule); }
Result<Applied, Refusal> apply(View& view, const Choice& choice) { return scalar_apply(view, choice, kRule); }

}  // namespace

const Strategy& additive_split_strategy() {
  static constexpr Strategy kStrategy = {
      "additive_split",
      Level::math,
      "a value is added to a read and subtracted again",
      "A_{a}   -->   A_{a}+Y-Y",
      "the value is defined there and finite",
      "cancellation",
      {"@input A f32[8,6]\n@input C f32[8,6]\n@output E f32[8,6]\n"
       "B^{8}_{tx=0}L^{6}_{a=0}[E^{f32,g}_{tx,a}=A^{f32,g}_{tx,a}*C^{f32,g}_{tx,a};];\n",
       R"({"at":"0/0:right.0","with":"previous"})"},
      kParameters,
      {},
      kSafety,
      kModifies,
      kIntroduces,
      choices,
      apply,
  };
  return kStrategy;
}

}  // namespace steptp
