#include "steptp/zoo/components.h"

#include <array>
#include <vector>

#include "steptp/base/text.h"

namespace steptp::zoo {

std::int64_t Scene::any_dim(const Value& x) { return static_cast<std::int64_t>(random.below(m.shape(x).size())); }
std::int64_t Scene::pick(std::initializer_list<std::int64_t> choices) {
  return choices.begin()[random.below(choices.size())];
}
Shape Scene::companion_shape(const Value& x) { return random.chance(1, 2) ? m.shape(x) : Shape{m.shape(x).back()}; }
Value Scene::companion(const Value& x) { return another(companion_shape(x)); }
Value Scene::positive_companion(const Value& x) { return m.positive(concat("y", ++inputs), companion_shape(x)); }
Value Scene::another(Shape shape) { return m.input(concat("y", ++inputs), std::move(shape)); }

namespace {

constexpr unsigned kAny = ranks(1, 5);
constexpr unsigned kTwo = ranks(2, 5);

std::int64_t extent(Scene& s, const Value& x, std::int64_t dim) { return s.m.shape(x)[static_cast<std::size_t>(dim)]; }

Value op(Scene& s, std::string_view name, const Value& x) { return s.m.op(name, {x}); }
Value relu(Scene& s, const Value& x) { return op(s, "relu", x); }
Value gelu(Scene& s, const Value& x) { return op(s, "gelu", x); }
Value gelu_tanh(Scene& s, const Value& x) { return s.m.op("gelu", {x, std::string("tanh")}); }
Value sigmoid(Scene& s, const Value& x) { return op(s, "sigmoid", x); }
Value tanh(Scene& s, const Value& x) { return op(s, "tanh", x); }
Value silu(Scene& s, const Value& x) { return op(s, "silu", x); }
Value mish(Scene& s, const Value& x) { return op(s, "mish", x); }
Value softplus(Scene& s, const Value& x) { return op(s, "softplus", x); }
Value elu(Scene& s, const Value& x) { return op(s, "elu", x); }
Value selu(Scene& s, const Value& x) { return op(s, "selu", x); }
Value hardswish(Scene& s, const Value& x) { return op(s, "hardswish", x); }
Value hardsigmoid(Scene& s, const Value& x) { return op(s, "hardsigmoid", x); }
Value absolute(Scene& s, const Value& x) { return op(s, "abs", x); }
Value square(Scene& s, const Value& x) { return op(s, "square", x); }
Value negate(Scene& s, const Value& x) { return op(s, "neg", x); }
Value leaky(Scene& s, const Value& x) {
  return s.m.op("leaky_relu", {x, 0.01 * static_cast<double>(1 + s.random.below(20))});
}
Value clamp(Scene& s, const Value& x) {
  return s.m.clamp(x, -0.5 * static_cast<double>(1 + s.random.below(6)),
                   0.5 * static_cast<double>(1 + s.random.below(6)));
}

Value add_input(Scene& s, const Value& x) { return s.m.add(x, s.another(s.m.shape(x))); }
Value multiply_input(Scene& s, const Value& x) { return s.m.mul(x, s.another(s.m.shape(x))); }
Value subtract_row(Scene& s, const Value& x) { return s.m.sub(x, s.another({s.m.shape(x).back()})); }
Value scale(Scene& s, const Value& x) {
  return s.m.mul(x, s.m.scalar("scale", 0.25 * static_cast<double>(1 + s.random.below(12))));
}
Value bias(Scene& s, const Value& x) { return s.m.add(x, s.m.parameter("bias", {s.m.shape(x).back()})); }
Value residual(Scene& s, const Value& x) { return s.m.add(x, s.m.op("tanh", {x})); }
Value masked(Scene& s, const Value& x) {
  const Value mask = s.m.bools(concat("mask", ++s.inputs), s.m.shape(x));
  return s.m.op("where.ScalarOther", {mask, x, 0.0});
}

Value linear(Scene& s, const Value& x) { return s.m.linear(x, s.random.between(2, 256), s.random.chance(1, 2)); }
Value matmul(Scene& s, const Value& x) {
  return s.m.matmul(x, s.another({s.m.shape(x).back(), s.random.between(2, 256)}));
}
Value gram(Scene& s, const Value& x) {
  return s.m.matmul(x, s.m.op("transpose.int", {x, std::int64_t{-2}, std::int64_t{-1}}));
}

Value softmax(Scene& s, const Value& x) { return s.m.softmax(x, s.any_dim(x)); }
Value log_softmax(Scene& s, const Value& x) { return s.m.op("log_softmax.int", {x, s.any_dim(x)}); }
Value layer_norm(Scene& s, const Value& x) {
  const Ints normal = {s.m.shape(x).back()};
  const Value weight = s.m.parameter("layer_norm.weight", normal);
  return s.m.op("layer_norm", {x, normal, weight, s.m.parameter("layer_norm.bias", normal)});
}
Value rms_norm(Scene& s, const Value& x) {
  const Ints normal = {s.m.shape(x).back()};
  return s.m.op("rms_norm", {x, normal, s.m.parameter("rms_norm.weight", normal), 1e-5});
}
Value batch_norm(Scene& s, const Value& x) { return s.m.batch_norm(x); }
Value instance_norm(Scene& s, const Value& x) { return s.m.instance_norm(x); }
Value group_norm(Scene& s, const Value& x) { return s.m.group_norm(x, s.pick({1, 2, 4})); }
Value l2_norm(Scene& s, const Value& x) {
  return s.m.div(x, s.m.op("linalg_vector_norm", {x, std::int64_t{2}, Ints{s.any_dim(x)}, true}));
}

Value sum(Scene& s, const Value& x) { return s.m.sum(x, {s.any_dim(x)}); }
Value mean(Scene& s, const Value& x) { return s.m.mean(x, {s.any_dim(x)}); }
Value max(Scene& s, const Value& x) { return s.m.op("amax", {x, Ints{s.any_dim(x)}}); }
Value min(Scene& s, const Value& x) { return s.m.op("amin", {x, Ints{s.any_dim(x)}}); }
Value logsumexp(Scene& s, const Value& x) { return s.m.logsumexp(x, s.any_dim(x), false); }
Value mean_kept(Scene& s, const Value& x) { return s.m.mean(x, {s.any_dim(x)}, true); }
Value variance(Scene& s, const Value& x) { return s.m.op("var.correction", {x, Ints{s.any_dim(x)}, std::int64_t{0}}); }
Value cumsum(Scene& s, const Value& x) { return s.m.op("cumsum", {x, s.any_dim(x)}); }

Value conv1d(Scene& s, const Value& x) {
  return s.m.conv(x, s.random.between(1, 32), {s.random.between(1, 5)}, {s.pick({1, 2})}, {s.pick({0, 1, 2})});
}
Value conv2d(Scene& s, const Value& x) {
  return s.m.conv(x, s.random.between(1, 32), {s.random.between(1, 4), s.random.between(1, 4)}, {s.pick({1, 2})},
                  {s.pick({0, 1})});
}
Value depthwise(Scene& s, const Value& x) {
  return s.m.conv(x, extent(s, x, 1), Ints(2, s.random.between(1, 4)), {1}, {s.pick({0, 1})}, {1}, extent(s, x, 1));
}
/// The same layer on two inputs, and how far apart the results are.
Value two_towers(Scene& s, const Value& x) {
  const Value weight = s.m.parameter("tower.weight", {s.random.between(2, 128), s.m.shape(x).back()});
  const Value other = s.another(s.m.shape(x));
  const Value first = s.m.op("linear", {x, weight});
  return s.m.sub(first, s.m.op("linear", {other, weight}));
}
Value siamese_conv(Scene& s, const Value& x) {
  const std::size_t windows = s.m.shape(x).size() - 2;
  const std::int64_t kernel = s.pick({3, 5});
  Shape shape = {s.random.between(1, 16), extent(s, x, 1)};
  shape.insert(shape.end(), windows, kernel);
  const Value weight = s.m.parameter("tower.weight", shape);
  const Value other = s.another(s.m.shape(x));
  const auto conv = [&](const Value& one) { return s.m.conv_with(one, weight, {1}, {kernel / 2}, {1}); };
  const Value first = conv(x);
  return s.m.sub(first, conv(other));
}
Value siamese_pool(Scene& s, const Value& x) {
  const std::size_t windows = s.m.shape(x).size() - 2;
  const Ints kernel(windows, 3);
  const Value other = s.another(s.m.shape(x));
  const auto pool = [&](const Value& one) {
    return s.m.op(windows == 1 ? "max_pool1d" : "max_pool2d", {one, kernel, Ints(windows, 1), Ints(windows, 1)});
  };
  const Value first = pool(x);
  return s.m.sub(first, pool(other));
}
Value max_pool1d(Scene& s, const Value& x) { return s.m.op("max_pool1d", {x, Ints{s.pick({2, 3})}}); }
Value max_pool2d(Scene& s, const Value& x) { return s.m.op("max_pool2d", {x, Ints{s.pick({2, 3})}}); }
Value avg_pool1d(Scene& s, const Value& x) { return s.m.op("avg_pool1d", {x, Ints{s.pick({2, 3})}}); }
Value avg_pool2d(Scene& s, const Value& x) { return s.m.op("avg_pool2d", {x, Ints{s.pick({2, 3})}}); }
Value attention(Scene& s, const Value& x) {
  Shape shape = s.m.shape(x);
  shape[shape.size() - 2] = s.random.between(2, 64);
  const Value key = s.another(shape);
  return s.m.op("scaled_dot_product_attention", {x, key, s.another(shape)});
}

Value transpose(Scene& s, const Value& x) { return s.m.op("transpose.int", {x, std::int64_t{-2}, std::int64_t{-1}}); }
Value permute(Scene& s, const Value& x) {
  Ints dims;
  for (std::size_t at = 0; at < s.m.shape(x).size(); ++at) dims.push_back(static_cast<std::int64_t>(at));
  for (std::size_t at = dims.size(); at > 1; --at) std::swap(dims[at - 1], dims[s.random.below(at)]);
  return s.m.op("permute", {x, dims});
}
Value slice(Scene& s, const Value& x) {
  const std::int64_t dim = s.any_dim(x);
  const std::int64_t length = extent(s, x, dim);
  s.m.require(length > 1, "nothing to cut");
  const std::int64_t start = s.random.between(0, length - 1);
  return s.m.op("slice.Tensor", {x, dim, start, s.random.between(start + 1, length), s.pick({1, 1, 2})});
}
Value cat_input(Scene& s, const Value& x) {
  const std::int64_t dim = s.any_dim(x);
  Shape shape = s.m.shape(x);
  shape[static_cast<std::size_t>(dim)] = s.random.between(1, 64);
  return s.m.op("cat", {std::vector<Value>{x, s.another(shape)}, dim});
}
Value cat_self(Scene& s, const Value& x) { return s.m.op("cat", {std::vector<Value>{x, x}, s.any_dim(x)}); }
Value flip(Scene& s, const Value& x) { return s.m.op("flip", {x, Ints{s.any_dim(x)}}); }
Value pad(Scene& s, const Value& x) { return s.m.op("pad", {x, Ints{s.random.between(0, 3), s.random.between(1, 3)}}); }
Value flatten(Scene& s, const Value& x) {
  return s.m.op("flatten.using_ints", {x, std::int64_t{-2}, std::int64_t{-1}});
}
Value unsqueeze(Scene& s, const Value& x) { return s.m.unsqueeze(x, s.any_dim(x)); }
Value split_last(Scene& s, const Value& x) {
  const std::int64_t part = s.pick({2, 3, 4});
  s.m.require(s.m.shape(x).back() % part == 0, "the last dimension does not divide");
  return s.m.op("unflatten.int", {x, std::int64_t{-1}, Ints{part, -1}});
}
Value roll(Scene& s, const Value& x) { return s.m.op("roll", {x, Ints{s.random.between(1, 7)}, Ints{s.any_dim(x)}}); }
Value triangle(Scene& s, const Value& x) {
  return s.m.op(s.random.chance(1, 2) ? "triu" : "tril", {x, s.pick({-1, 0, 1})});
}

constexpr std::array kComponents = {
    Component{"relu", kAny, 0, relu},
    Component{"gelu", kAny, 0, gelu},
    Component{"gelu_tanh", kAny, 0, gelu_tanh},
    Component{"sigmoid", kAny, 0, sigmoid},
    Component{"tanh", kAny, 0, tanh},
    Component{"silu", kAny, 0, silu},
    Component{"mish", kAny, 0, mish},
    Component{"softplus", kAny, 0, softplus},
    Component{"elu", kAny, 0, elu},
    Component{"selu", kAny, 0, selu},
    Component{"hardswish", kAny, 0, hardswish},
    Component{"hardsigmoid", kAny, 0, hardsigmoid},
    Component{"abs", kAny, 0, absolute},
    Component{"square", kAny, 0, square},
    Component{"neg", kAny, 0, negate},
    Component{"leaky_relu", kAny, 0, leaky},
    Component{"clamp", kAny, 0, clamp},
    Component{"add", kAny, 0, add_input},
    Component{"mul", kAny, 0, multiply_input},
    Component{"sub", kAny, 0, subtract_row},
    Component{"scale", kAny, 0, scale},
    Component{"bias", kAny, 0, bias},
    Component{"residual", kAny, 0, residual},
    Component{"mask", kAny, 0, masked},
    Component{"linear", kTwo, 0, linear},
    Component{"matmul", kTwo, 0, matmul},
    Component{"gram", kTwo, 0, gram},
    Component{"softmax", kAny, 0, softmax},
    Component{"log_softmax", kAny, 0, log_softmax},
    Component{"layer_norm", kTwo, 0, layer_norm},
    Component{"rms_norm", kTwo, 0, rms_norm},
    Component{"batch_norm", ranks(2, 4), 0, batch_norm},
    Component{"instance_norm", ranks(3, 5), 0, instance_norm},
    Component{"group_norm", kTwo, 0, group_norm},
    Component{"l2_norm", kAny, 0, l2_norm},
    Component{"sum", kTwo, -1, sum},
    Component{"mean", kTwo, -1, mean},
    Component{"max", kTwo, -1, max},
    Component{"min", kTwo, -1, min},
    Component{"logsumexp", kTwo, -1, logsumexp},
    Component{"mean_kept", kAny, 0, mean_kept},
    Component{"var", kTwo, -1, variance},
    Component{"cumsum", kAny, 0, cumsum},
    Component{"conv1d", ranks(3, 3), 0, conv1d},
    Component{"conv2d", ranks(4, 4), 0, conv2d},
    Component{"depthwise", ranks(4, 4), 0, depthwise},
    Component{"two_towers", kTwo, 0, two_towers},
    Component{"siamese_conv", ranks(3, 4), 0, siamese_conv},
    Component{"siamese_pool", ranks(3, 4), 0, siamese_pool},
    Component{"max_pool1d", ranks(3, 3), 0, max_pool1d},
    Component{"max_pool2d", ranks(4, 4), 0, max_pool2d},
    Component{"avg_pool1d", ranks(3, 3), 0, avg_pool1d},
    Component{"avg_pool2d", ranks(4, 4), 0, avg_pool2d},
    Component{"attention", ranks(3, 4), 0, attention},
    Component{"transpose", kTwo, 0, transpose},
    Component{"permute", kTwo, 0, permute},
    Component{"slice", kAny, 0, slice},
    Component{"cat", kAny, 0, cat_input},
    Component{"cat_self", kAny, 0, cat_self},
    Component{"flip", kAny, 0, flip},
    Component{"pad", kAny, 0, pad},
    Component{"flatten", kTwo, -1, flatten},
    Component{"unsqueeze", ranks(1, 4), 1, unsqueeze},
    Component{"split_last", ranks(1, 4), 1, split_last},
    Component{"roll", kAny, 0, roll},
    Component{"triangle", kTwo, 0, triangle},
};

}  // namespace

std::span<const Component> all_components() {
  static const std::vector<Component> kAll = [] {
    std::vector<Component> out(kComponents.begin(), kComponents.end());
    const std::span<const Component> formulas = formula_components();
    out.insert(out.end(), formulas.begin(), formulas.end());
    return out;
  }();
  return kAll;
}

}  // namespace steptp::zoo
