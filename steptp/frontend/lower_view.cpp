#include <algorithm>
#include <array>

#include "steptp/base/text.h"
#include "steptp/frontend/lowering_table.h"
#include "steptp/frontend/reshape.h"
#include "steptp/graph/indexing.h"

namespace steptp::frontend {

namespace {

/// out[at] = self[place(at)].
template <typename Place>
void gather(const Step& step, const Tensor& target, Place place) {
  const Tensor self = step.in("self");
  step.map(target, [&](const Subscripts& at) { return self.exactly(place(at)); });
}

std::size_t dimension(const Step& step, std::string_view name) {
  return plain_dimension(step, step.integer(name), step.shape("self").size());
}

void reshape_step(const Step& step) { reshape(step, step.in("self"), step.out()); }

void transpose(const Step& step) {
  if (step.shape("self").empty()) return step.copy(step.in("self"), step.out());
  const std::size_t first = dimension(step, "dim0");
  const std::size_t second = dimension(step, "dim1");
  gather(step, step.out(), [&](Subscripts at) {
    std::swap(at[first], at[second]);
    return at;
  });
}

void permute(const Step& step) {
  const std::vector<std::int64_t>& dims = step.integers("dims");
  gather(step, step.out(), [&](const Subscripts& at) {
    Subscripts source(at.size(), Subscript(0));
    for (std::size_t to = 0; to < dims.size(); ++to) source[plain_dimension(step, dims[to], dims.size())] = at[to];
    return source;
  });
}

void reversed(const Step& step) {
  gather(step, step.out(), [](Subscripts at) {
    std::reverse(at.begin(), at.end());
    return at;
  });
}

void expand(const Step& step) { step.copy(step.in("self"), step.out()); }

void broadcast_tensors(const Step& step) {
  const std::vector<graph::Value>& parts = step.values("tensors");
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const std::int32_t output = static_cast<std::int32_t>(part);
    if (step.wanted(output)) step.copy(step.of(parts[part]), step.out(output));
  }
}

void slice(const Step& step) {
  const graph::SlicePart part = graph::slice_part(step, step.shape("self"));
  gather(step, step.out(), [&](Subscripts at) {
    at[part.dim] = at[part.dim] * part.step + part.start;
    return at;
  });
}

void diagonal(const Step& step) {
  const graph::DiagonalPart part = graph::diagonal_part(step, step.shape("self"));
  gather(step, step.out(), [&](const Subscripts& at) {
    Subscripts place(at.begin(), at.end() - 1);
    const auto insert = [&](std::size_t dim, std::int64_t offset) {
      place.insert(place.begin() + static_cast<std::ptrdiff_t>(dim), at.back() + offset);
    };
    insert(std::min(part.dim1, part.dim2), part.dim1 < part.dim2 ? part.row : part.column);
    insert(std::max(part.dim1, part.dim2), part.dim1 < part.dim2 ? part.column : part.row);
    return place;
  });
}

void select_step(const Step& step) {
  const std::size_t dim = dimension(step, "dim");
  const std::int64_t index = step.integer("index");
  const std::int64_t place = index < 0 ? index + step.shape("self")[dim] : index;
  gather(step, step.out(), [&](Subscripts at) {
    at.insert(at.begin() + static_cast<std::ptrdiff_t>(dim), Subscript(place));
    return at;
  });
}

void narrow(const Step& step) {
  const std::size_t dim = dimension(step, "dim");
  std::int64_t start = step.integer("start");
  if (start < 0) start += step.shape("self")[dim];
  gather(step, step.out(), [&](Subscripts at) {
    at[dim] = at[dim] + start;
    return at;
  });
}

void pieces(const Step& step) {
  const std::size_t dim = dimension(step, "dim");
  std::int64_t start = 0;
  const std::size_t number = step.outputs();
  for (std::size_t part = 0; part < number; ++part) {
    const std::int32_t output = static_cast<std::int32_t>(part);
    const std::int64_t extent = step.output_type(output).shape[dim];
    if (step.wanted(output)) {
      gather(step, step.out(output), [&](Subscripts at) {
        at[dim] = at[dim] + start;
        return at;
      });
    }
    start += extent;
  }
}

void unbind(const Step& step) {
  const std::size_t dim = dimension(step, "dim");
  for (std::size_t part = 0; part < step.outputs(); ++part) {
    const std::int32_t output = static_cast<std::int32_t>(part);
    if (!step.wanted(output)) continue;
    gather(step, step.out(output), [&](Subscripts at) {
      at.insert(at.begin() + static_cast<std::ptrdiff_t>(dim), Subscript(output));
      return at;
    });
  }
}

void cat(const Step& step) {
  const Tensor out = step.out();
  const std::size_t dim = plain_dimension(step, step.integer("dim"), out.shape.size());
  std::int64_t start = 0;
  for (const graph::Value& value : step.values("tensors")) {
    const Tensor part = step.of(value);
    NestWriter nest;
    const Subscripts at = nest.loops(part.shape);
    Subscripts target = at;
    target[dim] = at[dim] + start;
    nest.set(out, target, part.exactly(at));
    step.append(nest);
    start += part.shape[dim];
  }
}

void stack(const Step& step) {
  const Tensor out = step.out();
  const std::size_t dim = plain_dimension(step, step.integer("dim"), out.shape.size());
  std::int64_t number = 0;
  for (const graph::Value& value : step.values("tensors")) {
    const Tensor part = step.of(value);
    NestWriter nest;
    const Subscripts at = nest.loops(part.shape);
    Subscripts target = at;
    target.insert(target.begin() + static_cast<std::ptrdiff_t>(dim), Subscript(number++));
    nest.set(out, target, part.exactly(at));
    step.append(nest);
  }
}

void repeat(const Step& step) {
  const Shape& shape = step.shape("self");
  gather(step, step.out(), [&](Subscripts at) {
    at.erase(at.begin(), at.end() - static_cast<std::ptrdiff_t>(shape.size()));
    for (std::size_t dim = 0; dim < shape.size(); ++dim) at[dim] = at[dim] % shape[dim];
    return at;
  });
}

void repeat_interleave(const Step& step) {
  if (!step.has("dim")) {
    Tensor flat = step.in("self");
    if (flat.shape.size() != 1) {
      const Tensor source = flat;
      flat = step.temporary(source.dtype, {graph::count(source.shape)});
      reshape(step, source, flat);
    }
    return step.map(step.out(), [&](const Subscripts& at) { return flat.exactly({at[0] / step.integer("repeats")}); });
  }
  const std::size_t dim = dimension(step, "dim");
  gather(step, step.out(), [&](Subscripts at) {
    at[dim] = at[dim] / step.integer("repeats");
    return at;
  });
}

void flip(const Step& step) {
  const Shape& shape = step.shape("self");
  const std::vector<bool> marks = step.integers("dims").empty() ? std::vector<bool>(shape.size(), false)
                                                                : marked_dimensions(step, "dims", shape.size());
  gather(step, step.out(), [&](Subscripts at) {
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
      if (marks[dim]) at[dim] = Subscript(shape[dim] - 1) - at[dim];
    }
    return at;
  });
}

