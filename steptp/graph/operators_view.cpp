#include <algorithm>
#include <array>
#include <numeric>

#include "steptp/base/text.h"
#include "steptp/graph/indexing.h"
#include "steptp/graph/operator.h"

namespace steptp::graph {

namespace {

using Types = std::vector<TensorType>;

Types same(const Call& call) { return {call.tensor("self")}; }
Types with_shape(const Call& call, Shape shape) { return {{call.dtype_of("self"), std::move(shape)}}; }

/// A shape in which one extent may be -1.
Shape completed(const Call& call, Shape shape, std::int64_t elements) {
  std::int64_t known = 1;
  std::int64_t* open = nullptr;
  for (std::int64_t& extent : shape) {
    if (extent == -1 && open) call.fail("only one extent can be -1");
    if (extent == -1)
      open = &extent;
    else
      known *= extent;
  }
  if (open && known > 0) *open = elements / known;
  if (count(shape) != elements) call.fail(concat(elements, " elements do not fit the shape ", to_text(shape)));
  return shape;
}

Types view(const Call& call, std::string_view name) {
  return with_shape(call, completed(call, call.integers(name), count(call.shape("self"))));
}
Types viewed(const Call& call) { return view(call, "size"); }
Types reshaped(const Call& call) { return view(call, "shape"); }
Types like_other(const Call& call) {
  return with_shape(call, completed(call, call.shape("other"), count(call.shape("self"))));
}

Types flatten(const Call& call) {
  const Shape& shape = call.shape("self");
  if (shape.empty()) return with_shape(call, {1});
  const std::size_t first = plain_dimension(call, call.integer("start_dim"), shape.size());
  const std::size_t last = plain_dimension(call, call.integer("end_dim"), shape.size());
  if (first > last) call.fail("'start_dim' comes after 'end_dim'");
  Shape out(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(first));
  std::int64_t merged = 1;
  for (std::size_t at = first; at <= last; ++at) merged *= shape[at];
  out.push_back(merged);
  out.insert(out.end(), shape.begin() + static_cast<std::ptrdiff_t>(last) + 1, shape.end());
  return with_shape(call, out);
}

Types unflatten(const Call& call) {
  Shape shape = call.shape("self");
  const std::size_t dim = plain_dimension(call, call.integer("dim"), shape.size());
  const Shape parts = completed(call, call.integers("sizes"), shape.at(dim));
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(dim));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(dim), parts.begin(), parts.end());
  return with_shape(call, shape);
}

Types squeeze(const Call& call) {
  const Shape& shape = call.shape("self");
  std::vector<bool> marks(shape.size(), true);
  if (call.op().schema.find("dim")) marks = marked_dimensions(call, "dim", shape.size());
  Shape out;
  for (std::size_t at = 0; at < shape.size(); ++at) {
    if (!marks[at] || shape[at] != 1) out.push_back(shape[at]);
  }
  return with_shape(call, out);
}

Types unsqueeze(const Call& call) {
  Shape shape = call.shape("self");
  const std::size_t dim = plain_dimension(call, call.integer("dim"), shape.size() + 1);
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(dim), 1);
  return with_shape(call, shape);
}

Types transpose(const Call& call) {
  Shape shape = call.shape("self");
  const std::size_t first = plain_dimension(call, call.integer("dim0"), shape.size());
  const std::size_t second = plain_dimension(call, call.integer("dim1"), shape.size());
  if (!shape.empty()) std::swap(shape[first], shape[second]);
  return with_shape(call, shape);
}

Types permute(const Call& call) {
  const Shape& shape = call.shape("self");
  const std::vector<std::int64_t>& dims = call.integers("dims");
  if (dims.size() != shape.size()) call.fail(concat(dims.size(), " dimensions named for a tensor with ", shape.size()));
  std::vector<bool> seen(shape.size(), false);
  Shape out;
  for (const std::int64_t dim : dims) {
    const std::size_t at = plain_dimension(call, dim, shape.size());
    if (seen[at]) call.fail(concat("dimension ", dim, " is named twice"));
    seen[at] = true;
    out.push_back(shape[at]);
  }
  return with_shape(call, out);
}

