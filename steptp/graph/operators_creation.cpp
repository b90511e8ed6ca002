#include <array>
#include <cmath>

#include "steptp/graph/operator.h"

namespace steptp::graph {

namespace {

using Types = std::vector<TensorType>;

Types filled(const Call& call) { return {{call.dtype("dtype", DType::f32), call.integers("size")}}; }

/// Without a dtype, the kind of the fill value decides.
Types full(const Call& call) {
  const Argument& value = call.argument("fill_value");
  DType dtype = DType::f32;
  if (std::holds_alternative<std::int64_t>(value)) dtype = DType::i64;
  if (std::holds_alternative<bool>(value)) dtype = DType::boolean;
  return {{call.dtype("dtype", dtype), call.integers("size")}};
}

Types like(const Call& call) { return {{call.dtype("dtype", call.dtype_of("self")), call.shape("self")}}; }
Types anew(const Call& call) { return {{call.dtype("dtype", call.dtype_of("self")), call.integers("size")}}; }
Types scalar(const Call& call) { return {{call.dtype("dtype", DType::f32), {}}}; }

Types range(const Call& call) {
  const bool has_start = call.op().schema.find("start").has_value();
  const bool has_step = call.op().schema.find("step").has_value();
  const double start = has_start ? call.real("start") : 0;
  const double step = has_step ? call.real("step") : 1;
  bool integers = std::holds_alternative<std::int64_t>(call.argument("end"));
  if (has_start) integers = integers && std::holds_alternative<std::int64_t>(call.argument("start"));
  if (has_step) integers = integers && std::holds_alternative<std::int64_t>(call.argument("step"));
  const double length = std::ceil((call.real("end") - start) / step);
  if (!(length >= 1 && length < 9e15)) call.fail("the range is empty");
  return {{call.dtype("dtype", integers ? DType::i64 : DType::f32), {static_cast<std::int64_t>(length)}}};
}

Types eye(const Call& call) {
  const bool has_columns = call.op().schema.find("m").has_value();
  return {{call.dtype("dtype", DType::f32), {call.integer("n"), call.integer(has_columns ? "m" : "n")}}};
}

constexpr std::array kRows = {
    OperatorRow{"full(int[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                "device=None, bool? pin_memory=None) -> Tensor",
                full, "torch.full({size}, {fill_value}, dtype={dtype})"},
    OperatorRow{"zeros(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
                "pin_memory=None) -> Tensor",
                filled, "torch.zeros({size}, dtype={dtype})"},
    OperatorRow{"ones(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
                "pin_memory=None) -> Tensor",
                filled, "torch.ones({size}, dtype={dtype})"},
    OperatorRow{"full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
                like, "torch.full_like({self}, {fill_value}, dtype={dtype})"},
    OperatorRow{"zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
                "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
                like, "torch.zeros_like({self}, dtype={dtype})"},
    OperatorRow{"ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
                "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
                like, "torch.ones_like({self}, dtype={dtype})"},
    OperatorRow{"new_zeros(Tensor self, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                "device=None, bool? pin_memory=None) -> Tensor",
                anew, "{self}.new_zeros({size}, dtype={dtype})"},
    OperatorRow{"new_ones(Tensor self, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                "device=None, bool? pin_memory=None) -> Tensor",
                anew, "{self}.new_ones({size}, dtype={dtype})"},
    OperatorRow{"new_full(Tensor self, int[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, "
                "Device? device=None, bool? pin_memory=None) -> Tensor",
                anew, "{self}.new_full({size}, {fill_value}, dtype={dtype})"},
    OperatorRow{"scalar_tensor(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
                "pin_memory=None) -> Tensor",
                scalar, "torch.scalar_tensor({s}, dtype={dtype})"},
    OperatorRow{"arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
                "pin_memory=None) -> Tensor",
                range, "torch.arange({end}, dtype={dtype})"},
    OperatorRow{"arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                "device=None, bool? pin_memory=None) -> Tensor",
                range, "torch.arange({start}, {end}, dtype={dtype})"},
    OperatorRow{"arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? "
                "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
                range, "torch.arange({start}, {end}, {step}, dtype={dtype})"},
    OperatorRow{"eye(int n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
                "pin_memory=None) -> Tensor",
                eye, "torch.eye({n}, dtype={dtype})"},
    OperatorRow{"eye.m(int n, int m, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
                "pin_memory=None) -> Tensor",
                eye, "torch.eye({n}, {m}, dtype={dtype})"},
};

}  // namespace

std::span<const OperatorRow> creation_operators() { return kRows; }

}  // namespace steptp::graph
