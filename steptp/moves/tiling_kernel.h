#pragma once

// What all kernels made of tiles have in common: how loops over rows and columns become blocks, threads and registers,
// how copies are filled by all threads of a block, what is kept in registers, what is unrolled.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptp/moves/builder.h"
#include "steptp/moves/loop_header.h"
#include "steptp/moves/tiling.h"

namespace steptp {

/// The steps of one kernel. What is made of it stands in the same top-level expression from the first step to the last.
class TilingKernel {
 public:
  using Items = std::vector<std::uint32_t>;
  static constexpr std::int64_t kLanes = 32;  ///< of a unit

 protected:
  TilingKernel(MoveBuilder& builder, std::uint32_t expression, const TileSizes& sizes)
      : builder_(builder), expression_(expression), sizes_(sizes) {}

  static Items below(Items items, std::uint32_t item) {
    items.push_back(item);
    return items;
  }
  [[nodiscard]] const Nest& nest_at(const Items& items) const;
  [[nodiscard]] bool is_nest(const Items& items) const;
  /// The only equation below.
  [[nodiscard]] const Equation& equation_at(Items items) const;

  /// The loops over rows and columns become blocks, threads and registers; the same for all expressions of the kernel.
  /// Groups of a thread's columns lie apart, so that neighbours read and write neighbouring vectors, or side by side.
  bool split_result(LoopHeader& header, bool columns_apart);
  /// Blocks outside, then (or behind the threads) what runs serially, then threads, then what each of them does.
  bool arrange(LoopHeader& header, const std::vector<std::string>& roles, bool serial_inside = false);

  /// Blocks of what runs in parallel, of which one loop is left, of rows and of columns.
  bool bind_blocks(LoopHeader& header, const std::vector<std::string>& parallel);

  [[nodiscard]] Values cache_values(std::string_view direction, const std::string& of, std::string_view scope,
                                    std::string_view form, bool points, std::int64_t depth = 1) const;
  /// A tensor that the kernel makes is made in registers, and written back.
  bool keep(const std::string& tensor, std::string_view form, bool points = false);
  /// The same; where nobody else reads it, it is nowhere else.
  bool keep_made(const std::string& tensor, std::string_view form, bool is_used_elsewhere, bool points = false);
  /// What passes from the result to the last expression behind it.
  bool keep_passed_on(const std::string& result, const std::vector<FollowingExpression>& following,
                      bool points = false);
  /// From now on copies know that the threads will be units, which keep more in registers.
  void expect_units() { lanes_ = kLanes; }
  /// Nothing in the kernel writes a tensor to global memory any more.
  bool drop(const std::string& tensor);

  /// With a depth, so many rounds of the loop at that level may be in flight.
  bool copy(const Site& level, const std::string& of, std::string_view scope, std::string_view form,
            bool points = false, std::int64_t depth = 1);
  /// Filled where a guard cuts off something of the tile, so that the sums need no guard.
  bool stage(const Site& level, const std::string& of, std::string_view scope = "s", bool points = false,
             std::int64_t depth = 1);
  bool bind(const Site& loop, std::string_view axis);
  /// A nest of one loop over all threads, in rounds where it is longer.
  bool spread(const Items& nest);
  /// A nest of one loop over the lanes of units, which stand along ty and tz, in rounds where it is longer.
  bool give_to_units(const Items& nest, std::int64_t unit_rows, std::int64_t unit_columns);
  /// What a nest fills lies with its first dimension innermost (`turns`), and with unused places behind each run.
  bool set_layout(const Items& nest, bool turns);
  /// All loops of a nest become one.
  bool fuse_all(const Items& nest, std::size_t loops);

  /// Lanes of at most 16 bytes that divide an extent.
  [[nodiscard]] std::int64_t widest(std::int64_t extent, std::int64_t element_bytes) const;
  /// Whether the lanes of a loop, once it is split, may be a vector.
  [[nodiscard]] bool can_be_lanes(const Items& nest, std::size_t position, std::int64_t lanes);
  bool read_by_vectors(const Items& nest, const TiledOperand& operand);
  /// Where a guard cuts off lanes, vectors are written where it holds for all of them.
  void write_by_vectors(const Items& nest);
  void unroll_loops(const Items& nest, std::size_t from);

  MoveBuilder& builder_;
  std::uint32_t expression_;
  const TileSizes& sizes_;
  std::size_t blocks_ = 2;
  std::size_t serial_ = 0;
  std::int64_t thread_rows_ = 1;
  std::int64_t thread_columns_ = 1;

 private:
  bool columns_apart(LoopHeader& header, std::int64_t block_columns);
  bool columns_together(LoopHeader& header);

  std::int64_t lanes_ = 1;
};

}  // namespace steptp
