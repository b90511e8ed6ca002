#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/import/pt2_alias.h"
#include "steptp/import/pt2_node.h"

namespace steptp::graph::pt2 {

/// One node on its way from an archive into a graph.
struct ImportedNode {
  std::string op;
  NamedArguments arguments;
  std::string first;  ///< the name of the tensor it takes first; empty: none
  std::vector<std::string> outputs;
  Origin origin;
};

/// What is shared by all nodes.
struct Progress {
  Builder builder;
  Aliases aliases{builder};
  std::map<std::string, TensorMeta> metas;
  std::optional<bool> training;
  std::vector<std::string> notes;

  explicit Progress(std::string name) : builder(std::move(name)) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void note(std::string text);
  [[nodiscard]] Value call(const ImportedNode& imported, std::string_view op, const NamedArguments& arguments);
  [[nodiscard]] const TensorMeta* meta(const std::string& name) const;
  /// The value in the dtype and the shape of a tensor that it is written to.
  [[nodiscard]] Value fitted(const ImportedNode& imported, Value value, const TensorType& type);
};

/// Operators that the table does not have, or that mean something else here than their row says: names for the same
/// tensor, writes of other tensors, dropout. Whether `rewrite` looks at it.
[[nodiscard]] bool is_rewritten(std::string_view op);
/// Their names, such as "copy_": every overload is meant.
[[nodiscard]] std::vector<std::string_view> rewritten_stems();
/// True where the node is dealt with. Otherwise it is to be called, perhaps with other arguments than before.
[[nodiscard]] bool rewrite(Progress& progress, ImportedNode& imported);

}  // namespace steptp::graph::pt2
