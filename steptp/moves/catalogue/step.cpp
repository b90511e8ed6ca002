/// step: any single choice of any strategy.
#include "steptp/moves/single_step.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"strategy", Parameter::Kind::word, "the name of the strategy; its own parameters follow"},
};
constexpr Precondition kNeeds[] = {kStep};

void choices(View& view, Listing& listing) {
  offer_single_steps(view, listing, [](const Strategy&) { return true; });
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
      make_single_step,
      true,
      200,
  };
  return kMove;
}

}  // namespace steptp
