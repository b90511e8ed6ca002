#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/columns/jsonl_writer.h"
#include "steptp/columns/parquet_writer.h"
#include "steptp/exports/manifest.h"
#include "steptp/exports/tables.h"

namespace steptp::dataset {

/// The names and checksums of what was written, sorted by name when printed.
using Checksums = std::map<std::string, std::string>;
/// As `sha256sum -c` reads it.
[[nodiscard]] std::string to_text(const Checksums& checksums);
/// The text says which line is none.
[[nodiscard]] Result<Checksums, Diagnostic> read_checksums(const std::string& path);

/// The files of all tables, both kinds; one begins with its first row, so that there is none without rows.
class TableFiles {
 public:
  explicit TableFiles(std::string folder) : folder_(std::move(folder)) {}

  [[nodiscard]] std::optional<Diagnostic> add(const Table& table, Split split, const Json& row);
  /// Completes all files. Fills in tables and checksums.
  [[nodiscard]] std::optional<Diagnostic> finish(Manifest& manifest, Checksums& checksums);

 private:
  struct Files {
    ParquetWriter parquet;
    JsonlWriter jsonl;
  };
  [[nodiscard]] Result<Files*, Diagnostic> files_for(const Table& table, Split split);

  std::string folder_;
  std::map<std::pair<const Table*, Split>, Files> files_;
};

/// Writes a small file as a whole and notes its checksum.
[[nodiscard]] std::optional<Diagnostic> write_listed(const std::string& folder, const std::string& name,
                                                     const std::string& content, Checksums& checksums);

/// The checksum of a file, read in pieces.
[[nodiscard]] Result<std::string, Diagnostic> checksum_of(const std::string& path);

}  // namespace steptp::dataset
