#pragma once

// The host's part of a program while it runs: its loops and guards, and the launches inside them in order.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "steptp/lowering/arrangement.h"
#include "steptp/lowering/host_condition.h"

namespace steptp::lowering {

/// Integer is the type in which kernels take the loops around their launch.
template <class Integer>
class HostWalk {
 public:
  /// Calls `launch(kernel)` for every launch, until one answers false; then it does, too.
  template <class Launch>
  bool run(const std::vector<Node>& nodes, const Launch& launch) {
    for (const Node& node : nodes) {
      if (!run_one(node, launch)) return false;
    }
    return true;
  }

  /// The values of the loops around what is launched, outermost first.
  [[nodiscard]] std::vector<Integer>& loops() { return loops_; }

 private:
  template <class Launch>
  bool run_one(const Node& node, const Launch& launch) {
    switch (node.kind) {
      case Node::Kind::loop: return run_loop(node, launch);
      case Node::Kind::guard: return !holds(*node.condition, point_) || run(node.body, launch);
      case Node::Kind::launch: return launch(node.kernel);
      case Node::Kind::store: return true;
    }
    return true;
  }

  template <class Launch>
  bool run_loop(const Node& node, const Launch& launch) {
    bool goes_on = true;
    for (std::int64_t i = 0; i < node.loop.extent && goes_on; ++i) {
      loops_.push_back(static_cast<Integer>(i));
      point_[node.loop.index] = i;
      goes_on = run(node.body, launch);
      loops_.pop_back();
    }
    return goes_on;
  }

  std::vector<Integer> loops_;
  std::map<std::string, std::int64_t> point_;
};

}  // namespace steptp::lowering
