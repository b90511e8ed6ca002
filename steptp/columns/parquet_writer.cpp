#include "steptp/columns/parquet_writer.h"

#include <cstring>
#include <utility>

#include "steptp/columns/compression.h"
#include "steptp/columns/thrift.h"

namespace steptp {

namespace {

// Numbers are stored little endian, as the machines that this runs on have them.
template <typename Number>
void append_number(std::string& out, Number number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  out.append(bytes, sizeof bytes);
}

std::string page_header(std::size_t raw, std::size_t compressed, std::uint64_t count) {
  ThriftWriter out;
  out.open();
  out.integer(1, ThriftType::int32, 0);  // a data page, version 1
  out.integer(2, ThriftType::int32, static_cast<std::int64_t>(raw));
  out.integer(3, ThriftType::int32, static_cast<std::int64_t>(compressed));
  out.structure(5);
  out.integer(1, ThriftType::int32, static_cast<std::int64_t>(count));
  out.integer(2, ThriftType::int32, static_cast<std::int64_t>(ParquetEncoding::plain));
  out.integer(3, ThriftType::int32, static_cast<std::int64_t>(ParquetEncoding::levels));
  out.integer(4, ThriftType::int32, static_cast<std::int64_t>(ParquetEncoding::levels));
  out.close();
  out.close();
  return out.bytes();
}

enum class Repetition : std::uint8_t { required = 0, optional = 1, repeated = 2 };

/// A node of the schema's tree: a group with children, or a leaf.
void write_group(ThriftWriter& out, std::string_view name, Repetition repetition, int children, bool is_list) {
  out.open();
  out.integer(3, ThriftType::int32, static_cast<std::int64_t>(repetition));
  out.text(4, name);
  out.integer(5, ThriftType::int32, children);
  if (is_list) {
    out.integer(6, ThriftType::int32, 3);  // the old name of a list, for old readers
    out.structure(10);
    out.structure(3);
    out.close();
    out.close();
  }
  out.close();
}

void write_leaf(ThriftWriter& out, std::string_view name, ParquetType type) {
  out.open();
  out.integer(1, ThriftType::int32, static_cast<std::int64_t>(type));
  out.integer(3, ThriftType::int32, static_cast<std::int64_t>(Repetition::optional));
  out.text(4, name);
  if (type == ParquetType::bytes) {
    out.integer(6, ThriftType::int32, 0);  // the old name of UTF-8
    out.structure(10);
    out.structure(1);
    out.close();
    out.close();
  }
  out.close();
}

void write_column(ThriftWriter& out, const Column& column) {
  const ParquetType type = parquet_type(column.kind);
  switch (column.kind) {
    case ColumnKind::text:
    case ColumnKind::integer:
    case ColumnKind::real:
    case ColumnKind::boolean: write_leaf(out, column.name, type); return;
    case ColumnKind::texts:
    case ColumnKind::booleans:
      write_group(out, column.name, Repetition::optional, 1, true);
      write_group(out, "list", Repetition::repeated, 1, false);
      write_leaf(out, "element", type);
      return;
    case ColumnKind::messages:
      write_group(out, column.name, Repetition::optional, 1, true);
      write_group(out, "list", Repetition::repeated, 1, false);
      write_group(out, "element", Repetition::optional, 2, false);
      write_leaf(out, "role", type);
      write_leaf(out, "content", type);
      return;
  }
}

std::size_t nodes_of(const Column& column) {
  if (column.kind == ColumnKind::messages) return 5;
  return column.kind == ColumnKind::texts || column.kind == ColumnKind::booleans ? 3 : 1;
}

}  // namespace

void LevelRuns::add(unsigned level) {
  if (run_ > 0 && level != level_) end_run();
  level_ = level;
  ++run_;
}

void LevelRuns::end_run() {
  std::uint64_t head = run_ << 1;
  for (; head >= 0x80; head >>= 7) bytes_.push_back(static_cast<char>((head & 0x7f) | 0x80));
  bytes_.push_back(static_cast<char>(head));
  bytes_.push_back(static_cast<char>(level_));
  run_ = 0;
}

std::string LevelRuns::take() {
  if (run_ > 0) end_run();
  std::string out;
  append_number(out, static_cast<std::uint32_t>(bytes_.size()));
  out.append(std::exchange(bytes_, {}));
  return out;
}

ParquetWriter::ParquetWriter(OutputFile file, TableSchema schema, std::uint64_t group_bytes)
    : file_(std::move(file)),
      schema_(std::move(schema)),
      leaves_(parquet_leaves(schema_)),
      group_bytes_(group_bytes),
      chunks_(leaves_.size()) {}

Result<ParquetWriter, Diagnostic> ParquetWriter::create(const std::string& path, TableSchema schema,
                                                        std::uint64_t group_bytes) {
  auto file = OutputFile::create(path);
  if (!file) return std::move(file).error();
  if (auto problem = file->write(kParquetMagic)) return *std::move(problem);
  return ParquetWriter(std::move(file).value(), std::move(schema), group_bytes);
}

void ParquetWriter::add_value(const ParquetLeaf& leaf, Chunk& chunk, const Json& value, unsigned repetition) {
  chunk.repetitions.add(repetition);
  chunk.definitions.add(leaf.max_definition);
  ++chunk.count;
  const std::size_t before = chunk.values.size();
  switch (leaf.type) {
    case ParquetType::boolean:
      if (chunk.booleans % 8 == 0) chunk.values.push_back('\0');
      if (*value.as_bool()) chunk.values.back() = static_cast<char>(chunk.values.back() | 1 << chunk.booleans % 8);
      ++chunk.booleans;
      break;
    case ParquetType::int64: append_number(chunk.values, *value.as_integer()); break;
    case ParquetType::float64: append_number(chunk.values, value.number()); break;
    case ParquetType::bytes:
      append_number(chunk.values, static_cast<std::uint32_t>(value.as_string()->size()));
      chunk.values.append(*value.as_string());
      break;
  }
  group_raw_ += chunk.values.size() - before;
}

void ParquetWriter::add_to_leaf(const ParquetLeaf& leaf, Chunk& chunk, const Json& value) {
  if (!value.is_null() && !leaf.repeated) return add_value(leaf, chunk, value, 0);
  const bool empty = value.is_null() || value.as_array()->empty();
  if (empty) {
    chunk.repetitions.add(0);
    chunk.definitions.add(value.is_null() ? 0 : 1);
    ++chunk.count;
    return;
  }
  unsigned repetition = 0;
  for (const Json& item : *value.as_array()) {
    add_value(leaf, chunk, leaf.key.empty() ? item : *item.find(leaf.key), repetition);
    repetition = 1;
  }
}

std::optional<Diagnostic> ParquetWriter::add(const Json& row) {
  const Json::Object& fields = *row.as_object();
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    add_to_leaf(leaves_[i], chunks_[i], fields[leaves_[i].column].second);
  }
  ++group_rows_;
  ++rows_;
  return group_raw_ < group_bytes_ ? std::nullopt : end_group();
}

