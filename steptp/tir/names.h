#pragma once

#include <string>
#include <string_view>

#include "steptp/ir/dtype.h"
#include "steptp/tir/lower.h"

namespace steptp::tir {

/// All that differs between the dialects.
struct Names {
  std::string_view module;        ///< of `from tvm.script import ir as I, tir as T`
  std::string_view function;      ///< the decorator
  std::string_view no_alias;      ///< the attribute
  std::string_view block;         ///< `T.block`
  std::string_view alloc_buffer;  ///< `T.alloc_buffer`
};
[[nodiscard]] const Names& names_of(Dialect dialect);

/// TVM's name of a dtype: "float32", "bool".
[[nodiscard]] std::string_view type_name(DType dtype);

/// A loop index as a name of Python: LEIR's may be keywords (`if`, `or`).
[[nodiscard]] std::string loop_name(const std::string& index);
/// The same inside a block.
[[nodiscard]] std::string axis_name(const std::string& index);

}  // namespace steptp::tir
