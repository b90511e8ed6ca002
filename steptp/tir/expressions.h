#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "steptp/lowering/arrangement.h"
#include "steptp/lowering/homes.h"
#include "steptp/lowering/offsets.h"
#include "steptp/tir/lower.h"

namespace steptp::tir {

/// Spells values and subscripts in TVMScript, over loop names or over the axes of a block.
class Expressions {
 public:
  Expressions(const lowering::Arrangement& arrangement, DeviceKind target)
      : arrangement_(arrangement), target_(target) {}

  std::vector<const Loop*> loops;  ///< open ones, outermost first
  /// Axes by which the storage of scoped data is expanded (target cpu).
  std::map<std::string, std::vector<std::pair<Axis, std::int64_t>>> expanded;
  bool in_block = true;  ///< axes of the block, not loops

  [[nodiscard]] std::string value(const lowering::Value& value);
  [[nodiscard]] std::string index(const Index& index);
  /// `D[v_tx, v_a]`; where `region`, a subscript that is read from data is its whole dimension.
  [[nodiscard]] std::string element(const Ref& ref, bool region = false);
  [[nodiscard]] const std::optional<std::string>& problem() const { return problem_; }

 private:
  [[nodiscard]] std::string variable(const std::string& name) const;
  [[nodiscard]] std::string atom(const IndexAtom& atom);
  /// In brackets where it binds less than `least`.
  [[nodiscard]] std::string operand(const lowering::Value& value, int least);
  [[nodiscard]] std::string operation(const lowering::Value& value);
  [[nodiscard]] std::string function(const lowering::Value& value);
  [[nodiscard]] std::string conversion(const lowering::Value& value);
  [[nodiscard]] std::string compare_operand(const lowering::Value& value, bool narrow);
  [[nodiscard]] bool is_narrow(const lowering::Value& value) const;
  [[nodiscard]] std::vector<BoxVariable> box() const;
  void refuse(std::string reason) {
    if (!problem_) problem_ = std::move(reason);
  }

  const lowering::Arrangement& arrangement_;
  DeviceKind target_;
  std::optional<std::string> problem_;
};

}  // namespace steptp::tir
