#include <array>

#include "steptp/zoo/maker.h"

namespace steptp::zoo {

namespace {

/// Parameters that the module itself names come before those of its layers, as PyTorch lists them; the input is x.
Value rows(Maker& m, std::string_view in) { return m.input("x", {m.n("batch_size"), m.n(in)}); }
Value gemm(Maker& m, std::string_view in = "in_features", std::string_view out = "out_features") {
  return m.linear(rows(m, in), m.n(out));
}
Value gelu(Maker& m, const Value& x) { return m.op("gelu", {x}); }
Value leaky(Maker& m, const Value& x, double slope) { return m.op("leaky_relu", {x, slope}); }
Value hardtanh(Maker& m, const Value& x, double low, double high) { return m.op("hardtanh", {x, low, high}); }

Outputs multiply_leaky(Maker& m) {
  const Value scaled = m.mul(gemm(m), m.scalar("multiplier", m.r("multiplier")));
  return {leaky(m, scaled, m.r("negative_slope"))};
}
Outputs divide_sum_scaling(Maker& m) {
  const Value weight = m.parameter("weight", {m.n("hidden_size"), m.n("input_size")});
  const Value x = rows(m, "input_size");
  const Value product = m.matmul(x, m.op("t", {weight}));
  return {m.mul(m.sum(m.div(product, std::int64_t{2}), {1}, true), m.scalar("scaling_factor", m.r("scaling_factor")))};
}
Outputs sum_max_mean_logsumexp(Maker& m) {
  const Value x = m.max(m.sum(gemm(m), {1}, true), 1, true);
  return {m.logsumexp(m.logsumexp(m.mean(x, {1}, true), 1), 1)};
}
Outputs scale_residual_clamp_logsumexp_mish(Maker& m) {
  const Value scaled = m.mul(gemm(m, "input_size", "hidden_size"), m.scalar("scale_factor", m.r("scale_factor")));
  const Value clamped = m.clamp(m.add(scaled, scaled), m.r("clamp_min"), m.r("clamp_max"));
  const Value folded = m.logsumexp(clamped, 1);
  return {m.mul(folded, m.op("mish", {folded}))};
}
/// A row of features as an image of two equal columns.
Value doubled(Maker& m, const Value& x) {
  const Value column = m.unsqueeze(m.unsqueeze(x, 2), 3);
  return m.op("cat", {std::vector<Value>{column, column}, std::int64_t{3}});
}
Outputs instance_sum_residual_multiply(Maker& m) {
  const Value x = rows(m, "in_features");
  const Value y = m.input("y", {m.n("batch_size"), m.n("out_features"), 2});
  const Value normal = m.instance_norm(doubled(m, m.linear(x, m.n("out_features"))), m.r("eps"), m.r("momentum"));
  return {m.mul(m.add(m.squeeze(normal, 2), y), y)};
}
Outputs mish_mish(Maker& m) { return {m.op("mish", {m.op("mish", {gemm(m)})})}; }
Outputs group_norm_hardtanh(Maker& m) {
  const Value normal = m.group_norm(doubled(m, gemm(m)), m.n("num_groups"));
  return {hardtanh(m, normal, m.r("hardtanh_min"), m.r("hardtanh_max"))};
}
Outputs scale_batch_norm(Maker& m) {
  const Value scale = m.parameter("scale", {m.n("out_features")});
  return {m.batch_norm(m.mul(gemm(m), scale), m.r("eps"), m.r("momentum"))};
}
Outputs swish_sum_group_norm(Maker& m) {
  const Value bias = m.parameter("bias", {m.n("out_features")});
  const Value x = gemm(m);
  const Value swish = m.mul(m.op("sigmoid", {x}), x);
  return {m.group_norm(m.add(swish, bias), m.n("num_groups"))};
}
Outputs scaling_residual(Maker& m) {
  const Value scale = m.parameter("scale", {m.n("out_features")});
  const Value x = rows(m, "in_features");
  const Value y = m.input("y", {m.n("batch_size"), m.n("out_features")});
  return {m.add(m.mul(m.linear(x, m.n("out_features")), scale), y)};
}
Outputs batch_gelu_group_mean_relu(Maker& m) {
  const Value x = m.group_norm(gelu(m, m.batch_norm(gemm(m))), m.n("num_groups"));
  return {m.op("relu", {m.mean(x, {1}, true)})};
}
Outputs sigmoid_sum_logsumexp(Maker& m) {
  const Value sum = m.sum(m.op("sigmoid", {gemm(m, "input_size", "hidden_size")}), {1});
  return {m.logsumexp(sum, 0, false)};
}
Outputs subtract_mean_logsumexp_gelu_residual(Maker& m) {
  const Value subtract = m.parameter("subtract", {m.n("out_features")});
  const Value x = rows(m, "in_features");
  const Value mean = m.mean(m.sub(m.linear(x, m.n("out_features")), subtract), {1}, true);
  return {m.add(gelu(m, m.logsumexp(mean, 1)), x)};
}
Outputs scaling_hardtanh_gelu(Maker& m) {
  const Value scaled = m.mul(gemm(m), m.scalar("scaling_factor", m.r("scaling_factor")));
  return {gelu(m, hardtanh(m, scaled, m.r("hardtanh_min"), m.r("hardtanh_max")))};
}
Outputs max_pool_sum_scale(Maker& m) {
  const Value pooled = m.op("max_pool1d", {m.unsqueeze(gemm(m), 1), Ints{m.n("kernel_size")}});
  return {m.mul(m.sum(m.squeeze(pooled, 1), {1}), m.scalar("scale_factor", m.r("scale_factor")))};
}
Outputs sigmoid_sum(Maker& m) { return {m.sum(m.op("sigmoid", {gemm(m, "input_size", "hidden_size")}), {1}, true)}; }
Outputs swish_scaling(Maker& m) { return {m.mul(m.swish(gemm(m)), m.scalar("scaling_factor", m.r("scaling_factor")))}; }
Outputs group_norm_leaky_sum(Maker& m) {
  const Value x = leaky(m, m.group_norm(gemm(m, "input_size", "hidden_size"), m.n("num_groups")), 0.01);
  return {m.add(x, x)};
}
Outputs relu_divide(Maker& m) { return {m.div(m.op("relu", {gemm(m)}), m.scalar("divisor", m.r("divisor")))}; }
Outputs logsumexp_leaky_gelu(Maker& m) {
  const Value x = leaky(m, leaky(m, m.logsumexp(gemm(m), 1), 0.01), 0.01);
  return {gelu(m, gelu(m, x))};
}
Outputs mean_softmax(Maker& m) { return {m.softmax(m.mean(gemm(m), {1}, true), 1)}; }
Outputs min_subtract(Maker& m) {
  const Value constant = m.parameter("constant", {});
  const Value x = gemm(m);
  return {m.sub(m.op("min.other", {x, constant}), constant)};
}
Outputs sigmoid_scaling_residual(Maker& m) {
  const Value x = rows(m, "input_size");
  const Value scaled =
      m.mul(m.op("sigmoid", {m.linear(x, m.n("input_size"))}), m.scalar("scaling_factor", m.r("scaling_factor")));
  return {m.add(scaled, x)};
}
Outputs group_norm_min_bias(Maker& m) {
  const Value bias = m.parameter("bias", {1, 1, 1, 2});
  const Value normal = m.group_norm(doubled(m, gemm(m)), m.n("num_groups"));
  return {m.add(m.min(normal, 1, true), bias)};
}
Outputs add_relu(Maker& m) {
  const Value bias = m.parameter("bias", {m.n("out_features")});
  return {m.op("relu", {m.add(m.linear(rows(m, "in_features"), m.n("out_features"), false), bias)})};
}
Outputs max_subtract_gelu(Maker& m) {
  const Value largest = m.max(gemm(m), 1, true);
  return {gelu(m, m.sub(largest, m.mean(largest, {1}, true)))};
}
Outputs swish_divide_clamp_tanh_clamp(Maker& m) {
  const Value clamped = m.clamp(m.div(m.swish(gemm(m)), 2.0), -1, 1);
  return {m.clamp(m.op("tanh", {clamped}), -1, 1)};
}
Outputs batch_norm_scaling_softmax(Maker& m) {
  const Value scale = m.parameter("scale", {1});
  const Value normal = m.batch_norm(gemm(m), m.r("bn_eps"), m.r("bn_momentum"));
  return {m.softmax(m.mul(scale, normal), 1)};
}
Outputs divide_gelu(Maker& m) {
  return {gelu(m, m.div(gemm(m, "input_size", "output_size"), m.scalar("divisor", m.r("divisor"))))};
}
Outputs group_norm_swish_multiply_swish(Maker& m) {
  const Value factor = m.parameter("multiply_weight", {m.n("out_features")});
  return {m.swish(m.mul(m.swish(m.group_norm(gemm(m), m.n("num_groups"))), factor))};
}
Outputs bias_hardtanh_mish_group_norm(Maker& m) {
  const Value bias = m.parameter("bias", {m.n("out_features")});
  const Value bent = hardtanh(m, m.add(gemm(m), bias), -1, 1);
  return {m.group_norm(m.op("mish", {bent}), m.n("num_groups"))};
}
Outputs add_swish_tanh_gelu_hardtanh(Maker& m) {
  const Value added = m.parameter("add_value", {m.n("out_features")});
  const Value x = m.add(gemm(m), added);
  const Value swish = m.mul(m.op("sigmoid", {x}), x);
  return {hardtanh(m, gelu(m, m.op("tanh", {swish})), -1, 1)};
}
Outputs batch_norm_bias_divide_swish(Maker& m) {
  const Value bias = m.parameter("bias", {1});
  const Value normal = m.batch_norm(gemm(m), m.r("bn_eps"), m.r("bn_momentum"));
  return {m.swish(m.div(m.add(normal, bias), m.scalar("divide_value", m.r("divide_value"))))};
}
Outputs avg_pool_gelu_scale_max(Maker& m) {
  const Value pooled = m.op("avg_pool1d", {m.unsqueeze(gemm(m), 1), Ints{m.n("pool_kernel_size")}});
  return {m.max(m.mul(gelu(m, m.squeeze(pooled, 1)), m.scalar("scale_factor", m.r("scale_factor"))), 1)};
}
Outputs gelu_softmax(Maker& m) { return {m.softmax(gelu(m, gemm(m)), 1)}; }
Outputs subtract_multiply_relu(Maker& m) {
  const Value less = m.sub(gemm(m), m.scalar("subtract_value", m.r("subtract_value")));
  return {m.op("relu", {m.mul(less, m.scalar("multiply_value", m.r("multiply_value")))})};
}

constexpr std::array kRows = {
    BuildRow{"Gemm_Multiply_LeakyReLU", multiply_leaky},
    BuildRow{"Gemm_Divide_Sum_Scaling", divide_sum_scaling},
    BuildRow{"Matmul_Sum_Max_AvgPool_LogSumExp_LogSumExp", sum_max_mean_logsumexp},
    BuildRow{"Matmul_Scale_ResidualAdd_Clamp_LogSumExp_Mish", scale_residual_clamp_logsumexp_mish},
    BuildRow{"BMM_InstanceNorm_Sum_ResidualAdd_Multiply", instance_sum_residual_multiply},
    BuildRow{"Matmul_Mish_Mish", mish_mish},
    BuildRow{"Gemm_GroupNorm_Hardtanh", group_norm_hardtanh},
    BuildRow{"Gemm_Scale_BatchNorm", scale_batch_norm},
    BuildRow{"Matmul_Swish_Sum_GroupNorm", swish_sum_group_norm},
    BuildRow{"Matmul_Scaling_ResidualAdd", scaling_residual},
    BuildRow{"Gemm_BatchNorm_GELU_GroupNorm_Mean_ReLU", batch_gelu_group_mean_relu},
    BuildRow{"Gemm_Sigmoid_Sum_LogSumExp", sigmoid_sum_logsumexp},
    BuildRow{"Gemm_Subtract_GlobalAvgPool_LogSumExp_GELU_ResidualAdd", subtract_mean_logsumexp_gelu_residual},
    BuildRow{"Gemm_Scaling_Hardtanh_GELU", scaling_hardtanh_gelu},
    BuildRow{"Matmul_MaxPool_Sum_Scale", max_pool_sum_scale},
    BuildRow{"Matmul_Sigmoid_Sum", sigmoid_sum},
    BuildRow{"Matmul_Swish_Scaling", swish_scaling},
    BuildRow{"Matmul_GroupNorm_LeakyReLU_Sum", group_norm_leaky_sum},
    BuildRow{"Gemm_ReLU_Divide", relu_divide},
    BuildRow{"Gemm_LogSumExp_LeakyReLU_LeakyReLU_GELU_GELU", logsumexp_leaky_gelu},
    BuildRow{"Matmul_Mean_Softmax", mean_softmax},
    BuildRow{"Matmul_Min_Subtract", min_subtract},
    BuildRow{"Gemm_Sigmoid_Scaling_ResidualAdd", sigmoid_scaling_residual},
    BuildRow{"Gemm_GroupNorm_Min_BiasAdd", group_norm_min_bias},
    BuildRow{"Gemm_Add_ReLU", add_relu},
    BuildRow{"Gemm_Max_Subtract_GELU", max_subtract_gelu},
    BuildRow{"Gemm_Swish_Divide_Clamp_Tanh_Clamp", swish_divide_clamp_tanh_clamp},
    BuildRow{"Gemm_BatchNorm_Scaling_Softmax", batch_norm_scaling_softmax},
    BuildRow{"Matmul_Divide_GELU", divide_gelu},
    BuildRow{"Gemm_GroupNorm_Swish_Multiply_Swish", group_norm_swish_multiply_swish},
    BuildRow{"Gemm_BiasAdd_Hardtanh_Mish_GroupNorm", bias_hardtanh_mish_group_norm},
    BuildRow{"Matmul_Add_Swish_Tanh_GELU_Hardtanh", add_swish_tanh_gelu_hardtanh},
    BuildRow{"Matmul_BatchNorm_BiasAdd_Divide_Swish", batch_norm_bias_divide_swish},
    BuildRow{"Matmul_AvgPool_GELU_Scale_Max", avg_pool_gelu_scale_max},
    BuildRow{"Matmul_GELU_Softmax", gelu_softmax},
    BuildRow{"Matmul_Subtract_Multiply_ReLU", subtract_multiply_relu},
};

}  // namespace

std::span<const BuildRow> gemm_chain_programs() { return kRows; }

}  // namespace steptp::zoo
