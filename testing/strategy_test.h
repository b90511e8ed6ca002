#pragma once

// How tests of strategies speak: text before, choice, text after.

#include <string>
#include <string_view>
#include <vector>

#include "steptp/ir/program.h"
#include "steptp/strategies/strategy.h"

namespace steptp::testing {

/// A program in shorthand (testing/shorthand.h), of f32 where nothing else is said:
///   @input A f32[8,6]
///   @output D f32[8,6]
///   B(tx,8)L(a,6)[D[tx,a]=A[tx,a]*2;];
[[nodiscard]] Program strategy_program(std::string_view text);

/// What tests of scalar strategies are about: an equation over vectors, some of them with a domain, or over rows.
inline constexpr std::string_view kVectors =
    "@input A f32[8]\n@input C f32[8]\n@input D f32[8] positive\n@input F f32[8] positive\n@input G f32[8] [-4,4)\n"
    "@input H f32[8] [-4,4)\n@output E f32[8]\n";
[[nodiscard]] std::string vector_nest(std::string_view right);
[[nodiscard]] std::string vector_program(std::string_view right);
[[nodiscard]] std::string row_nest(std::string_view right);

/// What the house thinks of a step: shown equal, not shown, or wrong.
enum class HouseResult : std::uint8_t { good, undecided, bad };

/// The choice leads from one program to the other, up to the names of loops and intermediates; `after` is only the
/// nests, in shorthand. The result passes `check` and is judged equal.
void expect_rewrite(std::string_view strategy, std::string_view before, std::string_view choice, std::string_view after,
                    HouseResult wanted = HouseResult::good);

/// The same, and the result is numerically as good as what was there.
void expect_safe_rewrite(std::string_view strategy, std::string_view before, std::string_view choice,
                         std::string_view after);
/// The step is equal and not safe: the search finds an input at which it loses digits or overflows.
void expect_unsafe_step(std::string_view strategy, std::string_view before, std::string_view choice);

/// The choice is refused because of this precondition.
void expect_refusal(std::string_view strategy, std::string_view before, std::string_view choice,
                    std::string_view precondition);

/// The program after a step, which is made, checks and is not judged different.
[[nodiscard]] Program after_step(std::string_view strategy, const Program& program, std::string_view choice);

/// No choice, extended ones included, is listed for the program, and some place is refused because of this
/// precondition.
void expect_no_choice(std::string_view strategy, std::string_view program, std::string_view precondition);

/// The choices listed, as JSON, in order; those of a site beyond `per_site` are left out.
[[nodiscard]] std::vector<std::string> listed(std::string_view strategy, std::string_view program, bool extended,
                                              std::uint64_t per_site = 100);

/// What every application has to satisfy: it checks, is judged equal, leaves its input as it was, prints and reads
/// back, and replays from the printed text and the printed choice to the same bytes. Answers the grade.
[[nodiscard]] HouseResult check_application(const Strategy& strategy, const Program& before, const Choice& choice);

/// Remembers that a precondition has refused something; the house tests want one for each that is declared.
void note_refusal(std::string_view strategy, const Refusal& refusal);

}  // namespace steptp::testing
