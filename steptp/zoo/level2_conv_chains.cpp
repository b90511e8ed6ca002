#include <array>

#include "steptp/zoo/maker.h"

namespace steptp::zoo {

namespace {

Ints pooled(std::int64_t size) { return {size}; }

Value conv2d(Maker& m) {
  const Value x = m.input("x", {m.n("batch_size"), m.n("in_channels"), m.n("height"), m.n("width")});
  return m.conv(x, m.n("out_channels"), Ints(2, m.n("kernel_size")));
}
Value volume(Maker& m) {
  return m.input("x", {m.n("batch_size"), m.n("in_channels"), m.n("depth"), m.n("height"), m.n("width")});
}
Value conv3d(Maker& m) { return m.conv(volume(m), m.n("out_channels"), Ints(3, m.n("kernel_size"))); }
Value short_volume(Maker& m) {
  return m.input("x", {m.n("batch_size"), m.n("in_channels"), m.n("D"), m.n("H"), m.n("W")});
}
/// One number per channel, as a parameter of the module.
Value per_channel(Maker& m, std::string name, std::size_t dimensions) {
  Shape shape(dimensions + 1, 1);
  shape[0] = m.n("out_channels");
  return m.parameter(std::move(name), shape);
}
Value gelu(Maker& m, const Value& x) { return m.op("gelu", {x}); }
Value mish(Maker& m, const Value& x) { return m.op("mish", {x}); }
Value tanh(Maker& m, const Value& x) { return m.op("tanh", {x}); }
Value relu(Maker& m, const Value& x) { return m.op("relu", {x}); }
Value leaky(Maker& m, const Value& x, double slope = 0.01) { return m.op("leaky_relu", {x, slope}); }
Value scalar(Maker& m, std::string_view name) { return m.scalar(std::string(name), m.r(name)); }

Outputs instance_norm_divide(Maker& m) { return {m.div(m.instance_norm(conv2d(m)), scalar(m, "divide_by"))}; }
Outputs relu_bias(Maker& m) {
  const Value bias = per_channel(m, "bias", 2);
  return {m.add(relu(m, conv2d(m)), bias)};
}
Outputs add_scale_sigmoid_group_norm(Maker& m) {
  const Value bias = per_channel(m, "bias", 2);
  const Value scale = per_channel(m, "scale", 2);
  return {m.group_norm(m.op("sigmoid", {m.mul(m.add(conv2d(m), bias), scale)}), m.n("num_groups"))};
}
Outputs group_norm_mean(Maker& m) {
  const Value x = m.conv(short_volume(m), m.n("out_channels"), Ints(3, m.n("kernel_size")));
  return {m.mean(m.group_norm(x, m.n("num_groups")), {1, 2, 3, 4})};
}
Outputs min_softmax(Maker& m) {
  const Value x = m.conv(short_volume(m), m.n("out_channels"), Ints(3, m.n("kernel_size")));
  return {m.softmax(m.min(x, m.n("dim")), 1)};
}
Outputs min_tanh_tanh(Maker& m) { return {tanh(m, tanh(m, m.min(conv2d(m), 1, true)))}; }
Outputs hardswish_relu_softmax_mean(Maker& m) {
  return {m.mean(m.softmax(relu(m, m.op("hardswish", {conv3d(m)})), 1), {2, 3, 4})};
}
Outputs min_add_multiply(Maker& m) {
  const Value bias = per_channel(m, "bias", 2);
  const Value least = m.op("min.other", {conv2d(m), scalar(m, "constant_value")});
  return {m.mul(m.add(least, bias), scalar(m, "scaling_factor"))};
}
Outputs scaling_min(Maker& m) { return {m.min(m.mul(conv2d(m), scalar(m, "scale_factor")), 1, true)}; }
Outputs subtract_hardswish_pool_mish(Maker& m) {
  const Value x = m.op("hardswish", {m.sub(conv2d(m), scalar(m, "subtract_value"))});
  return {mish(m, m.op("max_pool2d", {x, pooled(m.n("pool_kernel_size"))}))};
}
Outputs max_logsumexp_relu(Maker& m) {
  const Value x =
      m.conv(volume(m), m.n("out_channels"), Ints(3, m.n("kernel_size")), {m.n("stride")}, {m.n("padding")});
  const Value pool = m.op("max_pool3d", {x, pooled(2), pooled(2)});
  return {relu(m, m.logsumexp(pool, 1))};
}
Outputs subtract_tanh_subtract_pool(Maker& m) {
  const Value x = tanh(m, m.sub(conv2d(m), scalar(m, "subtract1_value")));
  return {m.op("avg_pool2d", {m.sub(x, scalar(m, "subtract2_value")), pooled(m.n("kernel_size_pool"))})};
}
Outputs mish_tanh(Maker& m) {
  const Value x =
      m.conv(short_volume(m), m.n("out_channels"), Ints(3, m.n("kernel_size")), {m.n("stride")}, {m.n("padding")});
  return {tanh(m, mish(m, x))};
}
Outputs scaling_tanh_multiply_sigmoid(Maker& m) {
  const Value scale = per_channel(m, "scaling_factor", 3);
  const Value bias = per_channel(m, "bias", 3);
  return {m.op("sigmoid", {m.mul(tanh(m, m.mul(conv3d(m), scale)), bias)})};
}
Outputs mish_mish(Maker& m) { return {mish(m, mish(m, conv2d(m)))}; }
Outputs activation_batch_norm(Maker& m) {
  const Value x = conv2d(m);
  return {m.batch_norm(m.mul(tanh(m, m.op("softplus", {x})), x))};
}
Outputs multiply_leaky_gelu(Maker& m) {
  const Value factor = per_channel(m, "multiplier", 2);
  return {gelu(m, leaky(m, m.mul(conv2d(m), factor)))};
}
Outputs relu_hardswish(Maker& m) {
  const Value x = relu(m, conv2d(m));
  const Value gate = m.clamp(m.div(m.add(x, std::int64_t{3}), std::int64_t{6}), 0, 1);
  return {m.mul(x, gate)};
}
Outputs avg_pool_sigmoid_sum(Maker& m) {
  const Value pool = m.op("avg_pool2d", {conv2d(m), pooled(m.n("pool_kernel_size"))});
  return {m.sum(m.op("sigmoid", {pool}), {1, 2, 3})};
}
Outputs gelu_global_pool(Maker& m) {
  const Value pool = m.op("adaptive_avg_pool2d", {gelu(m, conv2d(m)), Ints{1, 1}});
  return {m.squeeze(m.squeeze(pool, -1), -1)};
}
Outputs hardswish_relu(Maker& m) { return {relu(m, m.op("hardswish", {conv2d(m)}))}; }
Outputs softmax_pool_pool(Maker& m) {
  const Ints size = pooled(m.n("pool_kernel_size"));
  const Value first = m.op("max_pool3d", {m.softmax(conv3d(m), 1), size});
  return {m.op("max_pool3d", {first, size})};
}
Outputs divide_leaky(Maker& m) { return {leaky(m, m.div(conv2d(m), scalar(m, "divisor")))}; }
Outputs batch_norm_scaling(Maker& m) { return {m.mul(m.batch_norm(conv2d(m)), scalar(m, "scaling_factor"))}; }
Outputs multiply_instance_clamp_multiply_max(Maker& m) {
  const Value factor = per_channel(m, "multiplier", 3);
  const Value x = volume(m);
  const Value low = m.scalar_input("clamp_min", m.r("clamp_min"));
  const Value high = m.scalar_input("clamp_max", m.r("clamp_max"));
  m.require(m.r("clamp_min") < m.r("clamp_max"), "clamp_min is not less than clamp_max");
  const Value scaled = m.mul(m.conv(x, m.n("out_channels"), Ints(3, m.n("kernel_size"))), factor);
  const Value clamped = m.op("clamp.Tensor", {m.instance_norm(scaled), low, high});
  return {m.max(m.mul(clamped, factor), 1)};
}
Outputs activations_bias(Maker& m) {
  const Value bias = per_channel(m, "bias", 3);
  const Value x = gelu(m, leaky(m, relu(m, conv3d(m))));
  return {m.add(m.op("sigmoid", {x}), bias)};
}
Outputs tanh_scaling_bias_max(Maker& m) {
  const Value bias = per_channel(m, "bias", 2);
  const Value x = m.add(m.mul(tanh(m, conv2d(m)), scalar(m, "scaling_factor")), bias);
  return {m.op("max_pool2d", {x, pooled(m.n("pool_kernel_size"))})};
}
Outputs group_norm_min_clamp(Maker& m) {
  m.require(m.r("min_value") < m.r("max_value"), "min_value is not less than max_value");
  const Value normal = m.group_norm(conv3d(m), m.n("groups"));
  return {m.clamp(m.op("min.other", {normal, scalar(m, "min_value")}), m.r("min_value"), m.r("max_value"))};
}
Outputs group_norm_scale_pool_clamp(Maker& m) {
  m.require(m.r("clamp_min") < m.r("clamp_max"), "clamp_min is not less than clamp_max");
  const Value scale = m.parameter("scale", {m.n("scale_shape1"), 1, 1});
  m.require(m.n("scale_shape1") == 1 || m.n("scale_shape1") == m.n("out_channels"),
            "scale_shape1 does not fit the channels");
  const Value x = m.mul(m.group_norm(conv2d(m), m.n("num_groups")), scale);
  const Value pool = m.op("max_pool2d", {x, pooled(m.n("maxpool_kernel_size"))});
  return {m.clamp(pool, m.r("clamp_min"), m.r("clamp_max"))};
}
Outputs subtract_subtract_mish(Maker& m) {
  const Value x = m.sub(conv2d(m), scalar(m, "subtract_value_1"));
  return {mish(m, m.sub(x, scalar(m, "subtract_value_2")))};
}
Outputs divide_max_pool_bias_sum(Maker& m) {
  const Value bias = per_channel(m, "bias", 3);
  const Value x = m.op("max_pool3d", {m.div(conv3d(m), scalar(m, "divisor")), pooled(m.n("pool_size"))});
  return {m.sum(m.add(m.op("adaptive_avg_pool3d", {x, Ints{1, 1, 1}}), bias), {1})};
}
Outputs leaky_sum_clamp_gelu(Maker& m) {
  const Value sum = per_channel(m, "sum_tensor", 3);
  return {gelu(m, m.clamp(m.add(leaky(m, conv3d(m), 0.2), sum), -1, 1))};
}
Outputs group_norm_tanh_hardswish_residual_logsumexp(Maker& m) {
  const Value x = conv2d(m);
  const Value bent = m.op("hardswish", {tanh(m, m.group_norm(x, m.n("groups"), m.r("eps")))});
  return {m.logsumexp(m.add(x, bent), 1)};
}

constexpr std::array kRows = {
    BuildRow{"Conv2d_InstanceNorm_Divide", instance_norm_divide},
    BuildRow{"Conv2D_ReLU_BiasAdd", relu_bias},
    BuildRow{"Conv2d_Add_Scale_Sigmoid_GroupNorm", add_scale_sigmoid_group_norm},
    BuildRow{"Conv3d_GroupNorm_Mean", group_norm_mean},
    BuildRow{"Conv3d_Min_Softmax", min_softmax},
    BuildRow{"Conv2d_Min_Tanh_Tanh", min_tanh_tanh},
    BuildRow{"Conv3d_HardSwish_ReLU_Softmax_Mean", hardswish_relu_softmax_mean},
    BuildRow{"Conv2d_Min_Add_Multiply", min_add_multiply},
    BuildRow{"Conv2d_Scaling_Min", scaling_min},
    BuildRow{"Conv2d_Subtract_HardSwish_MaxPool_Mish", subtract_hardswish_pool_mish},
    BuildRow{"Conv3d_Max_LogSumExp_ReLU", max_logsumexp_relu},
    BuildRow{"Conv2d_Subtract_Tanh_Subtract_AvgPool", subtract_tanh_subtract_pool},
    BuildRow{"Conv3d_Mish_Tanh", mish_tanh},
    BuildRow{"Conv3d_Scaling_Tanh_Multiply_Sigmoid", scaling_tanh_multiply_sigmoid},
    BuildRow{"Conv2d_Mish_Mish", mish_mish},
    BuildRow{"Conv2d_Activation_BatchNorm", activation_batch_norm},
    BuildRow{"Conv2d_Multiply_LeakyReLU_GELU", multiply_leaky_gelu},
    BuildRow{"Conv2d_ReLU_HardSwish", relu_hardswish},
    BuildRow{"Conv2d_AvgPool_Sigmoid_Sum", avg_pool_sigmoid_sum},
    BuildRow{"Conv2d_GELU_GlobalAvgPool", gelu_global_pool},
    BuildRow{"Conv2d_HardSwish_ReLU", hardswish_relu},
    BuildRow{"Conv3d_Softmax_MaxPool_MaxPool", softmax_pool_pool},
    BuildRow{"Conv2d_Divide_LeakyReLU", divide_leaky},
    BuildRow{"Conv2d_BatchNorm_Scaling", batch_norm_scaling},
    BuildRow{"Conv3d_Multiply_InstanceNorm_Clamp_Multiply_Max", multiply_instance_clamp_multiply_max},
    BuildRow{"Conv3d_ReLU_LeakyReLU_GELU_Sigmoid_BiasAdd", activations_bias},
    BuildRow{"Conv2d_Tanh_Scaling_BiasAdd_Max", tanh_scaling_bias_max},
    BuildRow{"Conv3d_GroupNorm_Min_Clamp", group_norm_min_clamp},
    BuildRow{"Conv2d_GroupNorm_Scale_MaxPool_Clamp", group_norm_scale_pool_clamp},
    BuildRow{"Conv2d_Subtract_Subtract_Mish", subtract_subtract_mish},
    BuildRow{"Conv3d_Divide_Max_GlobalAvgPool_BiasAdd_Sum", divide_max_pool_bias_sum},
    BuildRow{"Conv3d_LeakyReLU_Sum_Clamp_GELU", leaky_sum_clamp_gelu},
    BuildRow{"Conv2d_GroupNorm_Tanh_HardSwish_ResidualAdd_LogSumExp", group_norm_tanh_hardswish_residual_logsumexp},
};

}  // namespace

std::span<const BuildRow> conv_chain_programs() { return kRows; }

}  // namespace steptp::zoo
