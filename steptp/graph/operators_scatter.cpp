#include <array>

#include "steptp/base/text.h"
#include "steptp/graph/indexing.h"
#include "steptp/graph/operator.h"

namespace steptp::graph {

namespace {

using Types = std::vector<TensorType>;

void want_dtype(const Call& call, const TensorType& self, const TensorType& written) {
  if (written.dtype != self.dtype) call.fail(concat("what is written is ", to_text(written), ", not ", to_text(self)));
}

/// x[i] = values, with the values broadcast to what x[i] would be.
Types index_put(const Call& call) {
  const TensorType& self = call.tensor("self");
  const TensorType& values = call.tensor("values");
  want_dtype(call, self, values);
  const Shape part = indexed_by(call, self.shape).result(self.shape);
  if (broadcast(call, part, values.shape) != part) call.fail("'values' do not fit");
  return {self};
}

/// index and src have the dimensions of self; index is nowhere longer than src, and in `dim` only than self.
Types scatter(const Call& call) {
  const TensorType& self = call.tensor("self");
  const TensorType& index = call.tensor("index");
  if (!is_integer(index.dtype)) call.fail(concat("indices are integers, not ", to_text(index)));
  const std::size_t dim = plain_dimension(call, call.integer("dim"), self.shape.size());
  if (index.shape.size() != self.shape.size()) call.fail("'index' has another number of dimensions");
  for (std::size_t at = 0; at < self.shape.size(); ++at) {
    if (at != dim && index.shape[at] > self.shape[at]) call.fail(concat("'index' is longer in dimension ", at));
  }
  if (!call.op().schema.find("src")) return {self};
  const TensorType& source = call.tensor("src");
  want_dtype(call, self, source);
  if (source.shape.size() != self.shape.size()) call.fail("'src' has another number of dimensions");
  for (std::size_t at = 0; at < self.shape.size(); ++at) {
    if (index.shape[at] > source.shape[at]) call.fail(concat("'index' is longer than 'src' in dimension ", at));
  }
  return {self};
}

Types slice_scatter(const Call& call) {
  const TensorType& self = call.tensor("self");
  want_dtype(call, self, call.tensor("src"));
  const SlicePart part = slice_part(call, self.shape);
  Shape wanted = self.shape;
  wanted[part.dim] = part.length;
  if (call.shape("src") != wanted) call.fail("the part does not lie in the whole");
  return {self};
}

Types diagonal_scatter(const Call& call) {
  const TensorType& self = call.tensor("self");
  want_dtype(call, self, call.tensor("src"));
  if (call.shape("src") != diagonal_part(call, self.shape).result(self.shape)) call.fail("the diagonal does not fit");
  return {self};
}

constexpr std::array kRows = {
    OperatorRow{"index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor", index_put},
    OperatorRow{"scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", scatter, "torch.scatter"},
    OperatorRow{"scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", scatter, "torch.scatter"},
    OperatorRow{"scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", scatter, "torch.scatter_add"},
    OperatorRow{"scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool "
                "include_self=True) -> Tensor",
                scatter},
    OperatorRow{
        "slice_scatter(Tensor self, Tensor src, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor",
        slice_scatter},
    OperatorRow{"diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor",
                diagonal_scatter},
};

}  // namespace

std::span<const OperatorRow> scatter_operators() { return kRows; }

}  // namespace steptp::graph
