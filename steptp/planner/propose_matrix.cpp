// Contractions in f16, bf16 and f64: by matrix instructions, with as many of the expressions behind them as go into
// their kernel.
#include <algorithm>
#include <span>
#include <vector>

#include "steptp/moves/matrix_tiling.h"
#include "steptp/moves/parts.h"
#include "steptp/moves/tile_match.h"
#include "steptp/planner/proposals.h"

namespace steptp {

namespace {

/// Large ones reuse more of what they stage; small ones give every processor a block.
constexpr MatrixSizes kHalves[] = {
    {2, 2, 64, 64, 64, 3, 8}, {2, 2, 64, 64, 32, 4, 8}, {2, 2, 32, 64, 64, 3, 8}, {2, 2, 64, 32, 64, 3, 8},
    {2, 2, 32, 32, 64, 4, 8}, {4, 2, 32, 32, 32, 2, 1}, {2, 2, 32, 32, 32, 3, 1}, {2, 2, 16, 32, 64, 4, 1},
    {2, 2, 32, 16, 64, 4, 1}, {1, 4, 16, 32, 32, 4, 1}, {2, 2, 16, 16, 64, 4, 1}, {1, 4, 16, 16, 64, 4, 1},
    {1, 2, 16, 16, 32, 3, 1}, {1, 1, 16, 16, 16, 2, 1}, {1, 1, 16, 8, 16, 2, 1},
};
constexpr MatrixSizes kDoubles[] = {
    {2, 2, 32, 32, 16, 4, 8}, {2, 2, 16, 32, 16, 4, 8}, {2, 2, 32, 16, 16, 4, 8}, {2, 2, 16, 16, 16, 4, 1},
    {1, 4, 16, 16, 16, 4, 1}, {2, 2, 8, 16, 16, 3, 1},  {1, 2, 16, 16, 16, 3, 1}, {1, 4, 8, 8, 16, 3, 1},
    {1, 2, 8, 8, 16, 3, 1},   {1, 1, 8, 8, 8, 2, 1},    {1, 1, 8, 8, 4, 2, 1},
};

/// Blocks that a GPU should have at least: one for each of its processors.
constexpr std::int64_t kEnoughBlocks = 132;

std::int64_t blocks_of(const MatrixSizes& sizes, const MatrixProduct& product) {
  const auto parts = [](std::int64_t extent, std::int64_t part) { return (extent + part - 1) / part; };
  return product.others * parts(product.rows, sizes.block_rows()) * parts(product.columns, sizes.block_columns());
}

/// Those that fit, the likely best first: the largest that give every processor a block, then those that leave the
/// fewest without.
std::vector<MatrixSizes> sizes_for(const Site& site, const MatrixProduct& product) {
  const bool is_wide = product.shape.inner == 4;
  std::vector<MatrixSizes> out;
  for (MatrixSizes sizes : is_wide ? std::span<const MatrixSizes>(kDoubles) : std::span<const MatrixSizes>(kHalves)) {
    while (sizes.depth > product.depth && sizes.depth > product.shape.inner) sizes.depth /= 2;
    if (!refuse_matrix_sizes(site, product, sizes)) out.push_back(sizes);
  }
  const auto few = std::stable_partition(
      out.begin(), out.end(), [&](const MatrixSizes& sizes) { return blocks_of(sizes, product) >= kEnoughBlocks; });
  std::stable_sort(few, out.end(), [&](const MatrixSizes& left, const MatrixSizes& right) {
    return blocks_of(left, product) > blocks_of(right, product);
  });
  return out;
}

Values values_of(const MatrixSizes& sizes, std::int64_t following) {
  return {{"unit_rows", sizes.unit_rows}, {"unit_columns", sizes.unit_columns},
          {"rows", sizes.rows},           {"columns", sizes.columns},
          {"depth", sizes.depth},         {"buffers", sizes.buffers},
          {"group", sizes.group},         {"following", following}};
}

/// Where there are too few results for all processors.
void propose_parts_of(View& view, const MatrixProduct& product, std::uint32_t expression, std::int64_t following,
                      ProposalList& list) {
  constexpr std::size_t kTried = 3;
  constexpr std::int64_t kFewestRounds = 4;
  std::size_t offered = 0;
  for (const MatrixSizes& sizes : sizes_for(item_site({expression}), product)) {
    const std::int64_t wanted = (kEnoughBlocks + blocks_of(sizes, product) - 1) / blocks_of(sizes, product);
    const std::int64_t parts = std::min(wanted, product.depth / (kFewestRounds * sizes.depth));
    if (parts < 2) continue;
    const std::int64_t rounds = (product.depth + parts * sizes.depth - 1) / (parts * sizes.depth);
    propose_parts(view, expression, rounds * sizes.depth, following, planned_move("matrix", 0, values_of(sizes, 0)),
                  list);
    if (++offered == kTried) return;
  }
}

}  // namespace

void propose_matrix(View& view, std::uint32_t expression, ProposalList& list) {
  if (list.target().is_cpu()) return;
  const Site site = item_site({expression});
  const auto alone = find_matrix_product(view, site, 0);
  if (!alone) return;
  std::int64_t following = 0;
  while (find_matrix_product(view, site, following + 1)) ++following;
  for (std::int64_t taken = following; taken >= 0; --taken) {
    const auto product = find_matrix_product(view, site, taken);
    std::size_t offered = 0;
    for (const MatrixSizes& sizes : sizes_for(site, *product)) {
      list.add("matrix", expression, static_cast<std::uint32_t>(taken) + 1, values_of(sizes, taken));
      // What is behind it is usually worth taking along: without it, only some sizes are tried.
      if (++offered >= 3 && taken < following) break;
    }
  }
  propose_parts_of(view, *alone, expression, following, list);
}

}  // namespace steptp