Types reversed(const Call& call) {
  Shape shape = call.shape("self");
  std::reverse(shape.begin(), shape.end());
  return with_shape(call, shape);
}
Types small_transpose(const Call& call) {
  if (call.shape("self").size() > 2) call.fail("only for tensors with at most two dimensions");
  return reversed(call);
}

Types expand_to(const Call& call, Shape shape) {
  const Shape& self = call.shape("self");
  if (shape.size() < self.size()) call.fail(concat("cannot expand ", to_text(self), " to ", to_text(shape)));
  for (std::size_t back = 1; back <= shape.size(); ++back) {
    std::int64_t& extent = shape[shape.size() - back];
    if (back > self.size()) {
      if (extent == -1) call.fail("-1 in a dimension that is new");
      continue;
    }
    const std::int64_t old = self[self.size() - back];
    if (extent == -1) extent = old;
    if (old != extent && old != 1) call.fail(concat("cannot expand ", to_text(self), " to ", to_text(shape)));
  }
  return with_shape(call, shape);
}
Types expand(const Call& call) { return expand_to(call, call.integers("size")); }
Types expand_as(const Call& call) { return expand_to(call, call.shape("other")); }

Types slice(const Call& call) {
  Shape shape = call.shape("self");
  const SlicePart part = slice_part(call, shape);
  shape[part.dim] = part.length;
  return with_shape(call, shape);
}

Types diagonal(const Call& call) {
  return with_shape(call, diagonal_part(call, call.shape("self")).result(call.shape("self")));
}

Types select(const Call& call) {
  Shape shape = call.shape("self");
  const std::size_t dim = plain_dimension(call, call.integer("dim"), shape.size());
  const std::int64_t index = call.integer("index");
  if (shape.empty() || index < -shape[dim] || index >= shape[dim])
    call.fail(concat("index ", index, " is out of range"));
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(dim));
  return with_shape(call, shape);
}

Types narrow(const Call& call) {
  Shape shape = call.shape("self");
  const std::size_t dim = plain_dimension(call, call.integer("dim"), shape.size());
  std::int64_t start = call.integer("start");
  if (start < 0) start += shape.at(dim);
  const std::int64_t length = call.integer("length");
  if (start < 0 || length < 0 || start + length > shape.at(dim)) call.fail("the part lies outside");
  shape[dim] = length;
  return with_shape(call, shape);
}

Types pieces(const Call& call, std::size_t dim, const std::vector<std::int64_t>& sizes) {
  TensorType type = call.tensor("self");
  if (std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) != type.shape.at(dim))
    call.fail("the sizes do not add up");
  Types out;
  for (const std::int64_t size : sizes) {
    type.shape[dim] = size;
    out.push_back(type);
  }
  return out;
}
Types pieces_of(const Call& call, std::int64_t size) {
  const Shape& shape = call.shape("self");
  const std::size_t dim = plain_dimension(call, call.integer("dim"), shape.size());
  if (size < 1) call.fail("a piece has at least one element");
  std::vector<std::int64_t> sizes;
  for (std::int64_t start = 0; start < shape.at(dim); start += size)
    sizes.push_back(std::min(size, shape[dim] - start));
  return pieces(call, dim, sizes);
}
Types split(const Call& call) { return pieces_of(call, call.integer("split_size")); }
Types split_with_sizes(const Call& call) {
  return pieces(call, plain_dimension(call, call.integer("dim"), call.shape("self").size()),
                call.integers("split_sizes"));
}
Types chunk(const Call& call) {
  const Shape& shape = call.shape("self");
  const std::int64_t chunks = call.integer("chunks");
  if (chunks < 1) call.fail("'chunks' is at least 1");
  const std::int64_t extent = shape.at(plain_dimension(call, call.integer("dim"), shape.size()));
  return pieces_of(call, (extent + chunks - 1) / chunks);
}
Types unbind(const Call& call) {
  TensorType type = call.tensor("self");
  const std::size_t dim = plain_dimension(call, call.integer("dim"), type.shape.size());
  const std::int64_t extent = type.shape.at(dim);
  type.shape.erase(type.shape.begin() + static_cast<std::ptrdiff_t>(dim));
  return Types(static_cast<std::size_t>(extent), type);
}

