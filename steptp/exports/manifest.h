#pragma once

// What an export holds: written as manifest.json, read by `validate`, and all that the card is made of.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/dataset/entry.h"

namespace steptp::dataset {

/// One split of one table: data/TABLE/SPLIT.parquet and .jsonl.zst.
struct SplitFile {
  Split split = Split::train;
  std::uint64_t rows = 0;
  std::uint64_t raw_bytes = 0;  ///< of all values
  std::uint64_t parquet_bytes = 0;
  std::uint64_t too_long = 0;  ///< rows left out by --max-tokens
};

struct ExportedTable {
  std::string name;
  std::vector<SplitFile> splits;  ///< those with rows, in order
};

/// Entries of one strategy, all splits.
struct StrategyRows {
  std::uint64_t safe = 0;    ///< in `archive`, and what all other configs are made of
  std::uint64_t unsafe = 0;  ///< in `equal_unsafe`
  bool operator==(const StrategyRows&) const = default;
};

struct Manifest {
  std::vector<std::string> configs;
  std::vector<ExportedTable> tables;  ///< those with rows
  std::uint64_t max_tokens = 0;       ///< 0: no limit
  bool only_useful = false;
  std::uint64_t near_misses_tried = 0;
  std::uint64_t near_misses_found = 0;
  std::map<std::string, std::uint64_t> near_miss_changes;
  std::map<std::string, std::uint64_t> rows_too_long;  ///< by table, all splits
  std::map<std::string, std::uint64_t> compiled;       ///< entries that each compiler has compiled
  std::map<std::string, StrategyRows> strategies;      ///< every one that was asked for
  Json configuration;                                  ///< of the build
  std::uint64_t programs = 0;                          ///< with entries
  std::vector<std::string> origins;                    ///< first words of them, each once: "kernelbench", "zoo"

  [[nodiscard]] const ExportedTable* find(std::string_view table) const;
};

[[nodiscard]] Json to_json(const Manifest& manifest);
/// The text says what is wrong.
[[nodiscard]] Result<Manifest, std::string> manifest_from_json(const Json& json);

/// Names of files of an export, relative to its folder.
inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kCardFile = "README.md";
inline constexpr const char* kChecksumsFile = "checksums.sha256";
inline constexpr const char* kSchemaFile = "archive.schema.json";
[[nodiscard]] std::string parquet_name(const std::string& table, Split split);
[[nodiscard]] std::string jsonl_name(const std::string& table, Split split);

}  // namespace steptp::dataset
