#include "steptp/graph/builder.h"

#include <algorithm>
#include <cctype>

#include "steptp/base/text.h"
#include "steptp/graph/operator.h"

namespace steptp::graph {

namespace {

/// "aten.mul.Tensor" gives "mul".
std::string stem(std::string_view op) {
  const std::size_t first = op.find('.');
  const std::size_t second = op.find('.', first + 1);
  return std::string(op.substr(first + 1, second - first - 1));
}

std::string unknown_operator(std::string_view op) {
  std::string out = concat("the operator ", op, " is not supported");
  const std::string wanted = stem(op);
  std::vector<std::string> others;
  for (const Operator& candidate : all_operators()) {
    if (stem(candidate.schema.name) == wanted) others.push_back(candidate.schema.name);
  }
  if (!others.empty())
    append(out, "; of this name there is ", join(others, ", ", [](const std::string& name) { return name; }));
  return out;
}

}  // namespace

std::string identifier(std::string_view text) {
  std::string out;
  for (const char c : text) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out.front()))) out.insert(out.begin(), '_');
  return out;
}

std::string Builder::unique(std::string name) {
  name = identifier(name);
  const auto found = names_.find(name);
  if (found == names_.end()) {
    names_.emplace(name, 0);
    return name;
  }
  std::string candidate;
  do {
    candidate = concat(name, "_", ++found->second);
  } while (names_.contains(candidate));
  names_.emplace(candidate, 0);
  return candidate;
}

Value Builder::push(Node node) {
  node.name = unique(std::move(node.name));
  graph_.nodes.push_back(std::move(node));
  return {static_cast<std::int32_t>(graph_.nodes.size() - 1), 0};
}

Value Builder::leaf(Node node) {
  if (node.name.empty()) node.name = node.path;
  return push(std::move(node));
}

Value Builder::input(std::string name, DType dtype, Shape shape, Domain domain) {
  Node node;
  node.kind = NodeKind::input;
  node.name = std::move(name);
  node.outputs = {{dtype, std::move(shape)}};
  node.domain = domain;
  return push(std::move(node));
}

Value Builder::parameter(std::string path, DType dtype, Shape shape) {
  Node node;
  node.kind = NodeKind::parameter;
  node.name = path;
  node.path = std::move(path);
  node.outputs = {{dtype, std::move(shape)}};
  return push(std::move(node));
}

Value Builder::constant(std::string path, DType dtype, Shape shape, TensorValue value) {
  Node node;
  node.kind = NodeKind::constant;
  node.name = path;
  node.path = std::move(path);
  node.outputs = {{dtype, std::move(shape)}};
  node.value = std::move(value);
  return push(std::move(node));
}

std::vector<Value> Builder::push_call(const Operator& op, std::vector<Argument> arguments, std::string name,
                                      Place place) {
  Node node;
  node.op = &op;
  node.outputs = op.infer(Call(graph_, op, arguments));
  for (const TensorType& type : node.outputs) {
    for (const std::int64_t extent : type.shape) {
      if (extent < 1)
        throw Misuse{concat(op.schema.name, ": the result would have the shape ", to_text(type.shape),
                            "; tensors without elements are not supported")};
    }
    if (count(type.shape) < 0) throw Misuse{concat(op.schema.name, ": the result has too many elements")};
  }
  node.arguments = std::move(arguments);
  node.name = name.empty() ? stem(op.schema.name) : std::move(name);
  node.place = std::move(place);
  const std::size_t outputs = node.outputs.size();
  const Value first = push(std::move(node));
  std::vector<Value> out;
  for (std::size_t number = 0; number < outputs; ++number)
    out.push_back({first.node, static_cast<std::int32_t>(number)});
  return out;
}

Result<std::vector<Value>, std::string> Builder::add(std::string_view op_name, const NamedArguments& arguments,
                                                     std::string name, Place place) {
  const Operator* op = find_operator(op_name);
  if (!op) return unknown_operator(op_name);
  std::vector<std::optional<Argument>> given(op->schema.parameters.size());
  for (const auto& [key, argument] : arguments) {
    const std::optional<std::size_t> at = op->schema.find(key);
    if (!at) return concat(op_name, " has no parameter '", key, "'");
    if (given[*at]) return concat(op_name, ": '", key, "' is given twice");
    Result<Argument, std::string> fitted = conform(op->schema.parameters[*at], argument);
    if (!fitted) return concat(op_name, ": ", fitted.error());
    given[*at] = std::move(fitted).value();
  }
  std::vector<Argument> all;
  for (std::size_t at = 0; at < given.size(); ++at) {
    const Parameter& parameter = op->schema.parameters[at];
    if (!given[at] && !parameter.has_default && !parameter.optional) {
      return concat(op_name, ": '", parameter.name, "' is missing");
    }
    if (given[at]) {
      all.push_back(std::move(*given[at]));
    } else {
      all.push_back(parameter.fallback);
    }
  }
  try {
    return push_call(*op, std::move(all), std::move(name), std::move(place));
  } catch (const Misuse& misuse) {
    return misuse.message;
  }
}

std::vector<Value> Builder::call_all(std::string_view op_name, std::vector<Argument> arguments) {
  const Operator* op = find_operator(op_name);
  if (!op) throw Misuse{unknown_operator(op_name)};
  const std::vector<Parameter>& parameters = op->schema.parameters;
  if (arguments.size() > parameters.size()) throw Misuse{concat(op_name, ": too many arguments")};
  for (std::size_t at = 0; at < parameters.size(); ++at) {
    if (at >= arguments.size()) {
      arguments.push_back(parameters[at].fallback);
      continue;
    }
    Result<Argument, std::string> fitted = conform(parameters[at], std::move(arguments[at]));
    if (!fitted) throw Misuse{concat(op_name, ": ", fitted.error())};
    arguments[at] = std::move(fitted).value();
  }
  return push_call(*op, std::move(arguments), {}, {});
}

Value Builder::call(std::string_view op, std::vector<Argument> arguments) {
  return call_all(op, std::move(arguments)).front();
}

Graph Builder::finish(std::vector<Value> outputs) && {
  graph_.outputs = std::move(outputs);
  return std::move(graph_);
}

}  // namespace steptp::graph