Types cat(const Call& call) {
  const std::vector<Value>& parts = call.values("tensors");
  if (parts.empty()) call.fail("no tensors");
  TensorType out = call.type(parts.front());
  const std::size_t dim = plain_dimension(call, call.integer("dim"), out.shape.size());
  if (out.shape.empty()) call.fail("a scalar cannot be joined");
  out.shape[dim] = 0;
  for (const Value& part : parts) {
    Shape shape = call.type(part).shape;
    if (shape.size() != out.shape.size()) call.fail("the tensors have different numbers of dimensions");
    const std::int64_t extent = shape[dim];
    shape[dim] = out.shape[dim];
    if (shape != out.shape) call.fail(concat("the shapes differ outside of dimension ", dim));
    out.shape[dim] += extent;
    out.dtype = promote(out.dtype, call.type(part).dtype);
  }
  return {out};
}

Types stack(const Call& call) {
  const std::vector<Value>& parts = call.values("tensors");
  if (parts.empty()) call.fail("no tensors");
  TensorType out = call.type(parts.front());
  for (const Value& part : parts) {
    if (call.type(part).shape != out.shape) call.fail("the shapes differ");
    out.dtype = promote(out.dtype, call.type(part).dtype);
  }
  const std::size_t dim = plain_dimension(call, call.integer("dim"), out.shape.size() + 1);
  out.shape.insert(out.shape.begin() + static_cast<std::ptrdiff_t>(dim), static_cast<std::int64_t>(parts.size()));
  return {out};
}

/// All of them with the shape they broadcast to.
Types broadcast_tensors(const Call& call) {
  Shape shape;
  for (const Value& part : call.values("tensors")) shape = broadcast(call, shape, call.type(part).shape);
  Types out;
  for (const Value& part : call.values("tensors")) out.push_back({call.type(part).dtype, shape});
  return out;
}

Types repeat(const Call& call) {
  Shape shape = call.shape("self");
  std::vector<std::int64_t> times = call.integers(call.op().schema.find("repeats") ? "repeats" : "dims");
  // `tile` adds leading ones to its list, `repeat` wants it complete.
  if (times.size() < shape.size() && call.op().schema.find("dims"))
    times.insert(times.begin(), shape.size() - times.size(), 1);
  if (times.size() < shape.size()) call.fail("fewer repeats than dimensions");
  shape.insert(shape.begin(), times.size() - shape.size(), 1);
  for (std::size_t at = 0; at < shape.size(); ++at) shape[at] *= times[at];
  return with_shape(call, shape);
}

Types repeat_interleave(const Call& call) {
  Shape shape = call.shape("self");
  if (!call.has("dim")) return with_shape(call, {count(shape) * call.integer("repeats")});
  shape.at(plain_dimension(call, call.integer("dim"), shape.size())) *= call.integer("repeats");
  return with_shape(call, shape);
}

Types flip(const Call& call) {
  static_cast<void>(marked_dimensions(call, "dims", call.shape("self").size()));
  return same(call);
}
Types roll(const Call& call) {
  if (!call.integers("dims").empty() && call.integers("dims").size() != call.integers("shifts").size()) {
    call.fail("'shifts' and 'dims' have different lengths");
  }
  return flip(call);
}

