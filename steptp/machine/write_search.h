#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "steptp/machine/budget.h"
#include "steptp/machine/code.h"
#include "steptp/machine/instance.h"
#include "steptp/machine/solver.h"

namespace steptp::certify {

/// Which write a read sees, and which iterations write a cell: found in the concrete iteration space (solver.h).
class WriteSearch {
 public:
  /// Whether an iteration of a statement writes a cell, where bounds do not tell: guards and subscripts of it are
  /// evaluated.
  using WritesCell = std::function<bool(const StatementCode&, const Cell&, const std::int64_t* slots)>;

  WriteSearch(const Code& code, Budget& budget, WritesCell writes_cell)
      : code_(code), budget_(budget), solver_(budget.operations), writes_cell_(std::move(writes_cell)) {}

  /// The last write to a cell as seen by `writers` at the moment `now`; false where there is none.
  [[nodiscard]] bool last(const std::vector<Writer>& writers, const Cell& cell, const std::int64_t* now,
                          Instance& found);

  /// The write that an access is known to see (Access::origin); false where the subscripts are not those of one.
  [[nodiscard]] bool original(const Access& access, const std::int64_t* slots, Instance& found) const {
    if (access.origin == kNone) return false;
    const std::vector<std::int64_t>& extents = code_.statements[access.origin].extents;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      const IndexCode& loop = access.origin_loops[i];
      std::int64_t value = loop.constant;
      for (const LinearPart& part : loop.linear) value += part.coefficient * slots[part.slot];
      if (value < 0 || value >= extents[i]) return false;
      found.slots[i] = value;
    }
    found.statement = access.origin;
    found.is_partial = false;
    return true;
  }

  /// Calls `visit` for boxes of iterations that write the cell and agree with `prefix` on the first `fixed` loops, in
  /// the order of execution (Solver::each_box).
  template <typename Visit>
  void each_box(const StatementCode& statement, const Cell& cell, const std::int64_t* prefix, std::uint32_t fixed,
                const Visit& visit) {
    const PointCheck check = [&](const std::int64_t* at) { return writes_cell_(statement, cell, at); };
    solver_.each_box({&statement, &statement.left, cell.at.data(), cell.size}, prefix, fixed, check, visit);
  }
  /// The same, one iteration at a time.
  template <typename Visit>
  void each(const StatementCode& statement, const Cell& cell, const std::int64_t* prefix, std::uint32_t fixed,
            std::int64_t* iteration, const Visit& visit) {
    const PointCheck check = [&](const std::int64_t* at) { return writes_cell_(statement, cell, at); };
    solver_.each({&statement, &statement.left, cell.at.data(), cell.size}, prefix, fixed, check, iteration, visit);
  }

  /// Fails because nothing was written where an access reads.
  [[noreturn]] void undefined(const Access& access, const Cell& cell) const;

 private:
  [[nodiscard]] bool last_of(const Writer& writer, const Cell& cell, const std::int64_t* now, Slots& found);
  /// Of a writer that stands first. Subscripts that are single loops leave nothing to search: the greatest iteration
  /// that the shared loops allow. `is_decided` is cleared where that takes a step back in an outer loop, which is the
  /// solver's business.
  [[nodiscard]] bool directly(const Writer& writer, const Cell& cell, const std::int64_t* now, Slots& found,
                              bool& is_decided) const;
  /// The loops that the cell fixes; the others are -1. False where the statement never writes the cell.
  [[nodiscard]] static bool loops_of(const StatementCode& statement, const Cell& cell, Slots& found);
  [[nodiscard]] bool is_later(const Instance& one, const Instance& other) const;

  const Code& code_;
  Budget& budget_;
  Solver solver_;
  WritesCell writes_cell_;
};

}  // namespace steptp::certify
