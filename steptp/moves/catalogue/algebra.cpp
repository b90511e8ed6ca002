/// algebra: one rewrite of a scalar expression, by any strategy of mathematics.
///   D_{a}=A_{a}*C_{a}+A_{a}*F_{a}   -->   D_{a}=A_{a}*(C_{a}+F_{a})
#include "steptp/base/text.h"
#include "steptp/moves/builder.h"
#include "steptp/recipe/registry.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"strategy", Parameter::Kind::word, "the name of a strategy of the level math; its own parameters follow"},
};
constexpr Precondition kNeeds[] = {
    kStep,
    {Check::pattern_match, "law", "the strategy is one of mathematics"},
};
constexpr const Precondition& kLaw = kNeeds[1];

void choices(View& view, Listing& listing) {
  for (const Strategy* strategy : all_strategies()) {
    if (strategy->level != Level::math) continue;
    Listing found = list_choices(*strategy, view, true, listing.with_refusals);
    for (ChoiceSite& site : found.sites) {
      site.parameters.insert(site.parameters.begin(),
                             {"strategy", std::vector<std::string>{std::string(strategy->name)}});
      site.extended = false;  // a move has no published form
      listing.offer(std::move(site));
    }
    for (Refusal& refusal : found.refusals) listing.refuse(std::move(refusal));
  }
}

std::optional<Refusal> make(MoveBuilder& builder, const Choice& choice) {
  const std::string& law = choice.word("strategy");
  const Strategy* strategy = find_strategy(law);
  if (!strategy || strategy->level != Level::math) {
    return Refusal{&kLaw, choice.at, concat(law, " is no strategy of mathematics"), {{"strategy", law}}};
  }
  Values values;
  for (const auto& [name, value] : choice.values) {
    if (name != "strategy") values.emplace_back(name, value);
  }
  (void)builder.step(law, choice.at, std::move(values));
  return builder.refusal();
}

}  // namespace

const Move& algebra_move() {
  static constexpr Move kMove = {
      "algebra",
      "one rewrite of a scalar expression, by any strategy of mathematics",
      "D_{a}=A_{a}*C_{a}+A_{a}*F_{a}   -->   D_{a}=A_{a}*(C_{a}+F_{a})",
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
