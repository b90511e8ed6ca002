/// step: any single choice of any strategy.
#include "steptp/base/text.h"
#include "steptp/moves/builder.h"
#include "steptp/recipe/registry.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"strategy", Parameter::Kind::word, "the name of the strategy; its own parameters follow"},
};
constexpr Precondition kNeeds[] = {kStep};

void choices(View& view, Listing& listing) {
  for (const Strategy* strategy : all_strategies()) {
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
  Values values;
  for (const auto& [name, value] : choice.values) {
    if (name != "strategy") values.emplace_back(name, value);
  }
  (void)builder.step(choice.word("strategy"), choice.at, std::move(values));
  return builder.refusal();
}

}  // namespace

const Move& step_move() {
  static constexpr Move kMove = {
      "step",
      "any single choice of any strategy",
      "S   -->   whatever the strategy makes of it",
      {"@input A f32[8,6]\n@output D f32[8,6]\nB^{8}_{tx=0}L^{6}_{a=0}[D^{f32,g}_{tx,a}=A^{f32,g}_{tx,a}*2;];\n",
       R"({"at":"0:loop[1]","strategy":"loop_split","inner":3,"kind":"inner"})"},
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
