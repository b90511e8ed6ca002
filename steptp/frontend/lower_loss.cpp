#include <array>
#include <cmath>

#include "steptp/base/text.h"
#include "steptp/frontend/lowering_table.h"
#include "steptp/frontend/reductions.h"

namespace steptp::frontend {

namespace {

/// The elements of a loss, and then nothing, their mean or their sum.
void reduce_loss(const Step& step, const Shape& shape, const Body& element) {
  const Tensor out = step.out();
  const std::int64_t reduction = step.integer("reduction");
  if (reduction == 0) return step.map(out, element);
  const Tensor elements = step.temporary(out.dtype, shape);
  step.map(elements, element);
  const Division all{std::vector<bool>(shape.size(), true), shape};
  const auto read = [&](const Subscripts& at) { return elements.exactly(at); };
  if (reduction == 1)
    mean_dimensions(step, out, all, read);
  else
    fold_dimensions(step, Fold::sum, out, all, read);
}

using Pair = Value (*)(const Step& step, const Value& x, const Value& target);

template <Pair Element>
void pairwise(const Step& step) {
  Shape shape = broadcast(step, step.shape("self"), step.shape("target"));
  const bool weighted = step.op().schema.find("weight") && step.has("weight");
  if (weighted) shape = broadcast(step, shape, step.shape("weight"));
  reduce_loss(step, shape, [&](const Subscripts& at) {
    const Value element = Element(step, step.operand("self", at), step.operand("target", at));
    return weighted ? step.operand("weight", at) * element : element;
  });
}

Value squared(const Step&, const Value& x, const Value& t) { return power(x - t, 2); }
Value absolute(const Step&, const Value& x, const Value& t) { return abs(x - t); }
Value smooth(const Step& step, const Value& x, const Value& t) {
  const double beta = step.real("beta");
  if (beta == 0) return abs(x - t);
  return select(abs(x - t) < beta, Value(0.5) * power(x - t, 2) / beta, abs(x - t) - 0.5 * beta);
}
Value huber(const Step& step, const Value& x, const Value& t) {
  const double delta = step.real("delta");
  return select(abs(x - t) <= delta, Value(0.5) * power(x - t, 2), Value(delta) * (abs(x - t) - 0.5 * delta));
}
Value soft_margin(const Step&, const Value& x, const Value& t) { return softplus(-(t * x)); }
Value hinge(const Step& step, const Value& x, const Value& t) {
  return select(t == 1, x, max(Value(step.real("margin")) - x, 0));
}
Value divergence(const Step& step, const Value& x, const Value& t) {
  if (step.flag("log_target")) return exp(t) * (t - x);
  const Domain& domain = step.graph().node(step.value("target")).domain;
  if (domain.kind == Domain::Kind::positive) return t * (log(t) - x);
  return select(t == 0, 0, t * log(t)) - t * x;
}
Value cross(const Step&, const Value& x, const Value& t) {
  return -(t * max(log(x), -100) + (Value(1) - t) * max(log(Value(1) - x), -100));
}

void cross_with_logits(const Step& step) {
  const bool weighted = step.has("pos_weight");
  reduce_loss(step, step.shape("self"), [&](const Subscripts& at) {
    const Value x = step.operand("self", at);
    const Value t = step.operand("target", at);
    const Value tail = max(-x, 0) + log(Value(1) + exp(-abs(x)));
    const Value loss = weighted ? (Value(1) - t) * x + ((step.operand("pos_weight", at) - 1) * t + 1) * tail
                                : (Value(1) - t) * x + tail;
    return step.has("weight") ? loss * step.operand("weight", at) : loss;
  });
}

/// Whether a target may have the value that is to be ignored: not where its domain says otherwise.
bool may_ignore(const Step& step) {
  const Domain& domain = step.graph().node(step.value("target")).domain;
  const double ignored = static_cast<double>(step.integer("ignore_index"));
  return domain.kind != Domain::Kind::range || (ignored >= domain.low && ignored < domain.high);
}

/// The loss of class numbers, out of logarithms of probabilities: chosen elements, their weights, and their mean.
void by_class(const Step& step, const Tensor& logs, double smoothing) {
  const Tensor target = step.in("target");
  const Tensor out = step.out();
  const std::size_t dim = logs.shape.size() == 1 ? 0 : 1;
  const Division classes = division_at(logs.shape, dim);
  const bool weighted = step.has("weight");
  const bool guards = may_ignore(step);
  const std::int64_t reduction = step.integer("reduction");
  const Shape shape = classes.kept_extents();
  const auto guarded = [&](const Subscripts& at, const Value& value) {
    return guards ? select(target.exactly(at) != step.integer("ignore_index"), value, 0) : value;
  };
  // Only a domain says that every target is a class. Otherwise the remainder keeps the subscript in range; PyTorch
  // raises an error where a target that is not ignored is no class.
  const Domain& domain = step.graph().node(step.value("target")).domain;
  const bool are_classes =
      domain.kind == Domain::Kind::range && domain.low >= 0 && domain.high <= static_cast<double>(logs.shape[dim]);
  const auto class_of = [&](const Subscripts& at) {
    return are_classes ? target.as_subscript(at) : target.as_subscript(at) % logs.shape[dim];
  };
  const auto chosen = [&](const Subscripts& at) {
    const Subscript number = class_of(at);
    const Value element = -logs.exactly(classes.merge(at, {number}));
    return weighted ? step.in("weight").exactly({number}) * element : element;
  };
  Tensor spread;
  if (smoothing > 0) {
    spread = step.temporary(out.dtype, shape);
    fold_dimensions(step, Fold::sum, spread, classes, [&](const Subscripts& at) {
      return weighted ? -(step.in("weight").exactly({at[dim]}) * logs.exactly(at)) : -logs.exactly(at);
    });
  }
  const Tensor elements = reduction == 0 ? out : step.temporary(out.dtype, shape);
  step.map(elements, [&](const Subscripts& at) {
    if (smoothing == 0) return guarded(at, chosen(at));
    const double share = smoothing / static_cast<double>(logs.shape[dim]);
    return guarded(at, Value(1 - smoothing) * chosen(at) + Value(share) * spread.exactly(at));
  });
  if (reduction == 0) return;
  const Division all{std::vector<bool>(shape.size(), true), shape};
  const auto read = [&](const Subscripts& at) { return elements.exactly(at); };
  if (reduction == 2) return fold_dimensions(step, Fold::sum, out, all, read);
  if (!weighted && !guards) return mean_dimensions(step, out, all, read);
  const Tensor sum = step.temporary(out.dtype, {});
  const Tensor weight = step.temporary(weighted ? out.dtype : DType::i64, {});
  fold_dimensions(step, Fold::sum, sum, all, read);
  fold_dimensions(step, Fold::sum, weight, all, [&](const Subscripts& at) {
    return guarded(at, weighted ? step.in("weight").exactly({class_of(at)}) : Value(1));
  });
  step.map(out, [&](const Subscripts&) { return sum.exactly({}) / weight.exactly({}); });
}

void cross_entropy(const Step& step) {
  const Tensor self = step.in("self");
  const Tensor target = step.in("target");
  const std::size_t dim = self.shape.size() == 1 ? 0 : 1;
  const Tensor logs = step.temporary(self.dtype, self.shape);
  softmax(step, self, logs, dim, true);
  const double smoothing = step.real("label_smoothing");
  if (is_integer(target.dtype)) return by_class(step, logs, smoothing);
  const Division classes = division_at(self.shape, dim);
  const bool weighted = step.has("weight");
  const Tensor out = step.out();
  const std::int64_t reduction = step.integer("reduction");
  const Tensor elements = reduction == 0 ? out : step.temporary(out.dtype, classes.kept_extents());
  fold_dimensions(step, Fold::sum, elements, classes, [&](const Subscripts& at) {
    Value share = target.exactly(at);
    if (smoothing > 0) share = Value(1 - smoothing) * share + smoothing / static_cast<double>(self.shape[dim]);
    const Value element = -(share * logs.exactly(at));
    return weighted ? step.in("weight").exactly({at[dim]}) * element : element;
  });
  if (reduction == 0) return;
  const Division all{std::vector<bool>(elements.shape.size(), true), elements.shape};
  const auto read = [&](const Subscripts& at) { return elements.exactly(at); };
  if (reduction == 1)
    mean_dimensions(step, out, all, read);
  else
    fold_dimensions(step, Fold::sum, out, all, read);
}

void negative_log_likelihood(const Step& step) { by_class(step, step.in("self"), 0); }

/// (sum over the last dimension of |x - y + eps|^p)^(1/p); the root is taken where the value is used.
Tensor power_sum(const Step& step, const Tensor& x, const Tensor& y, double p, double eps, const Shape& shape) {
  const Tensor sum = step.temporary(x.dtype, Shape(shape.begin(), shape.end() - 1));
  fold_dimensions(step, Fold::sum, sum, division_at(shape, shape.size() - 1), [&](const Subscripts& at) {
    const Value difference = x.at(at) - y.at(at) + eps;
    return p == 2 ? power(difference, 2) : power(abs(difference), p);
  });
  return sum;
}
Value root(const Value& sum, double p) { return p == 2 ? sqrt(sum) : p == 1 ? sum : power(sum, Value(1) / p); }

void triplet(const Step& step) {
  const Tensor anchor = step.in("anchor");
  const Tensor positive = step.in("positive");
  const Tensor negative = step.in("negative");
  const double p = step.real("p");
  const double eps = step.real("eps");
  if (std::isinf(p)) step.unsupported("p = inf is not supported");
  const Shape shape = broadcast(step, broadcast(step, anchor.shape, positive.shape), negative.shape);
  const Tensor near = power_sum(step, anchor, positive, p, eps, shape);
  const Tensor far = power_sum(step, anchor, negative, p, eps, shape);
  Tensor swapped;
  if (step.flag("swap")) swapped = power_sum(step, positive, negative, p, eps, shape);
  reduce_loss(step, near.shape, [&](const Subscripts& at) {
    Value distance = root(far.exactly(at), p);
    if (step.flag("swap")) distance = min(distance, root(swapped.exactly(at), p));
    return max(root(near.exactly(at), p) - distance + step.real("margin"), 0);
  });
}

void margin_ranking(const Step& step) {
  const Shape inputs = broadcast(step, step.shape("input1"), step.shape("input2"));
  reduce_loss(step, broadcast(step, inputs, step.shape("target")), [&](const Subscripts& at) {
    const Value gap = step.operand("input1", at) - step.operand("input2", at);
    return max(-step.operand("target", at) * gap + step.real("margin"), 0);
  });
}

void cosine_similarity(const Step& step) {
  const Tensor left = step.in("x1");
  const Tensor right = step.in("x2");
  const Tensor out = step.out();
  const Shape shape = broadcast(step, left.shape, right.shape);
  const Division division = division_at(shape, plain_dimension(step, step.integer("dim"), shape.size()));
  const auto folded = [&](const Body& body) {
    const Tensor sum = step.temporary(out.dtype, out.shape);
    fold_dimensions(step, Fold::sum, sum, division, body);
    return sum;
  };
  const Tensor product = folded([&](const Subscripts& at) { return left.at(at) * right.at(at); });
  const Tensor first = folded([&](const Subscripts& at) { return power(left.at(at), 2); });
  const Tensor second = folded([&](const Subscripts& at) { return power(right.at(at), 2); });
  const double eps = step.real("eps");
  step.map(out, [&](const Subscripts& at) {
    return product.exactly(at) / (max(sqrt(first.exactly(at)), eps) * max(sqrt(second.exactly(at)), eps));
  });
}

void pairwise_distance(const Step& step) {
  const Tensor left = step.in("x1");
  const Tensor right = step.in("x2");
  const double p = step.real("p");
  if (std::isinf(p)) step.unsupported("p = inf is not supported");
  const Tensor sum = power_sum(step, left, right, p, step.real("eps"), broadcast(step, left.shape, right.shape));
  step.map(step.out(), [&](Subscripts at) {
    at.resize(sum.shape.size(), Subscript(0));
    return root(sum.exactly(at), p);
  });
}

constexpr std::array kRows = {
    LoweringRow{"aten.mse_loss.default", pairwise<squared>},
    LoweringRow{"aten.l1_loss.default", pairwise<absolute>},
    LoweringRow{"aten.smooth_l1_loss.default", pairwise<smooth>},
    LoweringRow{"aten.huber_loss.default", pairwise<huber>},
    LoweringRow{"aten.soft_margin_loss.default", pairwise<soft_margin>},
    LoweringRow{"aten.hinge_embedding_loss.default", pairwise<hinge>},
    LoweringRow{"aten.kl_div.default", pairwise<divergence>},
    LoweringRow{"aten.binary_cross_entropy.default", pairwise<cross>},
    LoweringRow{"aten.binary_cross_entropy_with_logits.default", cross_with_logits},
    LoweringRow{"aten.cross_entropy_loss.default", cross_entropy},
    LoweringRow{"aten.nll_loss.default", negative_log_likelihood},
    LoweringRow{"aten.nll_loss_nd.default", negative_log_likelihood},
    LoweringRow{"aten.triplet_margin_loss.default", triplet},
    LoweringRow{"aten.margin_ranking_loss.default", margin_ranking},
    LoweringRow{"aten.cosine_similarity.default", cosine_similarity},
    LoweringRow{"aten.pairwise_distance.default", pairwise_distance},
};

}  // namespace

std::span<const LoweringRow> loss_lowerings() { return kRows; }

}  // namespace steptp::frontend
