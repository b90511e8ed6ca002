#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "replay/place.h"

namespace steptp::replayer {

using Iteration = std::vector<std::int64_t>;
using Cell = std::vector<std::int64_t>;

/// Iterations come before `moment` on its loops; with `or_equal`, those of the same round too.
struct Before {
  const std::int64_t* moment = nullptr;
  std::size_t loops = 0;  ///< zero: no limit in time, where `or_equal`
  bool or_equal = true;
};

/// Finds the iterations of a statement that write a cell, the latest first, by shrinking a box of loops.
class Search {
 public:
  /// Says whether an iteration really writes the cell: data in subscripts and guards are not seen by the box.
  using Accept = std::function<bool(const Iteration&)>;

  explicit Search(std::uint64_t& budget) : budget_(budget) {}
  /// Calls `found` for each accepted iteration until it returns false.
  void run(const Statement& statement, const Cell& cell, const Before& before, const Accept& accept,
           const std::function<bool(const Iteration&)>& found);

  struct Range {
    Wide low = 0;
    Wide high = 0;
  };
  using Box = std::vector<Range>;
  [[nodiscard]] static Range range_of(const Subscript& subscript, const Box& box);
  /// All iterations of a statement without guards and data in its left side that write the cell, in blocks: those that
  /// `is_block` allows, and single ones. `take` gets one of them, and how many there are.
  void run_blocks(const Statement& statement, const Cell& cell, const std::function<bool(const Box&)>& is_block,
                  const std::function<void(const Iteration&, std::int64_t)>& take);

 private:
  [[nodiscard]] bool descend(std::size_t level, bool is_tight, const Box& box);
  [[nodiscard]] bool shrink(Box& box) const;
  [[nodiscard]] static Range range_of(const SubscriptAtom& atom, const Box& box);
  void halve(Box box, const std::function<bool(const Box&)>& is_block,
             const std::function<void(const Iteration&, std::int64_t)>& take);
  [[nodiscard]] static bool narrow(const Subscript& subscript, Range wanted, Box& box);
  [[nodiscard]] static bool narrow(const SubscriptAtom& atom, Range wanted, Box& box);

  std::uint64_t& budget_;
  const Statement* statement_ = nullptr;
  const Cell* cell_ = nullptr;
  Before before_;
  const Accept* accept_ = nullptr;
  const std::function<bool(const Iteration&)>* found_ = nullptr;
  Iteration iteration_;
};

}  // namespace steptp::replayer
