#include <array>

#include "steptp/base/text.h"
#include "steptp/graph/operator.h"

namespace steptp::graph {

namespace {

using Types = std::vector<TensorType>;

Shape without(const Shape& shape, const std::vector<bool>& reduced, bool keepdim) {
  Shape out;
  for (std::size_t at = 0; at < shape.size(); ++at) {
    if (!reduced[at]) out.push_back(shape[at]);
    if (reduced[at] && keepdim) out.push_back(1);
  }
  return out;
}

/// The shape left by "dim" and "keepdim", where the operator has them.
Shape reduced_shape(const Call& call) {
  const Shape& shape = call.shape("self");
  const bool has_dim = call.op().schema.find("dim").has_value();
  const std::vector<bool> marks =
      has_dim ? marked_dimensions(call, "dim", shape.size()) : std::vector<bool>(shape.size(), true);
  const bool keepdim = call.op().schema.find("keepdim") && call.flag("keepdim");
  return without(shape, marks, keepdim);
}

DType widened(const Call& call) {
  const DType self = call.dtype_of("self");
  return call.dtype("dtype", is_float(self) ? self : DType::i64);
}

Types sum(const Call& call) { return {{widened(call), reduced_shape(call)}}; }

Types mean(const Call& call) {
  const DType dtype = call.dtype("dtype", call.dtype_of("self"));
  if (!is_float(dtype)) call.fail("the mean of integers needs a 'dtype' that is a float");
  return {{dtype, reduced_shape(call)}};
}

Types extremum(const Call& call) { return {{call.dtype_of("self"), reduced_shape(call)}}; }
Types extremum_and_index(const Call& call) {
  const Shape shape = reduced_shape(call);
  return {{call.dtype_of("self"), shape}, {DType::i64, shape}};
}
Types index_of(const Call& call) { return {{DType::i64, reduced_shape(call)}}; }
Types truth(const Call& call) { return {{DType::boolean, reduced_shape(call)}}; }
Types as_float(const Call& call) { return {{float_dtype(call.dtype_of("self")), reduced_shape(call)}}; }

Types floats(const Call& call) {
  const bool chosen = call.op().schema.find("dtype").has_value();
  const DType dtype = chosen ? call.dtype("dtype", call.dtype_of("self")) : call.dtype_of("self");
  if (!is_float(dtype)) call.fail(concat("not for ", to_text(call.tensor("self"))));
  return {{dtype, reduced_shape(call)}};
}
Types floats_twice(const Call& call) {
  const Types one = floats(call);
  return {one.front(), one.front()};
}

Types scan(const Call& call) {
  static_cast<void>(plain_dimension(call, call.integer("dim"), call.shape("self").size()));
  return {{widened(call), call.shape("self")}};
}

constexpr std::array kRows = {
    OperatorRow{"sum(Tensor self, *, ScalarType? dtype=None) -> Tensor", sum, "torch.sum({self}, dtype={dtype})"},
    OperatorRow{"sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
                sum, "torch.sum({self}, dim={dim}, keepdim={keepdim}, dtype={dtype})"},
    OperatorRow{"mean(Tensor self, *, ScalarType? dtype=None) -> Tensor", mean, "torch.mean({self}, dtype={dtype})"},
    OperatorRow{"mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", mean,
                "torch.mean({self}, dim={dim}, keepdim={keepdim}, dtype={dtype})"},
    OperatorRow{"prod(Tensor self, *, ScalarType? dtype=None) -> Tensor", sum, "torch.prod({self}, dtype={dtype})"},
    OperatorRow{"prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", sum,
                "torch.prod({self}, dim={dim}, keepdim={keepdim}, dtype={dtype})"},
    OperatorRow{"max(Tensor self) -> Tensor", extremum, "torch.max"},
    OperatorRow{"min(Tensor self) -> Tensor", extremum, "torch.min"},
    OperatorRow{"max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor, Tensor)", extremum_and_index,
                "torch.max"},
    OperatorRow{"min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor, Tensor)", extremum_and_index,
                "torch.min"},
    OperatorRow{"amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", extremum, "torch.amax"},
    OperatorRow{"amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", extremum, "torch.amin"},
    OperatorRow{"argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", index_of, "torch.argmax"},
    OperatorRow{"argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", index_of, "torch.argmin"},
    OperatorRow{"any(Tensor self) -> Tensor", truth, "torch.any"},
    OperatorRow{"any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", truth, "torch.any"},
    OperatorRow{"all(Tensor self) -> Tensor", truth, "torch.all"},
    OperatorRow{"all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", truth, "torch.all"},
    OperatorRow{"logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", as_float, "torch.logsumexp"},
    OperatorRow{"var(Tensor self, bool unbiased=True) -> Tensor", floats, "torch.var"},
    OperatorRow{"var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor", floats,
                "torch.var"},
    OperatorRow{
        "var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor",
        floats, "torch.var({self}, dim={dim}, correction={correction}, keepdim={keepdim})"},
    OperatorRow{"std(Tensor self, bool unbiased=True) -> Tensor", floats, "torch.std"},
    OperatorRow{"std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor", floats,
                "torch.std"},
    OperatorRow{
        "std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor",
        floats, "torch.std({self}, dim={dim}, correction={correction}, keepdim={keepdim})"},
    OperatorRow{"var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> "
                "(Tensor, Tensor)",
                floats_twice, "torch.var_mean({self}, dim={dim}, correction={correction}, keepdim={keepdim})"},
    OperatorRow{"norm.Scalar(Tensor self, Scalar p=2) -> Tensor", floats, "torch.norm"},
    OperatorRow{"norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor", floats,
                "torch.norm"},
    OperatorRow{"linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
                "dtype=None) -> Tensor",
                floats, "torch.linalg.vector_norm({self}, {ord}, {dim}, {keepdim}, dtype={dtype})"},
    OperatorRow{"cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", scan,
                "torch.cumsum({self}, dim={dim}, dtype={dtype})"},
    OperatorRow{"cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", scan,
                "torch.cumprod({self}, dim={dim}, dtype={dtype})"},
};

}  // namespace

std::span<const OperatorRow> reduction_operators() { return kRows; }

}  // namespace steptp::graph
