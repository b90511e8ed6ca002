#include "steptp/columns/parquet_reader.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/columns/compression.h"
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

/// The integer of a field, -1 where there is none.
std::int64_t integer(const Json* structure, const char* field) {
  const Json* value = structure == nullptr ? nullptr : structure->find(field);
  return value == nullptr || value->as_integer() == nullptr ? -1 : *value->as_integer();
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
  std::string path;
  TableSchema schema;
  std::vector<ParquetLeaf> leaves;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{nullptr, &std::fclose};
  Json footer;
  std::uint64_t rows = 0;
  std::size_t next_group = 0;
  std::uint64_t group_left = 0;
  std::vector<LeafValues> values;

  [[nodiscard]] Diagnostic broken(std::string_view why) const {
    return make_error("parquet", concat("'", path, "' is not a Parquet file that this can read: ", why));
  }
  [[nodiscard]] std::optional<std::string> bytes_at(std::int64_t offset, std::int64_t size) const;
  [[nodiscard]] Problem read_footer();
  [[nodiscard]] Problem read_leaf(const Json& chunk, const ParquetLeaf& leaf, LeafValues& out) const;
  [[nodiscard]] Problem read_group();
};

std::optional<std::string> ParquetReader::State::bytes_at(std::int64_t offset, std::int64_t size) const {
  constexpr std::int64_t kMax = std::int64_t{1} << 31;
  if (offset < 0 || size < 0 || size > kMax) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (std::fseek(file.get(), static_cast<long>(offset), SEEK_SET) != 0) return std::nullopt;
  if (std::fread(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) return std::nullopt;
  return bytes;
}

Problem ParquetReader::State::read_footer() {
  if (std::fseek(file.get(), 0, SEEK_END) != 0) return "it has no end";
  const std::int64_t size = std::ftell(file.get());
  const auto tail = bytes_at(size - 8, 8);
  if (!tail || tail->substr(4) != kParquetMagic) return "it does not end in PAR1";
  std::string_view length_bytes = *tail;
  const std::int64_t length = *take_number<std::uint32_t>(length_bytes);
  const auto bytes = bytes_at(size - 8 - length, length);
  if (!bytes) return "it has no footer";
  auto read = read_thrift(*bytes);
  if (!read) return read.error();
  footer = std::move(read).value();
  rows = static_cast<std::uint64_t>(integer(&footer, "3"));
  const Json* groups = footer.find("4");
  if (groups == nullptr || groups->as_array() == nullptr) return "its footer lists no groups of rows";
  for (const Json& group : *groups->as_array()) {
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
      integer(about, "1") != static_cast<std::int64_t>(leaf.type)) {
    return concat("column ", name, " is missing or of another type");
  }
  const auto bytes = bytes_at(integer(about, "9"), integer(about, "7"));
  if (!bytes) return concat("column ", name, " lies outside the file");
  std::size_t used = 0;
  const auto header = read_thrift(*bytes, &used);
  if (!header) return header.error();
  const std::int64_t count = integer(about, "5");
  if (integer(&*header, "1") != 0 || integer(about, "4") != static_cast<std::int64_t>(ParquetCodec::zstd) ||
      integer(header->find("5"), "1") != count || integer(&*header, "2") < 0) {
    return concat("column ", name, " is not one plain page");
  }
  auto page = zstd_decompress(std::string_view(*bytes).substr(used), static_cast<std::size_t>(integer(&*header, "2")));
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
  const Json& group = (*footer.find("4")->as_array())[next_group++];
  group_left = static_cast<std::uint64_t>(integer(&group, "3"));
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
  auto state = std::make_unique<State>();
  state->path = path;
  state->schema = std::move(schema);
  state->leaves = parquet_leaves(state->schema);
  state->file.reset(std::fopen(path.c_str(), "rbe"));
  if (!state->file) return make_error("file", concat("cannot open '", path, "': ", std::strerror(errno)));
  if (const Problem problem = state->read_footer(); !problem.empty()) return state->broken(problem);
  return ParquetReader(std::move(state));
}

Result<std::optional<Json>, Diagnostic> ParquetReader::next() {
  State& state = *state_;
  while (state.group_left == 0) {
    if (state.next_group == state.footer.find("4")->as_array()->size()) return std::optional<Json>();
    if (const Problem problem = state.read_group(); !problem.empty()) return state.broken(problem);
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
    if (!value) return state.broken(value.error());
    row.set(state.schema[leaf.column].name, std::move(value).value());
  }
  return std::optional<Json>(std::move(row));
}

}  // namespace steptp
