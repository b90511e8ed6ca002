#include "steptp/columns/parquet_reader.h"

#include <cstring>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/columns/compression.h"
#include "steptp/columns/parquet_bytes.h"
#include "steptp/columns/thrift.h"

namespace steptp {

namespace {

using Problem = std::string;

template <typename Number>
std::optional<Number> take_number(std::string_view& bytes) {
  if (bytes.size() < sizeof(Number)) return std::nullopt;
  Number number;
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
  return number;
}

/// Levels of `count` values, all in runs.
Result<std::vector<unsigned>, Problem> take_levels(std::string_view& page, std::uint64_t count) {
  const auto size = take_number<std::uint32_t>(page);
  if (!size || *size > page.size()) return Problem("levels are cut short");
  std::string_view bytes = page.substr(0, *size);
  page.remove_prefix(*size);
  std::vector<unsigned> levels;
  while (!bytes.empty()) {
    std::uint64_t head = 0;
    unsigned shift = 0;
    while (!bytes.empty() && (static_cast<unsigned char>(bytes.front()) & 0x80) != 0 && shift < 56) {
      head |= std::uint64_t{static_cast<unsigned char>(bytes.front()) & 0x7fU} << shift;
      bytes.remove_prefix(1);
      shift += 7;
    }
    if (bytes.size() < 2) return Problem("a run of levels is cut short");
    head |= std::uint64_t{static_cast<unsigned char>(bytes[0])} << shift;
    if ((head & 1) != 0 || (head >> 1) > count - levels.size()) return Problem("levels that are no runs of ours");
    levels.insert(levels.end(), head >> 1, static_cast<unsigned char>(bytes[1]));
    bytes.remove_prefix(2);
  }
  if (levels.size() != count) return Problem("fewer levels than values");
  return levels;
}

/// The values of one leaf in one group, row by row.
struct LeafValues {
  std::vector<unsigned> repetitions;  ///< empty where the leaf is not repeated
  std::vector<unsigned> definitions;
  std::string page;
  std::size_t value_at = 0;  ///< in the page
  std::size_t at = 0;        ///< in the levels
  std::uint64_t booleans = 0;

  std::optional<Json> take_value(ParquetType type);
  /// The leaf's part of the next row: a value, null, or a list of values.
  Result<Json, Problem> take_row(const ParquetLeaf& leaf);
};

std::optional<Json> LeafValues::take_value(ParquetType type) {
  std::string_view rest = std::string_view(page).substr(value_at);
  std::optional<Json> value;
  switch (type) {
    case ParquetType::boolean:
      if (booleans / 8 < rest.size()) value = (static_cast<unsigned char>(rest[booleans / 8]) >> booleans % 8 & 1) != 0;
      ++booleans;
      return value;
    case ParquetType::int64:
      if (const auto number = take_number<std::int64_t>(rest)) value = Json(*number);
      break;
    case ParquetType::float64:
      if (const auto number = take_number<double>(rest)) value = Json(*number);
      break;
    case ParquetType::bytes:
      if (const auto size = take_number<std::uint32_t>(rest); size && *size <= rest.size()) {
        value = Json(rest.substr(0, *size));
        rest.remove_prefix(*size);
      }
      break;
  }
  value_at = page.size() - rest.size();
  return value;
}

Result<Json, Problem> LeafValues::take_row(const ParquetLeaf& leaf) {
  if (at >= definitions.size()) return Problem("fewer values than rows");
  const unsigned first = definitions[at];
  if (first < leaf.max_definition) {
    ++at;
    if (first == 0) return Json();
    if (leaf.repeated && first == 1) return Json(Json::Array{});
    return Problem("a null within a list");
  }
  Json::Array items;
  do {
    if (definitions[at] != leaf.max_definition) return Problem("a null within a list");
    auto value = take_value(leaf.type);
    if (!value) return Problem("values are cut short");
    items.push_back(*std::move(value));
    ++at;
  } while (leaf.repeated && at < definitions.size() && repetitions[at] == 1);
  return leaf.repeated ? Json(std::move(items)) : std::move(items.front());
}

/// Roles and contents put together as messages.
Result<Json, Problem> messages_of(const Json& roles, const Json& contents) {
  const Json::Array* role = roles.as_array();
  const Json::Array* content = contents.as_array();
  if (role == nullptr && content == nullptr) return Json();
  if (role == nullptr || content == nullptr || role->size() != content->size()) return Problem("half a message");
  Json::Array messages;
  for (std::size_t i = 0; i < role->size(); ++i) {
    Json message;
    message.set("role", (*role)[i]).set("content", (*content)[i]);
    messages.push_back(std::move(message));
  }
  return Json(std::move(messages));
}

}  // namespace

struct ParquetReader::State {
  State(ParquetBytes bytes, TableSchema wanted)
      : file(std::move(bytes)), schema(std::move(wanted)), leaves(parquet_leaves(schema)) {}
  ParquetBytes file;
  TableSchema schema;
  std::vector<ParquetLeaf> leaves;
  std::uint64_t rows = 0;
  std::size_t next_group = 0;
  std::uint64_t group_left = 0;
  std::vector<LeafValues> values;

