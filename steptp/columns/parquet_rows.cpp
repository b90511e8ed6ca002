// Rows are put together from columns by their levels: a level of definition says how much of a value's path is there,
// a level of repetition which of the lists around it goes on.
#include "steptp/columns/parquet_rows.h"

#include <utility>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/columns/parquet_bytes.h"
#include "steptp/columns/parquet_pages.h"

namespace steptp {

namespace {

constexpr int kMostDepth = 32;

/// A part of the schema: a column, or a structure of several.
struct Node {
  std::string name;
  bool is_optional = false;
  bool is_repeated = false;
  bool is_list = false;  ///< annotated as one: its items are those of the repeated part within
  unsigned definition = 0;
  unsigned repetition = 0;
  std::vector<Node> parts;
  std::size_t column = 0;  ///< without parts
  [[nodiscard]] const Node& first_column() const { return parts.empty() ? *this : parts.front().first_column(); }
};

/// A column of the file, and how far its values are read.
struct Column {
  ParquetColumn about;
  bool is_read = true;  ///< of a type that is read
  ParquetValues values;
  std::size_t place = 0;
  std::size_t value = 0;
};

/// Reads the schema, which is written as a list: each part, then the parts within it.
class SchemaReader {
 public:
  SchemaReader(const Json::Array& elements, std::vector<Column>& columns) : elements_(elements), columns_(columns) {}

  std::optional<Node> read() {
    Node root;
    if (elements_.empty() || !read_parts(root, "", 0) || at_ != elements_.size()) return std::nullopt;
    return root;
  }

 private:
  /// The parts of the element that comes next. False where the schema makes no sense.
  bool read_parts(Node& node, const std::string& path, int depth) {
    const Json& element = elements_[at_++];
    const std::int64_t count = parquet_integer(&element, "5");
    for (std::int64_t i = 0; i < count; ++i) {
      if (at_ >= elements_.size() || depth > kMostDepth) return false;
      Node part = begin_part(elements_[at_], node);
      const std::string below = concat(path, path.empty() ? "" : ".", part.name);
      if (parquet_integer(&elements_[at_], "5") > 0) {
        if (!read_parts(part, below, depth + 1)) return false;
        // A structure of which no column is read has nothing to show.
        if (part.parts.empty()) continue;
      } else if (!read_column(part, below)) {
        continue;
      }
      node.parts.push_back(std::move(part));
    }
    return true;
  }

  static Node begin_part(const Json& element, const Node& around) {
    Node out;
    const Json* name = element.find("4");
    out.name = name && name->as_string() ? *name->as_string() : "";
    out.is_optional = parquet_integer(&element, "3") == 1;
    out.is_repeated = parquet_integer(&element, "3") == 2;
    const Json* logical = element.find("10");
    out.is_list = parquet_integer(&element, "6") == 3 || (logical && logical->as_object() && logical->find("3"));
    out.definition = around.definition + (out.is_optional || out.is_repeated ? 1 : 0);
    out.repetition = around.repetition + (out.is_repeated ? 1 : 0);
    return out;
  }

  bool read_column(Node& node, const std::string& path) {
    Column column;
    column.about.type = static_cast<int>(parquet_integer(&elements_[at_++], "1"));
    const int type = column.about.type;
    column.is_read = type == 0 || type == 1 || type == 2 || type == 4 || type == 5 || type == 6;
    column.about.max_definition = node.definition;
    column.about.max_repetition = node.repetition;
    column.about.name = path;
    node.column = columns_.size();
    columns_.push_back(std::move(column));
    return columns_.back().is_read;
  }

  const Json::Array& elements_;
  std::vector<Column>& columns_;
  std::size_t at_ = 0;
};

}  // namespace

struct ParquetRows::State {
  explicit State(ParquetBytes bytes) : file(std::move(bytes)) {}
  ParquetBytes file;
  std::vector<Column> columns;
  Node root;
  std::size_t next_group = 0;
  std::uint64_t group_left = 0;
  bool is_cut_short = false;

