#include <array>

#include "steptp/base/text.h"
#include "steptp/graph/operator.h"

namespace steptp::graph {

namespace {

using Types = std::vector<TensorType>;

Types same(const Call& call) { return {call.tensor("self")}; }

Types floats_only(const Call& call) {
  if (!is_float(call.dtype_of("self"))) call.fail(concat("not for ", to_text(call.tensor("self"))));
  return {call.tensor("self")};
}

/// The bounds are numbers of the tensor's own kind, so that the dtype stays.
Types hardtanh(const Call& call) { return {call.tensor("self")}; }

Types sigmoid(const Call& call) { return {{float_dtype(call.dtype_of("self")), call.shape("self")}}; }

Types softmax(const Call& call) {
  const TensorType& self = call.tensor("self");
  static_cast<void>(plain_dimension(call, call.integer("dim"), self.shape.size()));
  const bool chosen = call.op().schema.find("dtype") && call.has("dtype");
  const DType dtype = chosen ? call.dtype("dtype", self.dtype) : self.dtype;
  if (!is_float(dtype)) call.fail(concat("not for ", to_text(self)));
  return {{dtype, self.shape}};
}

Types prelu(const Call& call) {
  const TensorType& self = call.tensor("self");
  const std::int64_t slopes = count(call.shape("weight"));
  const std::int64_t channels = self.shape.size() > 1 ? self.shape[1] : 1;
  if (slopes != 1 && slopes != channels) {
    call.fail(concat("'weight' has ", slopes, " elements for ", channels, " channels"));
  }
  return {self};
}

Types glu(const Call& call) {
  TensorType out = call.tensor("self");
  const std::size_t dim = plain_dimension(call, call.integer("dim"), out.shape.size());
  if (out.shape.empty() || out.shape[dim] % 2 != 0)
    call.fail(concat("dimension ", dim, " of ", to_text(out), " cannot be halved"));
  out.shape[dim] /= 2;
  return {out};
}

constexpr std::array kRows = {
    OperatorRow{"relu(Tensor self) -> Tensor", same, "torch.relu"},
    OperatorRow{"relu6(Tensor self) -> Tensor", same, "F.relu6"},
    OperatorRow{"leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor", floats_only, "F.leaky_relu"},
    OperatorRow{"elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor", floats_only},
    OperatorRow{"selu(Tensor self) -> Tensor", floats_only, "torch.selu"},
    OperatorRow{"celu(Tensor self, Scalar alpha=1.0) -> Tensor", floats_only, "F.celu"},
    OperatorRow{"gelu(Tensor self, *, str approximate='none') -> Tensor", floats_only,
                "F.gelu({self}, approximate={approximate})"},
    OperatorRow{"silu(Tensor self) -> Tensor", floats_only, "F.silu"},
    OperatorRow{"mish(Tensor self) -> Tensor", floats_only, "F.mish"},
    OperatorRow{"sigmoid(Tensor self) -> Tensor", sigmoid, "torch.sigmoid"},
    OperatorRow{"tanh(Tensor self) -> Tensor", sigmoid, "torch.tanh"},
    OperatorRow{"hardsigmoid(Tensor self) -> Tensor", floats_only, "F.hardsigmoid"},
    OperatorRow{"hardswish(Tensor self) -> Tensor", floats_only, "F.hardswish"},
    OperatorRow{"hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor", hardtanh, "F.hardtanh"},
    OperatorRow{"softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor", floats_only, "F.softplus"},
    OperatorRow{"log_sigmoid(Tensor self) -> Tensor", floats_only, "F.logsigmoid"},
    OperatorRow{"hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor", floats_only, "F.hardshrink"},
    OperatorRow{"softshrink(Tensor self, Scalar lambd=0.5) -> Tensor", floats_only, "F.softshrink"},
    OperatorRow{"threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor", same, "F.threshold"},
    OperatorRow{"prelu(Tensor self, Tensor weight) -> Tensor", prelu, "F.prelu"},
    OperatorRow{"_prelu_kernel(Tensor self, Tensor weight) -> Tensor", same},
    OperatorRow{"glu(Tensor self, int dim=-1) -> Tensor", glu, "F.glu"},
    OperatorRow{"softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", softmax, "torch.softmax"},
    OperatorRow{"_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", softmax},
    OperatorRow{"log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", softmax,
                "torch.log_softmax"},
    OperatorRow{"_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", softmax},
};

}  // namespace

std::span<const OperatorRow> activation_operators() { return kRows; }

}  // namespace steptp::graph
