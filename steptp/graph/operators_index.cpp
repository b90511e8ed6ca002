#include <array>

#include "steptp/base/text.h"
#include "steptp/graph/indexing.h"
#include "steptp/graph/operator.h"

namespace steptp::graph {

namespace {

using Types = std::vector<TensorType>;

void want_integers(const Call& call, const TensorType& type) {
  if (!is_integer(type.dtype)) call.fail(concat("indices are integers, not ", to_text(type)));
}

Types gather(const Call& call) {
  const TensorType& self = call.tensor("self");
  const TensorType& index = call.tensor("index");
  want_integers(call, index);
  const std::size_t dim = plain_dimension(call, call.integer("dim"), self.shape.size());
  if (index.shape.size() != self.shape.size()) call.fail("'index' has another number of dimensions");
  for (std::size_t at = 0; at < self.shape.size(); ++at) {
    if (at != dim && index.shape[at] > self.shape[at]) call.fail(concat("'index' is longer in dimension ", at));
  }
  return {{self.dtype, index.shape}};
}

Types index_select(const Call& call) {
  TensorType out = call.tensor("self");
  const TensorType& index = call.tensor("index");
  want_integers(call, index);
  if (index.shape.size() > 1) call.fail("'index' is a vector");
  out.shape.at(plain_dimension(call, call.integer("dim"), out.shape.size())) = count(index.shape);
  return {out};
}

Types embedding(const Call& call) {
  const TensorType& weight = call.tensor("weight");
  want_integers(call, call.tensor("indices"));
  if (weight.shape.size() != 2) call.fail("'weight' is a matrix");
  Shape shape = call.shape("indices");
  shape.push_back(weight.shape[1]);
  return {{weight.dtype, shape}};
}

Types index(const Call& call) {
  const TensorType& self = call.tensor("self");
  return {{self.dtype, indexed_by(call, self.shape).result(self.shape)}};
}

constexpr std::array kRows = {
    OperatorRow{"gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor", gather,
                "torch.gather({self}, {dim}, {index})"},
    OperatorRow{"index_select(Tensor self, int dim, Tensor index) -> Tensor", index_select, "torch.index_select"},
    OperatorRow{"embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, bool "
                "sparse=False) -> Tensor",
                embedding, "F.embedding({indices}, {weight})"},
    OperatorRow{"index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", index},
};

}  // namespace

std::span<const OperatorRow> index_operators() { return kRows; }

}  // namespace steptp::graph
