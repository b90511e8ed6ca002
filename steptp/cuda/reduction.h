#pragma once

#include <string>
#include <string_view>

#include "steptp/lowering/collectives.h"

namespace steptp::cuda {

/// A reduction over threads with the names that it has in the text.
struct Reduction : lowering::ThreadReduction {
  std::string number;  ///< makes names unique
  std::string own, any, partial, some, rank, group, step;

  /// The part that a thread holds of an element.
  [[nodiscard]] std::string own_at(const std::string& element) const {
    return groups.elements == 1 ? own : own + "[" + element + "]";
  }
  /// One bit for each element that a thread holds says whether it contributed.
  [[nodiscard]] std::string_view flag_type() const {
    return groups.elements <= 32 ? "unsigned int" : "unsigned long long";
  }
};

}  // namespace steptp::cuda
