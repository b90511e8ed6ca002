#pragma once

#include <cstddef>
#include <vector>

#include "replay/number.h"
#include "steptp/ir/expr.h"

namespace steptp::replayer {

/// A condition on data that was asked in an evaluation, as the comparisons that it is made of.
struct AskedCondition {
  struct Part {
    CompareOp op = CompareOp::equal;
    Real gap;  ///< left side less right side; of a bool the bool itself, compared with 0
    bool holds = false;
  };
  const Expr* expr = nullptr;
  bool is_conjunction = true;  ///< of its parts; otherwise one of them is enough
  bool holds = false;
  std::vector<Part> parts;
};

/// The conditions of one evaluation, in order: the first ones, without those in which `and` and `or` are nested.
class AskedConditions {
 public:
  void begin(const Expr& expr, bool is_conjunction);
  void end(bool holds);
  void part(const Expr& expr, CompareOp op, const Real& gap, bool holds);
  void clear() { all_.clear(); }
  [[nodiscard]] const std::vector<AskedCondition>& all() const { return all_; }

 private:
  static constexpr std::size_t kMost = 48;
  static constexpr std::size_t kMostParts = 40;
  std::vector<AskedCondition> all_;
  AskedCondition open_;
  int depth_ = 0;
  bool is_nested_ = false;
};

}  // namespace steptp::replayer
