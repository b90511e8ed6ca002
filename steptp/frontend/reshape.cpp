#include "steptp/frontend/reshape.h"

#include <algorithm>
#include <set>

#include "steptp/base/text.h"

namespace steptp::frontend {

namespace {

/// The numbers of elements that a step in each dimension passes over, and that of all.
std::set<std::int64_t> boundaries(const Shape& shape) {
  std::set<std::int64_t> out = {1};
  std::int64_t size = 1;
  for (std::size_t at = shape.size(); at-- > 0;) {
    size *= shape[at];
    out.insert(size);
  }
  return out;
}

/// Subscripts of a shape as sums over loops, each of which covers the elements between two boundaries.
Subscripts subscripts_over(const Shape& shape, const std::vector<std::int64_t>& bounds, const Subscripts& loops) {
  Subscripts out(shape.size(), Subscript(0));
  std::int64_t stride = 1;
  for (std::size_t dim = shape.size(); dim-- > 0;) {
    const std::int64_t end = stride * shape[dim];
    for (std::size_t part = bounds.size() - 1; part-- > 0;) {
      if (bounds[part] < stride || bounds[part + 1] > end) continue;
      // loops run from the outermost part to the innermost
      out[dim] = out[dim] + loops[loops.size() - 1 - part] * (bounds[part] / stride);
    }
    stride = end;
  }
  return out;
}

void reshape_by_division(const CallLowering& call, const Tensor& source, const Tensor& target) {
  call.map(target, [&](const Subscripts& at) {
    Subscript number = 0;
    for (std::size_t dim = 0; dim < target.shape.size(); ++dim) number = number * target.shape[dim] + at[dim];
    Subscripts out(source.shape.size(), Subscript(0));
    std::int64_t stride = 1;
    for (std::size_t dim = source.shape.size(); dim-- > 0;) {
      const bool outermost = stride * source.shape[dim] == graph::count(source.shape);
      out[dim] = outermost ? number / stride : (number / stride) % source.shape[dim];
      if (source.shape[dim] == 1) out[dim] = 0;
      stride *= source.shape[dim];
    }
    return source.exactly(out);
  });
}

}  // namespace

void reshape(const CallLowering& call, const Tensor& source, const Tensor& target) {
  std::set<std::int64_t> all = boundaries(source.shape);
  all.merge(boundaries(target.shape));
  const std::vector<std::int64_t> bounds(all.begin(), all.end());
  for (std::size_t at = 1; at < bounds.size(); ++at) {
    if (bounds[at] % bounds[at - 1] != 0) return reshape_by_division(call, source, target);
  }
  NestWriter nest;
  Subscripts loops;
  for (std::size_t part = bounds.size() - 1; part-- > 0;) loops.push_back(nest.loop(bounds[part + 1] / bounds[part]));
  nest.set(target, subscripts_over(target.shape, bounds, loops),
           source.exactly(subscripts_over(source.shape, bounds, loops)));
  call.append(nest);
}

void pad_constant(const CallLowering& call, const Tensor& source, const Tensor& target,
                  const std::vector<std::int64_t>& before, const Value& fill) {
  call.map(target, [&](const Subscripts& at) {
    std::vector<Value> inside;
    Subscripts from = at;
    for (std::size_t dim = 0; dim < at.size(); ++dim) {
      const std::int64_t low = before[dim];
      const std::int64_t high = low + source.shape[dim];
      from[dim] = at[dim] - low;
      if (low > 0 && high < target.shape[dim])
        inside.push_back(between(low, at[dim], high));
      else if (low > 0)
        inside.push_back(Value(low) <= at[dim]);
      else if (high < target.shape[dim])
        inside.push_back(Value(at[dim]) < high);
    }
    const Value element = source.exactly(from);
    return inside.empty() ? element : select(all_of(inside), element, fill);
  });
}

namespace {

enum class Mode : std::uint8_t { reflect, replicate, circular };

void pad_dimension(const CallLowering& call, const Tensor& source, const Tensor& target, std::size_t dim,
                   std::int64_t before, Mode mode) {
  const std::int64_t extent = source.shape[dim];
  const std::int64_t after = target.shape[dim] - extent - before;
  if (before < 0 || after < 0) call.unsupported("cropping is supported for constant padding only");
  if (mode == Mode::reflect && (before >= extent || after >= extent)) call.fail("the reflected part is too long");
  if (mode == Mode::circular && (before > extent || after > extent)) call.fail("the wrapped part is too long");
  call.map(target, [&](const Subscripts& at) {
    const auto element = [&](const Subscript& place) {
      Subscripts from = at;
      from[dim] = place;
      return source.exactly(from);
    };
    if (mode == Mode::circular) return element((at[dim] + (extent - before)) % extent);
    const bool reflect = mode == Mode::reflect;
    Value out = element(at[dim] - before);
    if (after > 0) {
      const Value beyond = element(reflect ? Subscript(2 * extent - 2 + before) - at[dim] : Subscript(extent - 1));
      out = select(Value(at[dim]) < extent + before, out, beyond);
    }
    if (before > 0)
      out = select(Value(at[dim]) < before, element(reflect ? Subscript(before) - at[dim] : Subscript(0)), out);
    return out;
  });
}

}  // namespace

void pad(const CallLowering& call) {
  const std::string& name = call.op().schema.name;
  const std::vector<std::int64_t>& amounts = call.integers(call.op().schema.find("pad") ? "pad" : "padding");
  Tensor source = call.in("self");
  const Tensor target = call.out();
  std::string_view mode = call.op().schema.find("mode") ? call.text("mode") : "constant";
  if (name.find("reflection") != std::string::npos) mode = "reflect";
  if (name.find("replication") != std::string::npos) mode = "replicate";
  std::vector<std::int64_t> before(source.shape.size(), 0);
  for (std::size_t pair = 0; pair < amounts.size() / 2; ++pair) before[before.size() - 1 - pair] = amounts[2 * pair];
  if (mode == "constant") {
    const bool given = call.op().schema.find("value") && call.has("value");
    return pad_constant(call, source, target, before, given ? call.operand("value", {}) : Value(0));
  }
  std::vector<std::size_t> padded;
  for (std::size_t dim = 0; dim < before.size(); ++dim) {
    if (source.shape[dim] != target.shape[dim]) padded.push_back(dim);
  }
  if (padded.empty()) return call.copy(source, target);
  for (const std::size_t dim : padded) {
    Shape shape = source.shape;
    shape[dim] = target.shape[dim];
    const Tensor next = dim == padded.back() ? target : call.temporary(source.dtype, shape);
    if (mode == "reflect")
      pad_dimension(call, source, next, dim, before[dim], Mode::reflect);
    else if (mode == "replicate")
      pad_dimension(call, source, next, dim, before[dim], Mode::replicate);
    else if (mode == "circular")
      pad_dimension(call, source, next, dim, before[dim], Mode::circular);
    else
      call.unsupported(concat("there is no padding mode \"", mode, "\""));
    source = next;
  }
}

}  // namespace steptp::frontend
