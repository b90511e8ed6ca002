#include <array>

#include "steptp/frontend/lowering_table.h"

namespace steptp::frontend {

namespace {

void fill(const CallLowering& call, const Value& value) {
  call.map(call.out(), [&](const Subscripts&) { return value; });
}
void zeros(const CallLowering& call) { fill(call, 0); }
void ones(const CallLowering& call) { fill(call, 1); }
void full(const CallLowering& call) { fill(call, call.operand("fill_value", {})); }
void scalar(const CallLowering& call) { fill(call, call.operand("s", {})); }

void range(const CallLowering& call) {
  const double start = call.op().schema.find("start") ? call.real("start") : 0;
  const double by = call.op().schema.find("step") ? call.real("step") : 1;
  call.map(call.out(), [&](const Subscripts& at) {
    const Value scaled = by == 1 ? Value(at[0]) : Value(at[0]) * by;
    return start == 0 ? scaled : scaled + start;
  });
}

void eye(const CallLowering& call) {
  call.map(call.out(), [&](const Subscripts& at) { return select(Value(at[0]) == at[1], 1, 0); });
}

constexpr std::array kRows = {
    LoweringRow{"aten.full.default", full},
    LoweringRow{"aten.zeros.default", zeros},
    LoweringRow{"aten.ones.default", ones},
    LoweringRow{"aten.full_like.default", full},
    LoweringRow{"aten.zeros_like.default", zeros},
    LoweringRow{"aten.ones_like.default", ones},
    LoweringRow{"aten.new_zeros.default", zeros},
    LoweringRow{"aten.new_ones.default", ones},
    LoweringRow{"aten.new_full.default", full},
    LoweringRow{"aten.scalar_tensor.default", scalar},
    LoweringRow{"aten.arange.default", range},
    LoweringRow{"aten.arange.start", range},
    LoweringRow{"aten.arange.start_step", range},
    LoweringRow{"aten.eye.default", eye},
    LoweringRow{"aten.eye.m", eye},
};

}  // namespace

std::span<const LoweringRow> creation_lowerings() { return kRows; }

}  // namespace steptp::frontend
