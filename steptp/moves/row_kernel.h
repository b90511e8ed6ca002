#pragma once

// A chain of expressions as one kernel: what `rows` makes, and `stages` of each of its two.

#include <cstdint>
#include <string_view>
#include <vector>

#include "steptp/moves/builder.h"
#include "steptp/moves/row_chain.h"

namespace steptp {

/// How rows are divided among blocks and threads, the same for all parts of a chain.
struct RowLayout {
  std::int64_t threads = 1;
  std::int64_t rows = 1;
  bool by_column = false;
  std::int64_t vector = 1;
  bool keeps = false;    ///< what is read of a row stays in registers
  bool is_wide = false;  ///< f16 and bf16 are folded in f32
  std::size_t base = 0;  ///< the position of the innermost loop over blocks

  /// A block has several rows, and a loop over them behind those over blocks.
  [[nodiscard]] bool has_rows() const { return rows > 1; }
  [[nodiscard]] bool shares_rows() const { return threads > 1; }
  [[nodiscard]] std::string_view row_axis() const { return by_column || !shares_rows() ? "tx" : "ty"; }
  [[nodiscard]] std::string_view thread_axis() const { return by_column ? "ty" : "tx"; }
  /// The position of the first loop along the row.
  [[nodiscard]] std::size_t along() const { return base + 1 + static_cast<std::size_t>(has_rows()); }
  /// The innermost loop that all parts have in common.
  [[nodiscard]] std::size_t common() const { return shares_rows() ? base : along() - 1; }
};

/// The steps that make the chain one kernel; false where a strategy refused one.
[[nodiscard]] bool make_row_kernel(MoveBuilder& builder, const RowChain& chain, const RowLayout& layout);

/// Neighbouring expressions, arranged alike, become one kernel, and what they make lives with the block or thread that
/// has the row.
[[nodiscard]] bool join_row_parts(MoveBuilder& builder, std::uint32_t first, const std::vector<RowPart>& parts,
                                  const RowLayout& layout);

}  // namespace steptp