std::optional<Diagnostic> ParquetWriter::end_group() {
  Group group{group_rows_, {}};
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    Chunk chunk = std::exchange(chunks_[i], {});
    std::string page = leaves_[i].repeated ? chunk.repetitions.take() : std::string();
    page.append(chunk.definitions.take()).append(chunk.values);
    const std::string compressed = zstd_compress(page);
    const std::string header = page_header(page.size(), compressed.size(), chunk.count);
    group.chunks.push_back({file_.size(), chunk.count, header.size() + page.size(), header.size() + compressed.size()});
    if (auto problem = file_.write(header)) return problem;
    if (auto problem = file_.write(compressed)) return problem;
  }
  groups_.push_back(std::move(group));
  raw_bytes_ += std::exchange(group_raw_, 0);
  group_rows_ = 0;
  return std::nullopt;
}

std::string ParquetWriter::footer() const {
  ThriftWriter out;
  out.open();
  out.integer(1, ThriftType::int32, 2);
  std::size_t nodes = 1;
  for (const Column& column : schema_) nodes += nodes_of(column);
  out.list(2, ThriftType::structure, nodes);
  write_group(out, "schema", Repetition::required, static_cast<int>(schema_.size()), false);
  for (const Column& column : schema_) write_column(out, column);
  out.integer(3, ThriftType::int64, static_cast<std::int64_t>(rows_));
  out.list(4, ThriftType::structure, groups_.size());
  for (const Group& group : groups_) {
    std::uint64_t raw = 0;
    out.open();
    out.list(1, ThriftType::structure, leaves_.size());
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const WrittenChunk& chunk = group.chunks[i];
      raw += chunk.raw;
      out.open();
      out.integer(2, ThriftType::int64, static_cast<std::int64_t>(chunk.offset));
      out.structure(3);
      out.integer(1, ThriftType::int32, static_cast<std::int64_t>(leaves_[i].type));
      out.list(2, ThriftType::int32, 2);
      out.element_integer(static_cast<std::int64_t>(ParquetEncoding::plain));
      out.element_integer(static_cast<std::int64_t>(ParquetEncoding::levels));
      out.list(3, ThriftType::text, leaves_[i].path.size());
      for (const std::string& part : leaves_[i].path) out.element_text(part);
      out.integer(4, ThriftType::int32, static_cast<std::int64_t>(ParquetCodec::zstd));
      out.integer(5, ThriftType::int64, static_cast<std::int64_t>(chunk.count));
      out.integer(6, ThriftType::int64, static_cast<std::int64_t>(chunk.raw));
      out.integer(7, ThriftType::int64, static_cast<std::int64_t>(chunk.compressed));
      out.integer(9, ThriftType::int64, static_cast<std::int64_t>(chunk.offset));
      out.close();
      out.close();
    }
    out.integer(2, ThriftType::int64, static_cast<std::int64_t>(raw));
    out.integer(3, ThriftType::int64, static_cast<std::int64_t>(group.rows));
    out.close();
  }
  out.text(6, "steptp");
  out.close();
  return out.bytes();
}

Result<WrittenFile, Diagnostic> ParquetWriter::finish() {
  if (group_rows_ > 0) {
    if (auto problem = end_group()) return *std::move(problem);
  }
  std::string end = footer();
  append_number(end, static_cast<std::uint32_t>(end.size()));
  end.append(kParquetMagic);
  if (auto problem = file_.write(end)) return *std::move(problem);
  return file_.finish();
}

}  // namespace steptp
