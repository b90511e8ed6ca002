#include "steptp/oracle/layout.h"

#include "steptp/oracle/storage.h"

namespace steptp::oracle {

std::size_t own_axes(const TensorCode& tensor) { return tensor.is_scoped() ? hidden_axes(tensor.scope) : 0; }

Layout layout_of(const TensorCode& tensor, std::size_t hidden, bool whole) {
  Layout layout;
  double count = 1;
  const auto extend = [&](std::int64_t extent) {
    layout.extents.push_back(extent);
    count *= static_cast<double>(extent);
  };
  // An array may be larger than what is written into it, but not out of all proportion.
  const auto worth_it = [&] { return count <= 65536 + 64 * tensor.writes && count < 0x1p48; };
  if (tensor.known) {
    for (const std::int64_t extent : tensor.known->shape) extend(extent);
    const bool is_output = tensor.known->role == Role::output;
    layout.dense = !is_output || whole || worth_it();
    layout.bytes =
        !layout.dense ? 0 : count * (is_output ? Storage::dense_bytes(tensor.dtype) : info(tensor.dtype).bytes);
    return layout;
  }
  for (std::size_t axis = 0; axis < hidden; ++axis) extend(tensor.axis_extents[axis]);
  for (const MaybeReach& reach : tensor.written) {
    constexpr Wide kMost = Wide{1} << 62;
    if (!reach || reach->high >= kMost) return {};
    // Only negative subscripts: every write is out of range, and an array needs at least one element.
    extend(reach->high < 0 ? 1 : static_cast<std::int64_t>(reach->high) + 1);
  }
  if (!worth_it()) return {};
  layout.dense = true;
  layout.bytes = count * Storage::dense_bytes(tensor.dtype);
  return layout;
}

double bytes_of(const Code& code, bool whole) {
  double bytes = 0;
  for (const TensorCode& tensor : code.tensors) {
    bytes += layout_of(tensor, own_axes(tensor), whole).bytes;
    if (tensor.demoted) bytes += layout_of(tensor, hidden_axes(tensor.scope), whole).bytes;
  }
  return bytes;
}

}  // namespace steptp::oracle
