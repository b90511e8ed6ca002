#include "steptp/analysis/index_map.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "steptp/analysis/regions.h"

namespace steptp {

namespace {

Ranges ranges_of(const std::vector<BoxVariable>& box) {
  Ranges ranges;
  for (const BoxVariable& variable : box) ranges.variables[variable.name] = {0, static_cast<Wide>(variable.extent) - 1};
  return ranges;
}

bool fits(Wide value) { return value >= INT64_MIN && value <= INT64_MAX; }

Wide floor_of(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

/// Index arithmetic that stops at the first result that does not fit.
class Arithmetic {
 public:
  Index add(const Index& a, const Index& b) { return take(Index::add(a, b)); }
  Index subtract(const Index& a, const Index& b) { return take(Index::subtract(a, b)); }
  Index multiply(const Index& a, const Index& b) { return take(Index::multiply(a, b)); }
  Index divide(const Index& a, const Index& b) { return take(Index::floor_divide(a, b)); }
  Index modulo(const Index& a, const Index& b) { return take(Index::modulo(a, b)); }
  [[nodiscard]] bool good() const { return good_; }

 private:
  Index take(std::optional<Index> result) {
    good_ = good_ && result;
    return result ? *std::move(result) : Index();
  }
  bool good_ = true;
};

Index atom_index(const IndexAtom& atom, Arithmetic& arithmetic) {
  struct Visitor {
    Arithmetic& arithmetic;
    Index operator()(const LoopVariable& node) const { return Index::variable(node.name); }
    Index operator()(const FloorQuotient& node) const { return arithmetic.divide(*node.dividend, *node.divisor); }
    Index operator()(const FloorRemainder& node) const { return arithmetic.modulo(*node.dividend, *node.divisor); }
    Index operator()(const IndirectRead& node) const { return Index::read(node.ref); }
  };
  return std::visit(Visitor{arithmetic}, atom);
}

/// dividend = divisor * multiple + rest, with as much as possible in the multiple.
struct Split {
  Index multiple;
  Index rest;
};
Split split(const Index& dividend, std::int64_t divisor, Arithmetic& arithmetic) {
  Split out;
  out.rest = Index::constant(dividend.constant_term());
  for (const IndexTerm& term : dividend.terms()) {
    const bool whole = term.coefficient % divisor == 0;
    Index product = Index::constant(whole ? term.coefficient / divisor : term.coefficient);
    for (const IndexAtom& factor : term.factors) {
      product = arithmetic.multiply(product, atom_index(factor, arithmetic));
    }
    Index& side = whole ? out.multiple : out.rest;
    side = arithmetic.add(side, product);
  }
  return out;
}

/// index = step*multiple + rest, where rest runs below the step: a constant counts on both sides. Nothing where it does
/// not.
std::optional<Split> split_below(const Index& index, std::int64_t step, const Ranges& ranges, Arithmetic& arithmetic) {
  Split out = split(index, step, arithmetic);
  const std::int64_t constant = out.rest.constant_term();
  const std::int64_t whole = floor_quotient(constant, step);
  out.multiple = arithmetic.add(out.multiple, Index::constant(whole));
  out.rest = arithmetic.subtract(out.rest, Index::constant(whole * step));
  const Interval range = range_of(out.rest, ranges);
  return range.low >= 0 && range.high < step ? std::optional(std::move(out)) : std::nullopt;
}

/// Divisors of `by` that some coefficients have in common with it, the largest first, without 1 and `by`.
std::vector<std::int64_t> common_steps(const Index& index, std::int64_t by) {
  std::set<std::int64_t, std::greater<>> steps;
  for (const IndexTerm& term : index.terms()) {
    if (term.coefficient != INT64_MIN) steps.insert(std::gcd(term.coefficient, by));
  }
  steps.erase(1);
  steps.erase(by);
  return {steps.begin(), steps.end()};
}

/// dividend//by or dividend%by where by = g*m and the dividend is g*u+r with r below g: u//m, and g*(u%m)+r.
/// Otherwise the quotient of a quotient is one: (x//a)//b is x//(a*b).
Index divided(const Index& dividend, std::int64_t by, bool quotient, const Ranges& ranges, Arithmetic& arithmetic) {
  for (const std::int64_t step : common_steps(dividend, by)) {
    const auto parts = split_below(dividend, step, ranges, arithmetic);
    if (!parts) continue;
    const Index fewer = Index::constant(by / step);
    if (quotient) return arithmetic.divide(parts->multiple, fewer);
    const Index whole = arithmetic.multiply(arithmetic.modulo(parts->multiple, fewer), Index::constant(step));
    return arithmetic.add(whole, parts->rest);
  }
  const bool single = dividend.constant_term() == 0 && dividend.terms().size() == 1 &&
                      dividend.terms()[0].coefficient == 1 && dividend.terms()[0].factors.size() == 1;
  const auto* inner = single ? std::get_if<FloorQuotient>(&dividend.terms()[0].factors[0]) : nullptr;
  if (quotient && inner && inner->divisor->is_constant() && inner->divisor->constant_term() > 0) {
    const Wide product = static_cast<Wide>(inner->divisor->constant_term()) * by;
    if (fits(product)) return arithmetic.divide(*inner->dividend, Index::constant(static_cast<std::int64_t>(product)));
  }
  return quotient ? arithmetic.divide(dividend, Index::constant(by)) : arithmetic.modulo(dividend, Index::constant(by));
}

Index simplified_in(const Index& index, const Ranges& ranges, Arithmetic& arithmetic);

Index simplified_atom(const IndexAtom& atom, const Ranges& ranges, Arithmetic& arithmetic) {
  const auto* quotient = std::get_if<FloorQuotient>(&atom);
  const auto* remainder = std::get_if<FloorRemainder>(&atom);
  if (!quotient && !remainder) return atom_index(atom, arithmetic);
  const Index dividend = simplified_in(quotient ? *quotient->dividend : *remainder->dividend, ranges, arithmetic);
  const Index divisor = simplified_in(quotient ? *quotient->divisor : *remainder->divisor, ranges, arithmetic);
  if (divisor.is_constant() && divisor.constant_term() > 0) {
    const std::int64_t by = divisor.constant_term();
    const Split parts = split(dividend, by, arithmetic);
    const Interval rest = range_of(parts.rest, ranges);
    const Wide period = floor_of(rest.low, by);
    if (period == floor_of(rest.high, by) && fits(period) && fits(period * by)) {
      if (quotient) return arithmetic.add(parts.multiple, Index::constant(static_cast<std::int64_t>(period)));
      return arithmetic.subtract(parts.rest, Index::constant(static_cast<std::int64_t>(period * by)));
    }
    const Index result = divided(parts.rest, by, quotient != nullptr, ranges, arithmetic);
    return quotient ? arithmetic.add(parts.multiple, result) : result;
  }
  return quotient ? arithmetic.divide(dividend, divisor) : arithmetic.modulo(dividend, divisor);
}

Index simplified_in(const Index& index, const Ranges& ranges, Arithmetic& arithmetic) {
  Index sum = Index::constant(index.constant_term());
  for (const IndexTerm& term : index.terms()) {
    Index product = Index::constant(term.coefficient);
    for (const IndexAtom& factor : term.factors) {
      product = arithmetic.multiply(product, simplified_atom(factor, ranges, arithmetic));
    }
    sum = arithmetic.add(sum, product);
  }
  return sum;
}

/// Solves "subscript = tuple" for the variables of the box, largest coefficient first.
class Inversion {
 public:
  Inversion(const IndexMap& map, const std::vector<std::string>& tuple) : map_(map), ranges_(ranges_of(map.box)) {
    for (std::size_t i = 0; i < map.subscripts.size(); ++i) {
      equations_.push_back({simplified(map.subscripts[i], map.box), Index::variable(tuple[i])});
    }
    for (const BoxVariable& variable : map.box) {
      if (variable.extent == 1) known_.emplace_back(Index::variable(variable.name), Index());
    }
  }

  std::optional<std::vector<Index>> solve() {
    bool changed = true;
    while (changed && arithmetic_.good()) {
      changed = false;
      for (std::size_t i = 0; i < equations_.size(); ++i) changed = use(i) || changed;
    }
    std::vector<Index> out;
    for (const BoxVariable& variable : map_.box) {
      const Index* value = find(Index::variable(variable.name));
      if (!value || !arithmetic_.good()) return std::nullopt;
      out.push_back(*value);
    }
    return out;
  }

 private:
  /// `sum`, over the box, equals `value`, over the tuple.
  struct Equation {
    Index sum;
    Index value;
    bool used = false;
  };
  struct Part {
    Wide coefficient = 0;
    Index unknown;  ///< one variable, quotient or remainder
    Interval range;
  };

  [[nodiscard]] const Index* find(const Index& unknown) const {
    for (const auto& [name, value] : known_) {
      if (name == unknown) return &value;
    }
    return nullptr;
  }

  /// The unknown parts of an equation; what is known goes to the other side. Nothing where a part is a product.
  std::optional<std::vector<Part>> parts_of(const Equation& equation, Index& value) {
    std::vector<Part> parts;
    value = arithmetic_.subtract(equation.value, Index::constant(equation.sum.constant_term()));
    for (const IndexTerm& term : equation.sum.terms()) {
      if (term.factors.size() != 1) return std::nullopt;
      const Index unknown = atom_index(term.factors[0], arithmetic_);
      if (const Index* known = find(unknown)) {
        value = arithmetic_.subtract(value, arithmetic_.multiply(Index::constant(term.coefficient), *known));
      } else {
        parts.push_back({term.coefficient, unknown, range_of(unknown, ranges_)});
      }
    }
    std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
      return (a.coefficient < 0 ? -a.coefficient : a.coefficient) >
             (b.coefficient < 0 ? -b.coefficient : b.coefficient);
    });
    return parts;
  }

