#include "steptp/estimate/gpu_costs.h"

namespace steptp::estimation {

GpuCost cost_of(const OperationSummary& operation) {
  const bool is_wide = operation.dtype == DType::f64;
  const bool is_integer = !is_float(operation.dtype);
  const auto steps = [&](double f32, double special, double f64) {
    GpuCost out;
    out.issues = is_wide ? f64 : f32 + special;
    out.f32 = is_wide ? 0 : f32;
    out.f64 = is_wide ? f64 : 0;
    out.special = is_wide ? 0 : special;
    out.cycles = is_wide ? 8 * f64 : 4 * f32 + 12 * special;
    return out;
  };
  switch (operation.work) {
    case Work::add:
    case Work::multiply:
    case Work::fused: return steps(is_integer ? 2 : 1, 0, 1);
    case Work::choose: return steps(2, 0, 2);
    case Work::convert: {
      GpuCost out;
      out.f32 = 0;
      out.converts = is_wide ? 4 : 1;
      return out;
    }
    case Work::divide: return steps(10, 1, 16);
    case Work::root: return steps(8, 1, 14);
    case Work::exponential: return steps(7, 1, 20);
    case Work::logarithm: return steps(14, 0, 26);
    case Work::hyperbolic: return steps(20, 2, 40);
    case Work::circular: return steps(24, 0, 40);
    case Work::power:
    case Work::square: return steps(40, 3, 110);
    case Work::subscript: return steps(1, 0, 1);
  }
  return {};
}

}  // namespace steptp::estimation
