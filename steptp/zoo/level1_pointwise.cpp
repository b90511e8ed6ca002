#include <array>
#include <cmath>
#include <numbers>

#include "steptp/zoo/maker.h"

namespace steptp::zoo {

namespace {

Value rows(Maker& m) { return m.input("x", {m.n("batch_size"), m.n("dim")}); }

Outputs relu(Maker& m) { return {m.op("relu", {rows(m)})}; }
Outputs leaky_relu(Maker& m) { return {m.op("leaky_relu", {rows(m)})}; }
Outputs sigmoid(Maker& m) { return {m.op("sigmoid", {rows(m)})}; }
Outputs tanh(Maker& m) { return {m.op("tanh", {rows(m)})}; }
Outputs softmax(Maker& m) { return {m.softmax(rows(m), 1)}; }
Outputs log_softmax(Maker& m) { return {m.op("log_softmax.int", {rows(m), std::int64_t{1}})}; }
Outputs swish(Maker& m) { return {m.swish(rows(m))}; }
Outputs gelu(Maker& m) { return {m.op("gelu", {rows(m)})}; }
Outputs selu(Maker& m) { return {m.op("selu", {rows(m)})}; }
Outputs hardsigmoid(Maker& m) { return {m.op("hardsigmoid", {rows(m)})}; }
Outputs softplus(Maker& m) { return {m.op("softplus", {rows(m)})}; }
Outputs elu(Maker& m) { return {m.op("elu", {rows(m)})}; }
Outputs hardtanh(Maker& m) { return {m.op("hardtanh", {rows(m)})}; }
Outputs softsign(Maker& m) {
  const Value x = rows(m);
  return {m.div(x, m.add(m.op("abs", {x}), std::int64_t{1}))};
}
Outputs new_gelu(Maker& m) {
  const Value x = rows(m);
  const Value half = m.mul(x, 0.5);
  const Value cube = m.op("pow.Tensor_Scalar", {x, 3.0});
  const Value inner = m.mul(m.add(x, m.mul(cube, 0.044715)), std::sqrt(2.0 / std::numbers::pi));
  return {m.mul(half, m.add(m.op("tanh", {inner}), 1.0))};
}

constexpr std::array kActivations = {
    BuildRow{"softmax", softmax},
    BuildRow{"ReLU", relu},
    BuildRow{"LeakyReLU", leaky_relu},
    BuildRow{"Sigmoid", sigmoid},
    BuildRow{"Tanh", tanh},
    BuildRow{"LogSoftmax", log_softmax},
    BuildRow{"Swish", swish},
    BuildRow{"GELU", gelu},
    BuildRow{"SELU", selu},
    BuildRow{"HardSigmoid", hardsigmoid},
    BuildRow{"Softplus", softplus},
    BuildRow{"Softsign", softsign},
    BuildRow{"ELU", elu},
    BuildRow{"HardTanh", hardtanh},
    BuildRow{"MinGPTNewGelu", new_gelu},
};

Value image(Maker& m) { return m.input("x", {m.n("batch_size"), m.n("features"), m.n("dim1"), m.n("dim2")}); }

Outputs batch_norm(Maker& m) { return {m.batch_norm(image(m))}; }
Outputs instance_norm(Maker& m) { return {m.instance_norm(image(m))}; }
Outputs group_norm(Maker& m) { return {m.group_norm(image(m), m.n("num_groups"))}; }
Outputs layer_norm(Maker& m) {
  const Value x = image(m);
  const Ints normal = {m.n("features"), m.n("dim1"), m.n("dim2")};
  const Value weight = m.parameter("layer_norm.weight", normal);
  const Value bias = m.parameter("layer_norm.bias", normal);
  return {m.op("layer_norm", {x, normal, weight, bias})};
}
Outputs rms_norm(Maker& m) {
  const Value x = image(m);
  const Value eps = m.scalar("eps", m.r("eps"));
  const Value mean = m.mean(m.op("pow.Tensor_Scalar", {x, std::int64_t{2}}), {1}, true);
  return {m.div(x, m.op("sqrt", {m.add(mean, eps)}))};
}
Outputs frobenius_norm(Maker& m) {
  const Value x = image(m);
  return {m.div(x, m.op("linalg_vector_norm", {x}))};
}
Outputs l1_norm(Maker& m) {
  const Value x = rows(m);
  return {m.div(x, m.sum(m.op("abs", {x}), {1}, true))};
}
Outputs l2_norm(Maker& m) {
  const Value x = rows(m);
  return {m.div(x, m.op("linalg_vector_norm", {x, std::int64_t{2}, Ints{1}, true}))};
}

constexpr std::array kNorms = {
    BuildRow{"BatchNorm", batch_norm}, BuildRow{"InstanceNorm", instance_norm},   BuildRow{"GroupNorm", group_norm},
    BuildRow{"RMSNorm", rms_norm},     BuildRow{"FrobeniusNorm", frobenius_norm}, BuildRow{"L1Norm", l1_norm},
    BuildRow{"L2Norm", l2_norm},       BuildRow{"LayerNorm", layer_norm},
};

}  // namespace

std::span<const BuildRow> activation_programs() { return kActivations; }
std::span<const BuildRow> norm_programs() { return kNorms; }

}  // namespace steptp::zoo