  bool use(std::size_t number) {
    if (equations_[number].used) return false;
    Index value;
    const auto parts = parts_of(equations_[number], value);
    if (!parts) return false;
    bool changed = false;
    for (std::size_t i = 0; i < parts->size(); ++i) {
      // With every part counted from its least value in the direction of growth, the rest is at least 0.
      const Part& part = (*parts)[i];
      const bool up = part.coefficient > 0;
      const Wide step = up ? part.coefficient : -part.coefficient;
      Wide least = 0;
      Wide reach = 0;
      for (std::size_t k = i; k < parts->size(); ++k) {
        const Part& other = (*parts)[k];
        const Wide low = other.coefficient * (other.coefficient > 0 ? other.range.low : other.range.high);
        const Wide high = other.coefficient * (other.coefficient > 0 ? other.range.high : other.range.low);
        least += low;
        if (k > i) reach += high - low;
      }
      if (reach >= step || !fits(least) || !fits(step) || !fits(part.range.low) || !fits(part.range.high))
        return changed;
      const Index counted = arithmetic_.subtract(value, Index::constant(static_cast<std::int64_t>(least)));
      const Index by = Index::constant(static_cast<std::int64_t>(step));
      const Index digit = arithmetic_.divide(counted, by);
      const Index found = up ? arithmetic_.add(digit, Index::constant(static_cast<std::int64_t>(part.range.low)))
                             : arithmetic_.subtract(Index::constant(static_cast<std::int64_t>(part.range.high)), digit);
      learn(part.unknown, found);
      changed = true;
      // What is left is the remainder, and the least value of the rest again.
      const Wide own = part.coefficient * (up ? part.range.low : part.range.high);
      value = arithmetic_.add(i + 1 == parts->size() ? Index() : arithmetic_.modulo(counted, by),
                              Index::constant(static_cast<std::int64_t>(least - own)));
    }
    equations_[number].used = true;
    return changed;
  }

