#include <array>

#include "steptp/frontend/indices.h"
#include "steptp/frontend/lowering_table.h"
#include "steptp/graph/indexing.h"

namespace steptp::frontend {

namespace {

/// What an element of the result looks for among the elements that are written: those that go to its place. The last
/// one of them stays where they replace each other, as PyTorch's CPU has it.
struct Written {
  Shape loops;  ///< over all that is written to one place
  /// Its reads must be lazy: only what `inside` allows is looked at.
  std::function<Value(const Subscripts& at, const Subscripts& inner)> goes_here;
  std::function<Value(const Subscripts& at, const Subscripts& inner)> value;
  /// Which elements of the result can be written at all; none: all of them.
  std::function<std::vector<Value>(const Subscripts& at)> inside = [](const Subscripts&) {
    return std::vector<Value>();
  };

  /// A choice by whether an element that is written goes to a place of the result.
  [[nodiscard]] Value choose(const Subscripts& at, const Subscripts& inner, const Value& yes, const Value& no) const {
    return within(at, select(goes_here(at, inner), yes, no), no);
  }
  /// A value that is looked at only where something can be written.
  [[nodiscard]] Value within(const Subscripts& at, const Value& looked_at, const Value& otherwise) const {
    const std::vector<Value> tests = inside(at);
    return tests.empty() ? looked_at : select(all_of(tests), looked_at, otherwise);
  }
};

Subscript row_major(const Subscripts& at, const Shape& shape) {
  Subscript out = 0;
  for (std::size_t dim = 0; dim < at.size(); ++dim) out = out * shape[dim] + at[dim];
  return out;
}

/// Three nests: the number of the last element that is written here, that element, and the choice between it and what
/// was there. `place_shape` are the dimensions that decide where an element goes, `place` picks them out of those of
/// the result. The element is found by a sum with one term, not by its number: then all subscripts are plain.
void replace(const CallLowering& call, const Written& written, const Shape& place_shape,
             const std::function<Subscripts(const Subscripts&)>& place) {
  const Tensor self = call.in("self");
  const Tensor out = call.out();
  const Tensor last = call.temporary(DType::i64, place_shape);
  call.fold(Fold::max, last, written.loops, [&](const Subscripts& at, const Subscripts& inner) {
    return written.choose(at, inner, row_major(inner, written.loops) + 1, 0);
  });
  const Tensor value = call.temporary(out.dtype, out.shape);
  call.fold(Fold::sum, value, written.loops, [&](const Subscripts& at, const Subscripts& inner) {
    const Value is_last = last.exactly(place(at)) == row_major(inner, written.loops) + 1;
    return written.within(at, select(is_last, written.value(at, inner), 0), 0);
  });
  call.map(out, [&](const Subscripts& at) {
    return select(last.exactly(place(at)) > 0, value.exactly(at), self.exactly(at));
  });
}

/// One nest that folds what is written, and one that puts it together with what was there.
void combine(const CallLowering& call, const Written& written, Fold how, bool include_self) {
  const Tensor self = call.in("self");
  const Tensor out = call.out();
  Value neutral = how == Fold::sum ? Value(0) : Value(1);
  if (how == Fold::max || how == Fold::min) {
    if (!is_float(self.dtype)) call.unsupported("the maximum of integers is not supported here");
    neutral = how == Fold::max ? -infinity() : infinity();
  }
  const Tensor folded = call.temporary(out.dtype, out.shape);
  call.fold(how, folded, written.loops, [&](const Subscripts& at, const Subscripts& inner) {
    return written.choose(at, inner, written.value(at, inner), neutral);
  });
  const auto both = [&](const Value& before, const Value& after) {
    switch (how) {
      case Fold::sum: return before + after;
      case Fold::product: return before * after;
      case Fold::max: return max(before, after);
      case Fold::min: return min(before, after);
    }
    return after;
  };
  if (include_self) {
    return call.map(out, [&](const Subscripts& at) { return both(self.exactly(at), folded.exactly(at)); });
  }
  const Tensor number = call.temporary(DType::i64, out.shape);
  call.fold(Fold::sum, number, written.loops,
            [&](const Subscripts& at, const Subscripts& inner) { return written.choose(at, inner, 1, 0); });
  call.map(out,
           [&](const Subscripts& at) { return select(number.exactly(at) > 0, folded.exactly(at), self.exactly(at)); });
}

/// The elements of `src`, or one number, go to the indices in `dim`; in the other dimensions they stay.
Written scattered(const CallLowering& call, std::size_t dim) {
  const Tensor index = call.in("index");
  const Shape& whole = call.shape("self");
  const auto source = [dim](Subscripts at, const Subscripts& inner) {
    at[dim] = inner.front();
    return at;
  };
  Written out;
  out.loops = {index.shape[dim]};
  out.inside = [=](const Subscripts& at) {
    std::vector<Value> tests;
    for (std::size_t other = 0; other < whole.size(); ++other) {
      if (other != dim && index.shape[other] < whole[other]) tests.push_back(Value(at[other]) < index.shape[other]);
    }
    return tests;
  };
  out.goes_here = [=](const Subscripts& at, const Subscripts& inner) {
    return index.exactly(source(at, inner)) == at[dim];
  };
  if (call.op().schema.find("src")) {
    const Tensor src = call.in("src");
    out.value = [=](const Subscripts& at, const Subscripts& inner) { return src.exactly(source(at, inner)); };
  } else {
    out.value = [&call](const Subscripts& at, const Subscripts&) { return call.operand("value", at); };
  }
  return out;
}

void scatter(const CallLowering& call) {
  if (call.shape("self").empty()) call.unsupported("a scalar is not supported");
  const std::size_t dim = plain_dimension(call, call.integer("dim"), call.shape("self").size());
  const Written written = scattered(call, dim);
  if (call.op().schema.name == "aten.scatter_add.default") return combine(call, written, Fold::sum, true);
  if (!call.op().schema.find("reduce"))
    return replace(call, written, call.shape("self"), [](const Subscripts& at) { return at; });
  const std::string_view reduce = call.text("reduce");
  const bool include = call.flag("include_self");
  if (reduce == "sum") return combine(call, written, Fold::sum, include);
  if (reduce == "prod") return combine(call, written, Fold::product, include);
  if (reduce == "amax") return combine(call, written, Fold::max, include);
  if (reduce == "amin") return combine(call, written, Fold::min, include);
  call.unsupported("of the reductions only sum, prod, amax and amin are supported");
}

void index_put(const CallLowering& call) {
  const Shape& whole = call.shape("self");
  const graph::Indexing indexing = graph::indexed_by(call, whole);
  const Tensor values = call.in("values");
  std::vector<Tensor> tensors;
  std::vector<std::size_t> dims;
  Shape place_shape;
  for (std::size_t dim = 0; dim < whole.size(); ++dim) {
    if (!indexing.dims[dim]) continue;
    tensors.push_back(plain_index(call, *indexing.dims[dim], whole[dim]));
    dims.push_back(dim);
    place_shape.push_back(whole[dim]);
  }
  const auto indexed = [&](const Subscripts& at) {
    Subscripts out;
    for (const std::size_t dim : dims) out.push_back(at[dim]);
    return out;
  };
  const auto matches = [&](const Subscripts& place, const Subscripts& inner) {
    std::vector<Value> tests;
    for (std::size_t number = 0; number < tensors.size(); ++number)
      tests.push_back(tensors[number].at(inner) == place[number]);
    return all_of(tests);
  };
  Written written;
  written.loops = indexing.common;
  written.value = [&](const Subscripts& at, const Subscripts& inner) {
    Subscripts part;
    for (std::size_t dim = 0; dim < whole.size(); ++dim) {
      if (!indexing.dims[dim]) part.push_back(at[dim]);
    }
    part.insert(part.begin() + static_cast<std::ptrdiff_t>(indexing.first), inner.begin(), inner.end());
    return values.at(part);
  };
  if (call.flag("accumulate")) {
    written.goes_here = [&](const Subscripts& at, const Subscripts& inner) { return matches(indexed(at), inner); };
    return combine(call, written, Fold::sum, true);
  }
  // Where an element goes depends on the indexed dimensions alone.
  written.goes_here = matches;
  replace(call, written, place_shape, indexed);
}

void slice_scatter(const CallLowering& call) {
  const Tensor self = call.in("self");
  const Tensor src = call.in("src");
  const graph::SlicePart part = graph::slice_part(call, self.shape);
  call.map(call.out(), [&](const Subscripts& at) {
    const Subscript offset = at[part.dim] - part.start;
    Subscripts place = at;
    place[part.dim] = part.step == 1 ? offset : offset / part.step;
    std::vector<Value> tests;
    if (part.start > 0) tests.push_back(Value(at[part.dim]) >= part.start);
    const std::int64_t end = part.start + (part.length - 1) * part.step + 1;
    if (end < self.shape[part.dim]) tests.push_back(Value(at[part.dim]) < end);
    if (part.step > 1) tests.push_back(Value(offset % part.step) == 0);
    return tests.empty() ? src.exactly(place) : select(all_of(tests), src.exactly(place), self.exactly(at));
  });
}

void diagonal_scatter(const CallLowering& call) {
  const Tensor self = call.in("self");
  const Tensor src = call.in("src");
  const graph::DiagonalPart part = graph::diagonal_part(call, self.shape);
  call.map(call.out(), [&](const Subscripts& at) {
    Subscripts place;
    for (std::size_t dim = 0; dim < at.size(); ++dim) {
      if (dim != part.dim1 && dim != part.dim2) place.push_back(at[dim]);
    }
    const Subscript number = at[part.dim1] - part.row;
    place.push_back(number);
    const Value on_it = Value(number) == Value(at[part.dim2] - part.column);
    const Value inside = between(0, number, part.length);
    return select(all_of({inside, on_it}), src.exactly(place), self.exactly(at));
  });
}

constexpr std::array kRows = {
    LoweringRow{"aten.index_put.default", index_put},
    LoweringRow{"aten.scatter.src", scatter},
    LoweringRow{"aten.scatter.value", scatter},
    LoweringRow{"aten.scatter_add.default", scatter},
    LoweringRow{"aten.scatter_reduce.two", scatter},
    LoweringRow{"aten.slice_scatter.default", slice_scatter},
    LoweringRow{"aten.diagonal_scatter.default", diagonal_scatter},
};

}  // namespace

std::span<const LoweringRow> scatter_lowerings() { return kRows; }

}  // namespace steptp::frontend
