// Which iterations touch a cell? A box of loops is shrunk by each subscript and guard until nothing changes; then one
// loop is tried value by value, from the end or from the beginning, and the rest is shrunk again. What bounds cannot
// decide, such as a subscript that reads data, is checked at single points.
// docs/decisions/0010-certified-evaluation.md.
#include "steptp/machine/solver.h"

#include <algorithm>

#include "steptp/arithmetic/failure.h"
#include "steptp/ir/index.h"

namespace steptp::certify {

namespace {

__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): only a typedef can be marked an extension

constexpr int kRounds = 12;

std::int64_t clamp(Wide value) {
  if (value > kFar) return kFar;
  if (value < -kFar) return -kFar;
  return static_cast<std::int64_t>(value);
}

constexpr Range kEverything = {-kFar, kFar};

Range add(Range a, Range b) {
  return {clamp(static_cast<Wide>(a.low) + b.low), clamp(static_cast<Wide>(a.high) + b.high)};
}

Range multiply(Range a, Range b) {
  const Wide products[] = {static_cast<Wide>(a.low) * b.low, static_cast<Wide>(a.low) * b.high,
                           static_cast<Wide>(a.high) * b.low, static_cast<Wide>(a.high) * b.high};
  return {clamp(*std::min_element(products, products + 4)), clamp(*std::max_element(products, products + 4))};
}

/// The same for a factor that is one number, which nearly all are.
Range scale(std::int64_t factor, Range range) {
  const Wide one = static_cast<Wide>(factor) * range.low;
  const Wide other = static_cast<Wide>(factor) * range.high;
  return one <= other ? Range{clamp(one), clamp(other)} : Range{clamp(other), clamp(one)};
}

Range atom_range(const IndexAtom& atom, const std::vector<Range>& box) {
  switch (atom.kind) {
    case IndexAtom::Kind::slot: return box[atom.slot];
    case IndexAtom::Kind::read: return kEverything;
    case IndexAtom::Kind::quotient: {
      const Range dividend = range_of(*atom.dividend, box);
      const Range divisor = range_of(*atom.divisor, box);
      if (!divisor.is_point() || divisor.low <= 0 || dividend.low <= -kFar || dividend.high >= kFar) return kEverything;
      return {floor_quotient(dividend.low, divisor.low), floor_quotient(dividend.high, divisor.low)};
    }
    case IndexAtom::Kind::remainder: {
      const Range dividend = range_of(*atom.dividend, box);
      const Range divisor = range_of(*atom.divisor, box);
      if (!divisor.is_point() || divisor.low <= 0) return kEverything;
      const std::int64_t modulus = divisor.low;
      if (dividend.low <= -kFar || dividend.high >= kFar ||
          floor_quotient(dividend.low, modulus) != floor_quotient(dividend.high, modulus)) {
        return {0, modulus - 1};
      }
      return {floor_remainder(dividend.low, modulus), floor_remainder(dividend.high, modulus)};
    }
  }
  return kEverything;
}

Range product_range(const IndexProduct& product, const std::vector<Range>& box) {
  Range range = {product.coefficient, product.coefficient};
  for (const IndexAtom& factor : product.factors) range = multiply(range, atom_range(factor, box));
  return range;
}

/// The least value of at least `from` whose remainder lies in the wanted range, which is inside [0, modulus).
std::int64_t next_with_remainder(std::int64_t from, std::int64_t modulus, Range wanted) {
  const std::int64_t remainder = floor_remainder(from, modulus);
  if (remainder < wanted.low) return from + (wanted.low - remainder);
  if (remainder > wanted.high) return from + (modulus - remainder) + wanted.low;
  return from;
}

std::int64_t previous_with_remainder(std::int64_t from, std::int64_t modulus, Range wanted) {
  const std::int64_t remainder = floor_remainder(from, modulus);
  if (remainder > wanted.high) return from - (remainder - wanted.high);
  if (remainder < wanted.low) return from - remainder - (modulus - wanted.high);
  return from;
}

bool narrow_atom(const IndexAtom& atom, Range wanted, std::vector<Range>& box) {
  switch (atom.kind) {
    case IndexAtom::Kind::slot: {
      Range& range = box[atom.slot];
      range = {std::max(range.low, wanted.low), std::min(range.high, wanted.high)};
      return !range.is_empty();
    }
    case IndexAtom::Kind::read: return true;
    case IndexAtom::Kind::quotient: {
      const Range divisor = range_of(*atom.divisor, box);
      if (!divisor.is_point() || divisor.low <= 0) return true;
      const Wide last = static_cast<Wide>(wanted.high) * divisor.low + (divisor.low - 1);
      return narrow(*atom.dividend, {clamp(static_cast<Wide>(wanted.low) * divisor.low), clamp(last)}, box);
    }
    case IndexAtom::Kind::remainder: {
      const Range divisor = range_of(*atom.divisor, box);
      if (!divisor.is_point() || divisor.low <= 0) return true;
      const std::int64_t modulus = divisor.low;
      wanted = {std::max<std::int64_t>(wanted.low, 0), std::min(wanted.high, modulus - 1)};
      if (wanted.is_empty()) return false;
      const Range dividend = range_of(*atom.dividend, box);
      if (dividend.low <= -kFar || dividend.high >= kFar) return true;
      const Range fitting = {next_with_remainder(dividend.low, modulus, wanted),
                             previous_with_remainder(dividend.high, modulus, wanted)};
      return !fitting.is_empty() && narrow(*atom.dividend, fitting, box);
    }
  }
  return true;
}

std::int64_t ceil_quotient(std::int64_t dividend, std::int64_t divisor) { return -floor_quotient(-dividend, divisor); }

/// The factor's range where coefficient * factor lies in `wanted`.
Range divide(Range wanted, std::int64_t coefficient) {
  if (coefficient > 0) return {ceil_quotient(wanted.low, coefficient), floor_quotient(wanted.high, coefficient)};
  return {ceil_quotient(wanted.high, coefficient), floor_quotient(wanted.low, coefficient)};
}

bool narrow_linear(const IndexCode& index, Range wanted, std::vector<Range>& box) {
  Range total = {index.constant, index.constant};
  for (const LinearPart& part : index.linear) {
    total = add(total, scale(part.coefficient, box[part.slot]));
  }
  if (total.low > wanted.high || total.high < wanted.low) return false;
  if (total.low <= -kFar || total.high >= kFar) return true;
  for (const LinearPart& part : index.linear) {
    const Range own = scale(part.coefficient, box[part.slot]);
    const Range left = {clamp(static_cast<Wide>(wanted.low) - (total.high - own.high)),
                        clamp(static_cast<Wide>(wanted.high) - (total.low - own.low))};
    const Range fitting = divide(left, part.coefficient);
    Range& range = box[part.slot];
    const Range smaller = {std::max(range.low, fitting.low), std::min(range.high, fitting.high)};
    if (smaller.is_empty()) return false;
    if (smaller == range) continue;
    range = smaller;
    const Range now = scale(part.coefficient, range);
    total = {total.low - own.low + now.low, total.high - own.high + now.high};
  }
  return true;
}

bool is_one_factor(const IndexProduct& product) { return product.factors.size() == 1; }

void mark_slots(const IndexCode& index, std::vector<bool>& marked) {
  for (const IndexProduct& product : index.terms) {
    for (const IndexAtom& factor : product.factors) {
      if (factor.kind == IndexAtom::Kind::slot) marked[factor.slot] = true;
      if (factor.dividend) mark_slots(*factor.dividend, marked);
      if (factor.divisor) mark_slots(*factor.divisor, marked);
    }
  }
}

bool all_points(const IndexCode& index, const std::vector<Range>& box) {
  if (index.is_linear) {
    return std::all_of(index.linear.begin(), index.linear.end(),
                       [&box](const LinearPart& part) { return box[part.slot].is_point(); });
  }
  std::vector<bool> marked(box.size());
  mark_slots(index, marked);
  for (std::size_t i = 0; i < box.size(); ++i) {
    if (marked[i] && !box[i].is_point()) return false;
  }
  return true;
}

const IndexCode& subscript(const CellQuery& query, std::size_t number) {
  const std::size_t rank = query.access->subscripts.size();
  return number < rank ? query.access->subscripts[number] : query.access->hidden[number - rank];
}

}  // namespace

