#include <array>
#include <cmath>

#include "steptp/base/text.h"
#include "steptp/frontend/lowering_table.h"
#include "steptp/frontend/reductions.h"

namespace steptp::frontend {

namespace {

/// The elements of a loss, and then nothing, their mean or their sum.
void reduce_loss(const CallLowering& call, const Shape& shape, const Body& element) {
  const Tensor out = call.out();
  const std::int64_t reduction = call.integer("reduction");
  if (reduction == 0) return call.map(out, element);
  const Tensor elements = call.temporary(out.dtype, shape);
  call.map(elements, element);
  const Division all{std::vector<bool>(shape.size(), true), shape};
  const auto read = [&](const Subscripts& at) { return elements.exactly(at); };
  if (reduction == 1)
    mean_dimensions(call, out, all, read);
  else
    fold_dimensions(call, Fold::sum, out, all, read);
}

using Pair = Value (*)(const CallLowering& call, const Value& x, const Value& target);

template <Pair Element>
void pairwise(const CallLowering& call) {
  Shape shape = broadcast(call, call.shape("self"), call.shape("target"));
  const bool weighted = call.op().schema.find("weight") && call.has("weight");
  if (weighted) shape = broadcast(call, shape, call.shape("weight"));
  reduce_loss(call, shape, [&](const Subscripts& at) {
    const Value element = Element(call, call.operand("self", at), call.operand("target", at));
    return weighted ? call.operand("weight", at) * element : element;
  });
}

Value squared(const CallLowering&, const Value& x, const Value& t) { return power(x - t, 2); }
Value absolute(const CallLowering&, const Value& x, const Value& t) { return abs(x - t); }
Value smooth(const CallLowering& call, const Value& x, const Value& t) {
  const double beta = call.real("beta");
  if (beta == 0) return abs(x - t);
  return select(abs(x - t) < beta, Value(0.5) * power(x - t, 2) / beta, abs(x - t) - 0.5 * beta);
}
Value huber(const CallLowering& call, const Value& x, const Value& t) {
  const double delta = call.real("delta");
  return select(abs(x - t) <= delta, Value(0.5) * power(x - t, 2), Value(delta) * (abs(x - t) - 0.5 * delta));
}
Value soft_margin(const CallLowering&, const Value& x, const Value& t) { return softplus(-(t * x)); }
Value hinge(const CallLowering& call, const Value& x, const Value& t) {
  return select(t == 1, x, max(Value(call.real("margin")) - x, 0));
}
Value divergence(const CallLowering& call, const Value& x, const Value& t) {
  if (call.flag("log_target")) return exp(t) * (t - x);
  const Domain& domain = call.graph().node(call.value("target")).domain;
  if (domain.kind == Domain::Kind::positive) return t * (log(t) - x);
  return select(t == 0, 0, t * log(t)) - t * x;
}
Value cross(const CallLowering&, const Value& x, const Value& t) {
  return -(t * max(log(x), -100) + (Value(1) - t) * max(log(Value(1) - x), -100));
}

void cross_with_logits(const CallLowering& call) {
  const bool weighted = call.has("pos_weight");
  reduce_loss(call, call.shape("self"), [&](const Subscripts& at) {
    const Value x = call.operand("self", at);
    const Value t = call.operand("target", at);
    const Value tail = max(-x, 0) + log(Value(1) + exp(-abs(x)));
    const Value loss = weighted ? (Value(1) - t) * x + ((call.operand("pos_weight", at) - 1) * t + 1) * tail
                                : (Value(1) - t) * x + tail;
    return call.has("weight") ? loss * call.operand("weight", at) : loss;
  });
}

/// Whether a target may have the value that is to be ignored: not where its domain says otherwise.
bool may_ignore(const CallLowering& call) {
  const Domain& domain = call.graph().node(call.value("target")).domain;
  const double ignored = static_cast<double>(call.integer("ignore_index"));
  return domain.kind != Domain::Kind::range || (ignored >= domain.low && ignored < domain.high);
}

/// The loss of class numbers, out of logarithms of probabilities: chosen elements, their weights, and their mean.
void by_class(const CallLowering& call, const Tensor& logs, double smoothing) {
  const Tensor target = call.in("target");
  const Tensor out = call.out();
  const std::size_t dim = logs.shape.size() == 1 ? 0 : 1;
  const Division classes = division_at(logs.shape, dim);
  const bool weighted = call.has("weight");
  const bool guards = may_ignore(call);
  const std::int64_t reduction = call.integer("reduction");
  const Shape shape = classes.kept_extents();
  const auto guarded = [&](const Subscripts& at, const Value& value) {
    return guards ? select(target.exactly(at) != call.integer("ignore_index"), value, 0) : value;
  };
  // Only a domain says that every target is a class. Otherwise the remainder keeps the subscript in range; PyTorch
  // raises an error where a target that is not ignored is no class.
  const Domain& domain = call.graph().node(call.value("target")).domain;
  const bool are_classes =
      domain.kind == Domain::Kind::range && domain.low >= 0 && domain.high <= static_cast<double>(logs.shape[dim]);
  const auto class_of = [&](const Subscripts& at) {
    return are_classes ? target.as_subscript(at) : target.as_subscript(at) % logs.shape[dim];
  };
  const auto chosen = [&](const Subscripts& at) {
    const Subscript number = class_of(at);
    const Value element = -logs.exactly(classes.merge(at, {number}));
    return weighted ? call.in("weight").exactly({number}) * element : element;
  };
  Tensor spread;
  if (smoothing > 0) {
    spread = call.temporary(out.dtype, shape);
    fold_dimensions(call, Fold::sum, spread, classes, [&](const Subscripts& at) {
      return weighted ? -(call.in("weight").exactly({at[dim]}) * logs.exactly(at)) : -logs.exactly(at);
    });
  }
  const Tensor elements = reduction == 0 ? out : call.temporary(out.dtype, shape);
  call.map(elements, [&](const Subscripts& at) {
    if (smoothing == 0) return guarded(at, chosen(at));
    const double share = smoothing / static_cast<double>(logs.shape[dim]);
    return guarded(at, Value(1 - smoothing) * chosen(at) + Value(share) * spread.exactly(at));
  });
  if (reduction == 0) return;
  const Division all{std::vector<bool>(shape.size(), true), shape};
  const auto read = [&](const Subscripts& at) { return elements.exactly(at); };
  if (reduction == 2) return fold_dimensions(call, Fold::sum, out, all, read);
  if (!weighted && !guards) return mean_dimensions(call, out, all, read);
  const Tensor sum = call.temporary(out.dtype, {});
  const Tensor weight = call.temporary(weighted ? out.dtype : DType::i64, {});
  fold_dimensions(call, Fold::sum, sum, all, read);
  fold_dimensions(call, Fold::sum, weight, all, [&](const Subscripts& at) {
    return guarded(at, weighted ? call.in("weight").exactly({class_of(at)}) : Value(1));
  });
  call.map(out, [&](const Subscripts&) { return sum.exactly({}) / weight.exactly({}); });
}

void cross_entropy(const CallLowering& call) {
  const Tensor self = call.in("self");
  const Tensor target = call.in("target");
  const std::size_t dim = self.shape.size() == 1 ? 0 : 1;
  const Tensor logs = call.temporary(self.dtype, self.shape);
  softmax(call, self, logs, dim, true);
  const double smoothing = call.real("label_smoothing");
  if (is_integer(target.dtype)) return by_class(call, logs, smoothing);
  const Division classes = division_at(self.shape, dim);
  const bool weighted = call.has("weight");
  const Tensor out = call.out();
  const std::int64_t reduction = call.integer("reduction");
  const Tensor elements = reduction == 0 ? out : call.temporary(out.dtype, classes.kept_extents());
  fold_dimensions(call, Fold::sum, elements, classes, [&](const Subscripts& at) {
    Value share = target.exactly(at);
    if (smoothing > 0) share = Value(1 - smoothing) * share + smoothing / static_cast<double>(self.shape[dim]);
    const Value element = -(share * logs.exactly(at));
    return weighted ? call.in("weight").exactly({at[dim]}) * element : element;
  });
  if (reduction == 0) return;
  const Division all{std::vector<bool>(elements.shape.size(), true), elements.shape};
  const auto read = [&](const Subscripts& at) { return elements.exactly(at); };
  if (reduction == 1)
    mean_dimensions(call, out, all, read);
  else
    fold_dimensions(call, Fold::sum, out, all, read);
}

void negative_log_likelihood(const CallLowering& call) { by_class(call, call.in("self"), 0); }

/// (sum over the last dimension of |x - y + eps|^p)^(1/p); the root is taken where the value is used.
Tensor power_sum(const CallLowering& call, const Tensor& x, const Tensor& y, double p, double eps, const Shape& shape) {
  const Tensor sum = call.temporary(x.dtype, Shape(shape.begin(), shape.end() - 1));
  fold_dimensions(call, Fold::sum, sum, division_at(shape, shape.size() - 1), [&](const Subscripts& at) {
    const Value difference = x.at(at) - y.at(at) + eps;
    return p == 2 ? power(difference, 2) : power(abs(difference), p);
  });
  return sum;
}
Value root(const Value& sum, double p) { return p == 2 ? sqrt(sum) : p == 1 ? sum : power(sum, Value(1) / p); }

void triplet(const CallLowering& call) {
  const Tensor anchor = call.in("anchor");
  const Tensor positive = call.in("positive");
  const Tensor negative = call.in("negative");
  const double p = call.real("p");
  const double eps = call.real("eps");
  if (std::isinf(p)) call.unsupported("p = inf is not supported");
  const Shape shape = broadcast(call, broadcast(call, anchor.shape, positive.shape), negative.shape);
  const Tensor near = power_sum(call, anchor, positive, p, eps, shape);
  const Tensor far = power_sum(call, anchor, negative, p, eps, shape);
  Tensor swapped;
  if (call.flag("swap")) swapped = power_sum(call, positive, negative, p, eps, shape);
  reduce_loss(call, near.shape, [&](const Subscripts& at) {
    Value distance = root(far.exactly(at), p);
    if (call.flag("swap")) distance = min(distance, root(swapped.exactly(at), p));
    return max(root(near.exactly(at), p) - distance + call.real("margin"), 0);
  });
}

void margin_ranking(const CallLowering& call) {
  const Shape inputs = broadcast(call, call.shape("input1"), call.shape("input2"));
  reduce_loss(call, broadcast(call, inputs, call.shape("target")), [&](const Subscripts& at) {
    const Value gap = call.operand("input1", at) - call.operand("input2", at);
    return max(-call.operand("target", at) * gap + call.real("margin"), 0);
  });
}

void cosine_similarity(const CallLowering& call) {
  const Tensor left = call.in("x1");
  const Tensor right = call.in("x2");
  const Tensor out = call.out();
  const Shape shape = broadcast(call, left.shape, right.shape);
  const Division division = division_at(shape, plain_dimension(call, call.integer("dim"), shape.size()));
  const auto folded = [&](const Body& body) {
    const Tensor sum = call.temporary(out.dtype, out.shape);
    fold_dimensions(call, Fold::sum, sum, division, body);
    return sum;
  };
  const Tensor product = folded([&](const Subscripts& at) { return left.at(at) * right.at(at); });
  const Tensor first = folded([&](const Subscripts& at) { return power(left.at(at), 2); });
  const Tensor second = folded([&](const Subscripts& at) { return power(right.at(at), 2); });
  const double eps = call.real("eps");
  call.map(out, [&](const Subscripts& at) {
    return product.exactly(at) / (max(sqrt(first.exactly(at)), eps) * max(sqrt(second.exactly(at)), eps));
  });
}

void pairwise_distance(const CallLowering& call) {
  const Tensor left = call.in("x1");
  const Tensor right = call.in("x2");
  const double p = call.real("p");
  if (std::isinf(p)) call.unsupported("p = inf is not supported");
  const Tensor sum = power_sum(call, left, right, p, call.real("eps"), broadcast(call, left.shape, right.shape));
  call.map(call.out(), [&](Subscripts at) {
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
