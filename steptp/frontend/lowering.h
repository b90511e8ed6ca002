#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "steptp/frontend/call_lowering.h"
#include "steptp/frontend/lower.h"
#include "steptp/frontend/naming.h"

namespace steptp::frontend {

/// The program while it is written; only CallLowering and lower() see it.
class Lowering {
 public:
  explicit Lowering(const graph::Graph& graph)
      : graph_(graph), names_(tensor_name), naming_(make_names(graph, names_)) {}

  [[nodiscard]] const graph::Graph& graph() const { return graph_; }
  [[nodiscard]] const Naming& naming() const { return naming_; }
  [[nodiscard]] Tensor tensor(const graph::Value& value);
  [[nodiscard]] std::string next_name() { return names_.next(); }
  /// The calls that follow: whether their nests wait for the next one to stand in.
  void set_joins(bool joins) { joins_ = joins; }
  void append(NestPtr nest);
  [[nodiscard]] bool has_held() const { return held_ != nullptr; }
  [[nodiscard]] std::vector<NestPtr> take() { return std::move(nests_); }

 private:
  /// An element of a value that is inlined.
  Value formula(const graph::Value& value, const Subscripts& at);

  const graph::Graph& graph_;
  NameSource names_;
  Naming naming_;
  std::vector<NestPtr> nests_;
  NestPtr held_;  ///< the nest that the next one joins
  bool joins_ = false;
  std::uint64_t formulas_ = 0;  ///< written into the nest at hand
};

}  // namespace steptp::frontend
