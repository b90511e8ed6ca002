#pragma once

// Which node is asked about next: all that the seven algorithms differ in.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "steptp/search/tree.h"

namespace steptp::search {

/// One question: at most so many candidates for a node.
struct Ask {
  std::size_t node = 0;
  std::size_t candidates = 1;
  bool shows_parent = true;  ///< the question says what the node was made of
};

/// A frontier is a pure function of what it was told: same tree, same asks.
class Frontier {
 public:
  Frontier() = default;
  Frontier(const Frontier&) = delete;
  Frontier& operator=(const Frontier&) = delete;
  virtual ~Frontier() = default;

  /// Nothing: the algorithm is through with its iterations, or has nothing left to ask about.
  [[nodiscard]] virtual std::optional<Ask> next(const Tree& tree) = 0;
  /// The nodes that an ask led to, in the order of the answer, whatever became of them.
  virtual void learn(const Tree& tree, const Ask& ask, const std::vector<std::size_t>& nodes) = 0;
  /// Whether it ended because all iterations are made, and not for want of nodes.
  [[nodiscard]] virtual bool is_finished() const { return false; }
};

struct FrontierSettings {
  Algorithm algorithm = Algorithm::mcts;
  bool published = false;
  /// How good a node is, from 0 (as slow as the root) to 1 (at the floor).
  std::function<double(const Node&)> reward;
};
[[nodiscard]] std::unique_ptr<Frontier> make_frontier(const FrontierSettings& settings);

// One for each file.
[[nodiscard]] std::unique_ptr<Frontier> make_greedy(bool published);
[[nodiscard]] std::unique_ptr<Frontier> make_beam(bool published);
[[nodiscard]] std::unique_ptr<Frontier> make_levels(bool depth_first, bool published);
[[nodiscard]] std::unique_ptr<Frontier> make_tree_search(bool published, std::function<double(const Node&)> reward);
[[nodiscard]] std::unique_ptr<Frontier> make_chain(bool shows_parent, bool published);

}  // namespace steptp::search
