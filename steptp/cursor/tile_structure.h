#pragma once

// Tiles of a contraction: so many choices that nobody can list them, so their limits are arithmetic.

#include "steptp/cursor/structure.h"
#include "steptp/moves/tile_sizes.h"

namespace steptp::cursor {

/// What a tile is limited by.
struct TileLimits {
  std::int64_t rows = 1;     ///< of the result
  std::int64_t columns = 1;  ///< of the result
  std::int64_t depth = 1;    ///< of the sum
  TileBytes bytes;
  std::int64_t fewest_threads = 1;  ///< of a block, where there are so many elements
  std::int64_t widest = 4;          ///< lanes of a vector
  bool has_padding = true;
  std::int64_t shared_bytes = INT64_MAX;  ///< of a block, where the device has less than the move allows
};

class TileStructure : public Structure {
 public:
  TileStructure(const TileLimits& limits, std::int64_t following);

  /// Nothing is legal: not even the smallest tile fits.
  [[nodiscard]] bool is_empty() const;
  void legal(std::span<const Token> chosen, std::vector<Token>& out) const override;
  [[nodiscard]] std::vector<PlannedMove> moves(std::span<const Token> chosen) const override;
  /// Complete choices of all sorts: with and without vectors, padding and rests, small ones and large ones.
  [[nodiscard]] std::vector<std::vector<Token>> examples() const;

 private:
  [[nodiscard]] bool can_be_completed(TileSizes sizes, std::size_t chosen) const;
  [[nodiscard]] bool fits(const TileSizes& sizes) const;
  [[nodiscard]] std::int64_t shared_bytes(const TileSizes& sizes) const;

  TileLimits limits_;
  std::int64_t following_;
  std::int64_t fewest_threads_ = 1;
};

}  // namespace steptp::cursor
