#pragma once

// Which sizes of tiles a device takes.

#include <cstdint>
#include <optional>

#include "steptp/moves/tiling.h"
#include "steptp/strategies/strategy.h"

namespace steptp {

inline constexpr Precondition kTileSizes = {
    Check::size, "sizes", "each size is 1 or more, and the vector is a power of two that divides the columns"};
inline constexpr Precondition kTileThreads = {Check::launch, "threads", "a block has no more threads than the device"};
inline constexpr Precondition kTileShared = {Check::size, "shared",
                                             "both staged tiles fit into the shared memory of a block"};
inline constexpr Precondition kTileRegisters = {
    Check::size, "registers", "a thread's sums and what it reads take at most 200 registers, a block's those it has"};

inline constexpr std::int64_t kMostTileRegisters = 200;

/// Bytes of an element: of what is staged of both operands, zero where nothing is, and of a sum.
struct TileBytes {
  std::int64_t left = 0;
  std::int64_t right = 0;
  std::int64_t sum = 4;
};

/// Registers of four bytes: the sums, and a row and a column of the tiles.
[[nodiscard]] std::int64_t tile_registers(std::int64_t sum_bytes, std::int64_t rows, std::int64_t columns);

[[nodiscard]] std::optional<Refusal> refuse_tile_sizes(const Site& site, const TileBytes& bytes,
                                                       const TileSizes& sizes);

}  // namespace steptp
