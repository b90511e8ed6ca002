#include "steptp/graph/indexing.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "steptp/base/text.h"
#include "steptp/graph/operator.h"

namespace steptp::graph {

Shape Indexing::result(const Shape& shape) const {
  Shape out;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    if (!dims[dim]) out.push_back(shape[dim]);
  }
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(first), common.begin(), common.end());
  return out;
}

Indexing indexed_by(const Call& call, const Shape& shape) {
  const std::vector<Value>& indices = call.values("indices");
  if (indices.size() > shape.size()) call.fail("more indices than dimensions");
  Indexing out;
  out.dims.resize(shape.size());
  std::size_t last = 0;
  std::size_t used = 0;
  for (std::size_t at = 0; at < indices.size(); ++at) {
    if (indices[at].node < 0) continue;
    const TensorType& type = call.type(indices[at]);
    // Bytes are a mask, as they were before there were bools.
    if (!is_integer(type.dtype) || type.dtype == DType::u8)
      call.fail(concat("indices are integers, not ", to_text(type)));
    out.common = broadcast(call, out.common, type.shape);
    out.dims[at] = indices[at];
    if (used++ == 0) out.first = at;
    last = at;
  }
  if (used == 0) call.fail("no index");
  if (last - out.first + 1 != used) out.first = 0;
  return out;
}

namespace {

constexpr int kDeepest = 32;

double number(const Call& call, std::string_view name, double otherwise) {
  const Argument& given = call.argument(name);
  const bool plain = std::holds_alternative<std::int64_t>(given) || std::holds_alternative<double>(given);
  return plain ? call.real(name) : otherwise;
}

bool is_never_negative(const Graph& graph, const Value& value, int depth);

bool operand_is_never_negative(const Call& call, std::string_view name, int depth) {
  if (!call.is_tensor(name)) return number(call, name, -1) >= 0;
  return is_never_negative(call.graph(), call.value(name), depth);
}

bool call_is_never_negative(const Call& call, std::int32_t output, int depth) {
  constexpr std::array<std::string_view, 27> kCarry = {
      "view",         "reshape",      "flatten",        "squeeze", "unsqueeze", "transpose", "permute", "expand",
      "slice",        "select",       "contiguous",     "clone",   "to",        "_to_copy",  "t",       "narrow",
      "alias",        "detach",       "index",          "unbind",  "chunk",     "flip",      "roll",    "repeat",
      "_unsafe_view", "index_select", "lift_fresh_copy"};
  constexpr std::array<std::string_view, 6> kPlaces = {"argmax", "argmin", "argsort", "eye", "ones", "zeros"};
  constexpr std::array<std::string_view, 7> kPlacesAfter = {"max",    "min",      "topk",  "sort",
                                                            "median", "kthvalue", "cummax"};
  const std::string_view full = call.op().schema.name;
  const std::size_t begin = full.find('.') + 1;
  const std::string_view name = full.substr(begin, full.find('.', begin) - begin);
  const auto among = [&](const auto& names) { return std::find(names.begin(), names.end(), name) != names.end(); };
  if (among(kPlaces)) return true;
  if (among(kPlacesAfter) && output == 1) return true;
  if (among(kCarry)) return operand_is_never_negative(call, call.op().schema.parameters.front().name, depth);
  if (name == "arange") {
    const bool starts = !call.op().schema.find("start") || call.real("start") >= 0;
    return starts && (!call.op().schema.find("step") || call.real("step") > 0);
  }
  if (name == "clamp" || name == "clamp_min") {
    return number(call, "min", -1) >= 0;
  }
  if (name == "remainder") return number(call, "other", -1) > 0;
  if (name == "floor_divide") return number(call, "other", -1) > 0 && operand_is_never_negative(call, "self", depth);
  if (name == "full") return number(call, "fill_value", -1) >= 0;
  return false;
}

bool is_never_negative(const Graph& graph, const Value& value, int depth) {
  if (depth > kDeepest) return false;
  const Node& node = graph.node(value);
  if (node.kind == NodeKind::input) {
    return node.domain.kind == Domain::Kind::positive ||
           (node.domain.kind == Domain::Kind::range && node.domain.low >= 0);
  }
  if (node.kind == NodeKind::constant && node.value) {
    if (node.value->kind == TensorValue::Kind::splat) return node.value->number >= 0;
    const std::vector<double>& dense = node.value->dense;
    return std::all_of(dense.begin(), dense.end(), [](double element) { return element >= 0; });
  }
  return node.kind == NodeKind::call && call_is_never_negative(Call(graph, node), value.output, depth + 1);
}

}  // namespace

bool is_never_negative(const Graph& graph, const Value& value) { return is_never_negative(graph, value, 0); }

SlicePart slice_part(const Call& call, const Shape& shape) {
  SlicePart out;
  out.dim = plain_dimension(call, call.integer("dim"), shape.size());
  if (shape.empty()) call.fail("a scalar has no part");
  const std::int64_t extent = shape.at(out.dim);
  const auto bound = [&](std::string_view name, std::int64_t otherwise) {
    if (!call.has(name)) return otherwise;
    std::int64_t value = call.integer(name);
    if (value < 0) value += extent;
    return std::clamp<std::int64_t>(value, 0, extent);
  };
  out.step = call.integer("step");
  if (out.step < 1) call.fail("'step' is at least 1");
  out.start = bound("start", 0);
  out.length = (std::max(bound("end", extent), out.start) - out.start + out.step - 1) / out.step;
  return out;
}

Shape DiagonalPart::result(const Shape& shape) const {
  Shape out;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    if (dim != dim1 && dim != dim2) out.push_back(shape[dim]);
  }
  out.push_back(length);
  return out;
}

DiagonalPart diagonal_part(const Call& call, const Shape& shape) {
  DiagonalPart out;
  out.dim1 = plain_dimension(call, call.integer("dim1"), shape.size());
  out.dim2 = plain_dimension(call, call.integer("dim2"), shape.size());
  if (shape.size() < 2 || out.dim1 == out.dim2) call.fail("two different dimensions are wanted");
  const std::int64_t offset = call.integer("offset");
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  if (offset > kMost || offset < -kMost) call.fail(concat("there is no diagonal ", offset));
  out.row = std::max<std::int64_t>(-offset, 0);
  out.column = std::max<std::int64_t>(offset, 0);
  out.length = std::min(shape[out.dim1] - out.row, shape[out.dim2] - out.column);
  if (out.length < 1) call.fail(concat("the diagonal ", offset, " of ", to_text(shape), " is empty"));
  return out;
}

}  // namespace steptp::graph