  void learn(const Index& unknown, const Index& value) {
    known_.emplace_back(unknown, value);
    const IndexAtom& atom = unknown.terms()[0].factors[0];
    if (const auto* quotient = std::get_if<FloorQuotient>(&atom)) {
      learn_dividend(*quotient->dividend, *quotient->divisor);
    } else if (const auto* remainder = std::get_if<FloorRemainder>(&atom)) {
      learn_dividend(*remainder->dividend, *remainder->divisor);
    }
  }

  /// A dividend is its quotient times the divisor, and its remainder.
  void learn_dividend(const Index& dividend, const Index& divisor) {
    if (!divisor.is_constant()) return;
    const Index* quotient = find(arithmetic_.divide(dividend, divisor));
    const Index* remainder = find(arithmetic_.modulo(dividend, divisor));
    if (!quotient || !remainder) return;
    equations_.push_back({dividend, arithmetic_.add(arithmetic_.multiply(*quotient, divisor), *remainder)});
  }

  const IndexMap& map_;
  Ranges ranges_;
  std::vector<Equation> equations_;
  std::vector<std::pair<Index, Index>> known_;
  Arithmetic arithmetic_;
};

/// Both halves of a pair of points, in a set: their coordinates, and their tuples.
struct Half {
  std::vector<std::size_t> point;
  std::vector<Linear> tuple;
};
std::optional<Half> add_half(IntegerSet& set, const IndexMap& map) {
  Half half;
  VariableNumbers names;
  for (const BoxVariable& variable : map.box) {
    const std::size_t number = names[variable.name] = half.point.emplace_back(set.add_variable());
    set.require(at_most(Linear::number(0), Linear::variable(number)));
    set.require(less(Linear::variable(number), Linear::number(variable.extent)));
  }
  for (const Index& subscript : map.subscripts) {
    auto sum = set.linear(subscript, names);
    if (!sum) return std::nullopt;
    half.tuple.push_back(*std::move(sum));
  }
  return half;
}

}  // namespace

