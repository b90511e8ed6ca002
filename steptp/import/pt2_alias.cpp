// Exported programs write into memory that several names share; the graph has values only. Each piece of memory has
// its newest value, and each name the views that lead to it. A write puts a new value together through the views
// backwards, and a view that is older than the last write is made again when it is read.
#include "steptp/import/pt2_alias.h"

#include <algorithm>
#include <array>
#include <optional>

#include "steptp/base/text.h"
#include "steptp/import/pt2_node.h"

namespace steptp::graph::pt2 {

namespace {

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 9> kReshapes = {"view",    "squeeze", "unsqueeze", "unflatten",   "view_as",
                                                       "reshape", "flatten", "ravel",     "_unsafe_view"};
constexpr std::array<std::string_view, 4> kTransposes = {"transpose", "permute", "t", "numpy_T"};
constexpr std::array<std::string_view, 7> kParts = {"slice", "select", "narrow", "split", "split_with_sizes",
                                                    "chunk", "unbind"};
constexpr std::array<std::string_view, 5> kSames = {"alias", "detach", "contiguous", "to", "type_as"};
constexpr std::array<std::string_view, 3> kExpansions = {"expand", "expand_as", "broadcast_to"};
/// Views through which nothing can be written back here, but for the diagonal.
constexpr std::array<std::string_view, 3> kOthers = {"unfold", "diagonal", "as_strided"};
constexpr std::array<std::string_view, 3> kCopiesAtNeed = {"reshape", "flatten", "contiguous"};

bool is_contiguous(const TensorMeta& meta) {
  std::int64_t expected = 1;
  for (std::size_t at = meta.strides.size(); at-- > 0;) {
    if (meta.type.shape[at] == 1) continue;
    if (meta.strides[at] != expected) return false;
    expected *= meta.type.shape[at];
  }
  return true;
}

/// Whether a strided tensor can be seen in another shape without a copy: each run of dimensions that lie densely in
/// each other must be divided up by some of the new dimensions.
bool can_view(const TensorMeta& meta, const Shape& shape) {
  const Shape& old = meta.type.shape;
  std::size_t at = shape.size();
  std::int64_t run = 1;
  std::int64_t step = meta.strides.empty() ? 1 : meta.strides.back();
  for (std::size_t dim = old.size(); dim-- > 0;) {
    run *= old[dim];
    const bool ends = dim == 0 || (old[dim - 1] != 1 && meta.strides[dim - 1] != run * step);
    if (!ends) continue;
    std::int64_t filled = 1;
    while (at > 0 && (filled < run || shape[at - 1] == 1)) filled *= shape[--at];
    if (filled != run) return false;
    run = 1;
    if (dim > 0) step = meta.strides[dim - 1];
  }
  return at == 0;
}

const Argument* find(const NamedArguments& arguments, std::string_view name) {
  for (const auto& [key, argument] : arguments) {
    if (key == name) return &argument;
  }
  return nullptr;
}

std::int64_t integer(const NamedArguments& arguments, std::string_view name, std::int64_t otherwise) {
  const Argument* given = find(arguments, name);
  const std::int64_t* number = given ? std::get_if<std::int64_t>(given) : nullptr;
  return number ? *number : otherwise;
}

/// The dimension and the first index of the part that a step takes out.
struct Part {
  std::size_t dim = 0;
  std::int64_t start = 0;
};

Part part_of(const ViewStep& step, const Shape& shape, const Shape& taken) {
  std::int64_t dim = integer(step.rest, "dim", 0);
  if (dim < 0) dim += static_cast<std::int64_t>(shape.size());
  Part out{static_cast<std::size_t>(dim), 0};
  const std::int64_t extent = shape.at(out.dim);
  const std::string_view name = stem(step.op);
  const auto from_end = [&](std::int64_t index) {
    return index < 0 ? std::max<std::int64_t>(0, index + extent) : index;
  };
  if (name == "slice" || name == "narrow") out.start = std::min(extent, from_end(integer(step.rest, "start", 0)));
  if (name == "select") out.start = from_end(integer(step.rest, "index", 0));
  if (name == "unbind") out.start = step.output;
  if (name == "split") out.start = step.output * integer(step.rest, "split_size", 1);
  if (name == "chunk") {
    const std::int64_t chunks = std::max<std::int64_t>(1, integer(step.rest, "chunks", 1));
    out.start = step.output * ((extent + chunks - 1) / chunks);
  }
  if (name == "split_with_sizes") {
    const Argument* sizes = find(step.rest, "split_sizes");
    const auto* list = sizes ? std::get_if<std::vector<std::int64_t>>(sizes) : nullptr;
    for (std::int32_t before = 0; list && before < step.output; ++before)
      out.start += list->at(static_cast<std::size_t>(before));
  }
  const std::int64_t length = name == "select" || name == "unbind" ? 1 : taken.at(out.dim);
  if (out.start < 0 || length > extent - out.start)
    throw Misuse{concat(step.op, ": the part does not lie in the whole")};
  return out;
}

}  // namespace

bool is_view(std::string_view op, const TensorMeta* operand, const TensorMeta* result) {
  const std::string_view name = stem(op);
  if (name == "_unsafe_view" || name == "type_as") return false;
  if (!contains(kReshapes, name) && !contains(kTransposes, name) && !contains(kParts, name) &&
      !contains(kSames, name) && !contains(kExpansions, name) && !contains(kOthers, name)) {
    return false;
  }
  if (!operand || !result) return true;
  if (name == "contiguous") return is_contiguous(*operand);
  if (contains(kCopiesAtNeed, name)) return can_view(*operand, result->type.shape);
  return operand->type.dtype == result->type.dtype;
}

const Aliases::Tensor& Aliases::tensor(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) malformed(concat("the tensor ", quote_json(name), " is used before it is computed"));
  return found->second;
}

