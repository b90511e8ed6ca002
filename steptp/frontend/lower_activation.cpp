#include <array>
#include <cmath>
#include <numbers>

#include "steptp/frontend/lowering_table.h"
#include "steptp/frontend/reductions.h"

namespace steptp::frontend {

namespace {

template <typename Function>
void each(const Step& step, Function function) {
  const Tensor self = step.in("self");
  step.map(step.out(), [&](const Subscripts& at) { return function(self.at(at)); });
}

/// A factor that is not written where it is 1.
Value scaled(double factor, const Value& x) { return factor == 1 ? x : Value(factor) * x; }

void relu(const Step& step) {
  each(step, [](const Value& x) { return max(x, 0); });
}
void relu6(const Step& step) {
  each(step, [](const Value& x) { return min(max(x, 0), 6); });
}
void leaky_relu(const Step& step) {
  const double slope = step.real("negative_slope");
  each(step, [&](const Value& x) { return select(x < 0, Value(slope) * x, x); });
}
void elu(const Step& step) {
  const double scale = step.real("scale");
  each(step, [&](const Value& x) {
    const Value below = scaled(step.real("alpha") * scale, exp(scaled(step.real("input_scale"), x)) - 1);
    return select(x < 0, below, scaled(scale, x));
  });
}
void selu(const Step& step) {
  // PyTorch computes narrow types in single precision, where the constants are rounded as well.
  const bool wide = step.dtype_of("self") == DType::f64;
  const auto constant = [&](double exact) { return wide ? exact : static_cast<double>(static_cast<float>(exact)); };
  const double scale = constant(1.0507009873554805);
  const double alpha = constant(1.6732632423543772);
  each(step, [&](const Value& x) { return Value(scale) * (max(0, x) + min(0, Value(alpha) * (exp(x) - 1))); });
}
void celu(const Step& step) {
  const double alpha = step.real("alpha");
  each(step, [&](const Value& x) { return max(0, x) + min(0, scaled(alpha, exp(alpha == 1 ? x : x / alpha) - 1)); });
}
void gelu(const Step& step) {
  const std::string_view approximate = step.text("approximate");
  if (approximate == "none") {
    return each(step, [](const Value& x) { return x * 0.5 * (Value(1) + erf(x / sqrt(2))); });
  }
  if (approximate != "tanh") step.unsupported("'approximate' is \"none\" or \"tanh\"");
  each(step, [](const Value& x) {
    const Value inner = Value(std::sqrt(2 / std::numbers::pi)) * (x + Value(0.044715) * power(x, 3));
    return Value(0.5) * x * (Value(1) + tanh(inner));
  });
}
void silu(const Step& step) {
  each(step, [](const Value& x) { return x / (Value(1) + exp(-x)); });
}
void mish(const Step& step) {
  const Tensor self = step.in("self");
  const Tensor plus = step.temporary(self.dtype, self.shape);
  const Tensor bent = step.temporary(self.dtype, self.shape);
  step.map(plus, [&](const Subscripts& at) { return softplus(self.at(at)); });
  step.map(bent, [&](const Subscripts& at) { return tanh(plus.at(at)); });
  step.map(step.out(), [&](const Subscripts& at) { return self.at(at) * bent.at(at); });
}
void sigmoid_step(const Step& step) {
  each(step, [](const Value& x) { return sigmoid(x); });
}
void tanh_step(const Step& step) {
  each(step, [](const Value& x) { return tanh(x); });
}
void hardsigmoid(const Step& step) {
  each(step, [](const Value& x) { return max(0, min(1, (x + 3) / 6)); });
}
void hardswish(const Step& step) {
  each(step, [](const Value& x) { return x * max(min(x + 3, 6), 0) / 6; });
}
void hardtanh(const Step& step) {
  const Tensor self = step.in("self");
  step.map(step.out(), [&](const Subscripts& at) {
    return min(max(self.at(at), step.operand("min_val", at)), step.operand("max_val", at));
  });
}
/// Above the threshold PyTorch returns x itself; at the usual threshold of 20 the difference is below 3e-9, and the
/// form without a branch is kept.
void softplus_step(const Step& step) {
  const double beta = step.real("beta");
  const double threshold = step.real("threshold");
  each(step, [&](const Value& x) {
    const Value smooth = beta == 1 ? softplus(x) : softplus(Value(beta) * x) / beta;
    return threshold == 20 ? smooth : select(scaled(beta, x) > threshold, x, smooth);
  });
}
void log_sigmoid(const Step& step) {
  each(step, [](const Value& x) { return min(x, 0) - log(Value(1) + exp(-abs(x))); });
}
void hardshrink(const Step& step) {
  const double bound = step.real("lambd");
  each(step, [&](const Value& x) { return select(any_of({x > bound, x < -bound}), x, 0); });
}
void softshrink(const Step& step) {
  const double bound = step.real("lambd");
  each(step, [&](const Value& x) { return select(x > bound, x - bound, select(x < -bound, x + bound, 0)); });
}
void threshold_step(const Step& step) {
  each(step, [&](const Value& x) { return select(x > step.real("threshold"), x, step.real("value")); });
}
void prelu(const Step& step) {
  const Tensor self = step.in("self");
  const Tensor weight = step.in("weight");
  const bool one = graph::count(weight.shape) == 1;
  step.map(step.out(), [&](const Subscripts& at) {
    const Subscripts place(weight.shape.size(), one ? Subscript(0) : at[1]);
    return select(self.at(at) > 0, self.at(at), weight.exactly(place) * self.at(at));
  });
}
/// The form after decomposition: the weight has been given the input's dimensions.
void prelu_kernel(const Step& step) {
  const Tensor self = step.in("self");
  const Tensor weight = step.in("weight");
  step.map(step.out(),
           [&](const Subscripts& at) { return select(self.at(at) > 0, self.at(at), weight.at(at) * self.at(at)); });
}
void glu(const Step& step) {
  const Tensor self = step.in("self");
  const std::size_t dim = plain_dimension(step, step.integer("dim"), self.shape.size());
  const std::int64_t half = self.shape[dim] / 2;
  step.map(step.out(), [&](const Subscripts& at) {
    Subscripts gate = at;
    gate[dim] = at[dim] + half;
    return self.exactly(at) * sigmoid(self.exactly(gate));
  });
}

template <bool Logarithm>
void softmax_step(const Step& step) {
  const Tensor self = step.in("self");
  if (self.shape.empty()) return each(step, [](const Value& x) { return Logarithm ? x - x : x / x; });
  softmax(step, self, step.out(), plain_dimension(step, step.integer("dim"), self.shape.size()), Logarithm);
}

constexpr std::array kRows = {
    LoweringRow{"aten.relu.default", relu},
    LoweringRow{"aten.relu6.default", relu6},
    LoweringRow{"aten.leaky_relu.default", leaky_relu},
    LoweringRow{"aten.elu.default", elu},
    LoweringRow{"aten.selu.default", selu},
    LoweringRow{"aten.celu.default", celu},
    LoweringRow{"aten.gelu.default", gelu},
    LoweringRow{"aten.silu.default", silu},
    LoweringRow{"aten.mish.default", mish},
    LoweringRow{"aten.sigmoid.default", sigmoid_step},
    LoweringRow{"aten.tanh.default", tanh_step},
    LoweringRow{"aten.hardsigmoid.default", hardsigmoid},
    LoweringRow{"aten.hardswish.default", hardswish},
    LoweringRow{"aten.hardtanh.default", hardtanh},
    LoweringRow{"aten.softplus.default", softplus_step},
    LoweringRow{"aten.log_sigmoid.default", log_sigmoid},
    LoweringRow{"aten.hardshrink.default", hardshrink},
    LoweringRow{"aten.softshrink.default", softshrink},
    LoweringRow{"aten.threshold.default", threshold_step},
    LoweringRow{"aten.prelu.default", prelu},
    LoweringRow{"aten._prelu_kernel.default", prelu_kernel},
    LoweringRow{"aten.glu.default", glu},
    LoweringRow{"aten.softmax.int", softmax_step<false>},
    LoweringRow{"aten._softmax.default", softmax_step<false>},
    LoweringRow{"aten.log_softmax.int", softmax_step<true>},
    LoweringRow{"aten._log_softmax.default", softmax_step<true>},
};

}  // namespace

std::span<const LoweringRow> activation_lowerings() { return kRows; }

}  // namespace steptp::frontend
