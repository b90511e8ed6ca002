#pragma once

#include <map>

#include "steptp/ir/dtype.h"
#include "steptp/lowering/arrangement.h"

namespace steptp {

/// What a program has to do at least, for comparing with what a machine can.
struct Work {
  /// Every input read once and every output written once.
  double bytes = 0;
  /// Of these, inputs that no condition and no index from data can leave out. What is written may still be in a cache
  /// when the program ends.
  double certain_bytes = 0;
  /// Operations on floats, by their type. An operation counts once for each value of the loops that its operands depend
  /// on: what a compiler may take out of a loop is counted outside.
  std::map<DType, double> flops;
  /// Those that no guard and no branch can leave out.
  std::map<DType, double> certain_flops;

  [[nodiscard]] double all_flops() const;
};
[[nodiscard]] Work work_of(const lowering::Arrangement& arrangement);

/// What a machine does at most.
struct MachinePeak {
  std::string name;
  std::string source;  ///< "measured", or where the numbers come from
  double bytes_per_second = 0;
  std::map<DType, double> flops;  ///< per second; other types count as the nearest wider one

  [[nodiscard]] double flops_of(DType dtype) const;
};

/// The least time that the work takes there: memory and arithmetic at once. 0 where nothing is known.
[[nodiscard]] double roofline_seconds(double bytes, const std::map<DType, double>& flops, const MachinePeak& peak);

}  // namespace steptp