void Aliases::define(const std::string& name, Value value) {
  memories_.push_back({value, 0, false});
  if (!tensors_.emplace(name, Tensor{memories_.size() - 1, {}, 0, value}).second) {
    malformed(concat("the tensor ", quote_json(name), " is computed twice"));
  }
}

void Aliases::same(const std::string& name, const std::string& other) {
  Tensor copy = tensor(other);
  if (!tensors_.emplace(name, std::move(copy)).second)
    malformed(concat("the tensor ", quote_json(name), " is computed twice"));
}

void Aliases::view(const std::string& name, const std::string& of, ViewStep step, Value value) {
  Tensor out = tensor(of);
  out.steps.push_back(std::move(step));
  out.version = memories_[out.memory].version;
  out.value = value;
  if (!tensors_.emplace(name, std::move(out)).second)
    malformed(concat("the tensor ", quote_json(name), " is computed twice"));
}

Value Aliases::take(const ViewStep& step, Value whole) {
  NamedArguments arguments = step.rest;
  arguments.insert(arguments.begin(), {step.first, whole});
  Result<std::vector<Value>, std::string> made = builder_.add(step.op, arguments);
  if (!made) throw Misuse{made.error()};
  return made->at(static_cast<std::size_t>(step.output));
}

Value Aliases::read(const std::string& name) {
  static_cast<void>(tensor(name));
  Tensor& found = tensors_.at(name);
  const Memory& memory = memories_[found.memory];
  if (found.version == memory.version) return found.value;
  Value value = memory.newest;
  for (const ViewStep& step : found.steps) value = take(step, value);
  found.value = value;
  found.version = memory.version;
  return value;
}

void Aliases::write(const std::string& name, Value value, std::string_view op) {
  static_cast<void>(tensor(name));
  Tensor& found = tensors_.at(name);
  Memory& memory = memories_[found.memory];
  if (memory.frozen) {
    refuse("pt2-in-place", concat(op, " writes to a tensor that is seen through a broadcast as well"),
           "write the result to a new tensor instead of changing a part of one in place");
  }
  std::vector<Value> wholes = {memory.newest};
  for (std::size_t at = 0; at + 1 < found.steps.size(); ++at) wholes.push_back(take(found.steps[at], wholes.back()));
  Value newest = value;
  for (std::size_t at = found.steps.size(); at-- > 0;) newest = put_back(found.steps[at], wholes[at], newest, op);
  memory.newest = newest;
  ++memory.version;
  found.value = value;
  found.version = memory.version;
}

