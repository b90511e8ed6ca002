#pragma once

#include <memory>
#include <string>
#include <vector>

#include "steptp/ir/dtype.h"
#include "steptp/ir/index.h"

namespace steptp {

/// One occurrence of a tensor: `D^{f32,g}_{tx,a}`. Immutable once shared.
struct Ref {
  std::string tensor;
  DType dtype = DType::f32;
  Placement scope;  ///< the scope, and the depth of `s2` to `s5`
  std::vector<Index> subscripts;
};

[[nodiscard]] RefPtr make_ref(std::string tensor, DType dtype, Placement scope, std::vector<Index> subscripts);

[[nodiscard]] bool equal(const Ref& left, const Ref& right);
[[nodiscard]] int compare(const Ref& left, const Ref& right);
[[nodiscard]] Hash hash_of(const Ref& ref);

}  // namespace steptp