Range range_of(const IndexCode& index, const std::vector<Range>& box) {
  Range total = {index.constant, index.constant};
  if (index.is_linear) {
    for (const LinearPart& part : index.linear) {
      total = add(total, scale(part.coefficient, box[part.slot]));
    }
    return total;
  }
  for (const IndexProduct& product : index.terms) total = add(total, product_range(product, box));
  return total;
}

bool narrow(const IndexCode& index, Range wanted, std::vector<Range>& box) {
  if (index.is_linear) return narrow_linear(index, wanted, box);
  const Range total = range_of(index, box);
  if (total.low > wanted.high || total.high < wanted.low) return false;
  if (total.low <= -kFar || total.high >= kFar) return true;
  for (const IndexProduct& product : index.terms) {
    if (!is_one_factor(product)) continue;
    const Range own = product_range(product, box);
    const Range left = {clamp(static_cast<Wide>(wanted.low) - (static_cast<Wide>(total.high) - own.high)),
                        clamp(static_cast<Wide>(wanted.high) - (static_cast<Wide>(total.low) - own.low))};
    const Range fitting = divide(left, product.coefficient);
    if (fitting.is_empty() || !narrow_atom(product.factors[0], fitting, box)) return false;
  }
  return true;
}

void Solver::count() {
  if (steps_ == 0) fail(FailureKind::operations, "the budget of operations is spent");
  --steps_;
}

