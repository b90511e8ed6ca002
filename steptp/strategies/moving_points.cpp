// The moving parts of indices. An index is cut into leaves: sums of loops, either the whole index or what stands inside
// of // and %. The moving part of each leaf is a dimension of the copy, and at a point of the copy each leaf has the
// value that the coordinate gives it. So the copy holds the value of the index's expression for every combination of
// its leaves, whatever // and % make of them. Decision 0063.
#include "steptp/strategies/moving_points.h"

#include <algorithm>
#include <functional>

#include "steptp/strategies/footprint.h"

namespace steptp {

namespace {

using LeafValue = std::function<std::optional<Index>(const Index&)>;

bool has_moving(const Index& index, const std::set<std::string>& still) {
  bool found = false;
  for_each_variable(index, [&](const std::string& name) { found = found || !still.contains(name); });
  return found;
}

struct Division {
  Index dividend;
  Index divisor;
  bool quotient = true;
};

std::optional<Division> division_of(const IndexAtom& atom) {
  if (const auto* node = std::get_if<FloorQuotient>(&atom)) return Division{*node->dividend, *node->divisor, true};
  if (const auto* node = std::get_if<FloorRemainder>(&atom)) return Division{*node->dividend, *node->divisor, false};
  return std::nullopt;
}

bool divides_what_moves(const IndexTerm& term, const std::set<std::string>& still) {
  return std::any_of(term.factors.begin(), term.factors.end(), [&](const IndexAtom& factor) {
    const auto division = division_of(factor);
    return division && (has_moving(division->dividend, still) || has_moving(division->divisor, still));
  });
}

/// One term of the index: the index without the others.
std::optional<Index> only_term(const Index& index, std::size_t number) {
  std::optional<Index> out = Index::subtract(index, Index::constant(index.constant_term()));
  for (std::size_t i = 0; i < index.terms().size() && out; ++i) {
    if (i == number) continue;
    const IndexTerm& term = index.terms()[i];
    std::optional<Index> product = Index::constant(term.coefficient);
    for (const IndexAtom& factor : term.factors) {
      const auto division = division_of(factor);
      std::optional<Index> value;
      if (division) {
        value = division->quotient ? Index::floor_divide(division->dividend, division->divisor)
                                   : Index::modulo(division->dividend, division->divisor);
      } else if (const auto* variable = std::get_if<LoopVariable>(&factor)) {
        value = Index::variable(variable->name);
      } else {
        value = Index::read(std::get<IndirectRead>(factor).ref);
      }
      product = product && value ? Index::multiply(*product, *value) : std::nullopt;
    }
    out = product ? Index::subtract(*out, *product) : std::nullopt;
  }
  return out;
}

/// The index with each leaf replaced by its value.
std::optional<Index> with_leaves(const Index& index, const std::set<std::string>& still, bool inside,
                                 const LeafValue& leaf) {
  if (!inside) return leaf(index);
  Index plain = index;
  Index divided;
  for (std::size_t i = 0; i < index.terms().size(); ++i) {
    const IndexTerm& term = index.terms()[i];
    if (!divides_what_moves(term, still)) continue;
    const auto division = term.factors.size() == 1 ? division_of(term.factors[0]) : std::nullopt;
    if (!division || !division->divisor.is_constant()) return std::nullopt;
    const auto own = only_term(index, i);
    const auto without = own ? Index::subtract(plain, *own) : std::nullopt;
    const auto dividend = with_leaves(division->dividend, still, true, leaf);
    if (!without || !dividend) return std::nullopt;
    plain = *without;
    const auto value = division->quotient ? Index::floor_divide(*dividend, division->divisor)
                                          : Index::modulo(*dividend, division->divisor);
    const auto scaled = value ? Index::multiply(*value, Index::constant(term.coefficient)) : std::nullopt;
    const auto sum = scaled ? Index::add(divided, *scaled) : std::nullopt;
    if (!sum) return std::nullopt;
    divided = *sum;
  }
  const auto rest = leaf(plain);
  return rest ? Index::add(divided, *rest) : std::nullopt;
}

std::int64_t coefficient_of(const Index& index, const IndexTerm& like) {
  for (const IndexTerm& term : index.terms()) {
    const bool same = term.factors.size() == like.factors.size() &&
                      std::equal(term.factors.begin(), term.factors.end(), like.factors.begin(),
                                 [](const IndexAtom& a, const IndexAtom& b) { return compare(a, b) == 0; });
    if (same) return term.coefficient;
  }
  return 0;
}

}  // namespace

bool divides_what_moves(const Index& index, const std::set<std::string>& still) {
  return std::any_of(index.terms().begin(), index.terms().end(),
                     [&](const IndexTerm& term) { return divides_what_moves(term, still); });
}

bool MovingPoints::note(const Index& index, const Ranges& box) {
  const auto same = [&](const Ranges& other) { return other.variables == box.variables; };
  if (std::none_of(boxes_.begin(), boxes_.end(), same)) boxes_.push_back(box);
  const auto noted = with_leaves(index, still_, inside_divisions_, [&](const Index& leaf) -> std::optional<Index> {
    const auto split = split_moving(leaf, still_);
    if (!split) return std::nullopt;
    if (split->factor == 0) return leaf;
    const Interval range = range_of(split->moving, box);
    if (range.low < INT32_MIN || range.high > INT32_MAX) return std::nullopt;
    const auto known =
        std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) { return part.moving == split->moving; });
    if (known == parts_.end()) {
      parts_.push_back({split->moving, range});
    } else {
      known->range = hull(known->range, range);
    }
    return leaf;
  });
  return noted.has_value();
}

