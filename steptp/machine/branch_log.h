#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "steptp/base/hash.h"
#include "steptp/machine/code.h"
#include "steptp/machine/trace.h"

namespace steptp::certify {

/// Which way an evaluation went: the outcomes of each branch, all of them as one number, and, where somebody asks for
/// it, every comparison in the order of evaluation.
class BranchLog {
 public:
  explicit BranchLog(const Code& code) : code_(code), outcomes_(code.branches.size(), 0) {}

  void note(std::uint32_t branch, bool outcome) {
    if (branch == kNone) return;
    outcomes_[branch] |= outcome ? 2 : 1;
    path_ = path_ * 0x9e3779b97f4a7c15ULL + 2 * static_cast<std::uint64_t>(branch) + (outcome ? 2 : 1);
  }
  /// A real of this identity became an integer or a bool.
  void note_conversion(DType dtype, std::uint64_t identity) {
    converted_.insert(combine(static_cast<Hash>(dtype), identity));
  }

  /// Comparisons are listed from now on; null: no longer.
  void set_trace(Trace* steps) { trace_ = steps; }
  [[nodiscard]] bool is_traced() const { return trace_ != nullptr; }
  void trace_reals(const TraceStep& step) { trace_->push_back(step); }
  void trace_integers(const Node& node, const StatementCode& statement, std::int64_t left, std::int64_t right,
                      bool outcome) {
    const bool on_indices = node.branch != kNone && code_.branches[node.branch].on_indices;
    const std::uint64_t identity =
        combine(combine(static_cast<Hash>(node.comparison), static_cast<Hash>(left)), static_cast<Hash>(right));
    trace_->push_back({on_indices ? TraceStep::Kind::on_indices : TraceStep::Kind::integers, node.branch,
                       number_of(statement), identity, 0, outcome, 0});
  }
  [[nodiscard]] std::uint32_t number_of(const StatementCode& statement) const {
    return static_cast<std::uint32_t>(&statement - code_.statements.data());
  }

  /// Per branch: 1 where it was seen false, 2 where true, 3 both.
  [[nodiscard]] const std::vector<std::uint8_t>& outcomes() const { return outcomes_; }
  [[nodiscard]] std::uint64_t path() const { return path_; }
  [[nodiscard]] const std::set<std::uint64_t>& converted() const { return converted_; }

 private:
  const Code& code_;
  std::vector<std::uint8_t> outcomes_;
  std::uint64_t path_ = 0;
  std::set<std::uint64_t> converted_;
  Trace* trace_ = nullptr;
};

}  // namespace steptp::certify
