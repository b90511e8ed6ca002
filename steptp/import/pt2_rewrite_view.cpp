#include <algorithm>

#include "steptp/import/imported_node.h"

namespace steptp::graph::pt2 {

namespace {

bool swap_dimensions(Progress&, ImportedNode& imported) {
  const bool matrix = stem(imported.op) == "mT";
  const Argument first = matrix                          ? Argument(std::int64_t{-2})
                         : imported.arguments.size() > 1 ? imported.arguments[1].second
                                                         : Argument();
  const Argument second = matrix                          ? Argument(std::int64_t{-1})
                          : imported.arguments.size() > 2 ? imported.arguments[2].second
                                                          : Argument();
  imported.op = "aten.transpose.int";
  imported.arguments = {{"self", tensor(imported, "self")}, {"dim0", first}, {"dim1", second}};
  return false;
}

/// Other spellings of a reshape to the shape that the archive states; of a list, of each tensor in it.
bool as_reshape(Progress& progress, ImportedNode& imported) {
  const Argument* list = find(imported, "tensors");
  if (const auto* values = list ? std::get_if<std::vector<Value>>(list) : nullptr) {
    for (std::size_t at = 0; at < values->size() && at < imported.outputs.size(); ++at) {
      const TensorMeta* meta = progress.meta(imported.outputs[at]);
      const Value& one = (*values)[at];
      const Shape shape = meta ? meta->type.shape : progress.builder.shape(one);
      progress.aliases.define(imported.outputs[at],
                              progress.call(imported, "aten.reshape.default", {{"self", one}, {"shape", shape}}));
      progress.aliases.freeze(one);
    }
    return true;
  }
  const TensorMeta* meta = progress.meta(output(imported));
  if (!meta) malformed(concat("nothing is said of the tensor ", quote_json(output(imported))));
  imported.op = "aten.reshape.default";
  imported.arguments = {{"self", tensor(imported, "self")}, {"shape", meta->type.shape}};
  return false;
}

/// Some dimensions go to other places, and the others keep their order.
bool move_dimensions(Progress& progress, ImportedNode& imported) {
  const Value self = tensor(imported, "self");
  const std::int64_t rank = static_cast<std::int64_t>(progress.builder.shape(self).size());
  const auto plain = [&](std::string_view name) {
    std::vector<std::int64_t> dims = get<std::vector<std::int64_t>>(imported, name, {});
    if (dims.empty()) dims = {get<std::int64_t>(imported, name, 0)};
    for (std::int64_t& dim : dims) dim = dim < 0 ? dim + rank : dim;
    return dims;
  };
  const std::vector<std::int64_t> from = plain("source");
  const std::vector<std::int64_t> to = plain("destination");
  std::vector<std::int64_t> order(static_cast<std::size_t>(rank), -1);
  for (std::size_t at = 0; at < std::min(from.size(), to.size()); ++at)
    order.at(static_cast<std::size_t>(to[at])) = from[at];
  std::int64_t next = 0;
  for (std::int64_t& dim : order) {
    while (std::find(from.begin(), from.end(), next) != from.end()) ++next;
    if (dim < 0) dim = next++;
  }
  imported.op = "aten.permute.default";
  imported.arguments = {{"self", self}, {"dims", order}};
  return false;
}

/// Parts of nearly one length, or cut at the given places.
bool split_up(Progress& progress, ImportedNode& imported) {
  const Value self = tensor(imported, "self");
  const Shape& shape = progress.builder.shape(self);
  const std::int64_t given = get<std::int64_t>(imported, "dim", 0);
  const std::int64_t dim = given < 0 ? given + static_cast<std::int64_t>(shape.size()) : given;
  const std::int64_t extent = shape.at(static_cast<std::size_t>(dim));
  std::vector<std::int64_t> ends = get<std::vector<std::int64_t>>(imported, "indices", {});
  const std::int64_t sections = get<std::int64_t>(imported, "sections", 0);
  for (std::int64_t at = 1; at < sections; ++at)
    ends.push_back(at * (extent / sections) + std::min(at, extent % sections));
  ends.push_back(extent);
  std::vector<std::int64_t> sizes;
  std::int64_t begin = 0;
  for (std::int64_t end : ends) {
    end = std::clamp(end < 0 ? end + extent : end, begin, extent);
    sizes.push_back(end - begin);
    begin = end;
  }
  imported.op = "aten.split_with_sizes.default";
  imported.arguments = {{"self", self}, {"split_sizes", sizes}, {"dim", dim}};
  return false;
}

}  // namespace

bool respell_view(Progress& progress, ImportedNode& imported) {
  const std::string_view name = stem(imported.op);
  if (name == "tensor_split") return split_up(progress, imported);
  if (name == "movedim" || name == "moveaxis") return move_dimensions(progress, imported);
  if (name == "ravel" || name.starts_with("atleast")) return as_reshape(progress, imported);
  return swap_dimensions(progress, imported);
}

}  // namespace steptp::graph::pt2