/// parts[part] = parts[of]//by for all values of the loops: parts[of] is by*parts[part] and something below by.
std::optional<MovingPoints::Digit> MovingPoints::digit(std::size_t part) const {
  const Index& own = parts_[part].moving;
  const IndexTerm& first = own.terms()[0];
  for (std::size_t of = 0; of < parts_.size(); ++of) {
    const std::int64_t there = of == part ? 0 : coefficient_of(parts_[of].moving, first);
    if (there % first.coefficient != 0 || there / first.coefficient < 2) continue;
    const std::int64_t by = there / first.coefficient;
    const auto scaled = Index::multiply(own, Index::constant(by));
    const auto rest = scaled ? Index::subtract(parts_[of].moving, *scaled) : std::nullopt;
    const bool is_quotient = rest && std::all_of(boxes_.begin(), boxes_.end(), [&](const Ranges& box) {
                               const Interval range = range_of(*rest, box);
                               return range.low >= 0 && range.high < by;
                             });
    if (is_quotient) return Digit{of, by};
  }
  return std::nullopt;
}

bool MovingPoints::is_dimension(std::size_t part) const { return !parts_[part].range.is_point() && !digit(part); }

std::vector<std::int64_t> MovingPoints::extents() const {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Interval& range = parts_[i].range;
    if (is_dimension(i)) out.push_back(static_cast<std::int64_t>(range.high - range.low) + 1);
  }
  return out;
}

std::optional<std::vector<Index>> MovingPoints::places() const {
  std::vector<Index> out;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!is_dimension(i)) continue;
    const Index low = Index::constant(static_cast<std::int64_t>(parts_[i].range.low));
    auto place = Index::subtract(parts_[i].moving, low);
    if (!place) return std::nullopt;
    out.push_back(*std::move(place));
  }
  return out;
}

/// The value of one part at a point of the copy.
std::optional<Index> MovingPoints::value_of(std::size_t part, const std::vector<Index>& point) const {
  const Index low = Index::constant(static_cast<std::int64_t>(parts_[part].range.low));
  if (parts_[part].range.is_point()) return low;
  if (const auto quotient = digit(part)) {
    const auto whole = value_of(quotient->of, point);
    return whole ? Index::floor_divide(*whole, Index::constant(quotient->by)) : std::nullopt;
  }
  std::size_t coordinate = 0;
  for (std::size_t i = 0; i < part; ++i) coordinate += is_dimension(i) ? 1 : 0;
  return Index::add(point[coordinate], low);
}

/// A sum of loops that move, at a point of the copy: one part, or a sum of multiples of parts.
std::optional<Index> MovingPoints::value_of(const Index& moving, const std::vector<Index>& point) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].moving == moving) return value_of(i, point);
  }
  Index left = moving;
  std::optional<Index> sum = Index();
  for (std::size_t i = 0; i < parts_.size() && !left.is_constant(); ++i) {
    const IndexTerm& first = parts_[i].moving.terms()[0];
    const std::int64_t wanted = coefficient_of(left, first);
    if (wanted == 0 || wanted % first.coefficient != 0) continue;
    const Index times = Index::constant(wanted / first.coefficient);
    const auto multiple = Index::multiply(parts_[i].moving, times);
    const auto rest = multiple ? Index::subtract(left, *multiple) : std::nullopt;
    const auto value = value_of(i, point);
    const auto scaled = value ? Index::multiply(*value, times) : std::nullopt;
    if (!rest || !scaled || rest->terms().size() >= left.terms().size()) continue;
    left = *rest;
    sum = Index::add(*sum, *scaled);
    if (!sum) return std::nullopt;
  }
  return left.is_constant() ? Index::add(*sum, left) : std::nullopt;
}

std::optional<Index> MovingPoints::at(const Index& index, const std::vector<Index>& point) const {
  return with_leaves(index, still_, inside_divisions_, [&](const Index& leaf) -> std::optional<Index> {
    const auto split = split_moving(leaf, still_);
    if (!split) return std::nullopt;
    const auto fixed = Index::add(split->still, Index::constant(split->constant));
    if (split->factor == 0) return fixed;
    const auto value = value_of(split->moving, point);
    const auto scaled = value ? Index::multiply(*value, Index::constant(split->factor)) : std::nullopt;
    return fixed && scaled ? Index::add(*fixed, *scaled) : std::nullopt;
  });
}

}  // namespace steptp
