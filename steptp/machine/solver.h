#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "steptp/machine/code.h"

namespace steptp::certify {

/// Integers from low to high, kept inside +-kFar so that nothing computed from them overflows 128 bits.
struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;
  [[nodiscard]] bool is_point() const { return low == high; }
  [[nodiscard]] bool is_empty() const { return low > high; }
  bool operator==(const Range&) const = default;
};
inline constexpr std::int64_t kFar = std::int64_t{1} << 61;

/// The values an index takes over a box of slots; a superset. Reads give everything.
[[nodiscard]] Range range_of(const IndexCode& index, const std::vector<Range>& box);
/// Shrinks the box to the points where the index can lie in the wanted range; false where there is none. Keeps every
/// point that fits.
[[nodiscard]] bool narrow(const IndexCode& index, Range wanted, std::vector<Range>& box);

/// The question: which iterations of a statement touch a given storage cell by one of its accesses?
struct CellQuery {
  const StatementCode* statement = nullptr;
  const Access* access = nullptr;
  const std::int64_t* cell = nullptr;  ///< subscripts, then hidden subscripts
  std::size_t cell_size = 0;
};

/// Decides at one point what intervals cannot: guards that are no bounds, subscripts that read data.
using PointCheck = std::function<bool(const std::int64_t* iteration)>;

/// Finds iterations by shrinking boxes and trying the values that remain.
class Solver {
 public:
  /// `steps` is counted down with every box looked at; at zero the search throws Failure (operations).
  explicit Solver(std::uint64_t& steps) : steps_(steps) {}

  /// The lexicographically last iteration that touches the cell, and on its first `shared` loops is at most (strictly:
  /// less than) `limit`. False where there is none.
  [[nodiscard]] bool last_before(const CellQuery& query, const std::int64_t* limit, std::uint32_t shared, bool strictly,
                                 const PointCheck& check, std::int64_t* found);

  /// Calls `visit` for boxes of iterations that touch the cell and agree with `prefix` on the first `fixed` loops:
  /// every such iteration is in one box, and boxes come in the order of execution, as do the points of a box taken in
  /// lexicographic order.
  template <typename Visit>
  void each_box(const CellQuery& query, const std::int64_t* prefix, std::uint32_t fixed, const PointCheck& check,
                const Visit& visit);
  /// The same, one iteration at a time. `visit` may change nothing of the iteration.
  template <typename Visit>
  void each(const CellQuery& query, const std::int64_t* prefix, std::uint32_t fixed, const PointCheck& check,
            std::int64_t* iteration, const Visit& visit);

 private:
  [[nodiscard]] static bool start(const CellQuery& query, std::vector<Range>& box);
  [[nodiscard]] bool shrink(const CellQuery& query, std::vector<Range>& box);
  /// Every point of the box touches the cell, as far as bounds and subscripts say all there is to say.
  [[nodiscard]] static bool is_settled(const CellQuery& query, const std::vector<Range>& box);
  [[nodiscard]] bool holds_at(const CellQuery& query, const std::int64_t* iteration, const PointCheck& check) const;
  [[nodiscard]] bool descend(const CellQuery& query, std::vector<Range> box, std::uint32_t depth,
                             const std::int64_t* limit, std::uint32_t shared, bool strictly, bool is_tight,
                             const PointCheck& check, std::int64_t* found);
  template <typename Visit>
  void walk(const CellQuery& query, std::vector<Range> box, std::uint32_t depth, const PointCheck& check,
            const Visit& visit);
  void count();

  std::uint64_t& steps_;
};

/// Calls `visit` for every point of a box, in lexicographic order, with the point in `iteration`.
template <typename Visit>
void each_point(const std::vector<Range>& box, std::int64_t* iteration, const Visit& visit) {
  const std::size_t size = box.size();
  for (std::size_t i = 0; i < size; ++i) iteration[i] = box[i].low;
  if (size == 0) return visit();
  const Range innermost = box[size - 1];
  for (;;) {
    for (std::int64_t value = innermost.low; value <= innermost.high; ++value) {
      iteration[size - 1] = value;
      visit();
    }
    std::size_t at = size - 1;
    while (at > 0 && iteration[at - 1] == box[at - 1].high) {
      iteration[at - 1] = box[at - 1].low;
      --at;
    }
    if (at == 0) return;
    ++iteration[at - 1];
  }
}

template <typename Visit>
void Solver::each_box(const CellQuery& query, const std::int64_t* prefix, std::uint32_t fixed, const PointCheck& check,
                      const Visit& visit) {
  std::vector<Range> box;
  if (!start(query, box)) return;
  for (std::uint32_t i = 0; i < fixed; ++i) {
    if (prefix[i] < box[i].low || prefix[i] > box[i].high) return;
    box[i] = {prefix[i], prefix[i]};
  }
  if (shrink(query, box)) walk(query, std::move(box), 0, check, visit);
}

template <typename Visit>
void Solver::each(const CellQuery& query, const std::int64_t* prefix, std::uint32_t fixed, const PointCheck& check,
                  std::int64_t* iteration, const Visit& visit) {
  each_box(query, prefix, fixed, check, [&](const std::vector<Range>& box) { each_point(box, iteration, visit); });
}

template <typename Visit>
void Solver::walk(const CellQuery& query, std::vector<Range> box, std::uint32_t depth, const PointCheck& check,
                  const Visit& visit) {
  if (is_settled(query, box)) return visit(box);
  while (depth < box.size() && box[depth].is_point()) ++depth;
  if (depth == box.size()) {
    std::vector<std::int64_t> iteration;
    iteration.reserve(box.size());
    for (const Range& range : box) iteration.push_back(range.low);
    if (holds_at(query, iteration.data(), check)) visit(box);
    return;
  }
  const Range range = box[depth];
  for (std::int64_t value = range.low; value <= range.high; ++value) {
    std::vector<Range> inner = box;
    inner[depth] = {value, value};
    count();
    if (shrink(query, inner)) walk(query, std::move(inner), depth + 1, check, visit);
  }
}

}  // namespace steptp::certify
