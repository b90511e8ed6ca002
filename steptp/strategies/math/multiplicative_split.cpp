/// multiplicative_split: a read is divided by a value and multiplied by it.
///   A_{a}   -->   A_{a}/Y*Y
/// Safe because the value is defined there, finite and not zero. Numerically as good is one that neither overflows nor
/// underflows: two, 1+abs(Y), a sum of exponentials below their maximum.
#include "steptp/strategies/scalar_terms.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"with", Parameter::Kind::word,
     "the value: previous, a tensor by its name, or the address of a read; two, or 1+abs(...) of a value"},
};
constexpr Precondition kSafety[] = {kInScope, kOneType, kValueOnly, kAccumulator, kFinite, kNonZero, kOverflow};
constexpr Component kModifies[] = {Component::expressions, Component::equations};
constexpr NewElement kIntroduces[] = {NewElement::index_calculations};

ExprPtr split(const ExprPtr& read, const ExprPtr& by) {
  return make_expr(Product{{read, by, by}, {ArithmeticOp::divide, ArithmeticOp::multiply}});
}

void find(const ScalarPlace& place, RewriteList& out) {
  const auto more = [](const ExprPtr&, const std::vector<ScopeTerm>& in_scope) { return harmless_factors(in_scope); };
  split_read(
      place,
      {1, true, split, more, "the value is finite and not zero, so that the quotient times it is what was there"}, out);
}

constexpr ScalarRule kRule = {find, kInScope, kParameters, kInScope, true};
void choices(View& view, Listing& listing) { scalar_choices(view, listing, kRule); }
Result<Applied, Refusal> apply(View& view, const Choice& choice) { return scalar_apply(view, choice, kRule); }

}  // namespace

const Strategy& multiplicative_split_strategy() {
  static constexpr Strategy kStrategy = {
      "multiplicative_split",
      Level::math,
      "a read is divided by a value and multiplied by it",
      "A_{a}   -->   A_{a}/Y*Y",
      "the value is defined there, finite and not zero",
      "cancellation",
      {"@input A f32[8,6] positive\n@input C f32[8,6] positive\n@output E f32[8,6]\n"
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
