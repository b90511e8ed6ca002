#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/columns/parquet_bytes.h"

namespace steptp {

/// A column of a Parquet file, of any writer: what its values are and how deep they lie.
struct ParquetColumn {
  int type = 0;  ///< the format's number: 0 bool, 1 int32, 2 int64, 4 float, 5 double, 6 bytes
  unsigned max_definition = 0;
  unsigned max_repetition = 0;
  std::string name;  ///< for messages
};

/// The values of one column in one group of rows, with a level of repetition and one of definition for each place.
struct ParquetValues {
  std::vector<unsigned> repetitions;
  std::vector<unsigned> definitions;
  std::vector<Json> values;  ///< one for each place whose definition is the highest
};

/// Decodes all pages of a column: plain, by dictionary, or booleans in runs; uncompressed, snappy, gzip or zstd. The
/// text says what is wrong, or what the file uses that is not read here.
[[nodiscard]] Result<ParquetValues, std::string> read_parquet_column(const ParquetBytes& file, const Json& chunk,
                                                                     const ParquetColumn& column);

}  // namespace steptp
