#include "steptp/graph/graph_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "steptp/base/text.h"
#include "steptp/graph/builder.h"
#include "steptp/graph/operator.h"

namespace steptp::graph {

namespace {

constexpr std::array<std::string_view, 4> kKindNames = {"input", "parameter", "constant", "call"};
constexpr std::int64_t kMostElements = std::int64_t{1} << 28;

Json shape_json(const Shape& shape) {
  Json::Array out;
  for (const std::int64_t extent : shape) out.emplace_back(extent);
  return out;
}

Json type_json(const TensorType& type) {
  Json out;
  return out.set("dtype", info(type.dtype).torch_name).set("shape", shape_json(type.shape));
}

std::string value_name(const Graph& graph, const Value& value) {
  const Node& node = graph.node(value);
  return node.outputs.size() == 1 && !(node.op && node.op->schema.returns_list) ? node.name
                                                                                : concat(node.name, ":", value.output);
}

struct ArgumentWriter {
  const Graph& graph;
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(const Value& value) const { return value_name(graph, value); }
  Json operator()(const std::vector<Value>& values) const {
    Json::Array out;
    for (const Value& value : values) out.push_back(value.node < 0 ? Json() : Json(value_name(graph, value)));
    return out;
  }
  Json operator()(const std::vector<std::int64_t>& items) const { return shape_json(items); }
  Json operator()(const std::vector<double>& items) const {
    Json::Array out;
    for (const double item : items) out.emplace_back(item);
    return out;
  }
  Json operator()(DType dtype) const { return info(dtype).torch_name; }
  /// 2.0 would be printed as 2 and read as an integer, which promotes differently.
  Json operator()(double number) const {
    Json out;
    return std::isfinite(number) && number == std::floor(number) ? out.set("float", number) : Json(number);
  }
  template <typename T>
  Json operator()(const T& plain) const {
    return plain;
  }
};

Json domain_json(const Domain& domain) {
  switch (domain.kind) {
    case Domain::Kind::unstated: break;
    case Domain::Kind::any: return "any";
    case Domain::Kind::positive: return "positive";
    case Domain::Kind::nonzero: return "nonzero";
    case Domain::Kind::masked: return "masked";
    case Domain::Kind::range: return Json::Array{domain.low, domain.high};
  }
  return nullptr;
}

Json tensor_value_json(const TensorValue& value) {
  Json out;
  switch (value.kind) {
    case TensorValue::Kind::dense: {
      Json::Array items;
      for (const double item : value.dense) items.emplace_back(item);
      return items;
    }
    case TensorValue::Kind::splat: return out.set("splat", value.number);
    case TensorValue::Kind::triangle: return out.set("triangle", value.diagonal);
  }
  return out;
}

Json node_json(const Graph& graph, const Node& node) {
  Json out;
  out.set("kind", kKindNames.at(static_cast<std::size_t>(node.kind))).set("name", node.name);
  if (node.kind != NodeKind::call) {
    if (!node.path.empty()) out.set("path", node.path);
    out.set("dtype", info(node.outputs.front().dtype).torch_name).set("shape", shape_json(node.outputs.front().shape));
    if (node.domain.kind != Domain::Kind::unstated) out.set("domain", domain_json(node.domain));
    if (node.value) out.set("value", tensor_value_json(*node.value));
    return out;
  }
  out.set("op", node.op->schema.name);
  Json arguments{Json::Object()};
  for (std::size_t at = 0; at < node.arguments.size(); ++at) {
    const Parameter& parameter = node.op->schema.parameters[at];
    const bool absent = parameter.has_default ? node.arguments[at] == parameter.fallback : is_none(node.arguments[at]);
    if (!absent) arguments.set(parameter.name, std::visit(ArgumentWriter{graph}, node.arguments[at]));
  }
  out.set("args", std::move(arguments));
  Json::Array outputs;
  for (const TensorType& type : node.outputs) outputs.push_back(type_json(type));
  out.set("outputs", std::move(outputs));
  if (node.writing != Writing::alone) out.set("written", name_of(node.writing));
  return out;
}

/// The text does not describe a graph; caught where reading starts.
struct Refused {
  Diagnostic diagnostic;
};

class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}

