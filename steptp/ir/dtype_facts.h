#pragma once

// What readers, writers and messages need to know of a dtype: ir/dtype.h has what everybody needs. Both are one table
// with a row for each dtype; a missing row does not compile. docs/architecture.md, "A new dtype", lists what else there
// is.

#include <array>
#include <string_view>

#include "steptp/ir/dtype.h"

namespace steptp {

struct DTypeFacts {
  DType dtype;
  std::string_view numpy;    ///< as in headers of .npy files: "<f4"; empty where numpy has no such type
  int torch_code;            ///< in the archives of torch.export
  std::string_view english;  ///< its values in a sentence: "32-bit floats"
};

[[nodiscard]] const DTypeFacts& facts_of(DType dtype);

/// The codes of all dtypes with blanks between, for messages: "f64 f32 f16 ...".
[[nodiscard]] std::string_view dtype_codes();

/// A float that is narrower than f32: back ends compute with it in f32 and round.
[[nodiscard]] inline bool is_narrow_float(DType dtype) { return is_float(dtype) && info(dtype).bytes < 4; }

/// The greatest finite value of a float type.
[[nodiscard]] double greatest_finite(DType dtype);

}  // namespace steptp
