#pragma once

#include <string>
#include <vector>

#include "steptp/ir/dtype.h"
#include "steptp/zoo/types.h"

namespace steptp::dataset {

/// One of the 100 published workloads: a type of the zoo at a shape.
struct Workload {
  std::string type;
  DType dtype = DType::f32;
  zoo::Arguments arguments;
};

/// Those of data/workloads.txt, which the binary carries.
[[nodiscard]] const std::vector<Workload>& published_workloads();

}  // namespace steptp::dataset