Types unfold(const Call& call) {
  Shape shape = call.shape("self");
  const std::size_t dim = plain_dimension(call, call.integer("dimension"), shape.size());
  const std::int64_t size = call.integer("size");
  const std::int64_t step = call.integer("step");
  if (size < 1 || step < 1 || size > shape.at(dim)) call.fail("the window does not fit");
  shape[dim] = (shape[dim] - size) / step + 1;
  shape.push_back(size);
  return with_shape(call, shape);
}

Types pad(const Call& call) {
  Shape shape = call.shape("self");
  const std::vector<std::int64_t>& amounts = call.integers(call.op().schema.find("pad") ? "pad" : "padding");
  if (amounts.size() % 2 != 0 || amounts.size() / 2 > shape.size()) call.fail("the list of paddings does not fit");
  for (std::size_t pair = 0; pair < amounts.size() / 2; ++pair) {
    shape[shape.size() - 1 - pair] += amounts[2 * pair] + amounts[2 * pair + 1];
  }
  return with_shape(call, shape);
}

Types matrices(const Call& call) {
  if (call.shape("self").size() < 2) call.fail("a matrix is wanted");
  return same(call);
}

Types diag(const Call& call) {
  const Shape& shape = call.shape("self");
  const std::int64_t offset = call.integer("diagonal");
  if (shape.size() == 1) return with_shape(call, Shape(2, shape[0] + std::abs(offset)));
  if (shape.size() != 2) call.fail("a vector or a matrix is wanted");
  return with_shape(
      call, {std::min(shape[0] + std::min<std::int64_t>(offset, 0), shape[1] - std::max<std::int64_t>(offset, 0))});
}

Types pixel_shuffle(const Call& call) {
  Shape shape = call.shape("self");
  const std::int64_t factor = call.integer("upscale_factor");
  if (shape.size() < 3 || factor < 1 || shape[shape.size() - 3] % (factor * factor) != 0)
    call.fail("the channels do not fit");
  shape[shape.size() - 3] /= factor * factor;
  shape[shape.size() - 2] *= factor;
  shape[shape.size() - 1] *= factor;
  return with_shape(call, shape);
}

