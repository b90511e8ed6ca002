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
void gather(const CallLowering& call, const Tensor& target, Place place) {
  const Tensor self = call.in("self");
  call.map(target, [&](const Subscripts& at) { return self.exactly(place(at)); });
}

std::size_t dimension(const CallLowering& call, std::string_view name) {
  return plain_dimension(call, call.integer(name), call.shape("self").size());
}

void reshape_step(const CallLowering& call) { reshape(call, call.in("self"), call.out()); }

void transpose(const CallLowering& call) {
  if (call.shape("self").empty()) return call.copy(call.in("self"), call.out());
  const std::size_t first = dimension(call, "dim0");
  const std::size_t second = dimension(call, "dim1");
  gather(call, call.out(), [&](Subscripts at) {
    std::swap(at[first], at[second]);
    return at;
  });
}

void permute(const CallLowering& call) {
  const std::vector<std::int64_t>& dims = call.integers("dims");
  gather(call, call.out(), [&](const Subscripts& at) {
    Subscripts source(at.size(), Subscript(0));
    for (std::size_t to = 0; to < dims.size(); ++to) source[plain_dimension(call, dims[to], dims.size())] = at[to];
    return source;
  });
}

void reversed(const CallLowering& call) {
  gather(call, call.out(), [](Subscripts at) {
    std::reverse(at.begin(), at.end());
    return at;
  });
}

void expand(const CallLowering& call) { call.copy(call.in("self"), call.out()); }

void broadcast_tensors(const CallLowering& call) {
  const std::vector<graph::Value>& parts = call.values("tensors");
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const std::int32_t output = static_cast<std::int32_t>(part);
    if (call.wanted(output)) call.copy(call.of(parts[part]), call.out(output));
  }
}

void slice(const CallLowering& call) {
  const graph::SlicePart part = graph::slice_part(call, call.shape("self"));
  gather(call, call.out(), [&](Subscripts at) {
    at[part.dim] = at[part.dim] * part.step + part.start;
    return at;
  });
}

void diagonal(const CallLowering& call) {
  const graph::DiagonalPart part = graph::diagonal_part(call, call.shape("self"));
  gather(call, call.out(), [&](const Subscripts& at) {
    Subscripts place(at.begin(), at.end() - 1);
    const auto insert = [&](std::size_t dim, std::int64_t offset) {
      place.insert(place.begin() + static_cast<std::ptrdiff_t>(dim), at.back() + offset);
    };
    insert(std::min(part.dim1, part.dim2), part.dim1 < part.dim2 ? part.row : part.column);
    insert(std::max(part.dim1, part.dim2), part.dim1 < part.dim2 ? part.column : part.row);
    return place;
  });
}

void select_step(const CallLowering& call) {
  const std::size_t dim = dimension(call, "dim");
  const std::int64_t index = call.integer("index");
  const std::int64_t place = index < 0 ? index + call.shape("self")[dim] : index;
  gather(call, call.out(), [&](Subscripts at) {
    at.insert(at.begin() + static_cast<std::ptrdiff_t>(dim), Subscript(place));
    return at;
  });
}

void narrow(const CallLowering& call) {
  const std::size_t dim = dimension(call, "dim");
  std::int64_t start = call.integer("start");
  if (start < 0) start += call.shape("self")[dim];
  gather(call, call.out(), [&](Subscripts at) {
    at[dim] = at[dim] + start;
    return at;
  });
}

void pieces(const CallLowering& call) {
  const std::size_t dim = dimension(call, "dim");
  std::int64_t start = 0;
  const std::size_t number = call.outputs();
  for (std::size_t part = 0; part < number; ++part) {
    const std::int32_t output = static_cast<std::int32_t>(part);
    const std::int64_t extent = call.output_type(output).shape[dim];
    if (call.wanted(output)) {
      gather(call, call.out(output), [&](Subscripts at) {
        at[dim] = at[dim] + start;
        return at;
      });
    }
    start += extent;
  }
}

void unbind(const CallLowering& call) {
  const std::size_t dim = dimension(call, "dim");
  for (std::size_t part = 0; part < call.outputs(); ++part) {
    const std::int32_t output = static_cast<std::int32_t>(part);
    if (!call.wanted(output)) continue;
    gather(call, call.out(output), [&](Subscripts at) {
      at.insert(at.begin() + static_cast<std::ptrdiff_t>(dim), Subscript(output));
      return at;
    });
  }
}

void cat(const CallLowering& call) {
  const Tensor out = call.out();
  const std::size_t dim = plain_dimension(call, call.integer("dim"), out.shape.size());
  std::int64_t start = 0;
  for (const graph::Value& value : call.values("tensors")) {
    const Tensor part = call.of(value);
    NestWriter nest;
    const Subscripts at = nest.loops(part.shape);
    Subscripts target = at;
    target[dim] = at[dim] + start;
    nest.set(out, target, part.exactly(at));
    call.append(nest);
    start += part.shape[dim];
  }
}

