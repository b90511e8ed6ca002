#include "steptp/zoo/maker.h"

#include <stdexcept>

#include "steptp/base/text.h"

namespace steptp::zoo {

double Maker::r(std::string_view name) const {
  const auto found = arguments_.find(std::string(name));
  if (found == arguments_.end()) throw std::logic_error(concat("no argument '", name, "'"));
  return found->second;
}
std::int64_t Maker::n(std::string_view name) const { return static_cast<std::int64_t>(r(name)); }

void Maker::require(bool condition, std::string_view message) const {
  if (!condition) throw graph::Misuse{std::string(message)};
}

Value Maker::input(std::string name, Shape shape, Domain domain) {
  for (const std::int64_t extent : shape)
    require(extent >= 1, concat("the input '", name, "' would have the shape ", graph::to_text(shape)));
  return builder_.input(std::move(name), dtype_, std::move(shape), domain);
}
Value Maker::classes(std::string name, Shape shape, std::int64_t number) {
  return builder_.input(std::move(name), DType::i64, std::move(shape),
                        {Domain::Kind::range, 0, static_cast<double>(number)});
}
Value Maker::bools(std::string name, Shape shape) {
  return builder_.input(std::move(name), DType::boolean, std::move(shape));
}
Value Maker::scalar_input(std::string name, double example) {
  graph::Node node;
  node.kind = graph::NodeKind::input;
  node.name = std::move(name);
  node.outputs = {{dtype_, {}}};
  node.value = graph::TensorValue::splat(example);
  return builder_.leaf(std::move(node));
}
Value Maker::parameter(std::string path, Shape shape) {
  for (const std::int64_t extent : shape)
    require(extent >= 1, concat("the parameter '", path, "' would have the shape ", graph::to_text(shape)));
  return builder_.parameter(std::move(path), dtype_, std::move(shape));
}
Value Maker::scalar(std::string path, double number) {
  return builder_.constant(std::move(path), dtype_, {}, graph::TensorValue::splat(number));
}
Value Maker::causal_mask(Shape shape) {
  return builder_.constant("mask", DType::boolean, std::move(shape), graph::TensorValue::triangle(1));
}

namespace {

std::string full_name(std::string_view name) {
  return concat("aten.", name, name.find('.') == std::string_view::npos ? ".default" : "");
}

}  // namespace

Value Maker::op(std::string_view name, std::vector<Argument> arguments) {
  return builder_.call(full_name(name), std::move(arguments));
}
std::vector<Value> Maker::ops(std::string_view name, std::vector<Argument> arguments) {
  return builder_.call_all(full_name(name), std::move(arguments));
}

void Maker::inline_calls(std::size_t first, const Value& last) {
  for (std::int32_t node = static_cast<std::int32_t>(first); node < last.node; ++node) {
    const bool is_call = builder_.graph().nodes[static_cast<std::size_t>(node)].kind == graph::NodeKind::call;
    if (is_call) builder_.set_writing({node, 0}, graph::Writing::inlined);
  }
}
Value Maker::joined(const Value& value) {
  builder_.set_writing(value, graph::Writing::joined);
  return value;
}

std::string Maker::layer_path(std::string_view kind) { return concat(kind, ++layers_, "."); }

Value Maker::linear(const Value& x, std::int64_t features, bool bias) {
  const std::string path = layer_path("linear");
  const Value weight = parameter(path + "weight", {features, shape(x).back()});
  if (!bias) return op("linear", {x, weight});
  return op("linear", {x, weight, parameter(path + "bias", {features})});
}

Value Maker::conv_with(const Value& x, const Value& weight, Ints stride, Ints padding, Ints dilation,
                       std::int64_t groups) {
  const std::size_t rank = shape(weight).size() - 2;
  return op(concat("conv", rank, "d"),
            {x, weight, Argument(), std::move(stride), std::move(padding), std::move(dilation), groups});
}

Value Maker::conv(const Value& x, std::int64_t channels, Ints kernel, Ints stride, Ints padding, Ints dilation,
                  std::int64_t groups) {
  require(groups >= 1 && shape(x)[1] % groups == 0, "the groups do not divide the channels");
  Shape weight = {channels, shape(x)[1] / groups};
  weight.insert(weight.end(), kernel.begin(), kernel.end());
  return conv_with(x, parameter(layer_path("conv") + "weight", weight), std::move(stride), std::move(padding),
                   std::move(dilation), groups);
}

Value Maker::batch_norm(const Value& x, double eps, double momentum) {
  const std::string path = layer_path("batch_norm");
  const Shape channels = {shape(x)[1]};
  require(graph::count(shape(x)) > channels[0], "batch norm wants more than one value per channel");
  const Value weight = parameter(path + "weight", channels);
  const Value bias = parameter(path + "bias", channels);
  const Value mean = builder_.constant(path + "running_mean", dtype_, channels, graph::TensorValue::splat(0));
  const Value var = builder_.constant(path + "running_var", dtype_, channels, graph::TensorValue::splat(1));
  return op("batch_norm", {x, weight, bias, mean, var, true, momentum, eps, false});
}

Value Maker::instance_norm(const Value& x, double eps, double momentum) {
  const std::string path = layer_path("instance_norm");
  const Shape channels = {shape(x)[1]};
  require(graph::count(shape(x)) > shape(x)[0] * shape(x)[1], "instance norm wants more than one value per channel");
  const Value weight = parameter(path + "weight", channels);
  const Value bias = parameter(path + "bias", channels);
  return op("instance_norm", {x, weight, bias, Argument(), Argument(), true, momentum, eps, false});
}

Value Maker::group_norm(const Value& x, std::int64_t groups, double eps) {
  const std::string path = layer_path("group_norm");
  const Shape channels = {shape(x)[1]};
  require(groups >= 1 && channels[0] % groups == 0, "the groups do not divide the channels");
  require(graph::count(shape(x)) > shape(x)[0] * groups, "group norm wants more than one value per group");
  const Value weight = parameter(path + "weight", channels);
  const Value bias = parameter(path + "bias", channels);
  return op("group_norm", {x, groups, weight, bias, eps, false});
}

}  // namespace steptp::zoo
