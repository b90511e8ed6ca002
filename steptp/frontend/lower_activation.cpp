#include <array>
#include <cmath>
#include <numbers>

#include "steptp/frontend/lowering_table.h"
#include "steptp/frontend/reductions.h"

namespace steptp::frontend {

namespace {

template <typename Function>
void each(const CallLowering& call, Function function) {
  const Tensor self = call.in("self");
  call.map(call.out(), [&](const Subscripts& at) { return function(self.at(at)); });
}

/// A factor that is not written where it is 1.
Value scaled(double factor, const Value& x) { return factor == 1 ? x : Value(factor) * x; }

void relu(const CallLowering& call) {
  each(call, [](const Value& x) { return max(x, 0); });
}
void relu6(const CallLowering& call) {
  each(call, [](const Value& x) { return min(max(x, 0), 6); });
}
void leaky_relu(const CallLowering& call) {
  const double slope = call.real("negative_slope");
  each(call, [&](const Value& x) { return select(x < 0, Value(slope) * x, x); });
}
void elu(const CallLowering& call) {
  const double scale = call.real("scale");
  each(call, [&](const Value& x) {
    const Value below = scaled(call.real("alpha") * scale, exp(scaled(call.real("input_scale"), x)) - 1);
    return select(x < 0, below, scaled(scale, x));
  });
}
void selu(const CallLowering& call) {
  // PyTorch computes narrow types in single precision, where the constants are rounded as well.
  const bool wide = call.dtype_of("self") == DType::f64;
  const auto constant = [&](double exact) { return wide ? exact : static_cast<double>(static_cast<float>(exact)); };
  const double scale = constant(1.0507009873554805);
  const double alpha = constant(1.6732632423543772);
  each(call, [&](const Value& x) { return Value(scale) * (max(0, x) + min(0, Value(alpha) * (exp(x) - 1))); });
}
void celu(const CallLowering& call) {
  const double alpha = call.real("alpha");
  each(call, [&](const Value& x) { return max(0, x) + min(0, scaled(alpha, exp(alpha == 1 ? x : x / alpha) - 1)); });
}
void gelu(const CallLowering& call) {
  const std::string_view approximate = call.text("approximate");
  if (approximate == "none") {
    return each(call, [](const Value& x) { return x * 0.5 * (Value(1) + erf(x / sqrt(2))); });
  }
  if (approximate != "tanh") call.unsupported("'approximate' is \"none\" or \"tanh\"");
  each(call, [](const Value& x) {
    const Value inner = Value(std::sqrt(2 / std::numbers::pi)) * (x + Value(0.044715) * power(x, 3));
    return Value(0.5) * x * (Value(1) + tanh(inner));
  });
}
void silu(const CallLowering& call) {
  each(call, [](const Value& x) { return x / (Value(1) + exp(-x)); });
}
void mish(const CallLowering& call) {
  const Tensor self = call.in("self");
  const Tensor plus = call.temporary(self.dtype, self.shape);
  const Tensor bent = call.temporary(self.dtype, self.shape);
  call.map(plus, [&](const Subscripts& at) { return softplus(self.at(at)); });
  call.map(bent, [&](const Subscripts& at) { return tanh(plus.at(at)); });
  call.map(call.out(), [&](const Subscripts& at) { return self.at(at) * bent.at(at); });
}
void sigmoid_step(const CallLowering& call) {
  each(call, [](const Value& x) { return sigmoid(x); });
}
void tanh_step(const CallLowering& call) {
  each(call, [](const Value& x) { return tanh(x); });
}
void hardsigmoid(const CallLowering& call) {
  each(call, [](const Value& x) { return max(0, min(1, (x + 3) / 6)); });
}
void hardswish(const CallLowering& call) {
  each(call, [](const Value& x) { return x * max(min(x + 3, 6), 0) / 6; });
}
void hardtanh(const CallLowering& call) {
  const Tensor self = call.in("self");
  call.map(call.out(), [&](const Subscripts& at) {
    return min(max(self.at(at), call.operand("min_val", at)), call.operand("max_val", at));
  });
}
/// Above the threshold PyTorch returns x itself; at the usual threshold of 20 the difference is below 3e-9, and the
/// form without a branch is kept.
void softplus_step(const CallLowering& call) {
  const double beta = call.real("beta");
  const double threshold = call.real("threshold");
  each(call, [&](const Value& x) {
    const Value smooth = beta == 1 ? softplus(x) : softplus(Value(beta) * x) / beta;
    return threshold == 20 ? smooth : select(scaled(beta, x) > threshold, x, smooth);
  });
}
void log_sigmoid(const CallLowering& call) {
  each(call, [](const Value& x) { return min(x, 0) - log(Value(1) + exp(-abs(x))); });
}
void hardshrink(const CallLowering& call) {
  const double bound = call.real("lambd");
  each(call, [&](const Value& x) { return select(any_of({x > bound, x < -bound}), x, 0); });
}
void softshrink(const CallLowering& call) {
  const double bound = call.real("lambd");
  each(call, [&](const Value& x) { return select(x > bound, x - bound, select(x < -bound, x + bound, 0)); });
}
void threshold_step(const CallLowering& call) {
  each(call, [&](const Value& x) { return select(x > call.real("threshold"), x, call.real("value")); });
}
void prelu(const CallLowering& call) {
  const Tensor self = call.in("self");
  const Tensor weight = call.in("weight");
  const bool one = graph::count(weight.shape) == 1;
  call.map(call.out(), [&](const Subscripts& at) {
    const Subscripts place(weight.shape.size(), one ? Subscript(0) : at[1]);
    return select(self.at(at) > 0, self.at(at), weight.exactly(place) * self.at(at));
  });
}
/// The form after decomposition: the weight has been given the input's dimensions.
void prelu_kernel(const CallLowering& call) {
  const Tensor self = call.in("self");
  const Tensor weight = call.in("weight");
  call.map(call.out(),
           [&](const Subscripts& at) { return select(self.at(at) > 0, self.at(at), weight.at(at) * self.at(at)); });
}
void glu(const CallLowering& call) {
  const Tensor self = call.in("self");
  const std::size_t dim = plain_dimension(call, call.integer("dim"), self.shape.size());
  const std::int64_t half = self.shape[dim] / 2;
  call.map(call.out(), [&](const Subscripts& at) {
    Subscripts gate = at;
    gate[dim] = at[dim] + half;
    return self.exactly(at) * sigmoid(self.exactly(gate));
  });
}

template <bool Logarithm>
void softmax_step(const CallLowering& call) {
  const Tensor self = call.in("self");
  if (self.shape.empty()) return each(call, [](const Value& x) { return Logarithm ? x - x : x / x; });
  softmax(call, self, call.out(), plain_dimension(call, call.integer("dim"), self.shape.size()), Logarithm);
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