  Graph read() {
    allow_keys(json_, {"name", "nodes", "outputs"}, "the graph");
    const Json* name = json_.find("name");
    Builder builder(name && name->as_string() ? *name->as_string() : "");
    for (const Json& node : array(json_.find("nodes"), "\"nodes\"")) {
      where_ = concat("node ", names_read_++);
      read_node(builder, node);
    }
    where_ = "outputs";
    std::vector<Value> outputs;
    for (const Json& output : array(json_.find("outputs"), "\"outputs\"")) outputs.push_back(value(output));
    if (outputs.empty()) refuse("there is no output");
    return std::move(builder).finish(std::move(outputs));
  }

 private:
  [[noreturn]] void refuse(const std::string& message, std::string_view id = "graph") const {
    throw Refused{make_error(id, where_.empty() ? message : concat(where_, ": ", message))};
  }

  void allow_keys(const Json& object, std::initializer_list<std::string_view> keys, std::string_view what) const {
    if (!object.as_object()) refuse(concat(what, " is ", object.kind_name(), ", wanted an object"));
    for (const auto& [key, item] : *object.as_object()) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) refuse(concat("unknown key \"", key, "\" in ", what));
    }
  }
  const Json::Array& array(const Json* json, std::string_view what) const {
    if (!json || !json->as_array())
      refuse(concat(what, " is ", json ? json->kind_name() : "missing", ", wanted an array"));
    return *json->as_array();
  }
  std::string text(const Json& object, std::string_view key) const {
    const Json* json = object.find(key);
    if (!json || !json->as_string())
      refuse(concat("\"", key, "\" is ", json ? json->kind_name() : "missing", ", wanted a string"));
    return *json->as_string();
  }

  TensorType type(const Json& object) const {
    TensorType out;
    const std::string name = text(object, "dtype");
    const std::optional<DType> dtype = parse_dtype(name);
    if (!dtype) refuse(concat("there is no dtype '", name, "'"));
    out.dtype = *dtype;
    for (const Json& extent : array(object.find("shape"), "\"shape\"")) {
      if (!extent.as_integer() || *extent.as_integer() < 1) refuse("an extent is a positive integer");
      out.shape.push_back(*extent.as_integer());
    }
    if (count(out.shape) < 0) refuse("the shape has too many elements");
    return out;
  }

  Value value(const Json& json) const {
    if (!json.as_string()) refuse(concat("a tensor is named by a string, not ", json.kind_name()));
    const auto found = values_.find(*json.as_string());
    if (found == values_.end()) refuse(concat("'", *json.as_string(), "' is not defined before"));
    return found->second;
  }

  double number(const Json& json, std::string_view what) const {
    if (json.is_number()) return json.number();
    if (json.as_string()) {
      const std::string& word = *json.as_string();
      if (word == "inf" || word == "Infinity") return std::numeric_limits<double>::infinity();
      if (word == "-inf" || word == "-Infinity") return -std::numeric_limits<double>::infinity();
      if (word == "nan" || word == "NaN") return std::nan("");
    }
    refuse(concat(what, " is ", json.kind_name(), ", wanted a number"));
  }

  Domain domain(const Json& json) const {
    Domain out;
    if (json.as_string()) {
      const std::string& word = *json.as_string();
      if (word == "any")
        out.kind = Domain::Kind::any;
      else if (word == "positive")
        out.kind = Domain::Kind::positive;
      else if (word == "nonzero")
        out.kind = Domain::Kind::nonzero;
      else if (word == "masked")
        out.kind = Domain::Kind::masked;
      else
        refuse(concat("there is no domain '", word, "'"));
      return out;
    }
    const Json::Array& bounds = array(&json, "\"domain\"");
    if (bounds.size() != 2) refuse("a domain has two bounds");
    out = {Domain::Kind::range, number(bounds[0], "a bound"), number(bounds[1], "a bound")};
    if (!(out.low < out.high)) refuse("the domain is empty");
    return out;
  }

  TensorValue tensor_value(const Json& json, const TensorType& of) const {
    if (json.as_array()) {
      if (static_cast<std::int64_t>(json.as_array()->size()) != count(of.shape)) {
        refuse(concat(json.as_array()->size(), " values for ", to_text(of)));
      }
      std::vector<double> items;
      for (const Json& item : *json.as_array()) items.push_back(number(item, "a value"));
      return TensorValue::of(std::move(items));
    }
    allow_keys(json, {"splat", "triangle"}, "\"value\"");
    if (const Json* splat = json.find("splat")) return TensorValue::splat(number(*splat, "\"splat\""));
    const Json* diagonal = json.find("triangle");
    if (!diagonal || !diagonal->as_integer()) refuse("\"value\" is an array, or has \"splat\" or \"triangle\"");
    if (of.shape.size() < 2) refuse("a triangle has two dimensions");
    return TensorValue::triangle(*diagonal->as_integer());
  }

  Argument argument(const Parameter& parameter, const Json& json) const {
    if (json.is_null() || parameter.kind == ArgumentKind::unused) return {};
    if (parameter.kind == ArgumentKind::tensor && json.as_string()) return value(json);
    if (json.as_string()) {
      if (parameter.kind == ArgumentKind::text) return *json.as_string();
      if (parameter.kind != ArgumentKind::dtype) return number(json, concat("'", parameter.name, "'"));
      const std::optional<DType> dtype = parse_dtype(*json.as_string());
      if (!dtype) refuse(concat("there is no dtype '", *json.as_string(), "'"));
      return *dtype;
    }
    if (const Json* real = json.find("float")) return number(*real, concat("'", parameter.name, "'"));
    if (const bool* flag = json.as_bool()) return *flag;
    if (const std::int64_t* integer = json.as_integer()) return *integer;
    if (json.is_number()) return json.number();
    const std::string what = concat("'", parameter.name, "'");
    const Json::Array& items = array(&json, what);
    if (parameter.kind == ArgumentKind::tensors) {
      std::vector<Value> values;
      for (const Json& item : items) values.push_back(item.is_null() ? Value() : value(item));
      return values;
    }
    if (parameter.kind == ArgumentKind::reals) {
      std::vector<double> reals;
      for (const Json& item : items) reals.push_back(number(item, what));
      return reals;
    }
    std::vector<std::int64_t> integers;
    for (const Json& item : items) {
      if (!item.as_integer()) refuse(concat(what, " has ", item.kind_name(), ", wanted integers"));
      integers.push_back(*item.as_integer());
    }
    return integers;
  }

  void define(const std::string& name, const std::vector<Value>& outputs, bool plain) {
    for (const Value& output : outputs) {
      const bool added = values_.emplace(plain ? name : concat(name, ":", output.output), output).second;
      if (!added) refuse(concat("the name '", name, "' is used twice"));
    }
  }

  void read_leaf(Builder& builder, const Json& json, NodeKind kind) {
    allow_keys(json, {"kind", "name", "path", "dtype", "shape", "domain", "value"}, "the node");
    Node node;
    node.kind = kind;
    node.name = text(json, "name");
    if (identifier(node.name) != node.name) refuse(concat("'", node.name, "' is not an identifier"));
    where_ = concat(kKindNames.at(static_cast<std::size_t>(kind)), " '", node.name, "'");
    if (json.find("path")) node.path = text(json, "path");
    node.outputs = {type(json)};
    if (const Json* stated = json.find("domain")) node.domain = domain(*stated);
    if (const Json* stated = json.find("value")) node.value = tensor_value(*stated, node.outputs.front());
    if (kind == NodeKind::constant && !node.value) refuse("a constant needs its \"value\"");
    if (node.value && count(node.outputs.front().shape) > kMostElements) refuse("too many values");
    define(node.name, {builder.leaf(node)}, true);
  }

  void read_call(Builder& builder, const Json& json) {
    allow_keys(json, {"kind", "name", "op", "args", "outputs", "written", "file", "line"}, "the node");
    const std::string name = text(json, "name");
    const std::string op_name = text(json, "op");
    if (identifier(name) != name) refuse(concat("'", name, "' is not an identifier"));
    Place place;
    if (json.find("file")) place.file = text(json, "file");
    if (const Json* line = json.find("line"); line && line->as_integer() && *line->as_integer() > 0) {
      place.line = static_cast<std::uint32_t>(*line->as_integer());
    }
    where_ =
        place.file.empty() ? concat("node '", name, "'") : concat(place.file, ":", place.line, ": node '", name, "'");
    const Operator* op = find_operator(op_name);
    if (!op) {
      const auto failed = builder.add(op_name, {});
      refuse(failed.error(), "graph-operator");
    }
    NamedArguments arguments;
    const Json* given = json.find("args");
    if (!given || !given->as_object()) refuse("\"args\" is an object from the names of parameters to arguments");
    for (const auto& [key, item] : *given->as_object()) {
      const std::optional<std::size_t> at = op->schema.find(key);
      if (!at) refuse(concat(op_name, " has no parameter '", key, "'"));
      arguments.emplace_back(key, argument(op->schema.parameters[*at], item));
    }
    const Result<std::vector<Value>, std::string> made = builder.add(op_name, arguments, name, place);
    if (!made) refuse(made.error());
    compare_types(builder, json, *made);
    if (json.find("written")) builder.set_writing(made->front(), writing(text(json, "written")));
    define(name, *made, made->size() == 1 && !op->schema.returns_list);
  }

  Writing writing(const std::string& word) const {
    for (const Writing one : {Writing::alone, Writing::inlined, Writing::joined}) {
      if (word == name_of(one)) return one;
    }
    refuse(concat("\"written\" is '", word, "', wanted alone, inlined or joined"));
  }

  /// What the file says about the outputs must be what we infer: a difference means that one of the two is wrong.
  void compare_types(const Builder& builder, const Json& json, const std::vector<Value>& made) const {
    const Json* stated = json.find("outputs");
    if (!stated) return;
    const Json::Array& types = array(stated, "\"outputs\"");
    if (types.size() != made.size()) refuse(concat(types.size(), " outputs stated, ", made.size(), " inferred"));
    for (std::size_t number = 0; number < types.size(); ++number) {
      if (types[number].is_null()) continue;
      const TensorType claimed = type(types[number]);
      const TensorType& inferred = builder.type(made[number]);
      if (claimed != inferred)
        refuse(concat("output ", number, " is stated as ", to_text(claimed), " and inferred as ", to_text(inferred)));
    }
  }

  void read_node(Builder& builder, const Json& json) {
    const std::string kind = text(json, "kind");
    const auto found = std::find(kKindNames.begin(), kKindNames.end(), kind);
    if (found == kKindNames.end()) refuse(concat("there is no kind '", kind, "'"));
    const NodeKind which = static_cast<NodeKind>(found - kKindNames.begin());
    if (which == NodeKind::call)
      read_call(builder, json);
    else
      read_leaf(builder, json, which);
  }

  const Json& json_;
  std::map<std::string, Value> values_;
  std::string where_;
  std::size_t names_read_ = 0;
};

}  // namespace

Json to_json(const Graph& graph) {
  Json::Array nodes;
  for (const Node& node : graph.nodes) nodes.push_back(node_json(graph, node));
  Json::Array outputs;
  for (const Value& output : graph.outputs) outputs.emplace_back(value_name(graph, output));
  Json out;
  return out.set("name", graph.name).set("nodes", std::move(nodes)).set("outputs", std::move(outputs));
}

Result<Graph, Diagnostic> graph_from_json(const Json& json) {
  try {
    return Reader(json).read();
  } catch (Refused& refused) {
    return std::move(refused.diagnostic);
  }
}

Result<Graph, Diagnostic> parse_graph(std::string_view text) {
  const Result<Json, JsonError> json = parse_json(text);
  if (!json) return make_error("json", concat("at byte ", json.error().offset, ": ", json.error().message));
  return graph_from_json(*json);
}

}  // namespace steptp::graph
