// Views, indices and products of matrices that are put together out of others.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "steptp/base/text.h"
#include "steptp/import/pt2_composite.h"

namespace steptp::graph::pt2 {

namespace {

using Values = std::vector<Value>;

/// Memory that nobody has filled may hold anything, zeros among it.
Values uninitialised(const Composer& c) {
  const TensorType& type = c.output_type();
  return {c.call("full.default", {type.shape, std::int64_t{0}, type.dtype})};
}

Values linspace(const Composer& c) {
  const TensorType& type = c.output_type();
  const double start = c.real("start", 0);
  const std::int64_t steps = c.integer("steps", 1);
  const double width = steps > 1 ? (c.real("end", 0) - start) / static_cast<double>(steps - 1) : 0;
  const Value numbers = c.call("arange.start_step", {std::int64_t{0}, steps, std::int64_t{1}, type.dtype});
  return {c.add(c.mul(numbers, width), start)};
}

/// One tensor per dimension, each of them constant in all dimensions but its own. "xy" swaps the first two.
Values meshgrid(const Composer& c) {
  const Values& tensors = c.tensors("tensors");
  Shape shape;
  for (const Value& tensor : tensors) shape.push_back(c.rank(tensor) == 0 ? 1 : c.shape(tensor).front());
  const bool swaps = c.text("indexing", "ij") == "xy" && shape.size() > 1;
  Values out;
  for (std::size_t at = 0; at < tensors.size(); ++at) {
    Shape one(shape.size(), 1);
    one[at] = shape[at];
    c.shares(tensors[at]);
    const Value wide = c.call("expand.default", {c.reshape(tensors[at], one), shape});
    out.push_back(swaps ? c.transpose(wide, 0, 1) : wide);
  }
  return out;
}

Values flip_columns(const Composer& c) { return {c.call("flip.default", {c.tensor("self"), Shape{1}})}; }
Values flip_rows(const Composer& c) { return {c.call("flip.default", {c.tensor("self"), Shape{0}})}; }

Values pixel_unshuffle(const Composer& c) {
  const Value self = c.tensor("self");
  const std::int64_t factor = c.integer("downscale_factor", 1);
  const std::size_t lead = c.rank(self) < 3 ? 0 : c.rank(self) - 3;
  Shape shape = c.shape(self);
  if (shape.size() < 3 || factor < 1 || shape[lead + 1] % factor != 0 || shape[lead + 2] % factor != 0)
    c.fail("the shape does not fit");
  const Shape before(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(lead));
  Shape split = before;
  split.insert(split.end(), {shape[lead], shape[lead + 1] / factor, factor, shape[lead + 2] / factor, factor});
  std::vector<std::int64_t> order(lead);
  std::iota(order.begin(), order.end(), 0);
  for (const std::int64_t dim : {0, 2, 4, 1, 3}) order.push_back(static_cast<std::int64_t>(lead) + dim);
  Shape out = before;
  out.insert(out.end(), {shape[lead] * factor * factor, shape[lead + 1] / factor, shape[lead + 2] / factor});
  return {c.reshape(c.call("permute.default", {c.reshape(self, split), order}), out)};
}

Values channel_shuffle(const Composer& c) {
  const Value self = c.tensor("self");
  const Shape shape = c.shape(self);
  const std::int64_t groups = c.integer("groups", 1);
  if (shape.size() < 3 || groups < 1 || shape[1] % groups != 0) c.fail("the channels do not fit");
  Shape split = shape;
  split[1] = shape[1] / groups;
  split.insert(split.begin() + 1, groups);
  return {c.reshape(c.transpose(c.reshape(self, split), 1, 2), shape)};
}

/// Two lists of numbers, one per dimension, where one may stand for both.
std::vector<std::int64_t> pair(const Composer& c, std::string_view name) {
  std::vector<std::int64_t> out = c.integers(name);
  if (out.size() == 1) out.push_back(out.front());
  if (out.size() != 2) c.fail(concat("'", name, "' has not two entries"));
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  for (const std::int64_t entry : out) {
    if (entry < 0 || entry > kMost) c.fail(concat("'", name, "' is ", entry));
  }
  return out;
}

/// The windows of two dimensions as columns.
Values windows_as_columns(const Composer& c) {
  Value x = c.tensor("self");
  if (c.rank(x) != 4) c.fail("four dimensions are wanted");
  const std::vector<std::int64_t> kernel = pair(c, "kernel_size");
  const std::vector<std::int64_t> dilation = pair(c, "dilation");
  const std::vector<std::int64_t> padding = pair(c, "padding");
  const std::vector<std::int64_t> stride = pair(c, "stride");
  const std::int64_t batch = c.shape(x)[0];
  const std::int64_t channels = c.shape(x)[1];
  x = c.call("constant_pad_nd.default", {x, Shape{padding[1], padding[1], padding[0], padding[0]}});
  for (std::size_t at = 0; at < 2; ++at) {
    x = c.call("unfold.default",
               {x, static_cast<std::int64_t>(2 + at), dilation[at] * (kernel[at] - 1) + 1, stride[at]});
    const std::int64_t last = static_cast<std::int64_t>(c.rank(x)) - 1;
    x = c.call("slice.Tensor", {x, last, std::int64_t{0}, c.shape(x).back(), dilation[at]});
  }
  const std::int64_t windows = c.shape(x)[2] * c.shape(x)[3];
  x = c.call("permute.default", {x, Shape{0, 1, 4, 5, 2, 3}});
  return {c.reshape(x, {batch, channels * kernel[0] * kernel[1], windows})};
}

/// Tensors side by side in a dimension, those that have too few dimensions with further ones.
Value joined(const Composer& c, std::size_t least, std::int64_t dim,
             const std::function<Shape(const Shape&)>& widened) {
  Values parts;
  for (const Value& tensor : c.tensors("tensors")) {
    const Shape shape = c.shape(tensor);
    parts.push_back(shape.size() < least ? c.reshape(tensor, widened(shape)) : tensor);
  }
  return c.call("cat.default", {parts, dim});
}
Values hstack(const Composer& c) {
  const bool vectors = c.rank(c.tensors("tensors").at(0)) < 2;
  return {joined(c, 1, vectors ? 0 : 1, [](const Shape&) { return Shape{1}; })};
}
Values vstack(const Composer& c) {
  return {joined(c, 2, 0, [](const Shape& shape) { return Shape{1, shape.empty() ? 1 : shape[0]}; })};
}
Values column_stack(const Composer& c) {
  return {joined(c, 2, 1, [](const Shape& shape) { return Shape{shape.empty() ? 1 : shape[0], 1}; })};
}

/// A new dimension, in which only one element of each row is not zero.
Values diag_embed(const Composer& c) {
  const Value self = c.tensor("self");
  if (c.integer("dim1", -2) != -2 || c.integer("dim2", -1) != -1) c.fail("only the last two dimensions are supported");
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  if (c.rank(self) == 0 || c.integer("offset", 0) > kMost || c.integer("offset", 0) < -kMost)
    c.fail("the offset does not fit");
  Shape shape = c.shape(self);
  const std::int64_t extent = shape.back() + std::abs(c.integer("offset", 0));
  shape.back() = extent;
  shape.push_back(extent);
  const Value zeros = c.call("full.default", {shape, std::int64_t{0}, c.type(self).dtype});
  return {
      c.call("diagonal_scatter.default", {zeros, self, c.integer("offset", 0), std::int64_t{-2}, std::int64_t{-1}})};
}

// Indices

Values take(const Composer& c) {
  return {c.call("index.Tensor", {c.reshape(c.tensor("self"), {-1}), Values{c.tensor("index")}})};
}

Values one_hot(const Composer& c) {
  const Value self = c.tensor("self");
  const std::int64_t classes = c.integer("num_classes", -1);
  if (classes < 1) c.fail("the number of classes must be stated: it would depend on the values");
  const Value numbers = c.call("arange.default", {classes});
  const Value same = c.call("eq.Tensor", {c.call("unsqueeze.default", {self, std::int64_t{-1}}), numbers});
  return {c.call("to.dtype", {same, DType::i64})};
}

/// A write to the given indices of one dimension.
Value write_at(const Composer& c, const Value& self, std::int64_t dim, const Value& values, bool accumulate) {
  Values indices(static_cast<std::size_t>(dim));
  indices.push_back(c.reshape(c.tensor("index"), {-1}));
  return c.call("index_put.default", {self, indices, values, accumulate});
}
Values index_add(const Composer& c) {
  const Value self = c.tensor("self");
  Value source = c.tensor("source");
  if (c.real("alpha", 1) != 1) source = c.mul(source, c.operand("alpha"));
  return {write_at(c, self, c.dimension("dim", 0, self), source, true)};
}
Values index_copy(const Composer& c) {
  const Value self = c.tensor("self");
  return {write_at(c, self, c.dimension("dim", 0, self), c.tensor("source"), false)};
}
Values index_fill(const Composer& c) {
  const Value self = c.tensor("self");
  const Argument value = c.operand("value");
  const Value filled = std::holds_alternative<Value>(value)
                           ? c.call("to.dtype", {value, c.type(self).dtype})
                           : c.call("full.default", {Shape{}, value, c.type(self).dtype});
  return {write_at(c, self, c.dimension("dim", 0, self), filled, false)};
}

Values fill_diagonal(const Composer& c) {
  const Value self = c.tensor("self");
  const Shape& shape = c.shape(self);
  if (shape.size() != 2 || (c.flag("wrap", false) && shape[0] > shape[1])) c.fail("only a matrix is supported");
  const Value diagonal =
      c.call("full.default", {Shape{std::min(shape[0], shape[1])}, c.operand("fill_value"), c.type(self).dtype});
  return {c.call("diagonal_scatter.default", {self, diagonal})};
}

/// The pooled values go back to where they came from, into zeros.
Values max_unpool(const Composer& c) {
  const Value self = c.tensor("self");
  const Shape shape = c.shape(self);
  const std::vector<std::int64_t> size = c.integers("output_size");
  if (shape.size() < size.size()) c.fail("the shape does not fit");
  Shape out(shape.begin(), shape.end() - static_cast<std::ptrdiff_t>(size.size()));
  Shape flat = out;
  flat.push_back(-1);
  Shape whole = out;
  whole.push_back(std::accumulate(size.begin(), size.end(), std::int64_t{1}, std::multiplies<>()));
  out.insert(out.end(), size.begin(), size.end());
  const Value zeros = c.call("full.default", {whole, std::int64_t{0}, c.type(self).dtype});
  const std::int64_t last = static_cast<std::int64_t>(whole.size()) - 1;
  const Value filled =
      c.call("scatter.src", {zeros, last, c.reshape(c.tensor("indices"), flat), c.reshape(self, flat)});
  return {c.reshape(filled, out)};
}

// Matrices

/// beta * self + alpha * product.
Value weighted(const Composer& c, Value product) {
  if (c.real("alpha", 1) != 1) product = c.mul(product, c.operand("alpha"));
  if (c.real("beta", 1) == 0) return product;
  Value self = c.tensor("self");
  if (c.real("beta", 1) != 1) self = c.mul(self, c.operand("beta"));
  return c.add(self, product);
}
Values addbmm(const Composer& c) {
  return {weighted(c, c.call("einsum.default", {"bij,bjk->ik", Values{c.tensor("batch1"), c.tensor("batch2")}}))};
}
Values addr(const Composer& c) { return {weighted(c, c.call("outer.default", {c.tensor("vec1"), c.tensor("vec2")}))}; }
Values vdot(const Composer& c) { return {c.call("dot.default", {c.tensor("self"), c.tensor("other")})}; }
Values inner(const Composer& c) {
  const Value self = c.tensor("self");
  const Value other = c.tensor("other");
  if (c.rank(self) == 0 || c.rank(other) == 0) return {c.mul(self, other)};
  if (c.rank(other) > 2) c.fail("a second operand of more than two dimensions is not supported");
  return {c.call("matmul.default", {self, c.rank(other) == 2 ? c.transpose(other, 0, 1) : other})};
}
Values bilinear(const Composer& c) {
  const Value product = c.call(
      "einsum.default", {"...i,oij,...j->...o", Values{c.tensor("input1"), c.tensor("weight"), c.tensor("input2")}});
  return {c.has("bias") ? c.add(product, c.tensor("bias")) : product};
}
/// Letters for the dimensions of both, the same ones for those that are summed over.
Values tensordot(const Composer& c) {
  const Value self = c.tensor("self");
  const Value other = c.tensor("other");
  std::string left(c.rank(self), ' ');
  std::string right(c.rank(other), ' ');
  const auto plain = [](std::int64_t dim, const std::string& letters) {
    return static_cast<std::size_t>(dim < 0 ? dim + static_cast<std::int64_t>(letters.size()) : dim);
  };
  const std::vector<std::int64_t> dims = c.integers("dims_self");
  const std::vector<std::int64_t> others = c.integers("dims_other");
  if (dims.size() != others.size() || left.size() + right.size() > 26) c.fail("the dimensions do not fit");
  char next = 'a';
  for (std::size_t at = 0; at < dims.size(); ++at) {
    left.at(plain(dims[at], left)) = next;
    right.at(plain(others[at], right)) = next++;
  }
  std::string result;
  for (std::string* letters : {&left, &right}) {
    for (char& letter : *letters) {
      if (letter == ' ') result += letter = next++;
    }
  }
  return {c.call("einsum.default", {concat(left, ",", right, "->", result), Values{self, other}})};
}
Values chain(const Composer& c) {
  const Values& matrices = c.tensors(c.has("matrices") ? "matrices" : "tensors");
  Value out = matrices.at(0);
  for (std::size_t at = 1; at < matrices.size(); ++at) out = c.call("matmul.default", {out, matrices[at]});
  return {out};
}
Values trace(const Composer& c) { return {c.apply("sum.default", c.apply("diagonal.default", c.tensor("self")))}; }
Values cross(const Composer& c) {
  const Value self = c.tensor("self");
  const Value other = c.tensor("other");
  if (!c.has("dim") && c.imported().op == "aten.cross.default") c.fail("the dimension must be stated");
  const std::int64_t dim = c.dimension("dim", -1, self);
  const auto rolled = [&](const Value& x, std::int64_t by) {
    return c.call("roll.default", {x, Shape{by}, Shape{dim}});
  };
  return {c.sub(c.mul(rolled(self, -1), rolled(other, -2)), c.mul(rolled(self, -2), rolled(other, -1)))};
}
Values cdist(const Composer& c) {
  const Value left = c.call("unsqueeze.default", {c.tensor("x1"), std::int64_t{-2}});
  const Value right = c.call("unsqueeze.default", {c.tensor("x2"), std::int64_t{-3}});
  return {c.call("linalg_vector_norm.default", {c.sub(left, right), c.real("p", 2), Shape{-1}})};
}
Values matrix_norm(const Composer& c) {
  if (c.text("ord", "fro") != "fro") c.fail("only the Frobenius norm is supported");
  std::vector<std::int64_t> dims = c.integers("dim");
  if (dims.empty()) dims = {-2, -1};
  return {c.call("linalg_vector_norm.default", {c.tensor("self"), 2.0, dims, c.flag("keepdim", false)})};
}

constexpr std::array kRows = {
    CompositeRow{"empty.memory_format", uninitialised},
    CompositeRow{"empty_like.default", uninitialised},
    CompositeRow{"new_empty.default", uninitialised},
    CompositeRow{"linspace.default", linspace},
    CompositeRow{"meshgrid.default", meshgrid},
    CompositeRow{"meshgrid.indexing", meshgrid},
    CompositeRow{"fliplr.default", flip_columns},
    CompositeRow{"flipud.default", flip_rows},
    CompositeRow{"pixel_unshuffle.default", pixel_unshuffle},
    CompositeRow{"channel_shuffle.default", channel_shuffle},
    CompositeRow{"im2col.default", windows_as_columns},
    CompositeRow{"hstack.default", hstack},
    CompositeRow{"vstack.default", vstack},
    CompositeRow{"column_stack.default", column_stack},
    CompositeRow{"diag_embed.default", diag_embed},
    CompositeRow{"take.default", take},
    CompositeRow{"one_hot.default", one_hot},
    CompositeRow{"index_add.default", index_add},
    CompositeRow{"index_copy.default", index_copy},
    CompositeRow{"index_fill.int_Scalar", index_fill},
    CompositeRow{"index_fill.int_Tensor", index_fill},
    CompositeRow{"fill_diagonal.default", fill_diagonal},
    CompositeRow{"max_unpool2d.default", max_unpool},
    CompositeRow{"max_unpool3d.default", max_unpool},
    CompositeRow{"addbmm.default", addbmm},
    CompositeRow{"addr.default", addr},
    CompositeRow{"vdot.default", vdot},
    CompositeRow{"inner.default", inner},
    CompositeRow{"bilinear.default", bilinear},
    CompositeRow{"tensordot.default", tensordot},
    CompositeRow{"chain_matmul.default", chain},
    CompositeRow{"linalg_multi_dot.default", chain},
    CompositeRow{"trace.default", trace},
    CompositeRow{"cross.default", cross},
    CompositeRow{"linalg_cross.default", cross},
    CompositeRow{"cdist.default", cdist},
    CompositeRow{"linalg_matrix_norm.str_ord", matrix_norm},
};

}  // namespace

std::span<const CompositeRow> shape_composites() { return kRows; }

}  // namespace steptp::graph::pt2
