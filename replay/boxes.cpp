// Whether regions cover a tensor, for any size: their conditions must be the leaves of a tree of a condition and its
// negation. First and last elements of a region are found by halving the box of all indices.
#include "replay/boxes.h"

#include <algorithm>
#include <cstdlib>

namespace steptp::replayer {

namespace {

using Kind = Form::Kind;

struct Bounds {
  Wide low = 0;
  Wide high = 0;
};

constexpr Wide kFar = static_cast<Wide>(1) << 60;

Wide floor_of(Wide a, Wide b) {
  const Wide quotient = a / b;
  return quotient - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

std::optional<Bounds> product(const Bounds& a, const Bounds& b) {
  for (const Wide end : {a.low, a.high, b.low, b.high}) {
    if (end > kFar || end < -kFar) return std::nullopt;
  }
  const auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return Bounds{low, high};
}

/// Which values a form of indices has on a box; nothing where that is not seen.
std::optional<Bounds> bounds_of(const Form& form, const IndexBox& box) {
  switch (form.kind) {
    case Kind::number: {
      constexpr std::size_t kShort = 18;
      if (form.denominator != "1" || form.numerator.size() > kShort) return std::nullopt;
      const Wide value = std::strtoll(form.numerator.c_str(), nullptr, 10);
      return Bounds{value, value};
    }
    case Kind::variable:
      if (form.number < 0 || static_cast<std::size_t>(form.number) >= box.size()) return std::nullopt;
      return Bounds{box[static_cast<std::size_t>(form.number)].first,
                    box[static_cast<std::size_t>(form.number)].second};
    case Kind::sum: {
      Bounds total;
      for (std::size_t i = 0; i < form.parts.size(); ++i) {
        const auto part = bounds_of(*form.parts[i], box);
        if (!part) return std::nullopt;
        total.low += form.negated[i] ? -part->high : part->low;
        total.high += form.negated[i] ? -part->low : part->high;
      }
      return total;
    }
    case Kind::product: {
      std::optional<Bounds> total = Bounds{1, 1};
      for (const FormPtr& part : form.parts) {
        const auto factor = bounds_of(*part, box);
        total = factor && total ? product(*total, *factor) : std::nullopt;
      }
      return total;
    }
    case Kind::quotient: {
      const auto above = bounds_of(*form.parts[0], box);
      const auto below = bounds_of(*form.parts[1], box);
      if (!above || !below || below->low != below->high || below->low <= 0) return std::nullopt;
      return Bounds{floor_of(above->low, below->low), floor_of(above->high, below->low)};
    }
    default: return std::nullopt;
  }
}

Truth negated(Truth truth) {
  return truth == Truth::maybe ? truth : truth == Truth::never ? Truth::always : Truth::never;
}

/// A condition of a leaf, or its negation.
struct Branch {
  const Form* of = nullptr;
  bool holds = true;
};

Branch branch_of(const Form& condition) {
  Branch out{&condition, true};
  while (out.of->kind == Kind::negation) out = {out.of->parts[0].get(), !out.holds};
  return out;
}

/// A leaf is a conjunction of its branches from the root on.
std::vector<Branch> branches_of(const Form& leaf) {
  std::vector<Branch> out;
  if (leaf.kind == Kind::always) return out;
  if (leaf.kind != Kind::conjunction) return {branch_of(leaf)};
  for (const FormPtr& part : leaf.parts) out.push_back(branch_of(*part));
  return out;
}

/// Leaves whose branches above this level are the same.
bool is_tree(const std::vector<std::vector<Branch>>& leaves, std::size_t level) {
  if (leaves.size() == 1) return leaves[0].size() == level;
  std::vector<std::vector<Branch>> sides[2];
  const Form* of = nullptr;
  for (const std::vector<Branch>& leaf : leaves) {
    if (leaf.size() <= level) return false;
    if (of && !is_same_form(*of, *leaf[level].of)) return false;
    of = leaf[level].of;
    sides[leaf[level].holds ? 1 : 0].push_back(leaf);
  }
  return !sides[0].empty() && !sides[1].empty() && is_tree(sides[0], level + 1) && is_tree(sides[1], level + 1);
}

}  // namespace

Truth truth_on(const Form& condition, const IndexBox& box) {
  switch (condition.kind) {
    case Kind::always: return Truth::always;
    case Kind::never: return Truth::never;
    case Kind::negation: return negated(truth_on(*condition.parts[0], box));
    case Kind::conjunction:
    case Kind::disjunction: {
      const bool is_and = condition.kind == Kind::conjunction;
      Truth out = is_and ? Truth::always : Truth::never;
      for (const FormPtr& part : condition.parts) {
        const Truth found = truth_on(*part, box);
        out = is_and ? std::min(out, found) : std::max(out, found);
      }
      return out;
    }
    case Kind::nonnegative:
    case Kind::zero: {
      const auto bounds = bounds_of(*condition.parts[0], box);
      if (!bounds) return Truth::maybe;
      if (condition.kind == Kind::nonnegative) {
        return bounds->low >= 0 ? Truth::always : bounds->high < 0 ? Truth::never : Truth::maybe;
      }
      if (bounds->low > 0 || bounds->high < 0) return Truth::never;
      return bounds->low == bounds->high ? Truth::always : Truth::maybe;
    }
    default: return Truth::maybe;
  }
}

bool is_same_form(const Form& left, const Form& right) {
  if (&left == &right) return true;
  const bool same = left.kind == right.kind && left.parts.size() == right.parts.size() &&
                    left.negated == right.negated && left.name == right.name && left.number == right.number &&
                    left.numerator == right.numerator && left.denominator == right.denominator &&
                    left.function == right.function && left.op == right.op && left.dtype == right.dtype &&
                    left.bound.size() == right.bound.size();
  if (!same) return false;
  for (std::size_t i = 0; i < left.bound.size(); ++i) {
    const Form::Bound& a = left.bound[i];
    const Form::Bound& b = right.bound[i];
    if (a.variable != b.variable || a.low != b.low || a.high != b.high) return false;
  }
  if ((left.struck == nullptr) != (right.struck == nullptr)) return false;
  if (left.struck && !is_same_form(*left.struck, *right.struck)) return false;
  return std::equal(left.parts.begin(), left.parts.end(), right.parts.begin(),
                    [](const FormPtr& a, const FormPtr& b) { return is_same_form(*a, *b); });
}

std::optional<Range> range_on(const Form& index, const IndexBox& box) {
  const auto bounds = bounds_of(index, box);
  if (!bounds || bounds->low < -kFar || bounds->high > kFar) return std::nullopt;
  return Range{static_cast<std::int64_t>(bounds->low), static_cast<std::int64_t>(bounds->high)};
}

bool are_leaves_of_a_tree(const std::vector<FormPtr>& conditions) {
  std::vector<std::vector<Branch>> leaves;
  for (const FormPtr& condition : conditions) leaves.push_back(branches_of(*condition));
  return !leaves.empty() && is_tree(leaves, 0);
}

std::optional<std::vector<std::int64_t>> RegionSearch::extreme(std::size_t dimension, bool least) {
  steps_ = 0;
  IndexBox box;
  for (const std::int64_t size : shape_) box.emplace_back(0, size - 1);
  return search(std::move(box), dimension, least);
}

std::optional<std::vector<std::int64_t>> RegionSearch::search(IndexBox box, std::size_t dimension, bool least) {
  if (++steps_ >= kMostSteps) return std::nullopt;
  const Truth truth = truth_on(where_, box);
  if (truth == Truth::never) return std::nullopt;
  const auto is_wide = [&](std::size_t d) { return box[d].first < box[d].second; };
  std::size_t split = dimension;
  // This dimension first, so that halves of it are gone through in order; then the widest.
  if (split >= box.size() || !is_wide(split)) {
    for (std::size_t d = 0; d < box.size(); ++d) {
      if (split >= box.size() || box[d].second - box[d].first > box[split].second - box[split].first) split = d;
    }
  }
  if (truth == Truth::always || split >= box.size() || !is_wide(split)) {
    if (truth == Truth::maybe) return std::nullopt;  // a condition that speaks of something else
    std::vector<std::int64_t> element;
    for (const Range& range : box) element.push_back(least ? range.first : range.second);
    return element;
  }
  const std::int64_t middle = box[split].first + (box[split].second - box[split].first) / 2;
  for (const bool lower : {least, !least}) {
    IndexBox half = box;
    (lower ? half[split].second : half[split].first) = lower ? middle : middle + 1;
    if (auto found = search(std::move(half), dimension, least)) return found;
  }
  return std::nullopt;
}

}  // namespace steptp::replayer
