#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "steptp/base/result.h"
#include "steptp/cuda/spelling.h"
#include "steptp/cuda/writer.h"
#include "steptp/lowering/arrangement.h"

namespace steptp::cuda {

/// How the lanes of a unit hold a tensor in `f`. Its rows and columns, each flattened, are cut into tiles of 8 x 8; of
/// a tile, lane l holds row l / 4 and columns 2 * (l % 4) and the next one. That is where matrix instructions have
/// their sums, and their left factors of 16 bits. What has no columns is held by all four lanes of a row.
struct Fragment {
  DType dtype = DType::f32;
  std::size_t row_rank = 0;  ///< so many subscripts are rows
  std::int64_t rows = 1;     ///< flattened
  std::int64_t columns = 1;
  bool has_columns = false;

  [[nodiscard]] std::int64_t row_tiles() const { return (rows + 7) / 8; }
  [[nodiscard]] std::int64_t column_tiles() const { return (columns + 7) / 8; }
  /// Two neighbours in one word.
  [[nodiscard]] bool is_packed() const { return has_columns && is_float(dtype) && info(dtype).bytes == 2; }
};

/// Those of a kernel.
class Fragments {
 public:
  /// Refuses what has columns only.
  [[nodiscard]] static Result<Fragments, Diagnostic> of(const lowering::Arrangement& arrangement,
                                                        const lowering::ArrangedKernel& kernel);
  [[nodiscard]] const Fragment& at(const std::string& name) const { return all_.at(name); }
  [[nodiscard]] const std::map<std::string, Fragment>& all() const { return all_; }
  /// The registers, with the identities of accumulators.
  void declare(const lowering::Arrangement& arrangement, Speller& speller, Writer& out) const;

 private:
  std::map<std::string, Fragment> all_;
};

}  // namespace steptp::cuda
