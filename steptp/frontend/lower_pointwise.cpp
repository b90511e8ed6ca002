#include <array>
#include <cmath>

#include "steptp/frontend/lowering_table.h"

namespace steptp::frontend {

namespace {

using One = Value (*)(const Value& x);
using Two = Value (*)(const Value& x, const Value& y);

template <One Chosen>
void unary(const CallLowering& call) {
  const Tensor self = call.in("self");
  call.map(call.out(), [&](const Subscripts& at) { return Chosen(self.at(at)); });
}

template <Two Chosen>
void binary(const CallLowering& call) {
  call.map(call.out(),
           [&](const Subscripts& at) { return Chosen(call.operand("self", at), call.operand("other", at)); });
}

/// self + alpha * other, and the forms that subtract.
enum class Side : std::uint8_t { add, subtract, reversed };
template <Side Which>
void sum(const CallLowering& call) {
  const double alpha = call.real("alpha");
  call.map(call.out(), [&](const Subscripts& at) {
    const auto scaled = [&](std::string_view name) {
      const Value operand = call.operand(name, at);
      return alpha == 1 ? operand : Value(alpha) * operand;
    };
    if (Which == Side::reversed) return call.operand("other", at) - scaled("self");
    const Value self = call.operand("self", at);
    return Which == Side::add ? self + scaled("other") : self - scaled("other");
  });
}

Value times(const Value& x, const Value& y) { return x * y; }
Value over(const Value& x, const Value& y) { return x / y; }
Value rest(const Value& x, const Value& y) { return x % y; }
/// The remainder with the sign of the dividend: that of the sizes is the same whichever way the quotient is rounded.
Value rest_like_dividend(const Value& x, const Value& y) {
  const Value size = abs(x) % abs(y);
  return select(x < 0, -size, size);
}
Value larger(const Value& x, const Value& y) { return max(x, y); }
Value smaller(const Value& x, const Value& y) { return min(x, y); }
Value is_equal(const Value& x, const Value& y) { return x == y; }
Value is_unequal(const Value& x, const Value& y) { return x != y; }
Value is_less(const Value& x, const Value& y) { return x < y; }
Value is_at_most(const Value& x, const Value& y) { return x <= y; }
Value is_more(const Value& x, const Value& y) { return x > y; }
Value is_at_least(const Value& x, const Value& y) { return x >= y; }
Value truth(const Value& x) { return x != 0; }
Value both(const Value& x, const Value& y) { return all_of({truth(x), truth(y)}); }
Value either(const Value& x, const Value& y) { return any_of({truth(x), truth(y)}); }
Value one_of(const Value& x, const Value& y) {
  return any_of({all_of({truth(x), y == 0}), all_of({x == 0, truth(y)})});
}

template <Function Chosen>
Value function(const Value& x) {
  return call(Chosen, x);
}
Value identity(const Value& x) { return x; }
Value negation(const Value& x) { return -x; }
Value sign(const Value& x) { return select(x > 0, 1, select(x < 0, -1, 0)); }
Value square(const Value& x) { return power(x, 2); }
Value trunc(const Value& x) { return select(x < 0, call(Function::ceil, x), call(Function::floor, x)); }
Value exp2(const Value& x) { return exp(x * std::log(2.0)); }
Value expm1(const Value& x) { return exp(x) - 1; }
Value log1p(const Value& x) { return log(Value(1) + x); }
Value log2(const Value& x) { return log(x) / std::log(2.0); }
Value log10(const Value& x) { return log(x) / std::log(10.0); }
Value rsqrt(const Value& x) { return Value(1) / sqrt(x); }
Value reciprocal(const Value& x) { return decimal(1) / x; }
Value tangent(const Value& x) { return call(Function::sin, x) / call(Function::cos, x); }
Value sinh(const Value& x) { return (exp(x) - exp(-x)) / 2; }
Value cosh(const Value& x) { return (exp(x) + exp(-x)) / 2; }
Value is_nan(const Value& x) { return x != x; }
Value is_false(const Value& x) { return x == 0; }

/// Rounding leaves integers alone.
template <One Chosen>
void rounding(const CallLowering& call) {
  if (is_float(call.dtype_of("self")))
    unary<Chosen>(call);
  else
    unary<identity>(call);
}

void is_infinite(const CallLowering& call) {
  const Tensor self = call.in("self");
  call.map(call.out(), [&](const Subscripts& at) {
    return is_float(self.dtype) ? abs(self.at(at)) == infinity() : self.at(at) != self.at(at);
  });
}

void pow(const CallLowering& call) {
  call.map(call.out(),
           [&](const Subscripts& at) { return power(call.operand("self", at), call.operand("exponent", at)); });
}

void divide_rounded(const CallLowering& call) {
  if (!call.has("rounding_mode")) return binary<over>(call);
  const std::string_view mode = call.text("rounding_mode");
  if (mode == "floor") return binary<floor_divide>(call);
  call.map(call.out(),
           [&](const Subscripts& at) { return trunc(call.operand("self", at) / call.operand("other", at)); });
}

void want_bools(const CallLowering& call) {
  for (const std::string_view name : {"self", "other"}) {
    if (call.op().schema.find(name) && call.is_tensor(name) && call.dtype_of(name) != DType::boolean) {
      call.unsupported("bits of integers are not supported, only bools");
    }
  }
}
template <Two Chosen>
void bitwise(const CallLowering& call) {
  want_bools(call);
  binary<Chosen>(call);
}
void bitwise_not(const CallLowering& call) {
  const Tensor self = call.in("self");
  call.map(call.out(), [&](const Subscripts& at) {
    return self.dtype == DType::boolean ? is_false(self.at(at)) : -self.at(at) - 1;
  });
}

Value condition(const Tensor& tensor, const Subscripts& at) {
  return tensor.dtype == DType::boolean ? tensor.at(at) : truth(tensor.at(at));
}

void where(const CallLowering& call) {
  const Tensor which = call.in("condition");
  call.map(call.out(), [&](const Subscripts& at) {
    return select(condition(which, at), call.operand("self", at), call.operand("other", at));
  });
}

void masked_fill(const CallLowering& call) {
  const Tensor mask = call.in("mask");
  call.map(call.out(), [&](const Subscripts& at) {
    return select(condition(mask, at), call.operand("value", at), call.operand("self", at));
  });
}

void clamp(const CallLowering& call) {
  const auto given = [&](std::string_view name) { return call.op().schema.find(name) && call.has(name); };
  call.map(call.out(), [&](const Subscripts& at) {
    Value out = call.operand("self", at);
    if (given("min")) out = max(out, call.operand("min", at));
    if (given("max")) out = min(out, call.operand("max", at));
    return out;
  });
}

template <Two Chosen>
void addc(const CallLowering& call) {
  const double scale = call.real("value");
  call.map(call.out(), [&](const Subscripts& at) {
    const Value term = Chosen(call.operand("tensor1", at), call.operand("tensor2", at));
    return call.operand("self", at) + (scale == 1 ? term : Value(scale) * term);
  });
}

void lerp(const CallLowering& call) {
  call.map(call.out(), [&](const Subscripts& at) {
    return call.operand("self", at) + Value(call.real("weight")) * (call.operand("end", at) - call.operand("self", at));
  });
}

void copy_self(const CallLowering& call) { call.copy(call.in("self"), call.out()); }
void copy_input(const CallLowering& call) {
  if (call.op().schema.name == "aten.native_dropout.default" && call.wanted(1))
    call.unsupported("the mask of dropout is random");
  call.copy(call.in("input"), call.out());
}

constexpr std::array kRows = {
    LoweringRow{"aten.add.Tensor", sum<Side::add>},
    LoweringRow{"aten.add.Scalar", sum<Side::add>},
    LoweringRow{"aten.sub.Tensor", sum<Side::subtract>},
    LoweringRow{"aten.sub.Scalar", sum<Side::subtract>},
    LoweringRow{"aten.rsub.Scalar", sum<Side::reversed>},
    LoweringRow{"aten.rsub.Tensor", sum<Side::reversed>},
    LoweringRow{"aten.mul.Tensor", binary<times>},
    LoweringRow{"aten.mul.Scalar", binary<times>},
    LoweringRow{"aten.multiply.Tensor", binary<times>},
    LoweringRow{"aten.div.Tensor", binary<over>},
    LoweringRow{"aten.div.Scalar", binary<over>},
    LoweringRow{"aten.divide.Tensor", binary<over>},
    LoweringRow{"aten.true_divide.Tensor", binary<over>},
    LoweringRow{"aten.div.Tensor_mode", divide_rounded},
    LoweringRow{"aten.floor_divide.default", binary<floor_divide>},
    LoweringRow{"aten.remainder.Scalar", binary<rest>},
    LoweringRow{"aten.remainder.Tensor", binary<rest>},
    LoweringRow{"aten.fmod.Scalar", binary<rest_like_dividend>},
    LoweringRow{"aten.fmod.Tensor", binary<rest_like_dividend>},
    LoweringRow{"aten.maximum.default", binary<larger>},
    LoweringRow{"aten.minimum.default", binary<smaller>},
    LoweringRow{"aten.max.other", binary<larger>},
    LoweringRow{"aten.min.other", binary<smaller>},
    LoweringRow{"aten.pow.Tensor_Scalar", pow},
    LoweringRow{"aten.pow.Tensor_Tensor", pow},
    LoweringRow{"aten.pow.Scalar", pow},
    LoweringRow{"aten.eq.Tensor", binary<is_equal>},
    LoweringRow{"aten.eq.Scalar", binary<is_equal>},
    LoweringRow{"aten.ne.Tensor", binary<is_unequal>},
    LoweringRow{"aten.ne.Scalar", binary<is_unequal>},
    LoweringRow{"aten.lt.Tensor", binary<is_less>},
    LoweringRow{"aten.lt.Scalar", binary<is_less>},
    LoweringRow{"aten.le.Tensor", binary<is_at_most>},
    LoweringRow{"aten.le.Scalar", binary<is_at_most>},
    LoweringRow{"aten.gt.Tensor", binary<is_more>},
    LoweringRow{"aten.gt.Scalar", binary<is_more>},
    LoweringRow{"aten.ge.Tensor", binary<is_at_least>},
    LoweringRow{"aten.ge.Scalar", binary<is_at_least>},
    LoweringRow{"aten.logical_and.default", binary<both>},
    LoweringRow{"aten.logical_or.default", binary<either>},
    LoweringRow{"aten.logical_xor.default", binary<one_of>},
    LoweringRow{"aten.logical_not.default", unary<is_false>},
    LoweringRow{"aten.bitwise_and.Tensor", bitwise<both>},
    LoweringRow{"aten.bitwise_or.Tensor", bitwise<either>},
    LoweringRow{"aten.bitwise_not.default", bitwise_not},
    LoweringRow{"aten.where.self", where},
    LoweringRow{"aten.where.ScalarSelf", where},
    LoweringRow{"aten.where.ScalarOther", where},
    LoweringRow{"aten.where.Scalar", where},
    LoweringRow{"aten.masked_fill.Scalar", masked_fill},
    LoweringRow{"aten.masked_fill.Tensor", masked_fill},
    LoweringRow{"aten.clamp.default", clamp},
    LoweringRow{"aten.clamp.Tensor", clamp},
    LoweringRow{"aten.clamp_min.default", clamp},
    LoweringRow{"aten.clamp_max.default", clamp},
    LoweringRow{"aten.addcmul.default", addc<times>},
    LoweringRow{"aten.addcdiv.default", addc<over>},
    LoweringRow{"aten.lerp.Scalar", lerp},
    LoweringRow{"aten.neg.default", unary<negation>},
    LoweringRow{"aten.abs.default", unary<function<Function::abs>>},
    LoweringRow{"aten.sign.default", unary<sign>},
    LoweringRow{"aten.square.default", unary<square>},
    LoweringRow{"aten.floor.default", rounding<function<Function::floor>>},
    LoweringRow{"aten.ceil.default", rounding<function<Function::ceil>>},
    LoweringRow{"aten.round.default", rounding<function<Function::round>>},
    LoweringRow{"aten.trunc.default", rounding<trunc>},
    LoweringRow{"aten.exp.default", unary<function<Function::exp>>},
    LoweringRow{"aten.exp2.default", unary<exp2>},
    LoweringRow{"aten.expm1.default", unary<expm1>},
    LoweringRow{"aten.log.default", unary<function<Function::log>>},
    LoweringRow{"aten.log1p.default", unary<log1p>},
    LoweringRow{"aten.log2.default", unary<log2>},
    LoweringRow{"aten.log10.default", unary<log10>},
    LoweringRow{"aten.sqrt.default", unary<function<Function::sqrt>>},
    LoweringRow{"aten.rsqrt.default", unary<rsqrt>},
    LoweringRow{"aten.reciprocal.default", unary<reciprocal>},
    LoweringRow{"aten.sin.default", unary<function<Function::sin>>},
    LoweringRow{"aten.cos.default", unary<function<Function::cos>>},
    LoweringRow{"aten.tan.default", unary<tangent>},
    LoweringRow{"aten.sinh.default", unary<sinh>},
    LoweringRow{"aten.cosh.default", unary<cosh>},
    LoweringRow{"aten.erf.default", unary<function<Function::erf>>},
    LoweringRow{"aten.isnan.default", unary<is_nan>},
    LoweringRow{"aten.isinf.default", is_infinite},
    LoweringRow{"aten.to.dtype", copy_self},
    LoweringRow{"aten.to.dtype_layout", copy_self},
    LoweringRow{"aten._to_copy.default", copy_self},
    LoweringRow{"aten.type_as.default", copy_self},
    LoweringRow{"aten.clone.default", copy_self},
    LoweringRow{"aten.contiguous.default", copy_self},
    LoweringRow{"aten.alias.default", copy_self},
    LoweringRow{"aten.detach.default", copy_self},
    LoweringRow{"aten.lift_fresh_copy.default", copy_self},
    LoweringRow{"aten.dropout.default", copy_input},
    LoweringRow{"aten.native_dropout.default", copy_input},
};

}  // namespace

std::span<const LoweringRow> pointwise_lowerings() { return kRows; }

}  // namespace steptp::frontend
