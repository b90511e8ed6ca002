#include <array>

#include "steptp/frontend/indices.h"
#include "steptp/frontend/lowering_table.h"
#include "steptp/graph/indexing.h"

namespace steptp::frontend {

Tensor plain_index(const Step& step, const graph::Value& index, std::int64_t extent) {
  const Tensor given = step.of(index);
  if (graph::is_never_negative(step.graph(), index)) return given;
  const Tensor plain = step.temporary(given.dtype, given.shape);
  step.map(plain, [&](const Subscripts& at) { return given.exactly(at) % extent; });
  return plain;
}

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

void index(const Step& step) {
  const Tensor self = step.in("self");
  const graph::Indexing indexing = graph::indexed_by(step, self.shape);
  std::vector<Tensor> tensors(self.shape.size());
  for (std::size_t dim = 0; dim < self.shape.size(); ++dim) {
    if (indexing.dims[dim]) tensors[dim] = plain_index(step, *indexing.dims[dim], self.shape[dim]);
  }
  step.map(step.out(), [&](const Subscripts& at) {
    const auto first = at.begin() + static_cast<std::ptrdiff_t>(indexing.first);
    const auto rest = first + static_cast<std::ptrdiff_t>(indexing.common.size());
    const Subscripts common(first, rest);
    Subscripts kept(at.begin(), first);
    kept.insert(kept.end(), rest, at.end());
    Subscripts place;
    std::size_t next = 0;
    for (std::size_t dim = 0; dim < self.shape.size(); ++dim) {
      place.push_back(indexing.dims[dim] ? tensors[dim].as_subscript(common) : kept[next++]);
    }
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
