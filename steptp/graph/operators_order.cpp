#include <array>

#include "steptp/base/text.h"
#include "steptp/graph/operator.h"

namespace steptp::graph {

namespace {

using Types = std::vector<TensorType>;

Types indices_only(const Call& call) {
  static_cast<void>(plain_dimension(call, call.integer("dim"), call.shape("self").size()));
  return {{DType::i64, call.shape("self")}};
}

Types values_and_indices(const Call& call) {
  Types out = {call.tensor("self")};
  out.push_back(indices_only(call).front());
  return out;
}

Types largest(const Call& call) {
  Shape shape = call.shape("self");
  const std::size_t dim = plain_dimension(call, call.integer("dim"), shape.size());
  const std::int64_t k = call.integer("k");
  if (shape.empty()) call.fail("a scalar has no order");
  if (k < 1 || k > shape[dim]) call.fail(concat("'k' is ", k, " of ", shape[dim]));
  shape[dim] = k;
  return {{call.dtype_of("self"), shape}, {DType::i64, shape}};
}

/// One element of each row.
Types chosen(const Call& call) {
  Shape shape = call.shape("self");
  const std::size_t dim = plain_dimension(call, call.integer("dim"), shape.size());
  if (shape.empty()) call.fail("a scalar has no order");
  if (call.op().schema.find("k") && (call.integer("k") < 1 || call.integer("k") > shape[dim])) {
    call.fail(concat("'k' is ", call.integer("k"), " of ", shape[dim]));
  }
  shape[dim] = 1;
  if (!call.flag("keepdim")) shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(dim));
  return {{call.dtype_of("self"), shape}, {DType::i64, shape}};
}

Types scanned(const Call& call) {
  static_cast<void>(plain_dimension(call, call.integer("dim"), call.shape("self").size()));
  return {call.tensor("self")};
}

constexpr std::array kRows = {
    OperatorRow{"sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor, Tensor)", values_and_indices,
                "torch.sort"},
    OperatorRow{"sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor, Tensor)",
                values_and_indices},
    OperatorRow{"argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor", indices_only, "torch.argsort"},
    OperatorRow{"argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor",
                indices_only},
    OperatorRow{"topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor, Tensor)",
                largest, "torch.topk"},
    OperatorRow{"kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> (Tensor, Tensor)", chosen,
                "torch.kthvalue"},
    OperatorRow{"median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor, Tensor)", chosen, "torch.median"},
    OperatorRow{"cummax(Tensor self, int dim) -> (Tensor, Tensor)", values_and_indices, "torch.cummax"},
    OperatorRow{"cummin(Tensor self, int dim) -> (Tensor, Tensor)", values_and_indices, "torch.cummin"},
    OperatorRow{"logcumsumexp(Tensor self, int dim) -> Tensor", scanned, "torch.logcumsumexp"},
};

}  // namespace

std::span<const OperatorRow> order_operators() { return kRows; }

}  // namespace steptp::graph
