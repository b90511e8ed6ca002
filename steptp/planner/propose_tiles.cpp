// Contractions: tiles by `tile`, with as many of the expressions behind it as go into its kernel.
#include <algorithm>
#include <span>

#include "steptp/moves/following.h"
#include "steptp/moves/parts.h"
#include "steptp/moves/tile_match.h"
#include "steptp/planner/proposals.h"

namespace steptp {

namespace {

struct Tile {
  std::int64_t thread_rows;
  std::int64_t thread_columns;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t depth;
  std::int64_t vector;
};

/// Large ones reuse more of what they stage; small ones give every processor a block.
constexpr Tile kGpuTiles[] = {
    {16, 16, 8, 8, 16, 4}, {8, 16, 8, 8, 16, 4}, {16, 16, 8, 8, 8, 4}, {8, 16, 8, 8, 8, 4},   {16, 8, 4, 8, 16, 4},
    {16, 16, 4, 4, 16, 4}, {8, 16, 4, 4, 32, 4}, {8, 8, 4, 4, 16, 4},  {16, 16, 2, 2, 32, 2}, {8, 16, 2, 2, 32, 2},
    {32, 8, 2, 4, 32, 4},  {4, 32, 1, 4, 32, 4}, {2, 64, 2, 2, 32, 2}, {32, 8, 4, 1, 32, 1},
};
/// On a CPU one thread after the other does its part of a block: what it keeps in vector registers is four rows of
/// thirty-two floats, what is staged lies in the caches, and all accumulators of a block fit on the stack.
constexpr Tile kCpuTiles[] = {
    {8, 1, 4, 32, 64, 16}, {8, 1, 4, 32, 128, 16}, {4, 1, 4, 32, 128, 16}, {4, 1, 8, 16, 128, 16},
    {8, 1, 4, 16, 64, 16}, {2, 1, 4, 32, 128, 16}, {4, 1, 4, 16, 64, 16},  {2, 1, 4, 16, 128, 16},
    {1, 1, 4, 16, 64, 16}, {16, 4, 4, 8, 64, 8},   {4, 4, 4, 4, 64, 4},    {1, 4, 1, 16, 64, 16},
};

const AxisOf& longest(const std::vector<AxisOf>& axes) {
  return *std::max_element(axes.begin(), axes.end(),
                           [](const AxisOf& left, const AxisOf& right) { return left.extent < right.extent; });
}

/// Rows and columns of the result, as `tile` takes them.
struct Extents {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t depth = 1;
  std::int64_t bytes = 4;
  std::int64_t others = 1;  ///< results beside each other that are products of their own
};
Extents extents_of(View& view, const Statement& statement, const Contraction& found) {
  const AxisOf& m = longest(found.m);
  const AxisOf& n = longest(found.n);
  Extents out = {m.extent, n.extent, longest(found.k).extent, 4, 1};
  out.others = iterations(axes_of(statement).spatial) / (m.extent * n.extent);
  const auto indices = plain_indices(*statement.equation->left);
  if (indices && !indices->empty() && m.index == indices->back()) std::swap(out.rows, out.columns);
  out.bytes = info(view.table().tensors.at(statement.equation->left->tensor).dtype).bytes;
  return out;
}

/// A tile that is mostly beyond the result, or in which some threads have nothing to do.
bool is_wasted(const Tile& tile, const Extents& extents) {
  return tile.thread_rows * tile.rows >= 2 * std::max<std::int64_t>(extents.rows, tile.rows) ||
         tile.thread_columns * tile.columns >= 2 * std::max<std::int64_t>(extents.columns, tile.columns) ||
         tile.rows > 2 * extents.rows || tile.columns > 2 * extents.columns;
}

/// Blocks that a GPU should have at least: one for each of its processors.
constexpr std::int64_t kEnoughBlocks = 132;

std::int64_t blocks_of(const Tile& tile, const Extents& extents) {
  const auto parts = [](std::int64_t extent, std::int64_t part) { return (extent + part - 1) / part; };
  return extents.others * parts(extents.rows, tile.thread_rows * tile.rows) *
         parts(extents.columns, tile.thread_columns * tile.columns);
}

/// Those worth trying, the likely best first: the largest that give every processor a block, then those that leave the
/// fewest without.
std::vector<Tile> tiles_for(const Extents& extents, bool is_cpu) {
  std::vector<Tile> out;
  for (const Tile& tile : is_cpu ? std::span<const Tile>(kCpuTiles) : std::span<const Tile>(kGpuTiles)) {
    if (is_wasted(tile, extents)) continue;
    // What one thread stages for itself alone is read once: only for results of few rows.
    if (is_cpu && !out.empty() && tile.thread_rows == 1) continue;
    out.push_back(tile);
  }
  if (is_cpu) return out;
  const auto few = std::stable_partition(out.begin(), out.end(),
                                         [&](const Tile& tile) { return blocks_of(tile, extents) >= kEnoughBlocks; });
  std::stable_sort(few, out.end(), [&](const Tile& left, const Tile& right) {
    return blocks_of(left, extents) > blocks_of(right, extents);
  });
  return out;
}

Values values_of(const Tile& tile, std::int64_t padding, std::int64_t following) {
  return {{"thread_rows", tile.thread_rows},
          {"thread_columns", tile.thread_columns},
          {"rows", tile.rows},
          {"columns", tile.columns},
          {"depth", tile.depth},
          {"vector", tile.vector},
          {"padding", padding},
          {"following", following}};
}

/// For parts of sums: a large one, a middle one and a small one.
constexpr Tile kTilesOfParts[] = {{8, 16, 8, 8, 16, 4}, {16, 16, 4, 4, 16, 4}, {8, 8, 4, 4, 32, 4}};

/// Where there are too few results for all processors.
void propose_parts_of(View& view, const Extents& extents, std::uint32_t expression, std::int64_t following,
                      ProposalList& list) {
  constexpr std::int64_t kFewestRounds = 2;
  for (Tile tile : kTilesOfParts) {
    if (is_wasted(tile, extents)) continue;
    if (extents.bytes == 8) tile.vector = std::min<std::int64_t>(tile.vector, 2);
    const std::int64_t blocks = blocks_of(tile, extents);
    for (const std::int64_t enough : {8 * kEnoughBlocks, 2 * kEnoughBlocks}) {
      const std::int64_t parts = std::min((enough + blocks - 1) / blocks, extents.depth / (kFewestRounds * tile.depth));
      if (parts < 2) continue;
      const std::int64_t rounds = (extents.depth + parts * tile.depth - 1) / (parts * tile.depth);
      propose_parts(view, expression, rounds * tile.depth, following, planned_move("tile", 0, values_of(tile, 4, 0)),
                    list);
    }
  }
}

}  // namespace

void propose_tiles(View& view, std::uint32_t expression, ProposalList& list) {
  const Site site = item_site({expression});
  std::int64_t following = 0;
  if (!find_tiled(view, site, 0)) return;
  while (find_tiled(view, site, following + 1)) ++following;
  const Statement& statement = *statement_at(view, site);
  const Extents extents = extents_of(view, statement, *find_contraction(statement));
  const bool is_cpu = list.target().is_cpu();
  const std::vector<Tile> tiles = tiles_for(extents, is_cpu);
  for (std::int64_t taken = following; taken >= 0; --taken) {
    std::size_t offered = 0;
    for (Tile tile : tiles) {
      if (extents.bytes == 8 && is_cpu) tile.vector = tile.columns = std::max<std::int64_t>(1, tile.columns / 2);
      if (extents.bytes == 8 && !is_cpu) tile.vector = std::min<std::int64_t>(tile.vector, 2);
      tile.depth = std::min(tile.depth, std::max<std::int64_t>(4, extents.depth));
      const auto count = static_cast<std::uint32_t>(taken) + 1;
      list.add("tile", expression, count, values_of(tile, 0, taken));
      // Rows that begin in different banks.
      if (!is_cpu && offered < 3) list.add("tile", expression, count, values_of(tile, 4, taken));
      // What is behind it is usually worth taking along: without it, only some sizes are tried.
      if (++offered >= 3 && taken < following) break;
    }
  }
  if (!is_cpu) propose_parts_of(view, extents, expression, following, list);
}

}  // namespace steptp
