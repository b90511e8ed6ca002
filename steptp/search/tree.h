#pragma once

// What a search has met: nodes with their outcomes, and which programs are known.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/ir/program.h"
#include "steptp/search/candidate.h"
#include "steptp/search/words.h"

namespace steptp::search {

/// A candidate and what became of it. The root is number 0.
struct Node {
  std::size_t number = 0;
  std::optional<std::size_t> parent;
  std::size_t depth = 0;
  Candidate candidate;  ///< of the root: none
  Outcome outcome = Outcome::fresh;
  std::string reason;             ///< of an outcome that is none of fresh, known, same
  std::optional<std::size_t> is;  ///< known, same: the node that has the program
  std::optional<std::int64_t> sample;
  std::string key;  ///< of the program; empty where there is none
  std::optional<Program> program;
  std::string verdict;  ///< a grade of the judge; empty where it was not asked
  Json safe;
  double seconds = 0;  ///< median, of fresh ones
  double p10 = 0;
  double p90 = 0;
  std::int64_t runs = 1;
  // What frontiers keep count of.
  std::vector<std::size_t> children;  ///< all candidates that were proposed for it
  std::size_t asks = 0;

  [[nodiscard]] bool is_fresh() const { return outcome == Outcome::fresh; }
};

/// Whether one node is faster than another by more than chance: by 2 %, 0.3 microseconds and twice the spread. Times
/// that were not measured again and again have no chance in them.
[[nodiscard]] bool is_better(const Node& one, const Node& other);

/// All nodes of one search, in the order of their numbers.
class Tree {
 public:
  std::size_t add(Node node);
  [[nodiscard]] Node& at(std::size_t number) { return nodes_[number]; }
  [[nodiscard]] const Node& at(std::size_t number) const { return nodes_[number]; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] std::optional<std::size_t> find(const std::string& key) const;
  /// The fastest of the fresh nodes; the first of equal ones. Nothing without a root.
  [[nodiscard]] std::optional<std::size_t> best() const;
  /// The node below the root that a node descends from: its first move. The root itself for the root.
  [[nodiscard]] std::size_t first_move(std::size_t number) const;

 private:
  std::vector<Node> nodes_;
  std::map<std::string, std::size_t> known_;
};

}  // namespace steptp::search