constexpr std::array kRows = {
    OperatorRow{"view(Tensor self, int[] size) -> Tensor", viewed, "{self}.view({size})"},
    OperatorRow{"reshape(Tensor self, int[] shape) -> Tensor", reshaped, "torch.reshape"},
    OperatorRow{"_unsafe_view(Tensor self, int[] size) -> Tensor", viewed},
    OperatorRow{"view_as(Tensor self, Tensor other) -> Tensor", like_other, "{self}.view_as({other})"},
    OperatorRow{"flatten.using_ints(Tensor self, int start_dim=0, int end_dim=-1) -> Tensor", flatten, "torch.flatten"},
    OperatorRow{"unflatten.int(Tensor self, int dim, int[] sizes) -> Tensor", unflatten, "torch.unflatten"},
    OperatorRow{"squeeze(Tensor self) -> Tensor", squeeze, "torch.squeeze"},
    OperatorRow{"squeeze.dim(Tensor self, int dim) -> Tensor", squeeze, "torch.squeeze"},
    OperatorRow{"squeeze.dims(Tensor self, int[] dim) -> Tensor", squeeze, "torch.squeeze"},
    OperatorRow{"unsqueeze(Tensor self, int dim) -> Tensor", unsqueeze, "torch.unsqueeze"},
    OperatorRow{"transpose.int(Tensor self, int dim0, int dim1) -> Tensor", transpose, "torch.transpose"},
    OperatorRow{"permute(Tensor self, int[] dims) -> Tensor", permute, "torch.permute"},
    OperatorRow{"t(Tensor self) -> Tensor", small_transpose, "torch.t"},
    OperatorRow{"numpy_T(Tensor self) -> Tensor", reversed, "{self}.T"},
    OperatorRow{"expand(Tensor self, int[] size, *, bool implicit=False) -> Tensor", expand, "{self}.expand({size})"},
    OperatorRow{"broadcast_to(Tensor self, int[] size) -> Tensor", expand, "torch.broadcast_to"},
    OperatorRow{"broadcast_tensors(Tensor[] tensors) -> Tensor[]", broadcast_tensors},
    OperatorRow{"expand_as(Tensor self, Tensor other) -> Tensor", expand_as, "{self}.expand_as({other})"},
    OperatorRow{"diagonal(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor", diagonal, "torch.diagonal"},
    OperatorRow{"slice.Tensor(Tensor self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor", slice},
    OperatorRow{"select.int(Tensor self, int dim, int index) -> Tensor", select, "torch.select"},
    OperatorRow{"narrow(Tensor self, int dim, int start, int length) -> Tensor", narrow, "torch.narrow"},
    OperatorRow{"split.Tensor(Tensor self, int split_size, int dim=0) -> Tensor[]", split, "torch.split"},
    OperatorRow{"split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]", split_with_sizes,
                "torch.split"},
    OperatorRow{"chunk(Tensor self, int chunks, int dim=0) -> Tensor[]", chunk, "torch.chunk"},
    OperatorRow{"unbind.int(Tensor self, int dim=0) -> Tensor[]", unbind, "torch.unbind"},
    OperatorRow{"cat(Tensor[] tensors, int dim=0) -> Tensor", cat, "torch.cat"},
    OperatorRow{"concat(Tensor[] tensors, int dim=0) -> Tensor", cat, "torch.concat"},
    OperatorRow{"stack(Tensor[] tensors, int dim=0) -> Tensor", stack, "torch.stack"},
    OperatorRow{"repeat(Tensor self, int[] repeats) -> Tensor", repeat, "{self}.repeat({repeats})"},
    OperatorRow{"tile(Tensor self, int[] dims) -> Tensor", repeat, "torch.tile"},
    OperatorRow{
        "repeat_interleave.self_int(Tensor self, int repeats, int? dim=None, *, int? output_size=None) -> Tensor",
        repeat_interleave, "torch.repeat_interleave({self}, {repeats}, dim={dim})"},
    OperatorRow{"flip(Tensor self, int[] dims) -> Tensor", flip, "torch.flip"},
    OperatorRow{"roll(Tensor self, int[1] shifts, int[1] dims=[]) -> Tensor", roll, "torch.roll"},
    OperatorRow{"unfold(Tensor self, int dimension, int size, int step) -> Tensor", unfold,
                "{self}.unfold({dimension}, {size}, {step})"},
    OperatorRow{"pad(Tensor self, int[] pad, str mode='constant', float? value=None) -> Tensor", pad, "F.pad"},
    OperatorRow{"constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor", pad, "torch.constant_pad_nd"},
    OperatorRow{"reflection_pad1d(Tensor self, int[2] padding) -> Tensor", pad},
    OperatorRow{"reflection_pad2d(Tensor self, int[4] padding) -> Tensor", pad},
    OperatorRow{"replication_pad1d(Tensor self, int[2] padding) -> Tensor", pad},
    OperatorRow{"replication_pad2d(Tensor self, int[4] padding) -> Tensor", pad},
    OperatorRow{"replication_pad3d(Tensor self, int[6] padding) -> Tensor", pad},
    OperatorRow{"tril(Tensor self, int diagonal=0) -> Tensor", matrices, "torch.tril"},
    OperatorRow{"triu(Tensor self, int diagonal=0) -> Tensor", matrices, "torch.triu"},
    OperatorRow{"diag(Tensor self, int diagonal=0) -> Tensor", diag, "torch.diag"},
    OperatorRow{"pixel_shuffle(Tensor self, int upscale_factor) -> Tensor", pixel_shuffle, "F.pixel_shuffle"},
};

}  // namespace

std::span<const OperatorRow> view_operators() { return kRows; }

}  // namespace steptp::graph
