#pragma once

#include <string>
#include <vector>

#include "steptp/frontend/lower.h"
#include "steptp/frontend/naming.h"
#include "steptp/frontend/step.h"

namespace steptp::frontend {

/// The program while it is written; only Step and lower() see it.
class Lowering {
 public:
  explicit Lowering(const graph::Graph& graph)
      : graph_(graph), names_(tensor_name), naming_(make_names(graph, names_)) {}

  [[nodiscard]] const graph::Graph& graph() const { return graph_; }
  [[nodiscard]] const Naming& naming() const { return naming_; }
  [[nodiscard]] Tensor tensor(const graph::Value& value) const;
  [[nodiscard]] std::string next_name() { return names_.next(); }
  void append(NestPtr nest) { nests_.push_back(std::move(nest)); }
  [[nodiscard]] std::vector<NestPtr> take() { return std::move(nests_); }

 private:
  const graph::Graph& graph_;
  NameSource names_;
  Naming naming_;
  std::vector<NestPtr> nests_;
};

}  // namespace steptp::frontend
