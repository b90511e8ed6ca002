#pragma once

// What moves find in a program, and what they say of themselves: for the command line, Python and the page.

#include <cstdint>
#include <string>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/plans/plan.h"

namespace steptp {

struct MoveSite {
  const Move* move = nullptr;
  ChoiceSite site;
};
struct MoveChoice {
  const Move* move = nullptr;
  Choice choice;
};
struct MoveNotMade {
  const Move* move = nullptr;
  Refusal refusal;
};

/// What several moves find in one program, in the order of the moves.
struct MoveChoices {
  std::vector<MoveSite> sites;
  std::vector<MoveNotMade> refusals;
};
[[nodiscard]] MoveChoices list_choices(const std::vector<const Move*>& moves, View& view, bool with_refusals = false);

/// The first choices, in order.
[[nodiscard]] std::vector<MoveChoice> first_choices(const MoveChoices& choices, std::uint64_t limit);
/// Different choices drawn with a seed by `sample_of` (recipe/selection.h); sites of one move belong together.
[[nodiscard]] std::vector<MoveChoice> sample_choices(const MoveChoices& choices, std::uint64_t number,
                                                     std::uint64_t seed);

/// {"program","move","site","domain","count"}
[[nodiscard]] Json to_json(const std::string& program, const MoveSite& site);
/// {"program","move","choice"}
[[nodiscard]] Json to_json(const std::string& program, const MoveChoice& choice);
/// {"program","move","refused":{...}}
[[nodiscard]] Json to_json(const std::string& program, const MoveNotMade& refusal);

/// What a move made: {"step":{"move","choice"},"recipe":{"steps":[...]},"facts":[of each
/// step],"map":{...},"added":[...]}
[[nodiscard]] Json to_json(const PlannedMove& made, const Program& before, const Moved& moved);
/// ["1","1:loop[0]",...]: the addresses after that are no images of any before
[[nodiscard]] Json added_json(const HandleMap& map);
/// {"precondition","check","at","message","values","steps":[up to the one that was refused]}
[[nodiscard]] Json to_json(const MoveRefusal& refusal);

/// All that a move says of itself.
[[nodiscard]] Json to_json(const Move& move);
/// Picture, parameters, refusals and an example, for people.
[[nodiscard]] std::string explain(const Move& move);
/// The page docs/moves.md.
[[nodiscard]] std::string moves_page();

}  // namespace steptp
