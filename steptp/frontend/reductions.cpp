#include "steptp/frontend/reductions.h"

namespace steptp::frontend {

Shape Division::pick(bool which) const {
  Shape out;
  for (std::size_t at = 0; at < shape.size(); ++at) {
    if (reduced[at] == which) out.push_back(shape[at]);
  }
  return out;
}

Subscripts Division::merge(const Subscripts& kept, const Subscripts& inner) const {
  Subscripts out;
  std::size_t next_kept = 0;
  std::size_t next_inner = 0;
  for (const bool folded : reduced) out.push_back(folded ? inner[next_inner++] : kept[next_kept++]);
  return out;
}

Subscripts Division::outer(const Subscripts& all) const {
  Subscripts out;
  for (std::size_t at = 0; at < reduced.size(); ++at) {
    if (!reduced[at]) out.push_back(all[at]);
  }
  return out;
}

Division division_of(const CallLowering& call, const Shape& shape) {
  if (!call.op().schema.find("dim")) return {std::vector<bool>(shape.size(), true), shape};
  return {marked_dimensions(call, "dim", shape.size()), shape};
}

Division division_at(const Shape& shape, std::size_t dimension) {
  Division out{std::vector<bool>(shape.size(), false), shape};
  if (!shape.empty()) out.reduced[dimension] = true;
  return out;
}

void fold_dimensions(const CallLowering& call, Fold how, const Tensor& target, const Division& division,
                     const Body& body) {
  NestWriter nest;
  const Subscripts kept = nest.loops(division.kept_extents());
  const Subscripts inner = nest.loops(division.reduced_extents());
  const bool keeps_all = target.shape.size() == division.shape.size();
  const Subscripts zeros(inner.size(), Subscript(0));
  nest.fold(how, target, keeps_all ? division.merge(kept, zeros) : kept, body(division.merge(kept, inner)));
  call.append(nest);
}

void mean_dimensions(const CallLowering& call, const Tensor& target, const Division& division, const Body& body) {
  const Tensor sum = call.temporary(target.dtype, target.shape);
  fold_dimensions(call, Fold::sum, sum, division, body);
  call.map(target, [&](const Subscripts& at) { return sum.exactly(at) / division.elements(); });
}

Exponentials exponentials(const CallLowering& call, const Tensor& source, DType dtype, const Division& division) {
  Exponentials out{call.temporary(dtype, division.kept_extents()), call.temporary(dtype, division.kept_extents())};
  fold_dimensions(call, Fold::max, out.largest, division, [&](const Subscripts& at) { return source.at(at); });
  fold_dimensions(call, Fold::sum, out.sum, division,
                  [&](const Subscripts& at) { return exp(source.at(at) - out.largest.exactly(division.outer(at))); });
  return out;
}

void softmax(const CallLowering& call, const Tensor& source, const Tensor& target, std::size_t dimension,
             bool logarithm) {
  const Division division = division_at(source.shape, dimension);
  const Exponentials parts = exponentials(call, source, target.dtype, division);
  call.map(target, [&](const Subscripts& at) {
    const Subscripts outer = division.outer(at);
    const Value shifted = source.exactly(at) - parts.largest.exactly(outer);
    const Value sum = parts.sum.exactly(outer);
    return logarithm ? shifted - log(sum) : exp(shifted) / sum;
  });
}

}  // namespace steptp::frontend
