#pragma once

// Tensors that hold the maximum of another: what is subtracted in a softmax.

#include <map>
#include <optional>
#include <string>

#include "steptp/analysis/accesses.h"

namespace steptp::algebra {

/// D_{i}=max(D_{i},A_{i,k}) over all k is never less than A_{i,k}, for as long as neither is written again.
class Maxima {
 public:
  explicit Maxima(const AccessTable& table);

  /// The element that one reference reads in a statement is among those of which the other reads the maximum.
  [[nodiscard]] bool covers(const Statement& statement, const Ref& maximum, const Ref& element) const;
  /// Besides, one of the rounds in which the statement adds to an element of its left side reads the largest.
  [[nodiscard]] bool is_reached(const Statement& statement, const Ref& maximum, const Ref& element) const;

 private:
  /// What the loops of the statement that made the maximum are where the element is read.
  using Values = std::map<std::string, Index>;
  [[nodiscard]] std::optional<Values> match(const Statement& statement, const Ref& maximum, const Ref& element) const;

  const AccessTable& table_;
  /// By tensor: the statement that makes it, where there is one and it is of this form.
  std::map<std::string, const Statement*, std::less<>> makers_;
};

}  // namespace steptp::algebra