/// Without dimensions, all elements in row-major order.
void roll_flat(const Step& step, std::int64_t by) {
  const Tensor self = step.in("self");
  const std::int64_t elements = graph::count(self.shape);
  const Tensor flat = step.temporary(self.dtype, {elements});
  reshape(step, self, flat);
  const Tensor rolled = step.temporary(self.dtype, {elements});
  step.map(rolled,
           [&](const Subscripts& at) { return flat.exactly({(at[0] + floor_remainder(-by, elements)) % elements}); });
  reshape(step, rolled, step.out());
}

void roll(const Step& step) {
  const Shape& shape = step.shape("self");
  const std::vector<std::int64_t>& dims = step.integers("dims");
  const std::vector<std::int64_t>& shifts = step.integers("shifts");
  if (dims.empty() && shape.size() != 1) return roll_flat(step, shifts.front());
  gather(step, step.out(), [&](Subscripts at) {
    for (std::size_t number = 0; number < shifts.size(); ++number) {
      const std::size_t dim = dims.empty() ? 0 : plain_dimension(step, dims[number], shape.size());
      const std::int64_t back = floor_remainder(-shifts[number], shape[dim]);
      if (back != 0) at[dim] = (at[dim] + back) % shape[dim];
    }
    return at;
  });
}

void unfold(const Step& step) {
  const std::size_t dim = dimension(step, "dimension");
  gather(step, step.out(), [&](Subscripts at) {
    at[dim] = at[dim] * step.integer("step") + at.back();
    at.pop_back();
    return at;
  });
}