bool Solver::start(const CellQuery& query, std::vector<Range>& box) {
  const std::vector<std::int64_t>& extents = query.statement->extents;
  box.resize(extents.size());
  for (std::size_t i = 0; i < extents.size(); ++i) box[i] = {0, extents[i] - 1};
  return query.cell_size <= query.access->subscripts.size() + query.access->hidden.size();
}

bool Solver::shrink(const CellQuery& query, std::vector<Range>& box) {
  bool is_simple = query.statement->guard_bounds.empty();
  for (int round = 0; round < kRounds; ++round) {
    const bool again = round > 0 || !is_simple;
    std::vector<Range> before;
    if (again) before = box;
    for (std::size_t i = 0; i < query.cell_size; ++i) {
      const IndexCode& index = subscript(query, i);
      if (!narrow(index, {query.cell[i], query.cell[i]}, box)) return false;
      if (!index.is_linear || index.linear.size() > 1) is_simple = false;
    }
    for (const Bound& bound : query.statement->guard_bounds) {
      if (!narrow(bound.target, {bound.low, bound.high}, box)) return false;
    }
    if (is_simple || (again && before == box)) break;
  }
  return true;
}

bool Solver::is_settled(const CellQuery& query, const std::vector<Range>& box) {
  if (!query.statement->guards_are_bounds) return false;
  for (std::size_t i = 0; i < query.cell_size; ++i) {
    const IndexCode& index = subscript(query, i);
    if (index.reads_data || !all_points(index, box)) return false;
    if (range_of(index, box) != Range{query.cell[i], query.cell[i]}) return false;
  }
  return std::all_of(query.statement->guard_bounds.begin(), query.statement->guard_bounds.end(),
                     [&](const Bound& bound) {
                       const Range range = range_of(bound.target, box);
                       return bound.low <= range.low && range.high <= bound.high;
                     });
}

bool Solver::holds_at(const CellQuery& query, const std::int64_t* iteration, const PointCheck& check) const {
  std::vector<Range> point(query.statement->extents.size());
  for (std::size_t i = 0; i < point.size(); ++i) point[i] = {iteration[i], iteration[i]};
  bool all_decided = query.statement->guards_are_bounds;
  for (std::size_t i = 0; i < query.cell_size; ++i) {
    const IndexCode& index = subscript(query, i);
    const Range range = range_of(index, point);
    if (query.cell[i] < range.low || query.cell[i] > range.high) return false;
    all_decided = all_decided && !index.reads_data && range.is_point();
  }
  for (const Bound& bound : query.statement->guard_bounds) {
    const Range range = range_of(bound.target, point);
    if (range.high < bound.low || range.low > bound.high) return false;
    all_decided = all_decided && bound.low <= range.low && range.high <= bound.high;
  }
  return all_decided || check(iteration);
}

bool Solver::descend(const CellQuery& query, std::vector<Range> box, std::uint32_t depth, const std::int64_t* limit,
                     std::uint32_t shared, bool strictly, bool is_tight, const PointCheck& check, std::int64_t* found) {
  count();
  // Past the shared loops with equal indices: not strictly less.
  if (is_tight && depth == shared) {
    if (strictly) return false;
    is_tight = false;
  }
  if (depth == box.size()) return holds_at(query, found, check);
  if (!is_tight && is_settled(query, box)) {
    for (std::size_t i = depth; i < box.size(); ++i) found[i] = box[i].high;
    return true;
  }
  Range range = box[depth];
  if (is_tight) range.high = std::min(range.high, limit[depth]);
  for (std::int64_t value = range.high; value >= range.low; --value) {
    std::vector<Range> inner = box;
    inner[depth] = {value, value};
    found[depth] = value;
    if (!box[depth].is_point() && !shrink(query, inner)) {
      count();
      continue;
    }
    if (descend(query, std::move(inner), depth + 1, limit, shared, strictly, is_tight && value == limit[depth], check,
                found)) {
      return true;
    }
  }
  return false;
}

bool Solver::last_before(const CellQuery& query, const std::int64_t* limit, std::uint32_t shared, bool strictly,
                         const PointCheck& check, std::int64_t* found) {
  std::vector<Range> box;
  if (!start(query, box)) return false;
  if (strictly && shared == 0) return false;
  // The outermost shared loop can be cut at once; the others only while the ones before are equal.
  if (shared > 0) box[0].high = std::min(box[0].high, limit[0]);
  if (shared > 0 && box[0].is_empty()) return false;
  if (!shrink(query, box)) return false;
  return descend(query, std::move(box), 0, limit, shared, strictly, true, check, found);
}

}  // namespace steptp::certify
