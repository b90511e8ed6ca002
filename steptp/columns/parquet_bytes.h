#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"

namespace steptp {

/// A Parquet file: what its footer says, and pieces of it.
class ParquetBytes {
 public:
  /// Errors: `file`; `parquet`, where it is none.
  [[nodiscard]] static Result<ParquetBytes, Diagnostic> open(const std::string& path);

  /// Fields by their numbers, as read_thrift gives them.
  [[nodiscard]] const Json& footer() const { return footer_; }
  /// The groups of rows.
  [[nodiscard]] const Json::Array& groups() const;
  /// Nothing where the file has no such bytes.
  [[nodiscard]] std::optional<std::string> at(std::int64_t offset, std::int64_t size) const;
  [[nodiscard]] Diagnostic broken(std::string_view why) const;

 private:
  [[nodiscard]] std::string read_footer();

  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, &std::fclose};
  Json footer_;
};

/// The integer in a field of a structure, -1 where there is none.
[[nodiscard]] std::int64_t parquet_integer(const Json* structure, std::string_view field);

}  // namespace steptp
