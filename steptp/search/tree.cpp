#include "steptp/search/tree.h"

#include <utility>

namespace steptp::search {

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
