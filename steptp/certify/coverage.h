#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "steptp/analysis/interval.h"
#include "steptp/certify/code.h"
#include "steptp/certify/comparison.h"
#include "steptp/certify/inputs.h"

namespace steptp::certify {

/// Looks for output elements whose evaluation meets given conditions of one program.
class Coverage {
 public:
  Coverage(const Code& code, const InputModel& model);

  /// Elements at the edges of comparisons on indices, in guards and in if_then_else: where one just holds and where it
  /// just fails.
  [[nodiscard]] std::vector<OutputPoint> edges();

  struct Witness {
    bool is_infeasible = false;  ///< the outcome does not exist
    std::vector<OutputPoint> points;
  };
  /// Elements that may lead to an outcome of a branch.
  [[nodiscard]] Witness witness(std::uint32_t branch, bool outcome);

  /// The branches of which an outcome must be seen: those that outputs can depend on.
  [[nodiscard]] bool matters(std::uint32_t branch) const;
  /// "a<5 in 2/0", for messages.
  [[nodiscard]] std::string text(std::uint32_t branch) const;

 private:
  [[nodiscard]] Ranges box_of(std::uint32_t statement) const;
  /// The output elements that one execution of a statement leads to, a few of them.
  void reach(std::uint32_t statement, const std::vector<std::int64_t>& iteration, std::vector<OutputPoint>& out);
  void mark_live();

  const Code& code_;
  const InputModel& model_;
  std::vector<bool> live_;                           ///< tensors that outputs depend on
  std::vector<std::vector<std::uint32_t>> readers_;  ///< by tensor: accesses in right sides
  std::vector<std::uint32_t> owner_;                 ///< by access: its statement
  std::uint64_t steps_;
};

}  // namespace steptp::certify
