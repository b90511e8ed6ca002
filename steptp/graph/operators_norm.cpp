#include <algorithm>
#include <array>

#include "steptp/base/text.h"
#include "steptp/graph/operator.h"

namespace steptp::graph {

namespace {

using Types = std::vector<TensorType>;

/// Weight, bias and statistics have one element per channel, where they are there at all.
TensorType by_channel(const Call& call) {
  const TensorType& input = call.tensor("input");
  if (input.shape.size() < 2 || !is_float(input.dtype)) call.fail(concat("not for ", to_text(input)));
  for (const std::string_view name : {"weight", "bias", "running_mean", "running_var"}) {
    if (!call.op().schema.find(name) || !call.has(name)) continue;
    if (call.shape(name) != Shape{input.shape[1]}) {
      call.fail(concat("'", name, "' has the shape ", to_text(call.shape(name)), " for ", input.shape[1], " channels"));
    }
  }
  return input;
}

Types batch_norm(const Call& call) {
  const bool trains = call.flag("training");
  if (!trains && (!call.has("running_mean") || !call.has("running_var")))
    call.fail("without training, running statistics are needed");
  return {by_channel(call)};
}
/// Result, saved mean, saved inverse deviation, and the new running statistics.
Types batch_norm_functional(const Call& call) {
  const TensorType out = by_channel(call);
  const TensorType statistic = {out.dtype, {out.shape[1]}};
  return {out, statistic, statistic, statistic, statistic};
}
Types batch_norm_saved(const Call& call) {
  const TensorType out = by_channel(call);
  return {out, {out.dtype, {out.shape[1]}}, {out.dtype, {out.shape[1]}}};
}
Types batch_norm_evaluated(const Call& call) { return {by_channel(call), {DType::f32, {1}}, {DType::f32, {1}}}; }

Types instance_norm(const Call& call) {
  if (!call.flag("use_input_stats"))
    call.fail("running statistics of instance norm are not supported; use_input_stats is wanted");
  const TensorType out = by_channel(call);
  if (out.shape.size() < 3) call.fail(concat("not for ", to_text(out)));
  return {out};
}

Types group_norm(const Call& call) {
  const TensorType out = by_channel(call);
  const std::int64_t groups = call.integer("num_groups");
  if (groups < 1 || out.shape[1] % groups != 0)
    call.fail(concat(groups, " groups do not divide ", out.shape[1], " channels"));
  return {out};
}

Types layer_norm(const Call& call) {
  const TensorType& input = call.tensor("input");
  const std::vector<std::int64_t>& normalized = call.integers("normalized_shape");
  const std::ptrdiff_t rank = static_cast<std::ptrdiff_t>(normalized.size());
  if (!is_float(input.dtype) || normalized.empty() || normalized.size() > input.shape.size() ||
      !std::equal(normalized.begin(), normalized.end(), input.shape.end() - rank)) {
    call.fail(concat("'normalized_shape' ", to_text(normalized), " does not end ", to_text(input)));
  }
  for (const std::string_view name : {"weight", "bias"}) {
    if (call.op().schema.find(name) && call.has(name) && call.shape(name) != normalized)
      call.fail(concat("'", name, "' does not fit"));
  }
  return {input};
}
Types layer_norm_saved(const Call& call) {
  const TensorType out = layer_norm(call).front();
  Shape outer(out.shape.size(), 1);
  std::copy(out.shape.begin(), out.shape.end() - static_cast<std::ptrdiff_t>(call.integers("normalized_shape").size()),
            outer.begin());
  return {out, {out.dtype, outer}, {out.dtype, outer}};
}

constexpr std::array kRows = {
    OperatorRow{"batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, "
                "bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor",
                batch_norm, "torch.batch_norm"},
    OperatorRow{
        "_native_batch_norm_legit_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor "
        "running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor, Tensor)",
        batch_norm_functional},
    OperatorRow{"_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float "
                "momentum, float eps) -> (Tensor, Tensor, Tensor)",
                batch_norm_saved},
    OperatorRow{"_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, "
                "Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
                batch_norm_evaluated},
    OperatorRow{"instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, "
                "bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor",
                instance_norm, "torch.instance_norm"},
    OperatorRow{"group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, "
                "bool cudnn_enabled=True) -> Tensor",
                group_norm, "torch.group_norm"},
    OperatorRow{"layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float "
                "eps=1e-05, bool cudnn_enable=True) -> Tensor",
                layer_norm, "torch.layer_norm"},
    OperatorRow{"native_layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> "
                "(Tensor, Tensor, Tensor)",
                layer_norm_saved},
    OperatorRow{"rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor",
                layer_norm, "F.rms_norm"},
};

}  // namespace

std::span<const OperatorRow> norm_operators() { return kRows; }

}  // namespace steptp::graph
