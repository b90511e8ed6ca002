#include "steptp/tokens/byte_pairs.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <queue>

namespace steptp {

namespace {

// Up to this many symbols a scan over all ranks is faster than a heap.
constexpr std::size_t kShort = 40;
constexpr std::uint32_t kEnd = UINT32_MAX;

constexpr std::uint64_t kNoPair = UINT64_MAX;  // both halves kNoToken, which is no token

}  // namespace

BytePairs::BytePairs(std::size_t expected)
    : rules_(std::bit_ceil(std::max<std::size_t>(expected * 2, 16)), Rule{kNoPair, {}}),
      small_(std::size_t{kSmall} * kSmall),
      filter_((std::size_t{1} << kFilterBits) / 64),
      shift_(64 - std::countr_zero(rules_.size())) {}

void BytePairs::add(std::uint32_t left, std::uint32_t right, std::uint32_t rank, std::uint32_t merged) {
  if (2 * used_ >= rules_.size()) {
    BytePairs larger(rules_.size());
    for (const Rule& rule : rules_) {
      if (rule.outcome.rank == kNoToken) continue;
      larger.add(static_cast<std::uint32_t>(rule.pair >> 32), static_cast<std::uint32_t>(rule.pair), rule.outcome.rank,
                 rule.outcome.merged);
    }
    larger.small_ = std::move(small_);
    *this = std::move(larger);
  }
  if ((left | right) < kSmall) {
    small_[left * kSmall + right] = {rank, merged};
    return;
  }
  const std::uint64_t pair = key(left, right);
  Rule& rule = rules_[find_slot(pair)];
  if (rule.outcome.rank == kNoToken) ++used_;
  rule = {pair, {rank, merged}};
  const std::size_t bit = filter_bit(pair);
  filter_[bit / 64] |= std::uint64_t{1} << bit % 64;
}

void BytePairs::merge(std::vector<std::uint32_t>& symbols) const {
  if (symbols.size() < 2) return;
  symbols.size() <= kShort ? merge_short(symbols) : merge_long(symbols);
}

void BytePairs::merge_short(std::vector<std::uint32_t>& symbols) const {
  Outcome pairs[kShort];  // pairs[i] is the rule for symbols i and i+1
  const auto look_up = [&](std::size_t i) { pairs[i] = find(symbols[i], symbols[i + 1]); };
  std::size_t count = symbols.size();
  for (std::size_t i = 0; i + 1 < count; ++i) look_up(i);
  while (count > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < count; ++i) {
      if (pairs[i].rank < pairs[best].rank) best = i;
    }
    if (pairs[best].rank == kNoToken) break;
    symbols[best] = pairs[best].merged;
    --count;
    std::copy(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 2,
              symbols.begin() + static_cast<std::ptrdiff_t>(count) + 1,
              symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    std::copy(pairs + best + 1, pairs + count, pairs + best);
    if (best > 0) look_up(best - 1);
    if (best + 1 < count) look_up(best);
  }
  symbols.resize(count);
}

void BytePairs::merge_long(std::vector<std::uint32_t>& symbols) const {
  struct Node {
    std::uint32_t previous, next;
    Outcome with_next;
  };
  const auto count = static_cast<std::uint32_t>(symbols.size());
  std::vector<Node> nodes(count);
  // Rank and position in one number: the smallest is the next to join.
  using Candidate = std::uint64_t;
  const auto candidate = [&](std::uint32_t at) { return static_cast<Candidate>(nodes[at].with_next.rank) << 32 | at; };
  std::vector<Candidate> found;
  found.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    nodes[i] = {i == 0 ? kEnd : i - 1, i + 1 == count ? kEnd : i + 1, {}};
    if (i + 1 == count) break;
    nodes[i].with_next = find(symbols[i], symbols[i + 1]);
    if (nodes[i].with_next.rank != kNoToken) found.push_back(candidate(i));
  }
  std::priority_queue queue(std::greater<>(), std::move(found));
  const auto look_up = [&](std::uint32_t at) {
    Node& node = nodes[at];
    node.with_next = node.next == kEnd ? Outcome{} : find(symbols[at], symbols[node.next]);
    if (node.with_next.rank != kNoToken) queue.push(candidate(at));
  };
  while (!queue.empty()) {
    const Candidate top = queue.top();
    queue.pop();
    const auto at = static_cast<std::uint32_t>(top);
    // A candidate is stale once either of its symbols has been joined to something else.
    if (nodes[at].with_next.rank != static_cast<std::uint32_t>(top >> 32)) continue;
    const std::uint32_t next = nodes[at].next;
    symbols[at] = nodes[at].with_next.merged;
    symbols[next] = kNoToken;
    nodes[next].with_next = {};
    nodes[at].next = nodes[next].next;
    if (nodes[at].next != kEnd) nodes[nodes[at].next].previous = at;
    look_up(at);
    if (nodes[at].previous != kEnd) look_up(nodes[at].previous);
  }
  std::erase(symbols, kNoToken);
}

}  // namespace steptp
