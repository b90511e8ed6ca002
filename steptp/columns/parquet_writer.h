#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/columns/output_file.h"
#include "steptp/columns/parquet_layout.h"
#include "steptp/columns/schema.h"

namespace steptp {

/// Levels of consecutive values as Parquet's run-length code.
class LevelRuns {
 public:
  void add(unsigned level);
  /// With the length in front, as pages want them.
  [[nodiscard]] std::string take();

 private:
  void end_run();
  std::string bytes_;
  unsigned level_ = 0;
  std::uint64_t run_ = 0;
};

/// Rows as an Apache Parquet file: one plain page per leaf and group of rows, compressed with zstd, no statistics, no
/// dictionary. Memory is bounded by the size of a group. No date, no host: the same rows give the same bytes.
class ParquetWriter {
 public:
  /// A group of rows ends once its values take so many bytes.
  static constexpr std::uint64_t kGroupBytes = std::uint64_t{32} << 20;

  [[nodiscard]] static Result<ParquetWriter, Diagnostic> create(const std::string& path, TableSchema schema,
                                                                std::uint64_t group_bytes = kGroupBytes);

  /// The row fits the schema: see `misfit`.
  [[nodiscard]] std::optional<Diagnostic> add(const Json& row);
  [[nodiscard]] Result<WrittenFile, Diagnostic> finish();

  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  /// All values before compression.
  [[nodiscard]] std::uint64_t raw_bytes() const { return raw_bytes_; }

 private:
  /// What of a leaf belongs to the group that is being filled.
  struct Chunk {
    LevelRuns repetitions;
    LevelRuns definitions;
    std::string values;
    std::uint64_t count = 0;     ///< values and nulls
    std::uint64_t booleans = 0;  ///< eight of them share a byte
  };
  struct WrittenChunk {
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
    std::uint64_t raw = 0;
    std::uint64_t compressed = 0;
  };
  struct Group {
    std::uint64_t rows = 0;
    std::vector<WrittenChunk> chunks;
  };

  ParquetWriter(OutputFile file, TableSchema schema, std::uint64_t group_bytes);
  void add_value(const ParquetLeaf& leaf, Chunk& chunk, const Json& value, unsigned repetition);
  void add_to_leaf(const ParquetLeaf& leaf, Chunk& chunk, const Json& value);
  [[nodiscard]] std::optional<Diagnostic> end_group();
  [[nodiscard]] std::string footer() const;

  OutputFile file_;
  TableSchema schema_;
  std::vector<ParquetLeaf> leaves_;
  std::uint64_t group_bytes_;
  std::vector<Chunk> chunks_;
  std::uint64_t group_rows_ = 0;
  std::uint64_t group_raw_ = 0;
  std::vector<Group> groups_;
  std::uint64_t rows_ = 0;
  std::uint64_t raw_bytes_ = 0;
};

}  // namespace steptp
