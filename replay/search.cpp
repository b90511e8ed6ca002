// Iterations of a statement that write a given cell, latest first: the box of its loops is cut and narrowed by the
// subscripts until single iterations are left, and each is checked against its guards and data.
#include "replay/search.h"

#include <algorithm>

namespace steptp::replayer {

namespace {

constexpr Wide kFar = static_cast<Wide>(1) << 62;

Wide floor_of(Wide a, Wide b) {
  const Wide quotient = a / b;
  return quotient - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}
Wide ceiling_of(Wide a, Wide b) { return -floor_of(-a, b); }

/// The divisor, where it is a positive constant.
Wide constant_divisor(const SubscriptAtom& atom) {
  return atom.divisor->terms.empty() && atom.divisor->constant > 0 ? atom.divisor->constant : 0;
}

}  // namespace

Search::Range Search::range_of(const SubscriptAtom& atom, const Box& box) {
  switch (atom.kind) {
    case SubscriptAtom::Kind::slot: return box[atom.slot];
    case SubscriptAtom::Kind::read: return {-kFar, kFar};
    case SubscriptAtom::Kind::quotient:
    case SubscriptAtom::Kind::remainder: break;
  }
  const Wide divisor = constant_divisor(atom);
  if (divisor == 0) return {-kFar, kFar};
  const Range inside = range_of(*atom.dividend, box);
  const Range quotient{floor_of(inside.low, divisor), floor_of(inside.high, divisor)};
  if (atom.kind == SubscriptAtom::Kind::quotient) return quotient;
  if (quotient.low != quotient.high) return {0, divisor - 1};
  return {inside.low - quotient.low * divisor, inside.high - quotient.low * divisor};
}

Search::Range Search::range_of(const Subscript& subscript, const Box& box) {
  Range total{subscript.constant, subscript.constant};
  for (const Subscript::Term& term : subscript.terms) {
    Range product{term.coefficient, term.coefficient};
    for (const SubscriptAtom& factor : term.factors) {
      const Range next = range_of(factor, box);
      const Wide ends[] = {product.low * next.low, product.low * next.high, product.high * next.low,
                           product.high * next.high};
      product = {std::clamp(*std::min_element(ends, ends + 4), -kFar, kFar),
                 std::clamp(*std::max_element(ends, ends + 4), -kFar, kFar)};
    }
    total.low = std::clamp(total.low + product.low, -kFar, kFar);
    total.high = std::clamp(total.high + product.high, -kFar, kFar);
  }
  return total;
}

bool Search::narrow(const SubscriptAtom& atom, Range wanted, Box& box) {
  if (wanted.low > wanted.high) return false;
  if (atom.kind == SubscriptAtom::Kind::slot) {
    Range& loop = box[atom.slot];
    loop.low = std::max(loop.low, wanted.low);
    loop.high = std::min(loop.high, wanted.high);
    return loop.low <= loop.high;
  }
  if (atom.kind == SubscriptAtom::Kind::read) return true;
  const Wide divisor = constant_divisor(atom);
  if (divisor == 0) return true;
  if (atom.kind == SubscriptAtom::Kind::quotient) {
    return narrow(*atom.dividend, {wanted.low * divisor, wanted.high * divisor + divisor - 1}, box);
  }
  const Range inside = range_of(*atom.dividend, box);
  const Wide quotient = floor_of(inside.low, divisor);
  if (quotient != floor_of(inside.high, divisor)) return wanted.high >= 0 && wanted.low < divisor;
  return narrow(*atom.dividend, {quotient * divisor + wanted.low, quotient * divisor + wanted.high}, box);
}

bool Search::narrow(const Subscript& subscript, Range wanted, Box& box) {
  const Range whole = range_of(subscript, box);
  if (whole.high < wanted.low || whole.low > wanted.high) return false;
  if (whole.low <= -kFar || whole.high >= kFar) return true;
  for (const Subscript::Term& term : subscript.terms) {
    if (term.factors.size() != 1) continue;
    const Range own = range_of(term.factors[0], box);
    const Wide c = term.coefficient;
    const Range all = range_of(subscript, box);
    const Range others{all.low - std::min(c * own.low, c * own.high), all.high - std::max(c * own.low, c * own.high)};
    const Range left{wanted.low - others.high, wanted.high - others.low};
    const Range factor = c > 0 ? Range{ceiling_of(left.low, c), floor_of(left.high, c)}
                               : Range{ceiling_of(left.high, c), floor_of(left.low, c)};
    if (factor.low <= own.low && factor.high >= own.high) continue;
    if (!narrow(term.factors[0], {std::max(factor.low, own.low), std::min(factor.high, own.high)}, box)) return false;
  }
  return true;
}

bool Search::shrink(Box& box) const {
  constexpr int kRounds = 8;
  for (int round = 0; round < kRounds; ++round) {
    const Box before = box;
    for (std::size_t d = 0; d < cell_->size(); ++d) {
      if (!narrow(statement_->left[d], {(*cell_)[d], (*cell_)[d]}, box)) return false;
    }
    for (const Limit& limit : statement_->limits) {
      if (!narrow(limit.of, {limit.low, limit.high}, box)) return false;
    }
    const bool changed = !std::equal(box.begin(), box.end(), before.begin(),
                                     [](const Range& a, const Range& b) { return a.low == b.low && a.high == b.high; });
    if (!changed) break;
  }
  return true;
}

/// False where the search is to end.
bool Search::descend(std::size_t level, bool is_tight, const Box& box) {
  if (budget_ == 0) throw Beyond{"the budget of steps is spent"};
  --budget_;
  if (level == before_.loops && is_tight && !before_.or_equal) return true;
  if (level == statement_->loops.size()) return !(*accept_)(iteration_) || (*found_)(iteration_);
  const bool bounded = is_tight && level < before_.loops;
  Wide last = box[level].high;
  if (bounded) last = std::min<Wide>(last, before_.moment[level]);
  for (Wide value = last; value >= box[level].low; --value) {
    iteration_[level] = static_cast<std::int64_t>(value);
    const bool stays_tight = is_tight && (level >= before_.loops || value == before_.moment[level]);
    if (box[level].low == box[level].high) {
      if (!descend(level + 1, stays_tight, box)) return false;
      continue;
    }
    Box inner = box;
    inner[level] = {value, value};
    if (shrink(inner) && !descend(level + 1, stays_tight, inner)) return false;
  }
  return true;
}

void Search::run(const Statement& statement, const Cell& cell, const Before& before, const Accept& accept,
                 const std::function<bool(const Iteration&)>& found) {
  statement_ = &statement;
  cell_ = &cell;
  before_ = before;
  accept_ = &accept;
  found_ = &found;
  iteration_.assign(statement.loops.size(), 0);
  Box box;
  for (const Loop* loop : statement.loops) box.push_back({0, loop->extent - 1});
  if (!shrink(box)) return;
  static_cast<void>(descend(0, true, box));
}

void Search::run_blocks(const Statement& statement, const Cell& cell, const std::function<bool(const Box&)>& is_block,
                        const std::function<void(const Iteration&, std::int64_t)>& take) {
  statement_ = &statement;
  cell_ = &cell;
  Box box;
  for (const Loop* loop : statement.loops) box.push_back({0, loop->extent - 1});
  halve(std::move(box), is_block, take);
}

void Search::halve(Box box, const std::function<bool(const Box&)>& is_block,
                   const std::function<void(const Iteration&, std::int64_t)>& take) {
  if (budget_ == 0) throw Beyond{"the budget of steps is spent"};
  --budget_;
  if (!shrink(box)) return;
  std::int64_t count = 1;
  // Short loops first: those of splits stand in guards beside long ones, which are decided once these are.
  std::size_t shortest = 0;
  for (std::size_t level = 0; level < box.size(); ++level) {
    count *= static_cast<std::int64_t>(box[level].high - box[level].low) + 1;
    const Wide steps = box[level].high - box[level].low;
    const Wide least = box[shortest].high - box[shortest].low;
    if (steps > 0 && (least == 0 || steps < least)) shortest = level;
  }
  bool all_write = true;
  for (std::size_t d = 0; d < cell_->size(); ++d) {
    const Range range = range_of(statement_->left[d], box);
    all_write = all_write && range.low == (*cell_)[d] && range.high == (*cell_)[d];
  }
  for (const Limit& limit : statement_->limits) {
    const Range range = range_of(limit.of, box);
    all_write = all_write && range.low >= limit.low && range.high <= limit.high;
  }
  if (all_write && (count == 1 || is_block(box))) {
    Iteration first;
    for (const Range& range : box) first.push_back(static_cast<std::int64_t>(range.low));
    return take(first, count);
  }
  if (count == 1) return;
  const Range whole = box[shortest];
  const Wide middle = whole.low + (whole.high - whole.low) / 2;
  box[shortest] = {whole.low, middle};
  halve(box, is_block, take);
  box[shortest] = {middle + 1, whole.high};
  halve(std::move(box), is_block, take);
}

}  // namespace steptp::replayer
