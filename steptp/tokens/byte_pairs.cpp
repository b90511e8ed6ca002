#include "steptp/tokens/byte_pairs.h"

#include <algorithm>
#include <bit>
#include <queue>

namespace steptp {

namespace {

// Up to this many symbols a scan over all ranks is faster than a heap.
constexpr std::size_t kShort = 40;
constexpr std::uint32_t kEnd = UINT32_MAX;

constexpr std::uint64_t kNoPair = UINT64_MAX;  // both halves kNoToken, which is no token

}  // namespace

BytePairs::BytePairs(std::size_t expected)
    : rules_(std::bit_ceil(std::max<std::size_t>(expected * 2, 16)), Rule{kNoPair, kNoToken, kNoToken}),
      shift_(64 - std::countr_zero(rules_.size())) {}

void BytePairs::add(std::uint32_t left, std::uint32_t right, std::uint32_t rank, std::uint32_t merged) {
  if (2 * used_ >= rules_.size()) {
    BytePairs larger(rules_.size());
    for (const Rule& rule : rules_) {
      if (rule.rank == kNoToken) continue;
      larger.add(static_cast<std::uint32_t>(rule.pair >> 32), static_cast<std::uint32_t>(rule.pair), rule.rank,
                 rule.merged);
    }
    *this = std::move(larger);
  }
  // The slot that `find` would answer, writable.
  Rule& rule = const_cast<Rule&>(find(left, right));
  if (rule.rank == kNoToken) ++used_;
  rule = {key(left, right), rank, merged};
}

void BytePairs::merge(std::vector<std::uint32_t>& symbols) const {
  if (symbols.size() < 2) return;
  symbols.size() <= kShort ? merge_short(symbols) : merge_long(symbols);
}

void BytePairs::merge_short(std::vector<std::uint32_t>& symbols) const {
  struct Pair {
    std::uint32_t rank, merged;
  };
  Pair pairs[kShort];  // pairs[i] is the rule for symbols i and i+1
  const auto look_up = [&](std::size_t i) {
    const Rule& rule = find(symbols[i], symbols[i + 1]);
    pairs[i] = {rule.rank, rule.merged};
  };
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
  struct Link {
    std::uint32_t previous, next;
  };
  struct Candidate {
    std::uint32_t rank, position, left, right;
  };
  const auto later = [](const Candidate& a, const Candidate& b) {
    return std::pair(a.rank, a.position) > std::pair(b.rank, b.position);
  };
  const auto count = static_cast<std::uint32_t>(symbols.size());
  std::vector<Link> links(count);
  std::vector<Candidate> found;
  found.reserve(count);
  const auto candidate = [&](std::uint32_t left, std::uint32_t right) {
    return Candidate{find(symbols[left], symbols[right]).rank, left, symbols[left], symbols[right]};
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    links[i] = {i == 0 ? kEnd : i - 1, i + 1 == count ? kEnd : i + 1};
    if (i + 1 < count) {
      if (const Candidate c = candidate(i, i + 1); c.rank != kNoToken) found.push_back(c);
    }
  }
  std::priority_queue queue(later, std::move(found));
  while (!queue.empty()) {
    const Candidate top = queue.top();
    queue.pop();
    // A candidate is stale once either of its symbols has been joined to something else.
    const std::uint32_t at = top.position, next = links[at].next;
    if (symbols[at] != top.left || next == kEnd || symbols[next] != top.right) continue;
    symbols[at] = find(top.left, top.right).merged;
    symbols[next] = kNoToken;
    links[at].next = links[next].next;
    if (const std::uint32_t after = links[at].next; after != kEnd) {
      links[after].previous = at;
      if (const Candidate c = candidate(at, after); c.rank != kNoToken) queue.push(c);
    }
    if (const std::uint32_t before = links[at].previous; before != kEnd) {
      if (const Candidate c = candidate(before, at); c.rank != kNoToken) queue.push(c);
    }
  }
  std::erase(symbols, kNoToken);
}

}  // namespace steptp