  [[nodiscard]] std::string read_group();
  [[nodiscard]] Json take(const Node& node);
  [[nodiscard]] Json take_content(const Node& node);
  void pass(const Node& node);
  /// The place that comes next in a column; nothing where there is none.
  [[nodiscard]] const Column* here(const Node& node) {
    const Column& column = columns[node.first_column().column];
    if (column.place < column.values.definitions.size()) return &column;
    is_cut_short = true;
    return nullptr;
  }
};

std::string ParquetRows::State::read_group() {
  const Json& group = file.groups()[next_group++];
  const Json* chunks = group.as_object() ? group.find("1") : nullptr;
  const std::int64_t rows = parquet_integer(&group, "3");
  if (!chunks || !chunks->as_array() || chunks->as_array()->size() != columns.size() || rows < 0) {
    return "a group of rows does not have the columns of the schema";
  }
  group_left = static_cast<std::uint64_t>(rows);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Column& column = columns[i];
    if (!column.is_read) continue;
    auto values = read_parquet_column(file, (*chunks->as_array())[i], column.about);
    if (!values) return values.error();
    column.values = std::move(values).value();
    column.place = column.value = 0;
  }
  return {};
}

/// Goes past a part that is not there: one place in each of its columns.
void ParquetRows::State::pass(const Node& node) {
  if (node.parts.empty()) ++columns[node.column].place;
  for (const Node& part : node.parts) pass(part);
}

Json ParquetRows::State::take_content(const Node& node) {
  if (node.parts.empty()) {
    Column& column = columns[node.column];
    ++column.place;
    if (column.value < column.values.values.size()) return column.values.values[column.value++];
    is_cut_short = true;
    return {};
  }
  Json out{Json::Object{}};
  for (const Node& part : node.parts) out.set(part.name, take(part));
  if (!node.is_list || node.parts.size() != 1 || !node.parts.front().is_repeated) return out;
  // A list is a structure around a repeated part, and each item mostly one around the value.
  const Node& repeated = node.parts.front();
  Json::Array items = *out.as_object()->front().second.as_array();
  if (repeated.parts.size() == 1) {
    for (Json& item : items) item = Json(item.as_object()->front().second);
  }
  return Json(std::move(items));
}

Json ParquetRows::State::take(const Node& node) {
  const Column* column = here(node);
  if (!column) return {};
  const bool is_there = column->values.definitions[column->place] >= node.definition;
  if (!node.is_repeated) {
    if (is_there) return take_content(node);
    pass(node);
    return {};
  }
  Json::Array items;
  if (!is_there) {
    pass(node);
    return Json(std::move(items));
  }
  do {
    items.push_back(take_content(node));
  } while (!is_cut_short && column->place < column->values.repetitions.size() &&
           column->values.repetitions[column->place] == node.repetition);
  return Json(std::move(items));
}

ParquetRows::ParquetRows(std::unique_ptr<State> state) : state_(std::move(state)) {}
ParquetRows::ParquetRows(ParquetRows&&) noexcept = default;
ParquetRows::~ParquetRows() = default;

Result<ParquetRows, Diagnostic> ParquetRows::open(const std::string& path) {
  auto file = ParquetBytes::open(path);
  if (!file) return file.error();
  auto state = std::make_unique<State>(std::move(file).value());
  const Json* elements = state->file.footer().find("2");
  auto root =
      elements && elements->as_array() ? SchemaReader(*elements->as_array(), state->columns).read() : std::nullopt;
  if (!root || root->parts.empty()) return state->file.broken("its schema has no columns that are read here");
  state->root = *std::move(root);
  return ParquetRows(std::move(state));
}

Result<std::optional<Json>, Diagnostic> ParquetRows::next() {
  State& state = *state_;
  while (state.group_left == 0) {
    if (state.next_group == state.file.groups().size()) return std::optional<Json>();
    if (const std::string problem = state.read_group(); !problem.empty()) return state.file.broken(problem);
  }
  --state.group_left;
  Json row{Json::Object{}};
  for (const Node& part : state.root.parts) row.set(part.name, state.take(part));
  if (state.is_cut_short) return state.file.broken("it has fewer values than rows");
  return std::optional<Json>(std::move(row));
}

}  // namespace steptp
