#include "steptp/moves/single_step.h"

#include <string>
#include <utility>
#include <vector>

#include "steptp/recipe/registry.h"

namespace steptp {

void offer_single_steps(View& view, Listing& listing, bool (*is_meant)(const Strategy&)) {
  for (const Strategy* strategy : all_strategies()) {
    if (!is_meant(*strategy)) continue;
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

std::optional<Refusal> make_single_step(MoveBuilder& builder, const Choice& choice) {
  Values values;
  for (const auto& [name, value] : choice.values) {
    if (name != "strategy") values.emplace_back(name, value);
  }
  (void)builder.step(choice.word("strategy"), choice.at, std::move(values));
  return builder.refusal();
}

}  // namespace steptp
