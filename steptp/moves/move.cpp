#include "steptp/moves/move.h"

#include "steptp/base/text.h"
#include "steptp/moves/builder.h"
#include "steptp/strategies/parameters.h"

namespace steptp {

Result<Moved, MoveRefusal> apply(const Move& move, const Program& program, const Choice& choice, Tracking tracking) {
  std::string wrong =
      move.takes_any_parameter ? missing_parameter(move.parameters, choice) : misfit(move.parameters, choice);
  if (!wrong.empty()) return MoveRefusal{{&kChoice, choice.at, std::move(wrong), {}}, {}};
  MoveBuilder builder(program, tracking);
  auto refusal = move.make(builder, with_fallbacks(move.parameters, choice));
  if (!refusal && builder.steps() == 0) refusal = Refusal{&kStep, choice.at, "there is nothing to do", {}};
  if (refusal) return MoveRefusal{*std::move(refusal), builder.recipe()};
  return builder.take();
}

std::string to_text(const Move& move, const MoveRefusal& refusal) { return to_text(move.name, refusal.refusal); }

Listing list_choices(const Move& move, View& view, bool with_refusals) {
  Listing listing;
  listing.extended = true;
  listing.with_refusals = with_refusals;
  move.choices(view, listing);
  return listing;
}

bool can_be_made(const Move& move, View& view, const Choice& choice, Listing& listing) {
  auto made = apply(move, view.program(), choice, Tracking::off);
  if (!made) listing.refuse(std::move(made.error().refusal));
  return made.ok();
}

ParameterDomain values_that_work(const Move& move, View& view, const Choice& others, const ParameterDomain& candidates,
                                 Listing& listing) {
  std::vector<std::int64_t> integers;
  std::vector<std::string> words;
  for (std::uint64_t i = 0; i < candidates.count(); ++i) {
    Choice choice = others;
    const Json value = candidates.value(i);
    choice.values.emplace_back(candidates.name, value);
    if (!can_be_made(move, view, choice, listing)) continue;
    if (value.as_string()) {
      words.push_back(*value.as_string());
    } else {
      integers.push_back(*value.as_integer());
    }
  }
  if (words.empty()) return {candidates.name, std::move(integers)};
  return {candidates.name, std::move(words)};
}

}  // namespace steptp
