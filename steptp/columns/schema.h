#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/json.h"

namespace steptp {

/// What a column of a table holds. Every value may be missing, written as null.
enum class ColumnKind : std::uint8_t {
  text,      ///< UTF-8
  integer,   ///< 64 bits, signed
  real,      ///< f64
  boolean,   ///<
  texts,     ///< a list of texts
  booleans,  ///< a list of booleans
  messages,  ///< a list of {"role":text,"content":text}: a conversation
};

struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::text;
  /// What the column means, for people.
  std::string meaning;
  /// Whether a row may leave it null.
  bool optional = false;
};

/// The columns of a table, in order. A row is a JSON object with exactly these keys in this order, so that a row read
/// from a JSONL file, from a Parquet file or made just now is one and the same thing.
using TableSchema = std::vector<Column>;

/// What is wrong with a row, empty where it fits: "column 'depth' is a string, wanted an integer".
[[nodiscard]] std::string misfit(const Json& row, const TableSchema& schema);

/// One row as a JSON Schema (draft 2020-12).
[[nodiscard]] Json json_schema(const TableSchema& schema, std::string_view title);

/// "string", "int64", "list of messages": as the documentation and messages call it.
[[nodiscard]] std::string_view name_of(ColumnKind kind);

}  // namespace steptp
