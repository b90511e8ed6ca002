#include <array>
#include <cmath>
#include <optional>

#include "steptp/frontend/lowering_table.h"

namespace steptp::frontend {

namespace {

/// How a norm walks over its input: loops over what has statistics of its own, loops over what shares them, and the
/// subscripts of the input and of the affine parameters in terms of both.
struct Walk {
  Shape outer;
  Shape inner;
  std::function<Subscripts(const Subscripts& outer, const Subscripts& inner)> element;
  std::function<Subscripts(const Subscripts& element)> parameter;
};

struct Statistics {
  Tensor mean;
  Tensor variance;
};

/// Sum, mean, squared deviations, variance: four nests. Names that are not given are taken in this order.
Statistics statistics(const CallLowering& call, const Tensor& input, const Walk& walk,
                      const std::optional<Statistics>& given) {
  const std::int64_t elements = graph::count(walk.inner);
  const Tensor sum = call.temporary(input.dtype, walk.outer);
  const Tensor mean = given ? given->mean : call.temporary(input.dtype, walk.outer);
  call.fold(Fold::sum, sum, walk.inner, [&](const Subscripts& outer, const Subscripts& inner) {
    return input.exactly(walk.element(outer, inner));
  });
  call.map(mean, [&](const Subscripts& at) { return sum.exactly(at) / elements; });
  const Tensor squares = call.temporary(input.dtype, walk.outer);
  const Tensor variance = given ? given->variance : call.temporary(input.dtype, walk.outer);
  call.fold(Fold::sum, squares, walk.inner, [&](const Subscripts& outer, const Subscripts& inner) {
    return power(input.exactly(walk.element(outer, inner)) - mean.exactly(outer), 2);
  });
  call.map(variance, [&](const Subscripts& at) { return squares.exactly(at) / elements; });
  return {mean, variance};
}

/// Two nests: normalise, then weight and bias; one where there is neither.
void normalise(const CallLowering& call, const Tensor& input, const Tensor& out, const Walk& walk,
               const std::function<Value(const Value& x, const Subscripts& outer)>& normal) {
  const bool weighted = call.has("weight");
  const bool biased = call.op().schema.find("bias") && call.has("bias");
  const bool affine = weighted || biased;
  const Tensor plain = affine ? call.temporary(input.dtype, input.shape) : out;
  NestWriter nest;
  const Subscripts outer = nest.loops(walk.outer);
  const Subscripts at = walk.element(outer, nest.loops(walk.inner));
  nest.set(plain, at, normal(input.exactly(at), outer));
  call.append(nest);
  if (!affine) return;
  NestWriter last;
  const Subscripts again = last.loops(walk.outer);
  const Subscripts place = walk.element(again, last.loops(walk.inner));
  const Subscripts which = walk.parameter(place);
  Value value = plain.exactly(place);
  if (weighted) value = call.in("weight").exactly(which) * value;
  if (biased) value = value + call.in("bias").exactly(which);
  last.set(out, place, value);
  call.append(last);
}

void with_own_statistics(const CallLowering& call, const Tensor& input, const Walk& walk) {
  const Statistics known = statistics(call, input, walk, std::nullopt);
  normalise(call, input, call.out(), walk, [&](const Value& x, const Subscripts& outer) {
    return (x - known.mean.exactly(outer)) / sqrt(known.variance.exactly(outer) + call.real("eps"));
  });
}

Subscripts joined(Subscripts left, const Subscripts& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

Walk channel_walk(const Shape& shape) {
  Walk walk;
  walk.outer = {shape[1]};
  walk.inner = shape;
  walk.inner.erase(walk.inner.begin() + 1);
  walk.element = [](const Subscripts& outer, Subscripts inner) {
    inner.insert(inner.begin() + 1, outer[0]);
    return inner;
  };
  walk.parameter = [](const Subscripts& element) { return Subscripts{element[1]}; };
  return walk;
}

/// The input's own dimensions as loops: for norms whose statistics are given.
Walk plain_walk(const Shape& shape) {
  Walk walk;
  walk.outer = shape;
  walk.element = [](const Subscripts& outer, const Subscripts&) { return outer; };
  walk.parameter = [](const Subscripts& element) { return Subscripts{element[1]}; };
  return walk;
}

void refuse_saved(const CallLowering& call, std::int32_t from) {
  for (std::int32_t output = from; output < static_cast<std::int32_t>(call.outputs()); ++output) {
    if (call.wanted(output))
      call.unsupported("only the normalised result can be used, not the saved or updated statistics");
  }
}

void batch_norm(const CallLowering& call) {
  refuse_saved(call, 1);
  const Tensor input = call.in("input");
  const graph::Schema& schema = call.op().schema;
  const bool trains =
      schema.name == "aten._native_batch_norm_legit.no_stats" || (schema.find("training") && call.flag("training"));
  Statistics known;
  if (trains) {
    known = {call.extra(0, input.dtype, {input.shape[1]}), call.extra(1, input.dtype, {input.shape[1]})};
    known = statistics(call, input, channel_walk(input.shape), known);
  } else {
    known = {call.in("running_mean"), call.in("running_var")};
  }
  normalise(call, input, call.out(), plain_walk(input.shape), [&](const Value& x, const Subscripts& at) {
    return (x - known.mean.exactly({at[1]})) / sqrt(known.variance.exactly({at[1]}) + call.real("eps"));
  });
}

void instance_norm(const CallLowering& call) {
  const Tensor input = call.in("input");
  Walk walk;
  walk.outer = {input.shape[0], input.shape[1]};
  walk.inner.assign(input.shape.begin() + 2, input.shape.end());
  walk.element = joined;
  walk.parameter = [](const Subscripts& element) { return Subscripts{element[1]}; };
  with_own_statistics(call, input, walk);
}

void group_norm(const CallLowering& call) {
  const Tensor input = call.in("input");
  const std::int64_t groups = call.integer("num_groups");
  const std::int64_t members = input.shape[1] / groups;
  Walk walk;
  walk.outer = {input.shape[0], groups};
  walk.inner = {members};
  walk.inner.insert(walk.inner.end(), input.shape.begin() + 2, input.shape.end());
  walk.element = [members](const Subscripts& outer, const Subscripts& inner) {
    Subscripts out = {outer[0], outer[1] * members + inner[0]};
    out.insert(out.end(), inner.begin() + 1, inner.end());
    return out;
  };
  walk.parameter = [](const Subscripts& element) { return Subscripts{element[1]}; };
  with_own_statistics(call, input, walk);
}

Walk trailing_walk(const Shape& shape, std::size_t trailing) {
  const std::ptrdiff_t lead = static_cast<std::ptrdiff_t>(shape.size() - trailing);
  Walk walk;
  walk.outer.assign(shape.begin(), shape.begin() + lead);
  walk.inner.assign(shape.begin() + lead, shape.end());
  walk.element = joined;
  walk.parameter = [lead](const Subscripts& element) { return Subscripts(element.begin() + lead, element.end()); };
  return walk;
}

void layer_norm(const CallLowering& call) {
  refuse_saved(call, 1);
  const Tensor input = call.in("input");
  with_own_statistics(call, input, trailing_walk(input.shape, call.integers("normalized_shape").size()));
}

void rms_norm(const CallLowering& call) {
  const Tensor input = call.in("input");
  const Walk walk = trailing_walk(input.shape, call.integers("normalized_shape").size());
  const double eps = call.has("eps") ? call.real("eps") : std::ldexp(1.0, 1 - info(input.dtype).precision);
  const Tensor sum = call.temporary(input.dtype, walk.outer);
  call.fold(Fold::sum, sum, walk.inner, [&](const Subscripts& outer, const Subscripts& inner) {
    return power(input.exactly(walk.element(outer, inner)), 2);
  });
  const Tensor mean = call.temporary(input.dtype, walk.outer);
  call.map(mean, [&](const Subscripts& at) { return sum.exactly(at) / graph::count(walk.inner); });
  normalise(call, input, call.out(), walk,
            [&](const Value& x, const Subscripts& outer) { return x / sqrt(mean.exactly(outer) + eps); });
}

constexpr std::array kRows = {
    LoweringRow{"aten.batch_norm.default", batch_norm},
    LoweringRow{"aten._native_batch_norm_legit_functional.default", batch_norm},
    LoweringRow{"aten._native_batch_norm_legit.no_stats", batch_norm},
    LoweringRow{"aten._native_batch_norm_legit_no_training.default", batch_norm},
    LoweringRow{"aten.instance_norm.default", instance_norm},
    LoweringRow{"aten.group_norm.default", group_norm},
    LoweringRow{"aten.layer_norm.default", layer_norm},
    LoweringRow{"aten.native_layer_norm.default", layer_norm},
    LoweringRow{"aten.rms_norm.default", rms_norm},
};

}  // namespace

std::span<const LoweringRow> norm_lowerings() { return kRows; }

}  // namespace steptp::frontend
