#pragma once

// Numbers and names that the writer and the reader of Parquet files share, as the format's own description gives them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/columns/schema.h"

namespace steptp {

constexpr std::string_view kParquetMagic = "PAR1";

enum class ParquetType : std::uint8_t { boolean = 0, int64 = 2, float64 = 5, bytes = 6 };
enum class ParquetCodec : std::uint8_t { uncompressed = 0, zstd = 6 };
enum class ParquetEncoding : std::uint8_t { plain = 0, levels = 3 };

/// Our columns are stored in leaves, one each, but for conversations, which have two (role, content). The levels of a
/// value say how much of its path is there: 0, the value of the column is null; `max_definition`, the leaf itself is
/// there. All parts of a path are optional, as Arrow writes them.
struct ParquetLeaf {
  std::size_t column = 0;
  std::vector<std::string> path;
  ParquetType type = ParquetType::bytes;
  unsigned max_definition = 1;
  bool repeated = false;
  /// The key within a message, empty elsewhere.
  std::string key;
};
[[nodiscard]] std::vector<ParquetLeaf> parquet_leaves(const TableSchema& schema);

[[nodiscard]] ParquetType parquet_type(ColumnKind kind);

}  // namespace steptp
