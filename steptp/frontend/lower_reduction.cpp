#include <array>
#include <cmath>

#include "steptp/base/text.h"
#include "steptp/frontend/lowering_table.h"
#include "steptp/frontend/reductions.h"

namespace steptp::frontend {

namespace {

template <Fold How>
void plain(const CallLowering& call) {
  const Tensor self = call.in("self");
  fold_dimensions(call, How, call.out(), division_of(call, self.shape),
                  [&](const Subscripts& at) { return self.exactly(at); });
}

void mean(const CallLowering& call) {
  const Tensor self = call.in("self");
  mean_dimensions(call, call.out(), division_of(call, self.shape),
                  [&](const Subscripts& at) { return self.exactly(at); });
}

/// The row-major number of an element among those that are folded.
Subscript position(const Division& division, const Subscripts& at) {
  Subscript out = 0;
  for (std::size_t dim = 0; dim < at.size(); ++dim) {
    if (division.reduced[dim]) out = out * division.shape[dim] + at[dim];
  }
  return out;
}

/// The first place of an extremum that is known: the least index whose element reaches it.
void find_place(const CallLowering& call, bool is_max, const Tensor& extremum, const Tensor& target,
                const Division& division) {
  const Tensor self = call.in("self");
  fold_dimensions(call, Fold::min, target, division, [&](const Subscripts& at) {
    Subscripts where = division.outer(at);
    if (extremum.shape.size() == division.shape.size())
      where = division.merge(where, Subscripts(at.size(), Subscript(0)));
    const Value best = extremum.exactly(where);
    const Value reached = is_max ? self.exactly(at) >= best : self.exactly(at) <= best;
    return select(reached, position(division, at), division.elements());
  });
}

template <bool IsMax>
void place_of_extremum(const CallLowering& call) {
  const Tensor self = call.in("self");
  const Division division = division_of(call, self.shape);
  const Tensor extremum = call.temporary(self.dtype, division.kept_extents());
  fold_dimensions(call, IsMax ? Fold::max : Fold::min, extremum, division,
                  [&](const Subscripts& at) { return self.exactly(at); });
  find_place(call, IsMax, extremum, call.out(), division);
}

template <bool IsMax>
void extremum_and_place(const CallLowering& call) {
  const Tensor self = call.in("self");
  const Division division = division_of(call, self.shape);
  if (!call.wanted(1)) call.skip_name();
  const Tensor extremum = call.wanted(0) ? call.out(0) : call.temporary(self.dtype, division.kept_extents());
  fold_dimensions(call, IsMax ? Fold::max : Fold::min, extremum, division,
                  [&](const Subscripts& at) { return self.exactly(at); });
  if (call.wanted(1)) find_place(call, IsMax, extremum, call.out(1), division);
}

template <bool IsAny>
void truth(const CallLowering& call) {
  const Tensor self = call.in("self");
  const Tensor out = call.out();
  const Tensor flag = call.temporary(DType::i64, out.shape);
  fold_dimensions(call, IsAny ? Fold::max : Fold::min, flag, division_of(call, self.shape),
                  [&](const Subscripts& at) { return select(self.exactly(at) != 0, 1, 0); });
  call.map(out, [&](const Subscripts& at) { return flag.exactly(at) != 0; });
}

void logsumexp(const CallLowering& call) {
  const Tensor self = call.in("self");
  const Tensor out = call.out();
  const Division division = division_of(call, self.shape);
  const Exponentials parts = exponentials(call, self, out.dtype, division);
  const bool keeps = out.shape.size() == self.shape.size();
  call.map(out, [&](const Subscripts& at) {
    const Subscripts outer = keeps ? division.outer(at) : at;
    return log(parts.sum.exactly(outer)) + parts.largest.exactly(outer);
  });
}

/// Mean and variance by their definition: sum, mean, squared deviations, quotient.
void variance(const CallLowering& call, const Tensor& target, const Tensor* mean_target, bool root) {
  const Tensor self = call.in("self");
  const Division division = division_of(call, self.shape);
  double correction = 1;
  if (call.op().schema.find("unbiased"))
    correction = call.flag("unbiased") ? 1 : 0;
  else if (call.has("correction"))
    correction = call.real("correction");
  const double divisor = static_cast<double>(division.elements()) - correction;
  if (divisor <= 0)
    call.unsupported(concat("the variance of ", division.elements(), " elements with this correction is not a number"));
  const Tensor mean_of = mean_target ? *mean_target : call.temporary(target.dtype, target.shape);
  mean_dimensions(call, mean_of, division, [&](const Subscripts& at) { return self.exactly(at); });
  const Tensor squares = call.temporary(target.dtype, target.shape);
  fold_dimensions(call, Fold::sum, squares, division, [&](const Subscripts& at) {
    Subscripts where = division.outer(at);
    if (mean_of.shape.size() == self.shape.size()) where = division.merge(where, Subscripts(at.size(), Subscript(0)));
    return power(self.exactly(at) - mean_of.exactly(where), 2);
  });
  call.map(target, [&](const Subscripts& at) {
    const Value quotient = squares.exactly(at) / divisor;
    return root ? sqrt(quotient) : quotient;
  });
}
void var(const CallLowering& call) { variance(call, call.out(), nullptr, false); }
void deviation(const CallLowering& call) { variance(call, call.out(), nullptr, true); }
void var_mean(const CallLowering& call) {
  if (call.wanted(0) && call.wanted(1)) {
    const Tensor mean_target = call.out(1);
    return variance(call, call.out(0), &mean_target, false);
  }
  if (call.wanted(0)) return variance(call, call.out(0), nullptr, false);
  const Tensor self = call.in("self");
  mean_dimensions(call, call.out(1), division_of(call, self.shape),
                  [&](const Subscripts& at) { return self.exactly(at); });
}

void norm(const CallLowering& call) {
  const std::string_view name = call.op().schema.find("p") ? "p" : "ord";
  const double order = call.has(name) ? call.real(name) : 2;
  const Tensor self = call.in("self");
  const Tensor out = call.out();
  const Division division = division_of(call, self.shape);
  const auto size = [&](const Subscripts& at) { return abs(self.exactly(at)); };
  if (std::isinf(order)) return fold_dimensions(call, order > 0 ? Fold::max : Fold::min, out, division, size);
  if (order == 1) return fold_dimensions(call, Fold::sum, out, division, size);
  if (order == 0) {
    return fold_dimensions(call, Fold::sum, out, division,
                           [&](const Subscripts& at) { return select(self.exactly(at) != 0, 1, 0); });
  }
  const Tensor sum = call.temporary(out.dtype, out.shape);
  fold_dimensions(call, Fold::sum, sum, division, [&](const Subscripts& at) {
    return order == 2 ? power(self.exactly(at), 2) : power(size(at), order);
  });
  call.map(out, [&](const Subscripts& at) {
    return order == 2 ? sqrt(sum.exactly(at)) : power(sum.exactly(at), Value(1) / order);
  });
}

/// The quadratic form of a scan: every element folds all elements up to its own.
template <Fold How>
void scan(const CallLowering& call) {
  const Tensor self = call.in("self");
  const Tensor out = call.out();
  if (self.shape.empty()) return call.copy(self, out);
  const std::size_t dim = plain_dimension(call, call.integer("dim"), self.shape.size());
  call.fold(How, out, {self.shape[dim]}, [&](const Subscripts& at, const Subscripts& inner) {
    Subscripts source = at;
    source[dim] = inner.front();
    return select(Value(inner.front()) <= at[dim], self.exactly(source), How == Fold::sum ? 0 : 1);
  });
}

constexpr std::array kRows = {
    LoweringRow{"aten.sum.default", plain<Fold::sum>},
    LoweringRow{"aten.sum.dim_IntList", plain<Fold::sum>},
    LoweringRow{"aten.mean.default", mean},
    LoweringRow{"aten.mean.dim", mean},
    LoweringRow{"aten.prod.default", plain<Fold::product>},
    LoweringRow{"aten.prod.dim_int", plain<Fold::product>},
    LoweringRow{"aten.max.default", plain<Fold::max>},
    LoweringRow{"aten.min.default", plain<Fold::min>},
    LoweringRow{"aten.amax.default", plain<Fold::max>},
    LoweringRow{"aten.amin.default", plain<Fold::min>},
    LoweringRow{"aten.max.dim", extremum_and_place<true>},
    LoweringRow{"aten.min.dim", extremum_and_place<false>},
    LoweringRow{"aten.argmax.default", place_of_extremum<true>},
    LoweringRow{"aten.argmin.default", place_of_extremum<false>},
    LoweringRow{"aten.any.default", truth<true>},
    LoweringRow{"aten.any.dim", truth<true>},
    LoweringRow{"aten.all.default", truth<false>},
    LoweringRow{"aten.all.dim", truth<false>},
    LoweringRow{"aten.logsumexp.default", logsumexp},
    LoweringRow{"aten.var.default", var},
    LoweringRow{"aten.var.dim", var},
    LoweringRow{"aten.var.correction", var},
    LoweringRow{"aten.std.default", deviation},
    LoweringRow{"aten.std.dim", deviation},
    LoweringRow{"aten.std.correction", deviation},
    LoweringRow{"aten.var_mean.correction", var_mean},
    LoweringRow{"aten.norm.Scalar", norm},
    LoweringRow{"aten.norm.ScalarOpt_dim", norm},
    LoweringRow{"aten.linalg_vector_norm.default", norm},
    LoweringRow{"aten.cumsum.default", scan<Fold::sum>},
    LoweringRow{"aten.cumprod.default", scan<Fold::product>},
};

}  // namespace

std::span<const LoweringRow> reduction_lowerings() { return kRows; }

}  // namespace steptp::frontend
