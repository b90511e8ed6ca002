#include <array>

#include "steptp/frontend/lowering_table.h"

namespace steptp::frontend {

namespace {

Subscripts with(Subscripts at, std::size_t dim, const Subscript& place) {
  at[dim] = place;
  return at;
}

/// How many elements of its row come before each element. Equal elements keep their order, so that no two have the
/// same rank.
Tensor ranks(const CallLowering& call, const Tensor& self, std::size_t dim, bool descending) {
  Tensor rank = call.temporary(DType::i64, self.shape);
  call.fold(Fold::sum, rank, {self.shape[dim]}, [&](const Subscripts& at, const Subscripts& inner) {
    const Value mine = self.exactly(at);
    const Value other = self.exactly(with(at, dim, inner.front()));
    const Value before = descending ? other > mine : other < mine;
    return select(any_of({before, all_of({other == mine, Value(inner.front()) < at[dim]})}), 1, 0);
  });
  return rank;
}

/// target[.., n, ..] = what belongs to the element of the rank n + first, of which there is one: the only term that is
/// not zero. `target` may lack the dimension.
void pick(const CallLowering& call, Fold how, const Tensor& rank, const Tensor& target, std::size_t dim,
          std::int64_t first, const std::function<Value(const Subscripts& place)>& value) {
  const bool keeps = target.shape.size() == rank.shape.size();
  call.fold(how, target, {rank.shape[dim]}, [&](const Subscripts& at, const Subscripts& inner) {
    Subscripts place = at;
    if (!keeps) place.insert(place.begin() + static_cast<std::ptrdiff_t>(dim), Subscript(0));
    const Value wanted = keeps && target.shape[dim] > 1 ? Value(at[dim] + first) : Value(first);
    place = with(place, dim, inner.front());
    return select(rank.exactly(place) == wanted, value(place), 0);
  });
}

/// The elements whose ranks begin with `first`, and where they stand.
void ordered(const CallLowering& call, bool descending, std::int64_t first) {
  const Tensor self = call.in("self");
  if (self.shape.empty()) call.unsupported("the order of a scalar is not supported");
  const std::size_t dim = plain_dimension(call, call.integer("dim"), self.shape.size());
  const Tensor rank = ranks(call, self, dim, descending);
  const std::int32_t number = static_cast<std::int32_t>(call.outputs()) - 1;
  if (number == 1 && call.wanted(0)) {
    pick(call, Fold::sum, rank, call.out(0), dim, first, [&](const Subscripts& place) { return self.exactly(place); });
  }
  if (call.wanted(number)) {
    // A maximum rather than a sum: how large it can become is then plain to see.
    pick(call, Fold::max, rank, call.out(number), dim, first, [&](const Subscripts& place) { return place[dim]; });
  }
}

void sort(const CallLowering& call) { ordered(call, call.flag("descending"), 0); }
void topk(const CallLowering& call) { ordered(call, call.flag("largest"), 0); }
void kthvalue(const CallLowering& call) { ordered(call, false, call.integer("k") - 1); }
void median(const CallLowering& call) {
  const Shape& shape = call.shape("self");
  ordered(call, false, (shape[plain_dimension(call, call.integer("dim"), shape.size())] - 1) / 2);
}

/// A scan: every element folds all elements up to its own. The element itself stands for those after it.
void extremum_so_far(const CallLowering& call, const Tensor& self, const Tensor& target, std::size_t dim, Fold how) {
  call.fold(how, target, {self.shape[dim]}, [&](const Subscripts& at, const Subscripts& inner) {
    return select(Value(inner.front()) <= at[dim], self.exactly(with(at, dim, inner.front())), self.exactly(at));
  });
}

template <Fold How>
void scan_extremum(const CallLowering& call) {
  const Tensor self = call.in("self");
  if (self.shape.empty()) call.unsupported("a scan of a scalar is not supported");
  const std::size_t dim = plain_dimension(call, call.integer("dim"), self.shape.size());
  const Tensor values = call.wanted(0) ? call.out(0) : call.temporary(self.dtype, self.shape);
  extremum_so_far(call, self, values, dim, How);
  if (!call.wanted(1)) return;
  // Of several places the last one counts.
  call.fold(Fold::max, call.out(1), {self.shape[dim]}, [&](const Subscripts& at, const Subscripts& inner) {
    const Value reached = self.exactly(with(at, dim, inner.front())) == values.exactly(at);
    return select(all_of({Value(inner.front()) <= at[dim], reached}), inner.front(), 0);
  });
}

void logcumsumexp(const CallLowering& call) {
  const Tensor self = call.in("self");
  if (self.shape.empty()) return call.copy(self, call.out());
  const std::size_t dim = plain_dimension(call, call.integer("dim"), self.shape.size());
  const Tensor largest = call.temporary(self.dtype, self.shape);
  extremum_so_far(call, self, largest, dim, Fold::max);
  const Tensor sum = call.temporary(self.dtype, self.shape);
  call.fold(Fold::sum, sum, {self.shape[dim]}, [&](const Subscripts& at, const Subscripts& inner) {
    const Value term = exp(self.exactly(with(at, dim, inner.front())) - largest.exactly(at));
    return select(Value(inner.front()) <= at[dim], term, 0);
  });
  call.map(call.out(), [&](const Subscripts& at) { return log(sum.exactly(at)) + largest.exactly(at); });
}

constexpr std::array kRows = {
    LoweringRow{"aten.sort.default", sort},
    LoweringRow{"aten.sort.stable", sort},
    LoweringRow{"aten.argsort.default", sort},
    LoweringRow{"aten.argsort.stable", sort},
    LoweringRow{"aten.topk.default", topk},
    LoweringRow{"aten.kthvalue.default", kthvalue},
    LoweringRow{"aten.median.dim", median},
    LoweringRow{"aten.cummax.default", scan_extremum<Fold::max>},
    LoweringRow{"aten.cummin.default", scan_extremum<Fold::min>},
    LoweringRow{"aten.logcumsumexp.default", logcumsumexp},
};

}  // namespace

std::span<const LoweringRow> order_lowerings() { return kRows; }

}  // namespace steptp::frontend
