#include "steptp/search/tree.h"

#include <algorithm>
#include <utility>

namespace steptp::search {

namespace {

constexpr double kLeastShare = 0.02;
constexpr double kLeastSeconds = 0.3e-6;
constexpr double kSpreads = 2;
/// So many standard deviations lie between the tenth and the ninetieth of a hundred.
constexpr double kDeviations = 2.563;

}  // namespace

bool is_better(const Node& one, const Node& other) {
  if (one.runs <= 1 && other.runs <= 1) return one.seconds < other.seconds;
  const double spread = std::max(one.p90 - one.p10, other.p90 - other.p10) / kDeviations;
  return other.seconds - one.seconds > std::max({kLeastShare * other.seconds, kLeastSeconds, kSpreads * spread});
}

std::size_t Tree::add(Node node) {
  const std::size_t number = nodes_.size();
  node.number = number;
  if (node.parent) {
    nodes_[*node.parent].children.push_back(number);
    node.depth = nodes_[*node.parent].depth + 1;
  }
  if (!node.key.empty()) known_.try_emplace(node.key, number);
  nodes_.push_back(std::move(node));
  return number;
}

std::optional<std::size_t> Tree::find(const std::string& key) const {
  const auto at = known_.find(key);
  return at == known_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<std::size_t> Tree::best() const {
  std::optional<std::size_t> out;
  for (const Node& node : nodes_) {
    if (node.is_fresh() && (!out || node.seconds < nodes_[*out].seconds)) out = node.number;
  }
  return out;
}

std::size_t Tree::first_move(std::size_t number) const {
  while (nodes_[number].depth > 1) number = *nodes_[number].parent;
  return number;
}

}  // namespace steptp::search
