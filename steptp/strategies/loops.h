#pragma once

// What strategies on loops share.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "steptp/strategies/rewrite.h"
#include "steptp/strategies/strategy.h"
#include "steptp/strategies/view.h"

namespace steptp {

/// A loop in its nest.
struct PlacedLoop {
  const PlacedNest* nest = nullptr;
  std::size_t position = 0;  ///< in the header

  [[nodiscard]] const Loop& loop() const { return nest->nest->loops[position]; }
  [[nodiscard]] std::uint32_t expression() const { return nest->items[0]; }
  [[nodiscard]] Site site() const { return loop_site(nest->items, position); }
};

/// The loop at an address, or a refusal that says what is there.
[[nodiscard]] Result<PlacedLoop, Refusal> find_loop(View& view, const Site& site);
/// The nest, the equation at an address, likewise.
[[nodiscard]] Result<const PlacedNest*, Refusal> nest_at(View& view, const Site& site);
[[nodiscard]] Result<const Statement*, Refusal> equation_at(View& view, const Site& site);
/// The number of the top-level expression at an address, likewise.
[[nodiscard]] Result<std::uint32_t, Refusal> expression_at(View& view, const Site& site);
/// All loops, in the order of the text.
[[nodiscard]] std::vector<PlacedLoop> all_loops(View& view);

/// How many loops stand outside the header of a nest.
[[nodiscard]] std::size_t loops_around(const PlacedNest& nest);
/// The positions, in the table, of the statements below a nest.
[[nodiscard]] std::vector<std::size_t> statements_below(View& view, const PlacedNest& nest);

/// The accesses of these statements.
[[nodiscard]] std::span<const Access> accesses_below(View& view, const PlacedNest& nest);

/// The program with another kind for one loop, which is not a bound one.
[[nodiscard]] Program with_kind(const Program& program, const PlacedLoop& at, LoopKind kind);

/// The body and the guard of a nest under other loops, with indices replaced: subscripts are simplified where // and %
/// can be resolved over the loops around. Nothing where a subscript becomes too large.
struct Reindexed {
  std::vector<Item> items;
  ExprPtr guard;
};
[[nodiscard]] std::optional<Reindexed> reindexed(const PlacedNest& nest, const std::vector<Loop>& loops,
                                                 Rewriter rewriter);

/// Loops of an expression of its own over all points of a box, and the indices along its dimensions. The first loop
/// that a block has threads for is bound to tx and comes to stand outermost.
struct BoxLoops {
  std::vector<Loop> loops;
  std::vector<Index> indices;
};
[[nodiscard]] BoxLoops loops_over(const std::vector<std::int64_t>& extents);

/// The program that most strategies on loops show in their examples.
inline constexpr std::string_view kMatmulExample =
    "@input A f32[8,4]\n@input C f32[4,6]\n@output D f32[8,6]\n"
    "B^{8}_{tx=0}L^{6}_{a=0}L^{4}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];\n";

/// The refusal that a subscript would not fit in 64 bits.
[[nodiscard]] Refusal refuse_overflow(const Site& place);
inline constexpr Precondition kSubscriptsFit = {Check::size, "subscripts-fit", "rewritten subscripts fit in 64 bits"};

}  // namespace steptp
