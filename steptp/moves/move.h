#pragma once

// The contract of a move, whole: what it says of itself, how it lists its choices, how it is made. A move is a goal
// with parameters at a place. It answers with a recipe of strategies, or with the refusal of the step that failed. It
// is a pure function of program, place and parameters, knows no time, and touches no tree: strategies do.
// docs/moves.md shows how to write one.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/recipe/recipe.h"
#include "steptp/strategies/handles.h"
#include "steptp/strategies/strategy.h"
#include "steptp/strategies/view.h"

namespace steptp {

class MoveBuilder;

/// Where a strategy refused a step of a move: the move does. Every move may answer with it.
inline constexpr Precondition kStep = {Check::dependency, "step", "every step of the move is accepted"};

/// Why a move is not made. `steps` is the recipe up to where it stopped, and with a step that was refused this one too.
struct MoveRefusal {
  Refusal refusal;  ///< the move's own, or [step] with the strategy's in words and values
  Recipe steps;
};

/// What a move made: what `apply` of each step of the recipe gives, one after the other.
struct Moved {
  Program program;
  Recipe recipe;
  std::vector<Facts> facts;  ///< of each step
  HandleMap map;             ///< of all of them
};

/// A move: data and two functions.
struct Move {
  std::string_view name;
  std::string_view summary;  ///< one sentence: what it makes
  std::string_view picture;  ///< before and after, in LEIR
  Example example;
  std::span<const Parameter> parameters;
  std::span<const Precondition> needs;  ///< what it looks at itself; refusals name them by id
  /// Every place with the exact domain of each parameter: what is listed can be made.
  void (*choices)(View&, Listing&) = nullptr;
  /// The steps, made by the builder; or why there is none. After a step that was refused: the builder's refusal.
  std::optional<Refusal> (*make)(MoveBuilder&, const Choice&) = nullptr;
  /// It takes parameters of strategies too, which are compared by these.
  bool takes_any_parameter = false;
  /// Zoo types whose programs offer it, at least; a test counts.
  std::size_t zoo_types = 1;
  DType zoo_dtype = DType::f32;  ///< in which those are
};

/// Whether it is said where each part has gone. Off, the map is empty, and steps take a fraction of the time: for
/// whoever tries many choices.
enum class Tracking : std::uint8_t { on, off };

/// The move, after the choice was compared with its parameters.
[[nodiscard]] Result<Moved, MoveRefusal> apply(const Move& move, const Program& program, const Choice& choice,
                                               Tracking tracking = Tracking::on);
/// "inline refused [step] at 0/0: step 1, compute_inline refused [values] at 0/0: ..."
[[nodiscard]] std::string to_text(const Move& move, const MoveRefusal& refusal);

[[nodiscard]] Listing list_choices(const Move& move, View& view, bool with_refusals = false);

/// Whether the move can be made; the refusal goes to the listing.
[[nodiscard]] bool can_be_made(const Move& move, View& view, const Choice& choice, Listing& listing);

/// The values of one parameter with which the move succeeds, where the others are given: for parameters whose legality
/// is best asked of the steps. Refusals go to the listing.
[[nodiscard]] ParameterDomain values_that_work(const Move& move, View& view, const Choice& others,
                                               const ParameterDomain& candidates, Listing& listing);

}  // namespace steptp
