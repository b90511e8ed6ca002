#pragma once

// The steps that make tiles of a contraction: blocks, staged operands, threads, registers, and what follows it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptp/moves/builder.h"
#include "steptp/moves/following.h"
#include "steptp/moves/loop_header.h"
#include "steptp/moves/parts.h"

namespace steptp {

/// What a block, a thread and a round have; an extent that is smaller is one tile.
struct TileSizes {
  std::int64_t thread_rows = 1;     ///< threads along the rows (m) of the result
  std::int64_t thread_columns = 1;  ///< threads along its columns (n)
  std::int64_t rows = 1;            ///< of a thread, side by side
  std::int64_t columns = 1;         ///< of a thread, in groups of `vector`, a group of each thread side by side
  std::int64_t depth = 1;           ///< of what is staged in a round
  std::int64_t vector = 1;          ///< lanes
  std::int64_t padding = 0;         ///< unused places behind each run of a staged tile
};

/// What one of the operands is.
struct TiledOperand {
  std::string tensor;
  bool is_across = false;  ///< its rows go along k, and not along the rows or columns of the result
  bool is_narrow = false;  ///< elements of two bytes, which are f32 in registers
  std::int64_t element_bytes = 4;
  std::int64_t row = 0;  ///< elements along its last dimension
};

/// What is to be tiled, in names: views of the program are gone with the first step.
struct TiledContraction {
  std::uint32_t expression = 0;
  std::vector<std::string> roles;  ///< of the loops: m, n, k, the tiled ones; z.. and s.., others, parallel and serial
  std::string result;
  TiledOperand left;               ///< the one with m
  TiledOperand right;              ///< the one with n
  bool is_narrow = false;          ///< elements of two bytes, whose sums are f32
  bool sums_parts = false;         ///< the sum ends before its operands do: it is a part of a longer one
  std::int64_t element_bytes = 4;  ///< of a sum
  bool is_used_elsewhere = true;   ///< the result is an output, or what is not taken along reads it
  std::vector<FollowingExpression> following;
};

/// All of them, on the builder. False where a step was refused.
bool make_tiles(MoveBuilder& builder, const TiledContraction& contraction, const TileSizes& sizes);

}  // namespace steptp
