#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "steptp/machine/code.h"
#include "steptp/machine/instance.h"
#include "steptp/machine/lanes.h"
#include "steptp/machine/solver.h"

namespace steptp::certify {

/// Cuts a box of iterations, more than one, into pieces of kLanes points, in the order of execution. Where every loop
/// that varies runs through its whole extent, the pieces are the same ones each time, and have a number.
class LanePieces {
 public:
  LanePieces(const StatementCode& statement, const std::vector<Range>& box, LanePool<std::int64_t>& pool)
      : box_(box), blocks_(pool) {
    lanes_.statement = &statement;
    for (std::uint32_t i = 0; i < box.size(); ++i) {
      lanes_.constants[i] = box[i].low;
      if (box[i].is_point()) continue;
      varying_.push_back(i);
      mask_ |= std::uint64_t{1} << i;
      is_whole_ = is_whole_ && box[i].low == 0 && box[i].high == statement.extents[i] - 1;
    }
    for (const std::uint32_t slot : varying_) lanes_.slots[slot] = values_.emplace_back(blocks_.add());
    at_ = lanes_.constants;
  }

  /// Null after the last one. Good until the next.
  [[nodiscard]] const Lanes* next() {
    if (!is_left_) return nullptr;
    lanes_.count = 0;
    while (is_left_ && lanes_.count < kLanes) take_run();
    ++piece_;
    lanes_.pattern = is_whole_ && mask_ <= UINT32_MAX && piece_ <= UINT32_MAX ? mask_ << 32 | piece_ : 0;
    return &lanes_;
  }

 private:
  /// Neighbours along the innermost loop.
  void take_run() {
    const std::uint32_t innermost = varying_.back();
    const auto run = static_cast<std::size_t>(std::min<std::int64_t>(box_[innermost].high - at_[innermost] + 1,
                                                                     static_cast<std::int64_t>(kLanes - lanes_.count)));
    for (std::size_t k = 0; k + 1 < varying_.size(); ++k) {
      std::fill_n(values_[k] + lanes_.count, run, at_[varying_[k]]);
    }
    std::iota(values_.back() + lanes_.count, values_.back() + lanes_.count + run, at_[innermost]);
    lanes_.count += run;
    at_[innermost] += static_cast<std::int64_t>(run);
    carry();
  }

  void carry() {
    std::size_t k = varying_.size() - 1;
    while (at_[varying_[k]] > box_[varying_[k]].high) {
      at_[varying_[k]] = box_[varying_[k]].low;
      if (k == 0) {
        is_left_ = false;
        return;
      }
      ++at_[varying_[--k]];
    }
  }

  const std::vector<Range>& box_;
  Lanes lanes_;
  std::vector<std::uint32_t> varying_;  ///< loops
  std::vector<std::int64_t*> values_;   ///< of these, in the lanes
  LaneBlocks blocks_;
  std::uint64_t mask_ = 0;
  bool is_whole_ = true;
  Slots at_{};
  bool is_left_ = true;
  std::uint64_t piece_ = 0;
};

}  // namespace steptp::certify
