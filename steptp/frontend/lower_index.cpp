#include <array>

#include "steptp/frontend/lowering_table.h"

namespace steptp::frontend {

namespace {

void gather(const Step& step) {
  const Tensor self = step.in("self");
  const Tensor index = step.in("index");
  const std::size_t dim = plain_dimension(step, step.integer("dim"), self.shape.size());
  step.map(step.out(), [&](const Subscripts& at) {
    Subscripts place = at;
    place[dim] = index.as_subscript(at);
    return self.exactly(place);
  });
}

void index_select(const Step& step) {
  const Tensor self = step.in("self");
  const Tensor index = step.in("index");
  const std::size_t dim = plain_dimension(step, step.integer("dim"), self.shape.size());
  step.map(step.out(), [&](const Subscripts& at) {
    Subscripts place = at;
    place[dim] = index.as_subscript(index.shape.empty() ? Subscripts() : Subscripts{at[dim]});
    return self.exactly(place);
  });
}

void embedding(const Step& step) {
  const Tensor weight = step.in("weight");
  const Tensor indices = step.in("indices");
  step.map(step.out(), [&](const Subscripts& at) {
    return weight.exactly({indices.as_subscript(Subscripts(at.begin(), at.end() - 1)), at.back()});
  });
}

/// Indices count from the front: negative ones would need a test of every value.
void index(const Step& step) {
  const Tensor self = step.in("self");
  const std::vector<graph::Value>& indices = step.values("indices");
  std::size_t first = 0;
  while (indices[first].node < 0) ++first;
  std::size_t last = indices.size();
  while (indices[last - 1].node < 0) --last;
  const std::size_t common = step.out().shape.size() - (self.shape.size() - (last - first));
  step.map(step.out(), [&](const Subscripts& at) {
    const auto middle = at.begin() + static_cast<std::ptrdiff_t>(first);
    const auto rest = middle + static_cast<std::ptrdiff_t>(common);
    const Subscripts inner(middle, rest);
    Subscripts place(at.begin(), middle);
    for (std::size_t dim = first; dim < last; ++dim) place.push_back(step.of(indices[dim]).as_subscript(inner));
    place.insert(place.end(), rest, at.end());
    return self.exactly(place);
  });
}

constexpr std::array kRows = {
    LoweringRow{"aten.gather.default", gather},
    LoweringRow{"aten.index_select.default", index_select},
    LoweringRow{"aten.embedding.default", embedding},
    LoweringRow{"aten.index.Tensor", index},
};

}  // namespace

std::span<const LoweringRow> index_lowerings() { return kRows; }

}  // namespace steptp::frontend
