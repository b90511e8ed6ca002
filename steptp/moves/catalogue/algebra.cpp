/// algebra: one rewrite of what is computed: by any strategy of mathematics, or what is independent of a loop once
/// before it.
///   D_{a}=A_{a}*C_{a}+A_{a}*F_{a}   -->   D_{a}=A_{a}*(C_{a}+F_{a})
///   L_{c}[D_{a,c}=exp(A_{a})*C_{c}]   -->   E^{l}=exp(A_{a});L_{c}[D_{a,c}=E^{l}*C_{c}]
#include "steptp/base/text.h"
#include "steptp/moves/single_step.h"
#include "steptp/recipe/registry.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"strategy", Parameter::Kind::word,
     "the name of a strategy of the level math, or hoist; its own parameters follow"},
};
constexpr Precondition kNeeds[] = {
    kStep,
    {Check::pattern_match, "law", "the strategy is one of mathematics, or hoist"},
};
constexpr const Precondition& kLaw = kNeeds[1];

bool is_law(const Strategy& strategy) { return strategy.level == Level::math || strategy.name == "hoist"; }

void choices(View& view, Listing& listing) { offer_single_steps(view, listing, is_law); }

std::optional<Refusal> make(MoveBuilder& builder, const Choice& choice) {
  const std::string& law = choice.word("strategy");
  const Strategy* strategy = find_strategy(law);
  if (!strategy || !is_law(*strategy)) {
    return Refusal{&kLaw, choice.at, concat(law, " is no strategy of mathematics, and not hoist"), {{"strategy", law}}};
  }
  return make_single_step(builder, choice);
}

}  // namespace

const Move& algebra_move() {
  static constexpr Move kMove = {
      "algebra",
      "one rewrite of what is computed: by any strategy of mathematics, or what is independent of a loop once before "
      "it",
      "D_{a}=A_{a}*C_{a}+A_{a}*F_{a}   -->   D_{a}=A_{a}*(C_{a}+F_{a})\n"
      "  L_{c}[D_{a,c}=exp(A_{a})*C_{c}]   -->   E^{l}=exp(A_{a});L_{c}[D_{a,c}=E^{l}*C_{c}]",
      {"@input A f32[8]\n@input C f32[8]\n@input F f32[8]\n@output D f32[8]\n"
       "B^{8}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx}*C^{f32,g}_{tx}+A^{f32,g}_{tx}*F^{f32,g}_{tx};];\n",
       R"({"at":"0/0:right","strategy":"collect","by":"0/0:right.0.0"})"},
      kParameters,
      kNeeds,
      choices,
      make,
      true,
      200,
  };
  return kMove;
}

}  // namespace steptp
