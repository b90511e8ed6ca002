#include <array>

#include "steptp/zoo/maker.h"

namespace steptp::zoo {

namespace {

Value cube(Maker& m) { return m.input("x", {m.n("batch_size"), m.n("dim1"), m.n("dim2")}); }

Outputs sum(Maker& m) { return {m.sum(cube(m), {m.n("reduce_dim")}, true)}; }
Outputs mean(Maker& m) { return {m.mean(cube(m), {m.n("reduce_dim")})}; }
Outputs max(Maker& m) { return {m.max(cube(m), m.n("reduce_dim"))}; }
Outputs min(Maker& m) { return {m.min(cube(m), m.n("reduce_dim"))}; }
Outputs product(Maker& m) { return {m.op("prod.dim_int", {cube(m), m.n("reduction_dim")})}; }
Outputs argmax(Maker& m) { return {m.op("argmax", {cube(m), m.n("reduce_dim")})}; }
Outputs argmin(Maker& m) { return {m.op("argmin", {cube(m), m.n("reduce_dim")})}; }

constexpr std::array kReductions = {
    BuildRow{"Sum_reduction_over_a_dimension", sum}, BuildRow{"Mean_reduction_over_a_dimension", mean},
    BuildRow{"Max_reduction_over_a_dimension", max}, BuildRow{"Product_reduction_over_a_dimension", product},
    BuildRow{"Argmax_over_a_dimension", argmax},     BuildRow{"Argmin_over_a_dimension", argmin},
    BuildRow{"Min_reduction_over_a_dimension", min},
};

Value table(Maker& m) { return m.input("x", {m.n("batch_size"), m.n("input_shape")}); }

Outputs cumsum(Maker& m) { return {m.op("cumsum", {table(m), m.n("dim")})}; }
Outputs cumprod(Maker& m) { return {m.op("cumprod", {table(m), m.n("dim")})}; }
Outputs reversed(Maker& m) {
  const Ints dim = {m.n("dim")};
  const Value turned = m.op("flip", {table(m), dim});
  return {m.op("flip", {m.op("cumsum", {turned, m.n("dim")}), dim})};
}
/// A column of zeros before the input, the last row dropped: as published, whatever the dimension is.
Outputs exclusive(Maker& m) {
  const Value x = table(m);
  const Value first = m.unsqueeze(m.op("select.int", {x, m.n("dim"), std::int64_t{0}}), m.n("dim"));
  const Value zeros = m.op("zeros_like", {first});
  const Value joined = m.op("cat", {std::vector<Value>{zeros, x}, m.n("dim")});
  const Value cut = m.op("slice.Tensor", {joined, std::int64_t{0}, std::int64_t{0}, std::int64_t{-1}});
  return {m.op("cumsum", {cut, m.n("dim")})};
}
Outputs masked(Maker& m) {
  const Value x = table(m);
  const Value mask = m.bools("mask", {m.n("batch_size"), m.n("input_shape")});
  return {m.op("cumsum", {m.mul(x, mask), m.n("dim")})};
}

constexpr std::array kScans = {
    BuildRow{"cumsum", cumsum},           BuildRow{"cumprod", cumprod},
    BuildRow{"cumsum_reverse", reversed}, BuildRow{"cumsum_exclusive", exclusive},
    BuildRow{"masked_cumsum", masked},
};

struct Pair {
  Value predictions;
  Value targets;
};
Pair tables(Maker& m) {
  const Shape shape = {m.n("batch_size"), m.n("input_shape")};
  const Value predictions = m.input("predictions", shape);
  return {predictions, m.input("targets", shape)};
}

Outputs hinge(Maker& m) {
  const Pair x = tables(m);
  const Value gap = m.op("rsub.Scalar", {m.mul(x.predictions, x.targets), std::int64_t{1}});
  return {m.op("mean", {m.op("clamp", {gap, std::int64_t{0}})})};
}
Outputs mean_square(Maker& m) {
  const Pair x = tables(m);
  return {m.op("mean", {m.op("pow.Tensor_Scalar", {m.sub(x.predictions, x.targets), std::int64_t{2}})})};
}
Outputs huber(Maker& m) {
  const Pair x = tables(m);
  return {m.op("smooth_l1_loss", {x.predictions, x.targets})};
}
Outputs cosine(Maker& m) {
  const Pair x = tables(m);
  const Value similarity = m.op("cosine_similarity", {x.predictions, x.targets, std::int64_t{1}});
  return {m.op("mean", {m.op("rsub.Scalar", {similarity, std::int64_t{1}})})};
}
/// The reduction "batchmean": the sum, divided by the number of rows.
Outputs divergence(Maker& m) {
  const Shape shape = {m.n("batch_size"), m.n("input_shape")};
  const Value predictions = m.positive("predictions", shape);
  const Value targets = m.positive("targets", shape);
  const Value sum = m.op("kl_div", {m.op("log", {predictions}), targets, std::int64_t{2}});
  return {m.div(sum, m.n("batch_size"))};
}
Outputs cross_entropy(Maker& m) {
  const Value x = m.input("predictions", {m.n("batch_size"), m.n("input_shape")});
  return {m.op("cross_entropy_loss", {x, m.classes("targets", {m.n("batch_size")}, m.n("input_shape"))})};
}
Outputs negative_log_likelihood(Maker& m) {
  const Value x = m.input("predictions", {m.n("batch_size"), m.n("input_shape")});
  return {m.op("nll_loss_nd", {x, m.classes("targets", {m.n("batch_size")}, m.n("input_shape"))})};
}
Outputs triplet(Maker& m) {
  const Shape shape = {m.n("batch_size"), m.n("input_shape")};
  const Value anchor = m.input("anchor", shape);
  const Value positive = m.input("positive", shape);
  const Value negative = m.input("negative", shape);
  return {m.op("triplet_margin_loss", {anchor, positive, negative, m.r("margin")})};
}

constexpr std::array kLosses = {
    BuildRow{"Hingeloss", hinge},
    BuildRow{"MSELoss", mean_square},
    BuildRow{"CrossEntropyLoss", cross_entropy},
    BuildRow{"HuberLoss", huber},
    BuildRow{"CosineSimilarityLoss", cosine},
    BuildRow{"KLDivLoss", divergence},
    BuildRow{"TripletMarginLoss", triplet},
    BuildRow{"NLLLoss", negative_log_likelihood},
};

}  // namespace

std::span<const BuildRow> reduction_programs() { return kReductions; }
std::span<const BuildRow> scan_programs() { return kScans; }
std::span<const BuildRow> loss_programs() { return kLosses; }

}  // namespace steptp::zoo
