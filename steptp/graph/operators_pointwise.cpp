#include <array>

#include "steptp/graph/operator.h"

namespace steptp::graph {

namespace {

using Types = std::vector<TensorType>;

Types same(const Call& call) { return {call.tensor("self")}; }
Types as_float(const Call& call) { return {{float_dtype(call.dtype_of("self")), call.shape("self")}}; }
Types as_bool(const Call& call) { return {{DType::boolean, call.shape("self")}}; }

Shape shape_of(const Call& call, std::string_view name) { return call.is_tensor(name) ? call.shape(name) : Shape(); }
Shape common_shape(const Call& call) { return broadcast(call, shape_of(call, "self"), shape_of(call, "other")); }

Types binary(const Call& call) { return {{result_dtype(call, {"self", "other"}), common_shape(call)}}; }
Types quotient(const Call& call) { return {{float_dtype(result_dtype(call, {"self", "other"})), common_shape(call)}}; }
Types rounded_quotient(const Call& call) { return call.has("rounding_mode") ? binary(call) : quotient(call); }
Types comparison(const Call& call) { return {{DType::boolean, common_shape(call)}}; }

Types power(const Call& call) {
  return {
      {result_dtype(call, {"self", "exponent"}), broadcast(call, shape_of(call, "self"), shape_of(call, "exponent"))}};
}

Types where(const Call& call) {
  const Shape branches = broadcast(call, shape_of(call, "self"), shape_of(call, "other"));
  return {{result_dtype(call, {"self", "other"}), broadcast(call, call.shape("condition"), branches)}};
}

Types masked_fill(const Call& call) {
  return {{call.dtype_of("self"), broadcast(call, call.shape("self"), call.shape("mask"))}};
}

Types clamp(const Call& call) {
  std::vector<std::string_view> names = {"self"};
  Shape shape = call.shape("self");
  for (const std::string_view bound : {"min", "max"}) {
    if (!call.op().schema.find(bound) || !call.has(bound)) continue;
    names.push_back(bound);
    shape = broadcast(call, shape, shape_of(call, bound));
  }
  if (names.size() == 1) call.fail("neither 'min' nor 'max' is given");
  return {{result_dtype(call, names), shape}};
}

Types addc(const Call& call) {
  const Shape product = broadcast(call, call.shape("tensor1"), call.shape("tensor2"));
  return {{result_dtype(call, {"self", "tensor1", "tensor2"}), broadcast(call, call.shape("self"), product)}};
}

Types lerp(const Call& call) {
  return {{call.dtype_of("self"), broadcast(call, call.shape("self"), call.shape("end"))}};
}

Types converted(const Call& call) { return {{call.dtype("dtype", call.dtype_of("self")), call.shape("self")}}; }
Types converted_to_other(const Call& call) { return {{call.dtype_of("other"), call.shape("self")}}; }

/// Dropout is the identity here: it says so in a note where a model is imported in train mode.
Types of_input(const Call& call) { return {call.tensor("input")}; }
Types dropout_and_mask(const Call& call) { return {call.tensor("input"), {DType::boolean, call.shape("input")}}; }

constexpr std::array kRows = {
    OperatorRow{"add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", binary,
                "torch.add({self}, {other}, alpha={alpha})"},
    OperatorRow{"add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", binary,
                "torch.add({self}, {other}, alpha={alpha})"},
    OperatorRow{"sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", binary,
                "torch.sub({self}, {other}, alpha={alpha})"},
    OperatorRow{"sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", binary,
                "torch.sub({self}, {other}, alpha={alpha})"},
    OperatorRow{"rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", binary,
                "torch.rsub({self}, {other}, alpha={alpha})"},
    OperatorRow{"rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", binary,
                "torch.rsub({self}, {other}, alpha={alpha})"},
    OperatorRow{"mul.Tensor(Tensor self, Tensor other) -> Tensor", binary, "{self} * {other}"},
    OperatorRow{"mul.Scalar(Tensor self, Scalar other) -> Tensor", binary, "{self} * {other}"},
    OperatorRow{"multiply.Tensor(Tensor self, Tensor other) -> Tensor", binary, "torch.multiply"},
    OperatorRow{"div.Tensor(Tensor self, Tensor other) -> Tensor", quotient, "{self} / {other}"},
    OperatorRow{"div.Scalar(Tensor self, Scalar other) -> Tensor", quotient, "{self} / {other}"},
    OperatorRow{"divide.Tensor(Tensor self, Tensor other) -> Tensor", quotient, "torch.divide"},
    OperatorRow{"true_divide.Tensor(Tensor self, Tensor other) -> Tensor", quotient, "torch.true_divide"},
    OperatorRow{"div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor", rounded_quotient,
                "torch.div({self}, {other}, rounding_mode={rounding_mode})"},
    OperatorRow{"floor_divide(Tensor self, Tensor other) -> Tensor", binary, "torch.floor_divide"},
    OperatorRow{"fmod.Scalar(Tensor self, Scalar other) -> Tensor", binary, "torch.fmod"},
    OperatorRow{"fmod.Tensor(Tensor self, Tensor other) -> Tensor", binary, "torch.fmod"},
    OperatorRow{"remainder.Scalar(Tensor self, Scalar other) -> Tensor", binary, "torch.remainder"},
    OperatorRow{"remainder.Tensor(Tensor self, Tensor other) -> Tensor", binary, "torch.remainder"},
    OperatorRow{"maximum(Tensor self, Tensor other) -> Tensor", binary, "torch.maximum"},
    OperatorRow{"minimum(Tensor self, Tensor other) -> Tensor", binary, "torch.minimum"},
    OperatorRow{"max.other(Tensor self, Tensor other) -> Tensor", binary, "torch.max"},
    OperatorRow{"min.other(Tensor self, Tensor other) -> Tensor", binary, "torch.min"},
    OperatorRow{"pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", power, "torch.pow"},
    OperatorRow{"pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", power, "torch.pow"},
    OperatorRow{"pow.Scalar(Scalar self, Tensor exponent) -> Tensor", power, "torch.pow"},
    OperatorRow{"eq.Tensor(Tensor self, Tensor other) -> Tensor", comparison, "{self} == {other}"},
    OperatorRow{"eq.Scalar(Tensor self, Scalar other) -> Tensor", comparison, "{self} == {other}"},
    OperatorRow{"ne.Tensor(Tensor self, Tensor other) -> Tensor", comparison, "{self} != {other}"},
    OperatorRow{"ne.Scalar(Tensor self, Scalar other) -> Tensor", comparison, "{self} != {other}"},
    OperatorRow{"lt.Tensor(Tensor self, Tensor other) -> Tensor", comparison, "{self} < {other}"},
    OperatorRow{"lt.Scalar(Tensor self, Scalar other) -> Tensor", comparison, "{self} < {other}"},
    OperatorRow{"le.Tensor(Tensor self, Tensor other) -> Tensor", comparison, "{self} <= {other}"},
    OperatorRow{"le.Scalar(Tensor self, Scalar other) -> Tensor", comparison, "{self} <= {other}"},
    OperatorRow{"gt.Tensor(Tensor self, Tensor other) -> Tensor", comparison, "{self} > {other}"},
    OperatorRow{"gt.Scalar(Tensor self, Scalar other) -> Tensor", comparison, "{self} > {other}"},
    OperatorRow{"ge.Tensor(Tensor self, Tensor other) -> Tensor", comparison, "{self} >= {other}"},
    OperatorRow{"ge.Scalar(Tensor self, Scalar other) -> Tensor", comparison, "{self} >= {other}"},
    OperatorRow{"logical_and(Tensor self, Tensor other) -> Tensor", comparison, "torch.logical_and"},
    OperatorRow{"logical_or(Tensor self, Tensor other) -> Tensor", comparison, "torch.logical_or"},
    OperatorRow{"logical_xor(Tensor self, Tensor other) -> Tensor", comparison, "torch.logical_xor"},
    OperatorRow{"logical_not(Tensor self) -> Tensor", as_bool, "torch.logical_not"},
    OperatorRow{"bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor", binary, "{self} & {other}"},
    OperatorRow{"bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor", binary, "{self} | {other}"},
    OperatorRow{"bitwise_not(Tensor self) -> Tensor", same, "~{self}"},
    OperatorRow{"where.self(Tensor condition, Tensor self, Tensor other) -> Tensor", where, "torch.where"},
    OperatorRow{"where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor", where, "torch.where"},
    OperatorRow{"where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor", where, "torch.where"},
    OperatorRow{"where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor", where, "torch.where"},
    OperatorRow{"masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor", masked_fill,
                "torch.masked_fill"},
    OperatorRow{"masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor", masked_fill,
                "torch.masked_fill"},
    OperatorRow{"clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", clamp, "torch.clamp"},
    OperatorRow{"clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor", clamp, "torch.clamp"},
    OperatorRow{"clamp_min(Tensor self, Scalar min) -> Tensor", clamp, "torch.clamp_min"},
    OperatorRow{"clamp_max(Tensor self, Scalar max) -> Tensor", clamp, "torch.clamp_max"},
    OperatorRow{"addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", addc,
                "torch.addcmul({self}, {tensor1}, {tensor2}, value={value})"},
    OperatorRow{"addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", addc,
                "torch.addcdiv({self}, {tensor1}, {tensor2}, value={value})"},
    OperatorRow{"lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor", lerp, "torch.lerp"},
    OperatorRow{"neg(Tensor self) -> Tensor", same, "-{self}"},
    OperatorRow{"abs(Tensor self) -> Tensor", same, "torch.abs"},
    OperatorRow{"sign(Tensor self) -> Tensor", same, "torch.sign"},
    OperatorRow{"square(Tensor self) -> Tensor", same, "torch.square"},
    OperatorRow{"floor(Tensor self) -> Tensor", same, "torch.floor"},
    OperatorRow{"ceil(Tensor self) -> Tensor", same, "torch.ceil"},
    OperatorRow{"round(Tensor self) -> Tensor", same, "torch.round"},
    OperatorRow{"trunc(Tensor self) -> Tensor", same, "torch.trunc"},
    OperatorRow{"exp(Tensor self) -> Tensor", as_float, "torch.exp"},
    OperatorRow{"exp2(Tensor self) -> Tensor", as_float, "torch.exp2"},
    OperatorRow{"expm1(Tensor self) -> Tensor", as_float, "torch.expm1"},
    OperatorRow{"log(Tensor self) -> Tensor", as_float, "torch.log"},
    OperatorRow{"log1p(Tensor self) -> Tensor", as_float, "torch.log1p"},
    OperatorRow{"log2(Tensor self) -> Tensor", as_float, "torch.log2"},
    OperatorRow{"log10(Tensor self) -> Tensor", as_float, "torch.log10"},
    OperatorRow{"sqrt(Tensor self) -> Tensor", as_float, "torch.sqrt"},
    OperatorRow{"rsqrt(Tensor self) -> Tensor", as_float, "torch.rsqrt"},
    OperatorRow{"reciprocal(Tensor self) -> Tensor", as_float, "torch.reciprocal"},
    OperatorRow{"sin(Tensor self) -> Tensor", as_float, "torch.sin"},
    OperatorRow{"cos(Tensor self) -> Tensor", as_float, "torch.cos"},
    OperatorRow{"tan(Tensor self) -> Tensor", as_float, "torch.tan"},
    OperatorRow{"sinh(Tensor self) -> Tensor", as_float, "torch.sinh"},
    OperatorRow{"cosh(Tensor self) -> Tensor", as_float, "torch.cosh"},
    OperatorRow{"erf(Tensor self) -> Tensor", as_float, "torch.erf"},
    OperatorRow{"isnan(Tensor self) -> Tensor", as_bool, "torch.isnan"},
    OperatorRow{"isinf(Tensor self) -> Tensor", as_bool, "torch.isinf"},
    OperatorRow{"to.dtype(Tensor self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? "
                "memory_format=None) -> Tensor",
                converted, "{self}.to({dtype})"},
    OperatorRow{
        "to.dtype_layout(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
        "pin_memory=None, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor",
        converted},
    OperatorRow{"_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
                "pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor",
                converted},
    OperatorRow{"type_as(Tensor self, Tensor other) -> Tensor", converted_to_other, "{self}.type_as({other})"},
    OperatorRow{"clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", same,
                "torch.clone({self}, memory_format=torch.contiguous_format)"},
    OperatorRow{"contiguous(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", same, "{self}.contiguous()"},
    OperatorRow{"alias(Tensor self) -> Tensor", same},
    OperatorRow{"detach(Tensor self) -> Tensor", same, "{self}.detach()"},
    OperatorRow{"lift_fresh_copy(Tensor self) -> Tensor", same},
    OperatorRow{"dropout(Tensor input, float p, bool train) -> Tensor", of_input, "F.dropout"},
    OperatorRow{"native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)", dropout_and_mask},
};

}  // namespace

std::span<const OperatorRow> pointwise_operators() { return kRows; }

}  // namespace steptp::graph
