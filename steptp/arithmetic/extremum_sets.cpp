// A persistent trie over hashed numbers: the sets that running maxima take in share all but a path, and equal sets have
// equal hashes whatever the order in which they were made. docs/decisions/0012-every-way-at-once.md.
#include "steptp/arithmetic/extremum_sets.h"

#include "steptp/arithmetic/failure.h"
#include "steptp/base/hash.h"

namespace steptp::certify {

namespace {

/// Some hundred megabytes; more is not worth it.
constexpr std::size_t kMostNodes = 3'000'000;
constexpr int kMostDepth = 63;

bool goes_right(std::uint64_t hash, int depth) { return ((hash >> (kMostDepth - depth)) & 1) != 0; }

}  // namespace

ExtremumSets::ExtremumSets() : nodes_(1), members_(1) {}

std::uint32_t ExtremumSets::make(std::uint32_t left, std::uint32_t right) {
  if (nodes_.size() >= kMostNodes) fail(FailureKind::memory, "maxima of too many operands to tell apart");
  Node node;
  node.left = left;
  node.right = right;
  node.size = nodes_[left].size + nodes_[right].size;
  node.has_holes = nodes_[left].has_holes || nodes_[right].has_holes;
  node.hash = combine(nodes_[left].hash, nodes_[right].hash);
  nodes_.push_back(node);
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::uint32_t ExtremumSets::with(std::uint32_t set, const Member& member) {
  if (nodes_.size() >= kMostNodes) fail(FailureKind::memory, "maxima of too many operands to tell apart");
  Node leaf;
  leaf.hash = combine(member.number.p, member.holes);
  leaf.has_holes = member.holes != 0;
  leaf.size = 1;
  leaf.member = static_cast<std::uint32_t>(members_.size());
  members_.push_back(member);
  nodes_.push_back(leaf);
  return united_at(set, static_cast<std::uint32_t>(nodes_.size() - 1), 0);
}

std::uint32_t ExtremumSets::united_at(std::uint32_t a, std::uint32_t b, int depth) {
  if (a == b || b == 0 || nodes_[b].size == 0) return a;
  if (a == 0 || nodes_[a].size == 0) return b;
  const bool leaves = nodes_[a].size == 1 && nodes_[b].size == 1;
  if (nodes_[a].size == nodes_[b].size && nodes_[a].hash == nodes_[b].hash) return a;
  if (leaves && depth >= kMostDepth) fail(FailureKind::unsupported, "two numbers with one hash");
  const auto side = [&](std::uint32_t set, bool right) -> std::uint32_t {
    const Node& node = nodes_[set];
    if (node.size > 1) return right ? node.right : node.left;
    return goes_right(node.hash, depth) == right ? set : 0;
  };
  const std::uint32_t a_left = side(a, false);
  const std::uint32_t a_right = side(a, true);
  const std::uint32_t b_left = side(b, false);
  const std::uint32_t b_right = side(b, true);
  const std::uint32_t left = united_at(a_left, b_left, depth + 1);
  const std::uint32_t right = united_at(a_right, b_right, depth + 1);
  if (nodes_[a].size > 1 && left == a_left && right == a_right) return a;
  if (nodes_[b].size > 1 && left == b_left && right == b_right) return b;
  return make(left, right);
}

std::vector<ExtremumSets::Member> ExtremumSets::members(std::uint32_t set) const {
  std::vector<Member> out;
  collect(set, out);
  return out;
}

void ExtremumSets::collect(std::uint32_t set, std::vector<Member>& out) const {
  const Node& node = nodes_[set];
  if (node.size == 0) return;
  if (node.size == 1) {
    out.push_back(members_[node.member]);
    return;
  }
  collect(node.left, out);
  collect(node.right, out);
}

}  // namespace steptp::certify
