#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/columns/parquet_layout.h"
#include "steptp/columns/schema.h"

namespace steptp {

/// Reads the Parquet files that ParquetWriter writes, group by group; files of other writers use more of the format
/// and are refused. Errors: `file`; `parquet`, with what is wrong and where.
class ParquetReader {
 public:
  /// The file must hold the columns of this schema, in order.
  [[nodiscard]] static Result<ParquetReader, Diagnostic> open(const std::string& path, TableSchema schema);
  ParquetReader(ParquetReader&&) noexcept;
  ~ParquetReader();

  [[nodiscard]] std::uint64_t rows() const;
  /// Nothing at the end of the file.
  [[nodiscard]] Result<std::optional<Json>, Diagnostic> next();

 private:
  struct State;
  explicit ParquetReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace steptp
