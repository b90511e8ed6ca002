#pragma once

// How tests of moves speak: text before, choice, text after.

#include <string_view>

#include "steptp/moves/move.h"

namespace steptp::testing {

/// The choice leads from one program to the other, up to the names of loops and intermediates; `after` is only the
/// nests. Both in shorthand (testing/shorthand.h). The result passes `check` and is judged equal.
void expect_move(std::string_view move, std::string_view before, std::string_view choice, std::string_view after);

/// The choice is refused because of this need: [step] where a strategy refused a step, whose precondition `message`
/// then names.
void expect_move_refusal(std::string_view move, std::string_view before, std::string_view choice, std::string_view need,
                         std::string_view message = "");

/// The move made on a program, which has been looked at as `check_move` does.
[[nodiscard]] Program after_move(std::string_view move, const Program& program, std::string_view choice);
[[nodiscard]] Program move_program(std::string_view shorthand);

/// What every move that is made has to satisfy: the recipe replays to the same bytes, the map is total, `check` has no
/// error that was not there before, and the judge finds the programs equal; where it is undecided, the answer is false.
[[nodiscard]] bool check_move(const Move& move, const Program& before, const Choice& choice);

/// Remembers that a need has refused something; the house tests want one for each that is declared.
void note_move_refusal(std::string_view move, const Refusal& refusal);

}  // namespace steptp::testing
