#include "steptp/import/pt2_composite.h"

#include <algorithm>
#include <stdexcept>

#include "steptp/base/text.h"
#include "steptp/graph/operator.h"

namespace steptp::graph::pt2 {

const Argument* Composer::find(std::string_view name) const {
  for (const auto& [key, argument] : imported_.arguments) {
    if (key == name) return &argument;
  }
  return nullptr;
}

void Composer::fail(const std::string& message) const { throw Misuse{concat(imported_.op, ": ", message)}; }

bool Composer::has(std::string_view name) const { return find(name) && !is_none(*find(name)); }

Value Composer::tensor(std::string_view name) const {
  const Argument* given = find(name);
  const Value* value = given ? std::get_if<Value>(given) : nullptr;
  if (!value) fail(concat("'", name, "' is not a tensor"));
  return *value;
}

const std::vector<Value>& Composer::tensors(std::string_view name) const {
  const Argument* given = find(name);
  const auto* values = given ? std::get_if<std::vector<Value>>(given) : nullptr;
  if (!values) fail(concat("'", name, "' is not a list of tensors"));
  return *values;
}

Argument Composer::operand(std::string_view name) const {
  if (!has(name)) fail(concat("'", name, "' is missing"));
  return *find(name);
}

bool Composer::flag(std::string_view name, bool otherwise) const {
  const bool* given = has(name) ? std::get_if<bool>(find(name)) : nullptr;
  return given ? *given : otherwise;
}

std::int64_t Composer::integer(std::string_view name, std::int64_t otherwise) const {
  if (!has(name)) return otherwise;
  const std::int64_t* given = std::get_if<std::int64_t>(find(name));
  if (!given) fail(concat("'", name, "' is not an integer"));
  return *given;
}

double Composer::real(std::string_view name, double otherwise) const {
  if (!has(name)) return otherwise;
  if (const double* given = std::get_if<double>(find(name))) return *given;
  return static_cast<double>(integer(name, 0));
}

std::vector<std::int64_t> Composer::integers(std::string_view name) const {
  if (!has(name)) return {};
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(find(name))) return *list;
  return {integer(name, 0)};
}

std::string Composer::text(std::string_view name, std::string_view otherwise) const {
  const std::string* given = has(name) ? std::get_if<std::string>(find(name)) : nullptr;
  return given ? *given : std::string(otherwise);
}

std::int64_t Composer::dimension(std::string_view name, std::int64_t otherwise, const Value& of) const {
  const std::int64_t most = static_cast<std::int64_t>(rank(of));
  const std::int64_t given = integer(name, otherwise);
  if (given < -most || given >= most) fail(concat("there is no dimension ", given));
  return given < 0 ? given + most : given;
}

std::vector<Value> Composer::call_all(std::string_view op, const std::vector<Argument>& arguments) const {
  const std::string name = concat("aten.", op);
  const Operator* found = find_operator(name);
  if (!found || arguments.size() > found->schema.parameters.size())
    throw std::logic_error(concat("no operator ", name));
  NamedArguments named;
  for (std::size_t at = 0; at < arguments.size(); ++at)
    named.emplace_back(found->schema.parameters[at].name, arguments[at]);
  Result<std::vector<Value>, std::string> made = progress_.builder.add(name, named, {}, imported_.origin.place);
  if (!made) throw Misuse{concat(imported_.op, ": ", made.error())};
  return *std::move(made);
}

Value Composer::call(std::string_view op, const std::vector<Argument>& arguments) const {
  return call_all(op, arguments).front();
}

bool Composer::is_range(const Value& value, std::int64_t step) const {
  const Graph& graph = progress_.builder.graph();
  const Node& node = graph.node(value);
  if (node.kind != NodeKind::call || !node.op->schema.name.starts_with("aten.arange.")) return false;
  const Call range(graph, node);
  const double first = node.op->schema.find("start") ? range.real("start") : 0;
  const double by = node.op->schema.find("step") ? range.real("step") : 1;
  return first == 0 && by == static_cast<double>(step);
}

const TensorType& Composer::output_type() const {
  const TensorMeta* meta = imported_.outputs.empty() ? nullptr : progress_.meta(imported_.outputs.front());
  if (!meta) malformed(concat("nothing is said of the output of ", imported_.op));
  return meta->type;
}

Value Composer::where(const Value& condition, const Argument& yes, const Argument& no) const {
  const bool left = std::holds_alternative<Value>(yes);
  const bool right = std::holds_alternative<Value>(no);
  return call(left ? (right ? "where.self" : "where.ScalarOther") : (right ? "where.ScalarSelf" : "where.Scalar"),
              {condition, yes, no});
}

Value Composer::reduce(const Value& x, std::int64_t how) const {
  if (how == 0) return x;
  return apply(how == 1 ? "mean.default" : "sum.default", x);
}

namespace {

const std::vector<CompositeRow>& table() {
  static const std::vector<CompositeRow> kTable = [] {
    std::vector<CompositeRow> rows;
    for (const auto family : {pointwise_composites, shape_composites, layer_composites}) {
      const std::span<const CompositeRow> part = family();
      rows.insert(rows.end(), part.begin(), part.end());
    }
    std::sort(rows.begin(), rows.end(), [](const auto& left, const auto& right) { return left.op < right.op; });
    return rows;
  }();
  return kTable;
}

}  // namespace

const CompositeRow* find_composite(std::string_view op) {
  constexpr std::string_view kPrefix = "aten.";
  if (!op.starts_with(kPrefix)) return nullptr;
  const std::string name = functional_name(op).substr(kPrefix.size());
  const auto found =
      std::lower_bound(table().begin(), table().end(), name,
                       [](const CompositeRow& row, const std::string& wanted) { return row.op < wanted; });
  return found != table().end() && found->op == name ? &*found : nullptr;
}

std::vector<std::string_view> composite_operators() {
  std::vector<std::string_view> out;
  for (const CompositeRow& row : table()) out.push_back(row.op);
  return out;
}

void compose(Progress& progress, const ImportedNode& imported, const CompositeRow& row) {
  const std::vector<Value> values = row.make(Composer(progress, imported));
  if (is_in_place(imported.op)) {
    const TensorType type = progress.builder.type(progress.aliases.read(imported.first));
    progress.aliases.write(imported.first, progress.fitted(imported, values.front(), type), imported.op);
    for (const std::string& name : imported.outputs) progress.aliases.same(name, imported.first);
    return;
  }
  // The last outputs may be ones that nobody reads (the places of a bag's maximum); one that is read all the same is
  // then a tensor that nothing computes.
  if (values.size() > imported.outputs.size()) {
    malformed(concat(imported.op, " has ", values.size(), " outputs, and the archive names ", imported.outputs.size()));
  }
  for (std::size_t at = 0; at < values.size(); ++at) {
    const TensorMeta* meta = progress.meta(imported.outputs[at]);
    // A number among the operands, or a mean of integers, may have made the dtype another one on the way.
    const Value value = meta && meta->type.shape == progress.builder.shape(values[at])
                            ? progress.fitted(imported, values[at], meta->type)
                            : values[at];
    if (meta && progress.builder.type(value) != meta->type) {
      throw Misuse{concat(imported.op, " gives ", to_text(progress.builder.type(value)), " here, and ",
                          to_text(meta->type), " in PyTorch")};
    }
    progress.aliases.define(imported.outputs[at], value);
  }
}

}  // namespace steptp::graph::pt2
