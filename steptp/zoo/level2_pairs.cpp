#include <array>

#include "steptp/zoo/maker.h"

namespace steptp::zoo {

namespace {

Outputs matmul_softmax(Maker& m) {
  const Value a = m.input("a", {m.n("N"), m.n("K")});
  const Value b = m.input("b", {m.n("K"), m.n("L")});
  return {m.softmax(m.matmul(a, b), 1)};
}

Shape left_batch(Maker& m) { return {m.n("batch_size"), m.n("m"), m.n("k")}; }
Shape right_batch(Maker& m) { return {m.n("batch_size"), m.n("k"), m.n("n")}; }

Outputs add_add(Maker& m) {
  const Value a = m.input("a", left_batch(m));
  const Value b = m.input("b", right_batch(m));
  const Value left = m.input("left", {m.n("k")});
  const Value right = m.input("right", {m.n("n")});
  const Value first = m.add(a, left);
  return {m.op("bmm", {first, m.add(b, right)})};
}

Outputs matmul3d_twice(Maker& m) {
  const Value a = m.input("a", {m.n("N"), m.n("M"), m.n("K")});
  const Value b = m.input("b", {m.n("K"), m.n("L")});
  const Value c = m.input("c", {m.n("N"), m.n("M"), m.n("K")});
  const Value first = m.matmul(a, b);
  return {m.add(first, m.matmul(c, b))};
}
Outputs matmul4d_twice(Maker& m) {
  const Shape shape = {m.n("b"), m.n("i"), m.n("j"), m.n("l")};
  const Value a = m.input("a", shape);
  const Value b = m.input("b", {m.n("l"), m.n("k")});
  const Value c = m.input("c", shape);
  const auto product = [&](const Value& x) { return m.op("einsum", {"bijl,lk->bijk", std::vector<Value>{x, b}}); };
  const Value first = product(a);
  return {m.add(first, product(c))};
}

/// The same convolution of two inputs, added.
Outputs conv_twice(Maker& m, Shape spatial, const Ints& kernel, const Ints& stride, const Ints& padding,
                   const Ints& dilation) {
  Shape shape = {m.n("batch_size"), m.n("in_channels")};
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  const Value x = m.input("x", shape);
  const Value y = m.input("y", shape);
  Shape weights = {m.n("out_channels"), m.n("in_channels")};
  weights.insert(weights.end(), kernel.begin(), kernel.end());
  const Value weight = m.parameter("conv.weight", weights);
  const Value first = m.conv_with(x, weight, stride, padding, dilation);
  return {m.add(first, m.conv_with(y, weight, stride, padding, dilation))};
}
template <bool Padded>
Outputs conv1d(Maker& m) {
  return conv_twice(m, {m.n("length")}, {m.n("kernel_size")}, {m.n("stride")}, {Padded ? m.n("padding") : 0},
                    {m.n("dilation")});
}
template <bool Padded>
Outputs conv2d(Maker& m) {
  return conv_twice(m, {m.n("height"), m.n("width")}, {m.n("kernel_size_h"), m.n("kernel_size_w")}, {m.n("stride")},
                    {Padded ? m.n("padding") : 0}, {m.n("dilation")});
}
template <bool Padded>
Outputs conv3d(Maker& m) {
  const auto three = [&](const std::string& what) {
    return Ints{m.n(what + "_d"), m.n(what + "_h"), m.n(what + "_w")};
  };
  return conv_twice(m, {m.n("depth"), m.n("height"), m.n("width")}, three("kernel_size"), three("stride"),
                    Padded ? three("padding") : Ints{0}, three("dilation"));
}

Outputs gemm_twice(Maker& m) {
  const Value x = m.input("x", {m.n("batch_size"), m.n("in_features")});
  const Value y = m.input("y", {m.n("batch_size"), m.n("in_features")});
  const Value weight = m.parameter("linear.weight", {m.n("out_features"), m.n("in_features")});
  const Value bias = m.parameter("linear.bias", {m.n("out_features")});
  const Value first = m.op("linear", {x, weight, bias});
  return {m.add(first, m.op("linear", {y, weight, bias}))};
}
Outputs bmm_twice(Maker& m) {
  const Value a = m.input("a", left_batch(m));
  const Value b = m.input("b", right_batch(m));
  const Value c = m.input("c", left_batch(m));
  const Value first = m.op("bmm", {a, b});
  return {m.add(first, m.op("bmm", {c, b}))};
}

/// A function of both inputs, then their product.
Outputs of_both(Maker& m, std::string_view function, bool positive) {
  const Domain domain = positive ? Domain{Domain::Kind::positive, 0, 0} : Domain();
  const Value a = m.input("a", left_batch(m), domain);
  const Value b = m.input("b", right_batch(m), domain);
  const Value first = m.op(function, {a});
  return {m.op("bmm", {first, m.op(function, {b})})};
}
Outputs exp_exp(Maker& m) { return of_both(m, "exp", false); }
Outputs abs_abs(Maker& m) { return of_both(m, "abs", false); }
Outputs log_log(Maker& m) { return of_both(m, "log", true); }
Outputs sqrt_sqrt(Maker& m) { return of_both(m, "sqrt", true); }
Outputs log_log_add(Maker& m) {
  const Value a = m.positive("a", left_batch(m));
  const Value b = m.positive("b", left_batch(m));
  const Value first = m.op("log", {a});
  return {m.add(first, m.op("log", {b}))};
}

constexpr std::array kRows = {
    BuildRow{"MatMul_and_Softmax", matmul_softmax},
    BuildRow{"add_add", add_add},
    BuildRow{"MatMul3D_MatMul3D", matmul3d_twice},
    BuildRow{"MatMul4D_MatMul4D", matmul4d_twice},
    BuildRow{"conv1d_conv1d_padding", conv1d<true>},
    BuildRow{"conv2d_conv2d_padding", conv2d<true>},
    BuildRow{"conv3d_conv3d_padding", conv3d<true>},
    BuildRow{"conv1d_conv1d", conv1d<false>},
    BuildRow{"conv2d_conv2d", conv2d<false>},
    BuildRow{"conv3d_conv3d", conv3d<false>},
    BuildRow{"Gemm_Gemm", gemm_twice},
    BuildRow{"Bmm_Bmm", bmm_twice},
    BuildRow{"exp_exp", exp_exp},
    BuildRow{"log_log_add", log_log_add},
    BuildRow{"log_log", log_log},
    BuildRow{"abs_abs", abs_abs},
    BuildRow{"sqrt_sqrt", sqrt_sqrt},
};

}  // namespace

std::span<const BuildRow> pair_programs() { return kRows; }

}  // namespace steptp::zoo
