#pragma once

// The steps that make a contraction a kernel of matrix instructions: blocks, the tiles of their warps, staged operands
// whose copies run ahead, sums in fragments, and what follows them.

#include <cstdint>
#include <optional>

#include "steptp/analysis/matrix_nests.h"
#include "steptp/moves/builder.h"
#include "steptp/moves/tiling.h"
#include "steptp/moves/window_match.h"
#include "steptp/strategies/strategy.h"

namespace steptp {

/// What a block, a unit and a round have.
struct MatrixSizes {
  std::int64_t unit_rows = 1;     ///< units along the rows (m) of the result
  std::int64_t unit_columns = 1;  ///< units along its columns (n)
  std::int64_t rows = 16;         ///< of a unit
  std::int64_t columns = 16;      ///< of a unit
  std::int64_t depth = 16;        ///< of the sum, what is staged in a round
  std::int64_t buffers = 1;       ///< rounds in flight
  std::int64_t group = 1;         ///< rows of blocks that run before the next columns of them, at most

  [[nodiscard]] std::int64_t block_rows() const { return unit_rows * rows; }
  [[nodiscard]] std::int64_t block_columns() const { return unit_columns * columns; }
};

inline constexpr Precondition kMatrixTypes = {
    Check::fact, "types",
    "both operands are f16, bf16 or f64, and there is an instruction for their sum; else take `tile`"};
inline constexpr Precondition kMatrixSizes = {
    Check::size, "sizes", "a unit has whole instructions, and a block and a round no more than there is"};
inline constexpr Precondition kMatrixUnits = {Check::launch, "units", "the lanes of a block's units fit into a block"};
inline constexpr Precondition kMatrixShared = {
    Check::size, "shared", "what is staged fits into the shared memory of a block, for each buffer"};
inline constexpr Precondition kMatrixRegisters = {
    Check::size, "registers", "a lane's sums, and what follows them, take at most half of a thread's registers"};

/// A contraction for which there is an instruction, with what is behind it.
struct MatrixProduct {
  TiledContraction what;
  MatrixShape shape;      ///< of the instruction
  std::int64_t rows = 1;  ///< extents of what is tiled
  std::int64_t columns = 1;
  std::int64_t depth = 1;
  std::int64_t others = 1;        ///< results beside each other that are products of their own
  bool may_reach_beyond = false;  ///< a block may have more rows and columns than there are, if a unit has not
};
[[nodiscard]] Result<MatrixProduct, Refusal> find_matrix_product(View& view, const Site& site, std::int64_t following);

[[nodiscard]] std::optional<Refusal> refuse_matrix_sizes(const Site& site, const MatrixProduct& product,
                                                         const MatrixSizes& sizes);

/// A convolution as such a product: a tile may reach beyond the last row or column of it. Refused where its image is
/// the first factor, or where there is no instruction for it.
[[nodiscard]] Result<MatrixProduct, Refusal> matrix_product_of(View& view, const Site& site,
                                                               const WindowProduct& window);

/// All of them, on the builder. False where a step was refused.
bool make_matrix_tiles(MoveBuilder& builder, const MatrixProduct& product, const MatrixSizes& sizes);

}  // namespace steptp
