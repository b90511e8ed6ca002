#include <array>

#include "steptp/base/text.h"
#include "steptp/graph/operator.h"

namespace steptp::graph {

namespace {

using Types = std::vector<TensorType>;

/// 0 leaves the elements, 1 is their mean, 2 their sum.
Types reduced(const Call& call, DType dtype, Shape elements) {
  const std::int64_t reduction = call.integer("reduction");
  if (reduction < 0 || reduction > 2) call.fail(concat("'reduction' is 0, 1 or 2, not ", reduction));
  if (reduction != 0) elements.clear();
  return {{dtype, std::move(elements)}};
}

Types pairwise(const Call& call) {
  const DType dtype = result_dtype(call, {"self", "target"});
  if (!is_float(dtype)) call.fail("floats are wanted");
  Shape shape = broadcast(call, call.shape("self"), call.shape("target"));
  if (call.op().schema.find("weight") && call.has("weight")) shape = broadcast(call, shape, call.shape("weight"));
  return reduced(call, dtype, shape);
}

Types by_class(const Call& call) {
  const TensorType& self = call.tensor("self");
  const TensorType& target = call.tensor("target");
  if (self.shape.empty()) call.fail("'self' has no classes");
  const std::size_t classes = self.shape.size() == 1 ? 0 : 1;
  Shape elements = self.shape;
  elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(classes));
  if (is_integer(target.dtype)) {
    if (target.shape != elements)
      call.fail(concat("'target' has the shape ", to_text(target.shape), ", not ", to_text(elements)));
  } else if (target.shape != self.shape || !call.op().schema.find("label_smoothing")) {
    call.fail(concat("'target' is ", to_text(target)));
  }
  if (call.has("weight") && call.shape("weight") != Shape{self.shape[classes]}) call.fail("'weight' does not fit");
  return reduced(call, self.dtype, elements);
}

Types triplet(const Call& call) {
  const Shape shape =
      broadcast(call, broadcast(call, call.shape("anchor"), call.shape("positive")), call.shape("negative"));
  return reduced(call, call.dtype_of("anchor"), Shape(shape.begin(), shape.end() - 1));
}

Types cosine_similarity(const Call& call) {
  Shape shape = broadcast(call, call.shape("x1"), call.shape("x2"));
  const std::size_t dim = plain_dimension(call, call.integer("dim"), shape.size());
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(dim));
  return {{promote(call.dtype_of("x1"), call.dtype_of("x2")), shape}};
}

Types pairwise_distance(const Call& call) {
  Shape shape = broadcast(call, call.shape("x1"), call.shape("x2"));
  shape.back() = 1;
  if (!call.flag("keepdim")) shape.pop_back();
  return {{promote(call.dtype_of("x1"), call.dtype_of("x2")), shape}};
}

Types margin_ranking(const Call& call) {
  const Shape inputs = broadcast(call, call.shape("input1"), call.shape("input2"));
  return reduced(call, call.dtype_of("input1"), broadcast(call, inputs, call.shape("target")));
}

constexpr std::array kRows = {
    OperatorRow{"mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", pairwise},
    OperatorRow{"l1_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", pairwise},
    OperatorRow{"smooth_l1_loss(Tensor self, Tensor target, int reduction=Mean, float beta=1.0) -> Tensor", pairwise},
    OperatorRow{"huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0) -> Tensor", pairwise},
    OperatorRow{"soft_margin_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", pairwise},
    OperatorRow{"hinge_embedding_loss(Tensor self, Tensor target, float margin=1.0, int reduction=Mean) -> Tensor",
                pairwise},
    OperatorRow{"kl_div(Tensor self, Tensor target, int reduction=Mean, *, bool log_target=False) -> Tensor", pairwise},
    OperatorRow{"binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean) -> Tensor",
                pairwise},
    OperatorRow{"binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? "
                "pos_weight=None, int reduction=Mean) -> Tensor",
                pairwise},
    OperatorRow{"cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, int "
                "ignore_index=-100, float label_smoothing=0.0) -> Tensor",
                by_class},
    OperatorRow{"nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, int ignore_index=-100) "
                "-> Tensor",
                by_class},
    OperatorRow{"nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, int "
                "ignore_index=-100) -> Tensor",
                by_class},
    OperatorRow{"triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, "
                "float eps=1e-06, bool swap=False, int reduction=Mean) -> Tensor",
                triplet},
    OperatorRow{"margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int "
                "reduction=Mean) -> Tensor",
                margin_ranking},
    OperatorRow{"cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor", cosine_similarity,
                "F.cosine_similarity"},
    OperatorRow{"pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False) -> Tensor",
                pairwise_distance, "F.pairwise_distance"},
};

}  // namespace

std::span<const OperatorRow> loss_operators() { return kRows; }

}  // namespace steptp::graph
