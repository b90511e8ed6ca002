#include "steptp/columns/parquet_bytes.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/columns/parquet_layout.h"
#include "steptp/columns/thrift.h"

namespace steptp {

std::int64_t parquet_integer(const Json* structure, std::string_view field) {
  const Json* value = structure == nullptr || !structure->as_object() ? nullptr : structure->find(field);
  return value == nullptr || value->as_integer() == nullptr ? -1 : *value->as_integer();
}

Result<ParquetBytes, Diagnostic> ParquetBytes::open(const std::string& path) {
  ParquetBytes out;
  out.path_ = path;
  out.file_.reset(std::fopen(path.c_str(), "rbe"));
  if (!out.file_) return make_error("file", concat("cannot open '", path, "': ", std::strerror(errno)));
  if (const std::string problem = out.read_footer(); !problem.empty()) return out.broken(problem);
  return out;
}

Diagnostic ParquetBytes::broken(std::string_view why) const {
  return make_error("parquet", concat("'", path_, "' is not a Parquet file that this can read: ", why));
}

const Json::Array& ParquetBytes::groups() const { return *footer_.find("4")->as_array(); }

std::optional<std::string> ParquetBytes::at(std::int64_t offset, std::int64_t size) const {
  constexpr std::int64_t kMax = std::int64_t{1} << 31;
  if (offset < 0 || size < 0 || size > kMax) return std::nullopt;
  if (std::fseek(file_.get(), 0, SEEK_END) != 0 || std::ftell(file_.get()) < offset + size) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (std::fseek(file_.get(), static_cast<long>(offset), SEEK_SET) != 0) return std::nullopt;
  if (std::fread(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) return std::nullopt;
  return bytes;
}

std::string ParquetBytes::read_footer() {
  if (std::fseek(file_.get(), 0, SEEK_END) != 0) return "it has no end";
  const std::int64_t size = std::ftell(file_.get());
  const auto tail = at(size - 8, 8);
  if (!tail || tail->substr(4) != kParquetMagic) return "it does not end in PAR1";
  std::uint32_t length = 0;
  std::memcpy(&length, tail->data(), sizeof length);
  const auto bytes = at(size - 8 - std::int64_t{length}, length);
  if (!bytes) return "it has no footer";
  auto read = read_thrift(*bytes);
  if (!read) return read.error();
  footer_ = std::move(read).value();
  const Json* groups = footer_.find("4");
  if (groups == nullptr || groups->as_array() == nullptr) return "its footer lists no groups of rows";
  return {};
}

}  // namespace steptp
