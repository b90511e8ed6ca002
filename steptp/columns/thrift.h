#pragma once

// The part of Thrift's compact protocol that the headers and footers of Parquet files are written in.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/result.h"

namespace steptp {

enum class ThriftType : std::uint8_t { int32 = 5, int64 = 6, text = 8, list = 9, structure = 12 };

/// Structures are written field by field, with rising numbers.
class ThriftWriter {
 public:
  void integer(int field, ThriftType type, std::int64_t value);
  void text(int field, std::string_view value);
  /// Followed by so many elements: `element_*`, or structures between `open` and `close`.
  void list(int field, ThriftType element, std::size_t size);
  void structure(int field);  ///< a structure as a field; `close` ends it
  void open() { last_field_.push_back(0); }
  void close();
  void element_integer(std::int64_t value) { zigzag(value); }
  void element_text(std::string_view value);

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void header(int field, ThriftType type);
  void varint(std::uint64_t value);
  void zigzag(std::int64_t value);

  std::string bytes_;
  std::vector<int> last_field_ = {0};
};

/// A structure as an object whose keys are the numbers of the fields; texts stay bytes. The text says what is wrong.
/// `used` is how many bytes the structure took.
[[nodiscard]] Result<Json, std::string> read_thrift(std::string_view bytes, std::size_t* used = nullptr);

}  // namespace steptp
