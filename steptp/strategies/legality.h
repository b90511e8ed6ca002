#pragma once

// Whether a change of loops keeps what a program means. All answers are about dependences with the hidden subscripts of
// scopes in them (docs/language.md R6), and what is not known counts as a conflict.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptp/strategies/rewrite.h"
#include "steptp/strategies/strategy.h"
#include "steptp/strategies/view.h"

namespace steptp {

/// A refusal because of it: "D: 0/0:left and 0/0:right.0 ...".
[[nodiscard]] Refusal refuse(const Precondition& precondition, const Site& place, const Conflict& conflict);

/// Whether some order of execution that matters turns around when the loops of a nest's header stand in another order;
/// order[i] is the old position of the loop that comes to stand at i. Accumulations by one operator may change places:
/// their result is the same up to rounding.
[[nodiscard]] std::optional<Conflict> order_conflict(View& view, const PlacedNest& nest,
                                                     const std::vector<std::size_t>& order);

/// Whether iterations of one loop of a nest's header, all outer loops being the same, touch one element that one of
/// them writes, so that they cannot change places. With `free_reductions` the updates of one accumulation do not count.
[[nodiscard]] std::optional<Conflict> carried_conflict(View& view, const PlacedNest& nest, std::size_t loop,
                                                       bool free_reductions);

/// A top-level nest of equations only, in a program without data in `s` and `l`: neither other items nor other loops
/// can stand wrong around it.
[[nodiscard]] bool is_flat_launch(View& view, const PlacedNest& nest);

/// Whether iterations of one loop of a nest's header surely touch no element in common that one of them writes,
/// whatever the loops around do. Quick: no solver is asked, and false says nothing.
[[nodiscard]] bool iterations_stay_apart(View& view, const PlacedNest& nest, std::size_t loop);

/// Whether an item and the one behind it in the same body touch an element that one of them writes, in one iteration of
/// the loops around both, so that they cannot change places. Both addresses are good.
[[nodiscard]] std::optional<Conflict> exchange_conflict(View& view, const std::vector<std::uint32_t>& first,
                                                        const std::vector<std::uint32_t>& second);

/// Whether some iteration of the items of a nest from `cut` on has to run before a later iteration of those in front of
/// it, so that the nest cannot be cut into two there.
[[nodiscard]] std::optional<Conflict> distribution_conflict(View& view, const PlacedNest& nest, std::size_t cut);

/// A change that keeps all equations in their order; each iteration of the new loops is one of the old: `was` says
/// which, for the loops around equations of a nest that are not the same.
struct Reshaped {
  const PlacedNest& nest;  ///< before
  IndexValues was;
};
/// Whether data in `s` or `l` would be shared by other accesses than before, or could not live there any more; and
/// whether block loops stand where they may. Data that every iteration of the nest writes before it reads may be shared
/// by more iterations, if that makes no race.
[[nodiscard]] std::optional<Conflict> scope_conflict(View& before, View& after, const Reshaped& change);

/// Whether a block loop of a program does not enclose all items of its kernel, or accesses to data in `s` or `l` lie
/// inside different axes.
[[nodiscard]] std::optional<Conflict> placement_conflict(View& view);

/// Whether every block loop of a top-level nest encloses all items of its kernel.
[[nodiscard]] bool blocks_stand_well(const Nest& expression);

/// Whether a tensor in `s` or `l` cannot live where it is accessed: in several kernels, inside different axes, or where
/// a block loop would not enclose all items of its kernel.
[[nodiscard]] std::optional<Conflict> placement_conflict(View& view, const std::string& tensor);
/// The same of a tensor that would live in another scope.
[[nodiscard]] std::optional<Conflict> placement_conflict(View& view, const std::string& tensor, Scope scope);
/// Whether two accesses to a tensor share an element in one of two programs but not in the other. The programs differ
/// in scopes only.
[[nodiscard]] std::optional<Conflict> ownership_conflict(View& before, View& after, const std::string& tensor);

/// Whether an expression of the result has a race; the program before says what else is known.
[[nodiscard]] std::optional<Conflict> race_conflict(View& before, View& after, std::uint32_t expression);

/// Whether updates by this equation may come in any order: it accumulates, and nothing is cut off between updates that
/// would make the order matter (a float added to an integer is).
[[nodiscard]] bool is_free_accumulation(const Statement& statement);

}  // namespace steptp