void stack(const CallLowering& call) {
  const Tensor out = call.out();
  const std::size_t dim = plain_dimension(call, call.integer("dim"), out.shape.size());
  std::int64_t number = 0;
  for (const graph::Value& value : call.values("tensors")) {
    const Tensor part = call.of(value);
    NestWriter nest;
    const Subscripts at = nest.loops(part.shape);
    Subscripts target = at;
    target.insert(target.begin() + static_cast<std::ptrdiff_t>(dim), Subscript(number++));
    nest.set(out, target, part.exactly(at));
    call.append(nest);
  }
}

void repeat(const CallLowering& call) {
  const Shape& shape = call.shape("self");
  gather(call, call.out(), [&](Subscripts at) {
    at.erase(at.begin(), at.end() - static_cast<std::ptrdiff_t>(shape.size()));
    for (std::size_t dim = 0; dim < shape.size(); ++dim) at[dim] = at[dim] % shape[dim];
    return at;
  });
}

void repeat_interleave(const CallLowering& call) {
  if (!call.has("dim")) {
    Tensor flat = call.in("self");
    if (flat.shape.size() != 1) {
      const Tensor source = flat;
      flat = call.temporary(source.dtype, {graph::count(source.shape)});
      reshape(call, source, flat);
    }
    return call.map(call.out(), [&](const Subscripts& at) { return flat.exactly({at[0] / call.integer("repeats")}); });
  }
  const std::size_t dim = dimension(call, "dim");
  gather(call, call.out(), [&](Subscripts at) {
    at[dim] = at[dim] / call.integer("repeats");
    return at;
  });
}

void flip(const CallLowering& call) {
  const Shape& shape = call.shape("self");
  const std::vector<bool> marks = call.integers("dims").empty() ? std::vector<bool>(shape.size(), false)
                                                                : marked_dimensions(call, "dims", shape.size());
  gather(call, call.out(), [&](Subscripts at) {
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
      if (marks[dim]) at[dim] = Subscript(shape[dim] - 1) - at[dim];
    }
    return at;
  });
}

/// Without dimensions, all elements in row-major order.
void roll_flat(const CallLowering& call, std::int64_t by) {
  const Tensor self = call.in("self");
  const std::int64_t elements = graph::count(self.shape);
  const Tensor flat = call.temporary(self.dtype, {elements});
  reshape(call, self, flat);
  const Tensor rolled = call.temporary(self.dtype, {elements});
  call.map(rolled,
           [&](const Subscripts& at) { return flat.exactly({(at[0] + floor_remainder(-by, elements)) % elements}); });
  reshape(call, rolled, call.out());
}

void roll(const CallLowering& call) {
  const Shape& shape = call.shape("self");
  const std::vector<std::int64_t>& dims = call.integers("dims");
  const std::vector<std::int64_t>& shifts = call.integers("shifts");
  if (dims.empty() && shape.size() != 1) return roll_flat(call, shifts.front());
  gather(call, call.out(), [&](Subscripts at) {
    for (std::size_t number = 0; number < shifts.size(); ++number) {
      const std::size_t dim = dims.empty() ? 0 : plain_dimension(call, dims[number], shape.size());
      const std::int64_t back = floor_remainder(-shifts[number], shape[dim]);
      if (back != 0) at[dim] = (at[dim] + back) % shape[dim];
    }
    return at;
  });
}

void unfold(const CallLowering& call) {
  const std::size_t dim = dimension(call, "dimension");
  gather(call, call.out(), [&](Subscripts at) {
    at[dim] = at[dim] * call.integer("step") + at.back();
    at.pop_back();
    return at;
  });
}

template <bool IsUpper>
void triangle(const CallLowering& call) {
  const Tensor self = call.in("self");
  const std::int64_t diagonal = call.integer("diagonal");
  call.map(call.out(), [&](const Subscripts& at) {
    const Subscript row = at[at.size() - 2] + diagonal;
    const Value column = at.back();
    return select(IsUpper ? Value(row) <= column : Value(row) >= column, self.exactly(at), 0);
  });
}

void diag(const CallLowering& call) {
  const Tensor self = call.in("self");
  const std::int64_t offset = call.integer("diagonal");
  const std::int64_t right = std::max<std::int64_t>(offset, 0);
  const std::int64_t down = std::max<std::int64_t>(-offset, 0);
  call.map(call.out(), [&](const Subscripts& at) {
    if (self.shape.size() == 2) return self.exactly({at[0] + down, at[0] + right});
    const Subscript place = down > 0 ? at[1] : at[0];
    return select(Value(at[0] + right) == Value(at[1] + down), self.exactly({place}), 0);
  });
}

void pixel_shuffle(const CallLowering& call) {
  const std::int64_t factor = call.integer("upscale_factor");
  gather(call, call.out(), [&](Subscripts at) {
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
