// Cells of recurrent networks, losses and norms of weights that are put together out of others.
#include <array>
#include <numbers>

#include "steptp/base/text.h"
#include "steptp/import/pt2_composite.h"

namespace steptp::graph::pt2 {

namespace {

using Values = std::vector<Value>;

/// The product of the input, or of the state, with its weights.
Value gates(const Composer& c, const Value& from, std::string_view weight, std::string_view bias) {
  return c.call("linear.default", {from, c.tensor(weight), c.has(bias) ? c.operand(bias) : Argument()});
}
Values parts(const Composer& c, const Value& whole, std::int64_t number) {
  return c.call_all("chunk.default", {whole, number, std::int64_t{-1}});
}
Value sigmoid(const Composer& c, const Value& x) { return c.apply("sigmoid.default", x); }
Value tanh(const Composer& c, const Value& x) { return c.apply("tanh.default", x); }

Value plain_cell(const Composer& c) {
  return c.add(gates(c, c.tensor("input"), "w_ih", "b_ih"), gates(c, c.tensor("hx"), "w_hh", "b_hh"));
}
Values rnn_tanh_cell(const Composer& c) { return {tanh(c, plain_cell(c))}; }
Values rnn_relu_cell(const Composer& c) { return {c.apply("relu.default", plain_cell(c))}; }

Values gru_cell(const Composer& c) {
  const Value state = c.tensor("hx");
  const Values from_input = parts(c, gates(c, c.tensor("input"), "w_ih", "b_ih"), 3);
  const Values from_state = parts(c, gates(c, state, "w_hh", "b_hh"), 3);
  const Value reset = sigmoid(c, c.add(from_input[0], from_state[0]));
  const Value update = sigmoid(c, c.add(from_input[1], from_state[1]));
  const Value candidate = tanh(c, c.add(from_input[2], c.mul(reset, from_state[2])));
  return {c.add(c.mul(c.call("rsub.Scalar", {update, 1.0}), candidate), c.mul(update, state))};
}

Values lstm_cell(const Composer& c) {
  const Values& states = c.tensors("hx");
  if (states.size() != 2) c.fail("two states are wanted");
  const Value sum = c.add(gates(c, c.tensor("input"), "w_ih", "b_ih"), gates(c, states[0], "w_hh", "b_hh"));
  const Values four = parts(c, sum, 4);
  const Value cell = c.add(c.mul(sigmoid(c, four[1]), states[1]), c.mul(sigmoid(c, four[0]), tanh(c, four[2])));
  return {c.mul(sigmoid(c, four[3]), tanh(c, cell)), cell};
}

/// A weight in a direction of its own and a length: v * g / |v|, over all dimensions but one.
Values weight_norm(const Composer& c) {
  const Value v = c.tensor("v");
  const std::int64_t kept = c.integer("dim", 0);
  std::vector<std::int64_t> dims;
  for (std::int64_t dim = 0; dim < static_cast<std::int64_t>(c.rank(v)); ++dim) {
    if (dim != kept) dims.push_back(dim);
  }
  const Value length = c.call("linalg_vector_norm.default", {v, 2.0, dims, true});
  return {c.mul(v, c.div(c.tensor("g"), length))};
}

constexpr std::int64_t kMean = 1;

/// The distance for pairs that are alike (target 1), and for the others what the cosine exceeds the margin by.
Values cosine_embedding_loss(const Composer& c) {
  const Value target = c.tensor("target");
  const Value cosine = c.call("cosine_similarity.default", {c.tensor("input1"), c.tensor("input2"), std::int64_t{-1}});
  const Value unlike = c.call("clamp_min.default", {c.sub(cosine, c.real("margin", 0)), 0.0});
  const Value alike = c.call("rsub.Scalar", {cosine, 1.0});
  const Value of_unlike = c.where(c.call("eq.Scalar", {target, -1.0}), unlike, 0.0);
  return {c.reduce(c.where(c.call("eq.Scalar", {target, 1.0}), alike, of_unlike), c.integer("reduction", kMean))};
}

Values poisson_loss(const Composer& c) {
  const Value input = c.tensor("input");
  const Value target = c.tensor("target");
  const Value logarithm = c.flag("log_input", true) ? input : c.apply("log.default", c.add(input, c.real("eps", 1e-8)));
  const Value rate = c.flag("log_input", true) ? c.apply("exp.default", input) : input;
  Value loss = c.sub(rate, c.mul(target, logarithm));
  if (c.flag("full", false)) {
    // Stirling's formula for the logarithm of the factorial, where the target is larger than 1.
    const Value power = c.sub(c.mul(target, c.apply("log.default", target)), target);
    const Value root = c.mul(c.apply("log.default", c.mul(target, 2 * std::numbers::pi)), 0.5);
    loss = c.add(loss, c.where(c.call("gt.Scalar", {target, 1.0}), c.add(power, root), 0.0));
  }
  return {c.reduce(loss, c.integer("reduction", kMean))};
}

/// What every other class comes nearer to the target's than the margin.
Values multi_margin_loss(const Composer& c) {
  const Value self = c.tensor("self");
  const Value target = c.tensor("target");
  const double power = c.real("p", 1);
  if (c.rank(self) != 2 || (power != 1 && power != 2)) c.fail("a batch and a power of 1 or 2 are wanted");
  const std::int64_t classes = c.shape(self)[1];
  const Value column = c.call("unsqueeze.default", {target, std::int64_t{1}});
  const Value own = c.call("gather.default", {self, std::int64_t{1}, column});
  Value loss = c.call("clamp_min.default", {c.add(c.sub(self, own), c.real("margin", 1)), 0.0});
  if (power == 2) loss = c.apply("square.default", loss);
  if (c.has("weight")) loss = c.mul(loss, c.call("index.Tensor", {c.tensor("weight"), Values{column}}));
  const Value is_own = c.call("eq.Tensor", {c.call("arange.default", {classes}), column});
  const Value others = c.where(is_own, 0.0, loss);
  const Value sum = c.call("sum.dim_IntList", {others, Shape{1}});
  return {c.reduce(c.div(sum, static_cast<double>(classes)), c.integer("reduction", kMean))};
}

/// Bags of one length: the offsets count up by it.
Values embedding_bag(const Composer& c) {
  const Value indices = c.tensor("indices");
  const Value offsets = c.tensor("offsets");
  const std::int64_t bags = c.shape(offsets).front();
  const std::int64_t total = c.shape(indices).front();
  const std::int64_t length = bags > 0 ? total / bags : 0;
  if (!c.is_range(offsets, length) || length * bags != total || c.flag("include_last_offset", false))
    c.fail("only bags of one length are supported");
  if (c.has("per_sample_weights") || c.integer("padding_idx", -1) >= 0)
    c.fail("weights and 'padding_idx' are not supported");
  const Value rows = c.call("embedding.default", {c.tensor("weight"), indices});
  const Value split = c.reshape(rows, {bags, length, c.shape(rows).back()});
  constexpr std::array<std::string_view, 3> kModes = {"sum.dim_IntList", "mean.dim", "amax.default"};
  const std::int64_t mode = c.integer("mode", 0);
  if (mode < 0 || mode > 2) c.fail(concat("there is no mode ", mode));
  return {c.call(kModes[static_cast<std::size_t>(mode)], {split, Shape{1}})};
}

constexpr std::array kRows = {
    CompositeRow{"rnn_tanh_cell.default", rnn_tanh_cell},
    CompositeRow{"rnn_relu_cell.default", rnn_relu_cell},
    CompositeRow{"gru_cell.default", gru_cell},
    CompositeRow{"lstm_cell.default", lstm_cell},
    CompositeRow{"_weight_norm.default", weight_norm},
    CompositeRow{"cosine_embedding_loss.default", cosine_embedding_loss},
    CompositeRow{"poisson_nll_loss.default", poisson_loss},
    CompositeRow{"multi_margin_loss.default", multi_margin_loss},
    CompositeRow{"embedding_bag.padding_idx", embedding_bag},
};

}  // namespace

std::span<const CompositeRow> layer_composites() { return kRows; }

}  // namespace steptp::graph::pt2