std::optional<IndexMap> index_map_of(const Statement& statement, const std::vector<Index>& subscripts) {
  IndexMap map;
  map.subscripts = subscripts;
  std::set<std::string> used;
  for (const Index& subscript : subscripts) {
    if (reads_tensor(subscript)) return std::nullopt;
    for_each_variable(subscript, [&used](const std::string& name) { used.insert(name); });
  }
  for (const Loop* loop : statement.loops) {
    if (used.contains(loop->index)) map.box.push_back({loop->index, loop->extent});
  }
  return map;
}

Index simplified(const Index& index, const std::vector<BoxVariable>& box) {
  Arithmetic arithmetic;
  Index result = simplified_in(index, ranges_of(box), arithmetic);
  return arithmetic.good() ? result : index;
}

std::optional<std::vector<Index>> inverse(const IndexMap& map, const std::vector<std::string>& tuple) {
  return Inversion(map, tuple).solve();
}

Truth is_injective(const IndexMap& map, Presburger& isl) {
  const std::vector<std::string> tuple(map.subscripts.size(), "t");
  if (inverse(map, tuple)) return Truth::yes;
  IntegerSet set;
  const auto a = add_half(set, map);
  const auto b = a ? add_half(set, map) : std::nullopt;
  if (!b) return Truth::maybe;
  for (std::size_t i = 0; i < a->tuple.size(); ++i) set.require(equals(a->tuple[i], b->tuple[i]));
  Formula different;
  for (std::size_t i = 0; i < a->point.size(); ++i) {
    // The first half is the lesser one: the other way round is the same pair.
    Clause clause;
    for (std::size_t k = 0; k < i; ++k) {
      clause.push_back(equals(Linear::variable(a->point[k]), Linear::variable(b->point[k])));
    }
    clause.push_back(less(Linear::variable(a->point[i]), Linear::variable(b->point[i])));
    different.push_back(std::move(clause));
  }
  set.require(std::move(different));
  switch (isl.least_point(set).kind) {
    case Presburger::Sample::Kind::empty: return Truth::yes;
    case Presburger::Sample::Kind::found: return Truth::no;
    case Presburger::Sample::Kind::gave_up: return Truth::maybe;
  }
  return Truth::maybe;
}

std::optional<std::vector<Interval>> dense_image(const IndexMap& map) {
  const Ranges ranges = ranges_of(map.box);
  std::vector<std::string> used;
  std::vector<Interval> image;
  for (const Index& subscript : map.subscripts) {
    auto values = dense_values(simplified(subscript, map.box), ranges, used);
    if (!values) return std::nullopt;
    image.push_back(*values);
  }
  return image;
}

}  // namespace steptp