void Aliases::freeze(const Value& value) {
  for (const auto& [name, tensor] : tensors_) {
    if (tensor.value == value || memories_[tensor.memory].newest == value) memories_[tensor.memory].frozen = true;
  }
}

bool Aliases::are_same(const std::string& left, const std::string& right) const {
  const Tensor& a = tensor(left);
  const Tensor& b = tensor(right);
  return a.memory == b.memory && a.steps == b.steps;
}

bool Aliases::is_written(const std::string& name) const { return memories_[tensor(name).memory].version > 0; }

Value Aliases::put_back(const ViewStep& step, Value whole, Value part, std::string_view op) {
  const std::string_view name = stem(step.op);
  const Shape shape = builder_.shape(whole);
  if (contains(kSames, name)) return part;
  if (contains(kReshapes, name)) return builder_.call("aten.view.default", {part, shape});
  if (name == "permute") {
    const Argument* dims = find(step.rest, "dims");
    const auto* list = dims ? std::get_if<std::vector<std::int64_t>>(dims) : nullptr;
    std::vector<std::int64_t> inverse(shape.size(), 0);
    for (std::size_t at = 0; list && at < list->size(); ++at) {
      const std::int64_t dim = (*list)[at] < 0 ? (*list)[at] + static_cast<std::int64_t>(shape.size()) : (*list)[at];
      inverse.at(static_cast<std::size_t>(dim)) = static_cast<std::int64_t>(at);
    }
    return builder_.call("aten.permute.default", {part, inverse});
  }
  if (contains(kTransposes, name)) return take(step, part);
  if (name == "slice" && integer(step.rest, "step", 1) != 1)
    return scatter("aten.slice_scatter.default", step, whole, part);
  if (name == "diagonal") return scatter("aten.diagonal_scatter.default", step, whole, part);
  // Where nothing is repeated, to expand is to view.
  if (contains(kExpansions, name) && count(shape) == count(builder_.shape(part)))
    return builder_.call("aten.view.default", {part, shape});
  if (contains(kParts, name)) {
    const Part place = part_of(step, shape, builder_.shape(part));
    if (name == "select" || name == "unbind") {
      part = builder_.call("aten.unsqueeze.default", {part, static_cast<std::int64_t>(place.dim)});
    }
    return replace_slice(builder_, whole, part, place.dim, place.start);
  }
  refuse("pt2-in-place", concat(op, " writes through ", step.op, ", which is not supported"),
         "write the result to a new tensor instead of changing a part of one in place");
}

Value Aliases::scatter(std::string_view op, const ViewStep& step, Value whole, Value part) {
  NamedArguments arguments = step.rest;
  arguments.insert(arguments.begin(), {{"self", whole}, {"src", part}});
  Result<std::vector<Value>, std::string> made = builder_.add(op, arguments);
  if (!made) throw Misuse{made.error()};
  return made->front();
}

Value replace_slice(Builder& builder, Value whole, Value part, std::size_t dim, std::int64_t start) {
  const std::int64_t extent = builder.shape(whole).at(dim);
  const std::int64_t end = start + builder.shape(part).at(dim);
  const std::int64_t along = static_cast<std::int64_t>(dim);
  std::vector<Value> pieces;
  if (start > 0) pieces.push_back(builder.call("aten.slice.Tensor", {whole, along, std::int64_t{0}, start}));
  pieces.push_back(part);
  if (end < extent) pieces.push_back(builder.call("aten.slice.Tensor", {whole, along, end, extent}));
  if (pieces.size() == 1) return part;
  return builder.call("aten.cat.default", {pieces, along});
}

}  // namespace steptp::graph::pt2
