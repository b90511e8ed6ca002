#include <array>

#include "steptp/frontend/indices.h"
#include "steptp/frontend/lowering_table.h"
#include "steptp/graph/indexing.h"

namespace steptp::frontend {

Tensor plain_index(const CallLowering& call, const graph::Value& index, std::int64_t extent) {
  const Tensor given = call.of(index);
  if (graph::is_never_negative(call.graph(), index)) return given;
  const Tensor plain = call.temporary(given.dtype, given.shape);
  call.map(plain, [&](const Subscripts& at) { return given.exactly(at) % extent; });
  return plain;
}

namespace {

void gather(const CallLowering& call) {
  const Tensor self = call.in("self");
  const Tensor index = call.in("index");
  const std::size_t dim = plain_dimension(call, call.integer("dim"), self.shape.size());
  call.map(call.out(), [&](const Subscripts& at) {
    Subscripts place = at;
    place[dim] = index.as_subscript(at);
    return self.exactly(place);
  });
}

void index_select(const CallLowering& call) {
  const Tensor self = call.in("self");
  const Tensor index = call.in("index");
  const std::size_t dim = plain_dimension(call, call.integer("dim"), self.shape.size());
  call.map(call.out(), [&](const Subscripts& at) {
    Subscripts place = at;
    place[dim] = index.as_subscript(index.shape.empty() ? Subscripts() : Subscripts{at[dim]});
    return self.exactly(place);
  });
}

void embedding(const CallLowering& call) {
  const Tensor weight = call.in("weight");
  const Tensor indices = call.in("indices");
  call.map(call.out(), [&](const Subscripts& at) {
    return weight.exactly({indices.as_subscript(Subscripts(at.begin(), at.end() - 1)), at.back()});
  });
}

void index(const CallLowering& call) {
  const Tensor self = call.in("self");
  const graph::Indexing indexing = graph::indexed_by(call, self.shape);
  std::vector<Tensor> tensors(self.shape.size());
  for (std::size_t dim = 0; dim < self.shape.size(); ++dim) {
    if (indexing.dims[dim]) tensors[dim] = plain_index(call, *indexing.dims[dim], self.shape[dim]);
  }
  call.map(call.out(), [&](const Subscripts& at) {
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