  [[nodiscard]] Problem look_at_groups();
  [[nodiscard]] Problem read_leaf(const Json& chunk, const ParquetLeaf& leaf, LeafValues& out) const;
  [[nodiscard]] Problem read_group();
};

Problem ParquetReader::State::look_at_groups() {
  rows = static_cast<std::uint64_t>(parquet_integer(&file.footer(), "3"));
  for (const Json& group : file.groups()) {
    const Json* chunks = group.find("1");
    if (chunks == nullptr || chunks->as_array() == nullptr || chunks->as_array()->size() != leaves.size()) {
      return concat("it does not have the ", schema.size(), " columns that are wanted");
    }
  }
  return {};
}

Problem ParquetReader::State::read_leaf(const Json& chunk, const ParquetLeaf& leaf, LeafValues& out) const {
  const Json* about = chunk.find("3");
  const std::string name = join(leaf.path, ".", [](const std::string& part) { return part; });
  const Json* path_parts = about == nullptr ? nullptr : about->find("3");
  Json::Array wanted(leaf.path.begin(), leaf.path.end());
  if (path_parts == nullptr || path_parts->dump() != Json(std::move(wanted)).dump() ||
      parquet_integer(about, "1") != static_cast<std::int64_t>(leaf.type)) {
    return concat("column ", name, " is missing or of another type");
  }
  const auto bytes = file.at(parquet_integer(about, "9"), parquet_integer(about, "7"));
  if (!bytes) return concat("column ", name, " lies outside the file");
  std::size_t used = 0;
  const auto header = read_thrift(*bytes, &used);
  if (!header) return header.error();
  const std::int64_t count = parquet_integer(about, "5");
  if (parquet_integer(&*header, "1") != 0 ||
      parquet_integer(about, "4") != static_cast<std::int64_t>(ParquetCodec::zstd) ||
      parquet_integer(header->find("5"), "1") != count || parquet_integer(&*header, "2") < 0) {
    return concat("column ", name, " is not one plain page");
  }
  auto page =
      zstd_decompress(std::string_view(*bytes).substr(used), static_cast<std::size_t>(parquet_integer(&*header, "2")));
  if (!page) return page.error().message;
  std::string_view rest = *page;
  if (leaf.repeated) {
    auto levels = take_levels(rest, static_cast<std::uint64_t>(count));
    if (!levels) return levels.error();
    out.repetitions = std::move(levels).value();
  }
  auto levels = take_levels(rest, static_cast<std::uint64_t>(count));
  if (!levels) return levels.error();
  out.definitions = std::move(levels).value();
  out.page = rest;
  return {};
}

Problem ParquetReader::State::read_group() {
  const Json& group = file.groups()[next_group++];
  group_left = static_cast<std::uint64_t>(parquet_integer(&group, "3"));
  values.assign(leaves.size(), {});
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    Problem problem = read_leaf((*group.find("1")->as_array())[i], leaves[i], values[i]);
    if (!problem.empty()) return problem;
  }
  return {};
}

ParquetReader::ParquetReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
ParquetReader::ParquetReader(ParquetReader&&) noexcept = default;
ParquetReader::~ParquetReader() = default;

std::uint64_t ParquetReader::rows() const { return state_->rows; }

Result<ParquetReader, Diagnostic> ParquetReader::open(const std::string& path, TableSchema schema) {
  auto file = ParquetBytes::open(path);
  if (!file) return file.error();
  auto state = std::make_unique<State>(std::move(file).value(), std::move(schema));
  if (const Problem problem = state->look_at_groups(); !problem.empty()) return state->file.broken(problem);
  return ParquetReader(std::move(state));
}

Result<std::optional<Json>, Diagnostic> ParquetReader::next() {
  State& state = *state_;
  while (state.group_left == 0) {
    if (state.next_group == state.file.groups().size()) return std::optional<Json>();
    if (const Problem problem = state.read_group(); !problem.empty()) return state.file.broken(problem);
  }
  --state.group_left;
  Json row{Json::Object{}};
  for (std::size_t i = 0; i < state.leaves.size(); ++i) {
    const ParquetLeaf& leaf = state.leaves[i];
    auto value = state.values[i].take_row(leaf);
    if (value && !leaf.key.empty()) {
      ++i;
      auto contents = state.values[i].take_row(state.leaves[i]);
      value = contents ? messages_of(*value, *contents) : std::move(contents);
    }
    if (!value) return state.file.broken(value.error());
    row.set(state.schema[leaf.column].name, std::move(value).value());
  }
  return std::optional<Json>(std::move(row));
}

}  // namespace steptp
