#include "steptp/graph/torch_printer.h"

#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "steptp/base/text.h"
#include "steptp/graph/builder.h"
#include "steptp/graph/operator.h"

namespace steptp::graph {

namespace {

std::string number_text(double number) {
  if (std::isnan(number)) return "float('nan')";
  if (std::isinf(number)) return number > 0 ? "float('inf')" : "float('-inf')";
  char buffer[32];
  std::string out(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

std::string tuple_text(const std::vector<std::int64_t>& items) {
  std::string out = join(items, ", ", [](std::int64_t item) { return std::to_string(item); });
  return concat("(", out, items.size() == 1 ? ",)" : ")");
}

std::string dtype_text(DType dtype) { return concat("torch.", info(dtype).torch_name); }

class Printer {
 public:
  explicit Printer(const Graph& graph) : graph_(graph) {}

  std::string print() {
    name_leaves();
    std::string out =
        "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\nclass Model(nn.Module):\n";
    append(out, "    def __init__(self):\n        super().__init__()\n");
    for (const Node& node : graph_.nodes) append(out, declaration(node));
    append(out, "\n    def forward(self", inputs(", "), "):\n");
    for (std::size_t at = 0; at < graph_.nodes.size(); ++at) {
      if (graph_.nodes[at].kind == NodeKind::call) append(out, "        ", statement(graph_.nodes[at]), "\n");
    }
    append(out, "        return ", results(), "\n\n\ndef get_inputs():\n    return [");
    bool first = true;
    for (const Node& node : graph_.nodes) {
      if (node.kind != NodeKind::input) continue;
      append(out, first ? "" : ", ", example(node));
      first = false;
    }
    append(out, "]\n\n\ndef get_init_inputs():\n    return []\n", domains());
    return out;
  }

 private:
  /// What `import` should know of the inputs and PyTorch does not tell; nothing where there is nothing.
  [[nodiscard]] std::string domains() const {
    std::vector<std::string> out;
    bool stated = false;
    for (const Node& node : graph_.nodes) {
      if (node.kind != NodeKind::input) continue;
      stated = stated || node.domain.kind != Domain::Kind::unstated;
      switch (node.domain.kind) {
        case Domain::Kind::unstated: out.emplace_back("None"); break;
        case Domain::Kind::any: out.emplace_back("\"any\""); break;
        case Domain::Kind::positive: out.emplace_back("\"positive\""); break;
        case Domain::Kind::nonzero: out.emplace_back("\"nonzero\""); break;
        case Domain::Kind::masked: out.emplace_back("\"masked\""); break;
        case Domain::Kind::range:
          out.push_back(concat("[", number_text(node.domain.low), ", ", number_text(node.domain.high), "]"));
          break;
      }
    }
    if (!stated) return {};
    return concat("\n\ninput_domains = [", join(out, ", ", [](const std::string& text) { return text; }), "]\n");
  }

  /// Attributes of the module: the path with '_' for what Python does not allow, made unique.
  void name_leaves() {
    std::set<std::string> taken;
    for (const Node& node : graph_.nodes) {
      if (node.kind != NodeKind::parameter && node.kind != NodeKind::constant) continue;
      std::string name = identifier(node.path.empty() ? node.name : node.path);
      while (!taken.insert(name).second) name += '_';
      attributes_[&node] = name;
    }
  }

  std::string inputs(std::string_view before) const {
    std::string out;
    for (const Node& node : graph_.nodes) {
      if (node.kind == NodeKind::input) append(out, before, node.name);
    }
    return out;
  }

  std::string value_text(const TensorValue& value, const TensorType& type) const {
    const std::string shape = tuple_text(type.shape);
    const std::string dtype = dtype_text(type.dtype);
    switch (value.kind) {
      case TensorValue::Kind::splat:
        return concat("torch.full(", shape, ", ", number_text(value.number), ", dtype=torch.float64).to(", dtype, ")");
      case TensorValue::Kind::triangle:
        return concat("torch.triu(torch.ones(", shape, "), diagonal=", value.diagonal, ").to(", dtype, ")");
      case TensorValue::Kind::dense: break;
    }
    const std::string items = join(value.dense, ", ", [](double item) { return number_text(item); });
    return concat("torch.tensor([", items, "], dtype=torch.float64).reshape(", shape, ").to(", dtype, ")");
  }

  std::string declaration(const Node& node) const {
    if (node.kind != NodeKind::parameter && node.kind != NodeKind::constant) return {};
    const TensorType& type = node.outputs.front();
    const std::string& name = attributes_.at(&node);
    if (node.kind == NodeKind::constant) {
      return concat("        self.register_buffer(\"", name, "\", ", value_text(*node.value, type), ")\n");
    }
    return concat("        self.", name, " = nn.Parameter(torch.randn(", tuple_text(type.shape), ").to(",
                  dtype_text(type.dtype), "))\n");
  }

  std::string reference(const Value& value) const {
    const Node& node = graph_.node(value);
    if (node.kind == NodeKind::parameter || node.kind == NodeKind::constant) return "self." + attributes_.at(&node);
    const bool tuple = node.op && (node.outputs.size() > 1 || node.op->schema.returns_list);
    return tuple ? concat(node.name, "[", value.output, "]") : node.name;
  }

  struct ArgumentText {
    const Printer& printer;
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(const Value& value) const { return printer.reference(value); }
    std::string operator()(const std::vector<Value>& values) const {
      return concat(
          "[",
          join(values, ", ", [&](const Value& value) { return value.node < 0 ? "None" : printer.reference(value); }),
          "]");
    }
    std::string operator()(bool flag) const { return flag ? "True" : "False"; }
    std::string operator()(std::int64_t integer) const { return std::to_string(integer); }
    std::string operator()(double number) const { return number_text(number); }
    std::string operator()(const std::string& text) const { return concat("'", text, "'"); }
    std::string operator()(const std::vector<std::int64_t>& items) const { return tuple_text(items); }
    std::string operator()(const std::vector<double>& items) const {
      return concat("[", join(items, ", ", [](double item) { return number_text(item); }), "]");
    }
    std::string operator()(DType dtype) const { return dtype_text(dtype); }
  };
  std::string text(const Argument& argument) const { return std::visit(ArgumentText{*this}, argument); }

  /// Arguments in order up to the last one that is not a default.
  std::string call_text(const Node& node, std::string_view function) const {
    std::size_t end = node.arguments.size();
    const std::vector<Parameter>& parameters = node.op->schema.parameters;
    while (end > 0 && parameters[end - 1].has_default && parameters[end - 1].fallback == node.arguments[end - 1]) --end;
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < end; ++at) parts.push_back(text(node.arguments[at]));
    return concat(function, "(", join(parts, ", ", [](const std::string& part) { return part; }), ")");
  }

  /// torch.ops.aten takes what stands after the star by name only; we know which those are by their kinds.
  std::string aten_text(const Node& node) const {
    std::vector<std::string> parts;
    const std::vector<Parameter>& parameters = node.op->schema.parameters;
    for (std::size_t at = 0; at < parameters.size(); ++at) {
      const bool absent = parameters[at].has_default && parameters[at].fallback == node.arguments[at];
      if (absent || parameters[at].kind == ArgumentKind::unused) continue;
      parts.push_back(concat(parameters[at].name, "=", text(node.arguments[at])));
    }
    return concat("torch.ops.", node.op->schema.name, "(",
                  join(parts, ", ", [](const std::string& part) { return part; }), ")");
  }

  std::string template_text(const Node& node, std::string_view form) const {
    std::string out;
    while (!form.empty()) {
      const std::size_t open = form.find('{');
      out += form.substr(0, open);
      if (open == std::string_view::npos) break;
      const std::size_t close = form.find('}', open);
      out += text(node.arguments[*node.op->schema.find(form.substr(open + 1, close - open - 1))]);
      form.remove_prefix(close + 1);
    }
    return out;
  }

  std::string statement(const Node& node) const {
    const std::string_view form = node.op->torch;
    std::string right;
    if (form.empty())
      right = aten_text(node);
    else if (form.find('{') == std::string_view::npos)
      right = call_text(node, form);
    else
      right = template_text(node, form);
    return concat(node.name, " = ", right);
  }

  std::string results() const {
    return join(graph_.outputs, ", ", [&](const Value& value) { return reference(value); });
  }

  std::string example(const Node& node) const {
    const TensorType& type = node.outputs.front();
    const std::string shape = tuple_text(type.shape);
    const std::string dtype = dtype_text(type.dtype);
    if (node.value) return value_text(*node.value, type);
    if (type.dtype == DType::boolean) return concat("torch.randint(0, 2, ", shape, ").to(torch.bool)");
    if (node.domain.kind == Domain::Kind::range && !is_float(type.dtype)) {
      return concat("torch.randint(", static_cast<std::int64_t>(node.domain.low), ", ",
                    static_cast<std::int64_t>(node.domain.high), ", ", shape, ", dtype=", dtype, ")");
    }
    if (node.domain.kind == Domain::Kind::range) {
      return concat("(torch.rand(", shape, ") * ", number_text(node.domain.high - node.domain.low), " + ",
                    number_text(node.domain.low), ").to(", dtype, ")");
    }
    if (node.domain.kind == Domain::Kind::positive) return concat("(torch.rand(", shape, ") + 0.01).to(", dtype, ")");
    if (node.domain.kind == Domain::Kind::masked) {
      return concat("torch.randn(", shape, ").masked_fill(torch.rand(", shape, ") < 0.25, float(\"-inf\")).to(", dtype,
                    ")");
    }
    if (!is_float(type.dtype)) return concat("torch.randint(0, 10, ", shape, ", dtype=", dtype, ")");
    return concat("torch.randn(", shape, ").to(", dtype, ")");
  }

  const Graph& graph_;
  std::map<const Node*, std::string> attributes_;
};

}  // namespace

std::string print_torch(const Graph& graph) { return Printer(graph).print(); }

}  // namespace steptp::graph