template <bool IsUpper>
void triangle(const Step& step) {
  const Tensor self = step.in("self");
  const std::int64_t diagonal = step.integer("diagonal");
  step.map(step.out(), [&](const Subscripts& at) {
    const Subscript row = at[at.size() - 2] + diagonal;
    const Value column = at.back();
    return select(IsUpper ? Value(row) <= column : Value(row) >= column, self.exactly(at), 0);
  });
}

void diag(const Step& step) {
  const Tensor self = step.in("self");
  const std::int64_t offset = step.integer("diagonal");
  const std::int64_t right = std::max<std::int64_t>(offset, 0);
  const std::int64_t down = std::max<std::int64_t>(-offset, 0);
  step.map(step.out(), [&](const Subscripts& at) {
    if (self.shape.size() == 2) return self.exactly({at[0] + down, at[0] + right});
    const Subscript place = down > 0 ? at[1] : at[0];
    return select(Value(at[0] + right) == Value(at[1] + down), self.exactly({place}), 0);
  });
}

void pixel_shuffle(const Step& step) {
  const std::int64_t factor = step.integer("upscale_factor");
  gather(step, step.out(), [&](Subscripts at) {
    const std::size_t channel = at.size() - 3;
    at[channel] = at[channel] * (factor * factor) + (at[channel + 1] % factor) * factor + at[channel + 2] % factor;
    at[channel + 1] = at[channel + 1] / factor;
    at[channel + 2] = at[channel + 2] / factor;
    return at;
  });
}

constexpr std::array kRows = {
    LoweringRow{"aten.view.default", reshape_step},
    LoweringRow{"aten.reshape.default", reshape_step},
    LoweringRow{"aten._unsafe_view.default", reshape_step},
    LoweringRow{"aten.view_as.default", reshape_step},
    LoweringRow{"aten.flatten.using_ints", reshape_step},
    LoweringRow{"aten.unflatten.int", reshape_step},
    LoweringRow{"aten.squeeze.default", reshape_step},
    LoweringRow{"aten.squeeze.dim", reshape_step},
    LoweringRow{"aten.squeeze.dims", reshape_step},
    LoweringRow{"aten.unsqueeze.default", reshape_step},
    LoweringRow{"aten.transpose.int", transpose},
    LoweringRow{"aten.permute.default", permute},
    LoweringRow{"aten.t.default", reversed},
    LoweringRow{"aten.numpy_T.default", reversed},
    LoweringRow{"aten.expand.default", expand},
    LoweringRow{"aten.broadcast_to.default", expand},
    LoweringRow{"aten.expand_as.default", expand},
    LoweringRow{"aten.broadcast_tensors.default", broadcast_tensors},
    LoweringRow{"aten.slice.Tensor", slice},
    LoweringRow{"aten.diagonal.default", diagonal},
    LoweringRow{"aten.select.int", select_step},
    LoweringRow{"aten.narrow.default", narrow},
    LoweringRow{"aten.split.Tensor", pieces},
    LoweringRow{"aten.split_with_sizes.default", pieces},
    LoweringRow{"aten.chunk.default", pieces},
    LoweringRow{"aten.unbind.int", unbind},
    LoweringRow{"aten.cat.default", cat},
    LoweringRow{"aten.concat.default", cat},
    LoweringRow{"aten.stack.default", stack},
    LoweringRow{"aten.repeat.default", repeat},
    LoweringRow{"aten.tile.default", repeat},
    LoweringRow{"aten.repeat_interleave.self_int", repeat_interleave},
    LoweringRow{"aten.flip.default", flip},
    LoweringRow{"aten.roll.default", roll},
    LoweringRow{"aten.unfold.default", unfold},
    LoweringRow{"aten.tril.default", triangle<false>},
    LoweringRow{"aten.triu.default", triangle<true>},
    LoweringRow{"aten.diag.default", diag},
    LoweringRow{"aten.pixel_shuffle.default", pixel_shuffle},
    LoweringRow{"aten.pad.default", pad},
    LoweringRow{"aten.constant_pad_nd.default", pad},
    LoweringRow{"aten.reflection_pad1d.default", pad},
    LoweringRow{"aten.reflection_pad2d.default", pad},
    LoweringRow{"aten.replication_pad1d.default", pad},
    LoweringRow{"aten.replication_pad2d.default", pad},
    LoweringRow{"aten.replication_pad3d.default", pad},
};

}  // namespace

std::span<const LoweringRow> view_lowerings() { return kRows; }

}  // namespace steptp::frontend
