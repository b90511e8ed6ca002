#include "steptp/columns/parquet_layout.h"

namespace steptp {

ParquetType parquet_type(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::integer: return ParquetType::int64;
    case ColumnKind::real: return ParquetType::float64;
    case ColumnKind::boolean:
    case ColumnKind::booleans: return ParquetType::boolean;
    case ColumnKind::text:
    case ColumnKind::texts:
    case ColumnKind::messages: return ParquetType::bytes;
  }
  return ParquetType::bytes;
}

std::vector<ParquetLeaf> parquet_leaves(const TableSchema& schema) {
  std::vector<ParquetLeaf> leaves;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const Column& column = schema[i];
    const ParquetType type = parquet_type(column.kind);
    switch (column.kind) {
      case ColumnKind::text:
      case ColumnKind::integer:
      case ColumnKind::real:
      case ColumnKind::boolean: leaves.push_back({i, {column.name}, type, 1, false, {}}); break;
      case ColumnKind::texts:
      case ColumnKind::booleans: leaves.push_back({i, {column.name, "list", "element"}, type, 3, true, {}}); break;
      case ColumnKind::messages:
        for (const char* key : {"role", "content"}) {
          leaves.push_back({i, {column.name, "list", "element", key}, type, 4, true, key});
        }
        break;
    }
  }
  return leaves;
}

}  // namespace steptp
