#pragma once

#include <memory>
#include <optional>
#include <string>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"

namespace steptp {

/// Rows of a Parquet file of any writer as JSON, group by group: strings, integers, floats, booleans, lists and
/// structures of these, to any depth. Columns of other types (dates, decimals) are left out. Errors: `file`; `parquet`,
/// with what is wrong, or what the file uses that is not read here.
class ParquetRows {
 public:
  [[nodiscard]] static Result<ParquetRows, Diagnostic> open(const std::string& path);
  ParquetRows(ParquetRows&&) noexcept;
  ParquetRows& operator=(ParquetRows&&) = delete;
  ~ParquetRows();

  /// Nothing at the end of the file.
  [[nodiscard]] Result<std::optional<Json>, Diagnostic> next();

 private:
  struct State;
  explicit ParquetRows(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace steptp
