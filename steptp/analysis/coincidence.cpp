// Which loops must agree if two accesses touch one element, without a solver. The difference of two subscripts is a
// sum of coefficient times part, and it is zero. If the largest coefficient exceeds all that the other parts can add
// up to, its part must be zero: in 32*bx+tx with tx<32 first bx agrees, then tx. What is learned from one subscript
// is used in the next, until nothing new follows. Decisions 0009 and 0229.
// More than 400 lines, because the rules of the solver learn from each other and are one class.
#include "steptp/analysis/coincidence.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>
#include <utility>

#include "steptp/analysis/box_search.h"
#include "steptp/analysis/index_map.h"
#include "steptp/analysis/instances.h"

namespace steptp {

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

std::size_t position_of(const Statement& statement, const std::string& index) {
  for (std::size_t i = 0; i < statement.loops.size(); ++i) {
    if (statement.loops[i]->index == index) return i;
  }
  return kNone;
}

Wide magnitude(Wide value) { return value < 0 ? -value : value; }

/// A summand of the difference of two subscripts: coefficient * something in the range.
struct Part {
  Wide coefficient = 0;
  Interval range;
  std::size_t pair = kNone;         ///< that something is the difference of the two loops of a pair
  const IndexAtom* atom = nullptr;  ///< or of the two values of a quotient or a remainder
};

/// The two subscripts of one dimension.
struct Equation {
  const Index* first = nullptr;
  const Index* second = nullptr;
};

class Solver {
 public:
  Solver(const AccessTable& table, const Access& first, const Access& second, std::vector<LoopPair> pairs)
      : table_(table),
        first_(table.statements[first.statement]),
        second_(table.statements[second.statement]),
        pairs_(std::move(pairs)) {}

  Coincidence solve(const std::vector<Index>& first, const std::vector<Index>& second) {
    std::vector<Equation> equations;
    for (std::size_t i = 0; i < first.size() && i < second.size(); ++i) equations.push_back({&first[i], &second[i]});
    join_digits(equations);
    bool changed = true;
    while (changed && !impossible_) {
      changed = false;
      for (std::size_t i = 0; i < equations.size() && !impossible_; ++i) changed = use(equations[i]) || changed;
      if (found_.empty()) continue;
      equations.insert(equations.end(), found_.rbegin(), found_.rend());
      found_.clear();
      join_digits(equations);
    }
    return {impossible_, std::move(pairs_)};
  }

 private:
  /// The index, where it is nothing but one quotient, or remainder.
  template <typename Node>
  static const Node* only(const Index& index) {
    const auto& terms = index.terms();
    const bool is_one =
        terms.size() == 1 && index.constant_term() == 0 && terms[0].coefficient == 1 && terms[0].factors.size() == 1;
    return is_one ? std::get_if<Node>(&terms[0].factors[0]) : nullptr;
  }

  /// x//5//3 is x//15.
  static std::optional<Index> quotient_of(const Index& dividend, const Index& divisor) {
    const auto* inner = only<FloorQuotient>(dividend);
    const std::int64_t by = divisor.constant_term();
    std::int64_t both = 0;
    const bool joins = inner && inner->divisor->is_constant() && inner->divisor->constant_term() > 0 && by > 0 &&
                       !__builtin_mul_overflow(inner->divisor->constant_term(), by, &both);
    return joins ? Index::floor_divide(*inner->dividend, Index::constant(both))
                 : Index::floor_divide(dividend, divisor);
  }

  /// The quotient as strategies write it where the loops run from 0 on: (4*f+c)//20 with c<4 is f//5.
  static Index short_form(const Index& quotient, const Statement& statement) {
    std::vector<BoxVariable> box;
    for (const Loop* loop : statement.loops) box.push_back({loop->index, loop->extent});
    return simplified(quotient, box);
  }

  /// x is what x//15, x//5%3 and x%5 say together, whatever the loops in it: where remainders are equal, and the
  /// quotients by the same number are, so are the dividends.
  void join_digits(std::vector<Equation>& equations) const {
    const auto holds = [&](const Index& first, const Index& second) {
      return std::any_of(equations.begin(), equations.end(),
                         [&](const Equation& known) { return *known.first == first && *known.second == second; });
    };
    const auto are_equal = [&](const std::optional<Index>& first, const std::optional<Index>& second) {
      if (!first || !second) return false;
      return holds(*first, *second) || holds(short_form(*first, first_), short_form(*second, second_));
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < equations.size(); ++i) {
        const FloorRemainder* one = only<FloorRemainder>(*equations[i].first);
        const FloorRemainder* other = only<FloorRemainder>(*equations[i].second);
        if (!one || !other || !one->divisor->is_constant() || !(*one->divisor == *other->divisor)) continue;
        if (reads_tensor(*one->dividend) || reads_tensor(*other->dividend)) continue;
        if (holds(*one->dividend, *other->dividend)) continue;
        const auto quotient = quotient_of(*one->dividend, *one->divisor);
        if (!are_equal(quotient, quotient_of(*other->dividend, *other->divisor))) continue;
        equations.push_back({one->dividend.get(), other->dividend.get()});
        changed = true;
      }
    }
  }

  std::size_t pair_of(const std::string& index, bool is_first) const {
    const std::size_t position = position_of(is_first ? first_ : second_, index);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if ((is_first ? pairs_[i].first : pairs_[i].second) == position) return i;
    }
    return kNone;
  }
  [[nodiscard]] Wide extent(std::size_t position, bool is_first) const {
    return (is_first ? first_ : second_).loops[position]->extent;
  }

  /// Each variable of the atom is a loop of a pair, so that the same text is the same function of the pairs.
  bool corresponds(const IndexAtom& atom, bool& all_equal) const {
    bool good = true;
    all_equal = true;
    const auto note = [&](const std::string& name) {
      const std::size_t pair = pair_of(name, true);
      good = good && pair != kNone && pair_of(name, false) == pair;
      all_equal = all_equal && good && pairs_[pair].equal;
    };
    const auto visit = [&](const Index& part) { for_each_variable(part, note); };
    struct Visitor {
      const std::function<void(const Index&)>& visit;
      const std::function<void(const std::string&)>& note;
      void operator()(const LoopVariable& variable) const { note(variable.name); }
      void operator()(const FloorQuotient& node) const { visit(*node.dividend), visit(*node.divisor); }
      void operator()(const FloorRemainder& node) const { visit(*node.dividend), visit(*node.divisor); }
      void operator()(const IndirectRead& node) const {
        for (const Index& subscript : node.ref->subscripts) visit(subscript);
      }
    };
    std::visit(Visitor{visit, note}, atom);
    return good;
  }

  /// Every tensor read in it is an input, a constant or a parameter: the same place holds the same value.
  [[nodiscard]] bool reads_constants_only(const IndexAtom& atom) const {
    bool good = true;
    const std::function<void(const RefPtr&)> note = [&](const RefPtr& ref) {
      const Variable* known = table_.tensors.at(ref->tensor).known;
      good = good && known && known->role != Role::output;
      for (const Index& subscript : ref->subscripts) for_each_read(subscript, note);
    };
    struct Visitor {
      const std::function<void(const RefPtr&)>& note;
      void operator()(const LoopVariable&) const {}
      void operator()(const FloorQuotient& node) const {
        for_each_read(*node.dividend, note), for_each_read(*node.divisor, note);
      }
      void operator()(const FloorRemainder& node) const {
        for_each_read(*node.dividend, note), for_each_read(*node.divisor, note);
      }
      void operator()(const IndirectRead& node) const { note(node.ref); }
    };
    std::visit(Visitor{note}, atom);
    return good;
  }

  static std::optional<Index> as_index(const IndexAtom& atom) {
    if (const auto* quotient = std::get_if<FloorQuotient>(&atom)) {
      return Index::floor_divide(*quotient->dividend, *quotient->divisor);
    }
    if (const auto* remainder = std::get_if<FloorRemainder>(&atom)) {
      return Index::modulo(*remainder->dividend, *remainder->divisor);
    }
    return std::nullopt;
  }

  [[nodiscard]] bool known_equal(const IndexAtom& atom) const {
    return std::any_of(equal_atoms_.begin(), equal_atoms_.end(),
                       [&](const IndexAtom* other) { return compare(*other, atom) == 0; });
  }

  /// A sum sorted by what it is made of.
  struct Sorted {
    std::vector<Wide> of_pair;
    std::vector<std::pair<Wide, Interval>> alone;  ///< variables without a partner
    std::vector<std::pair<Wide, const IndexAtom*>> atoms;
    std::vector<const IndexTerm*> products;
  };
  Sorted sorted(const Index& index, bool is_first) const {
    Sorted out;
    out.of_pair.assign(pairs_.size(), 0);
    for (const IndexTerm& term : index.terms()) {
      const auto* variable = term.factors.size() == 1 ? std::get_if<LoopVariable>(&term.factors[0]) : nullptr;
      if (term.factors.size() > 1) {
        out.products.push_back(&term);
      } else if (!variable) {
        out.atoms.emplace_back(term.coefficient, &term.factors[0]);
      } else if (const std::size_t pair = pair_of(variable->name, is_first); pair != kNone) {
        out.of_pair[pair] += term.coefficient;
      } else {
        const std::size_t position = position_of(is_first ? first_ : second_, variable->name);
        out.alone.emplace_back(term.coefficient, Interval{0, extent(position, is_first) - 1});
      }
    }
    return out;
  }

  /// False where the difference has a part that nothing is known of.
  bool difference(const Index& first, const Index& second, std::vector<Part>& parts) {
    const Sorted a = sorted(first, true);
    Sorted b = sorted(second, false);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const Interval one{0, extent(pairs_[i].first, true) - 1};
      const Interval other{0, extent(pairs_[i].second, false) - 1};
      if (pairs_[i].equal) {
        parts.push_back({a.of_pair[i] - b.of_pair[i], {0, std::min(one.high, other.high)}, kNone, nullptr});
      } else if (a.of_pair[i] == b.of_pair[i]) {
        parts.push_back({a.of_pair[i], one - other, i, nullptr});
      } else {
        parts.push_back({a.of_pair[i], one, kNone, nullptr});
        parts.push_back({-b.of_pair[i], other, kNone, nullptr});
      }
    }
    for (const auto& [coefficient, range] : a.alone) {
      // The difference of two values with equal coefficients is one number, not two.
      const auto partner = std::find_if(b.alone.begin(), b.alone.end(),
                                        [c = coefficient](const auto& entry) { return entry.first == c; });
      if (partner == b.alone.end()) {
        parts.push_back({coefficient, range, kNone, nullptr});
      } else {
        parts.push_back({coefficient, range - partner->second, kNone, nullptr});
        b.alone.erase(partner);
      }
    }
    for (const auto& [coefficient, range] : b.alone) parts.push_back({-coefficient, range, kNone, nullptr});
    return add_atoms(a, b, parts) && products_cancel(a, b);
  }

  bool add_atoms(const Sorted& a, Sorted& b, std::vector<Part>& parts) const {
    for (const auto& [coefficient, atom] : a.atoms) {
      const auto partner =
          std::find_if(b.atoms.begin(), b.atoms.end(), [&, c = coefficient, x = atom](const auto& entry) {
            return entry.first == c && compare(*entry.second, *x) == 0;
          });
      bool all_equal = false;
      if (partner == b.atoms.end() || !corresponds(*atom, all_equal)) {
        if (!add_alone(coefficient, *atom, first_, parts)) return false;
        continue;
      }
      b.atoms.erase(partner);
      if ((all_equal && reads_constants_only(*atom)) || known_equal(*atom)) continue;
      const auto index = as_index(*atom);
      if (!index || reads_tensor(*index)) return false;
      // Sibling loops over one axis may have different extents.
      const Interval range = range_of(*index, loop_box(first_)) - range_of(*index, loop_box(second_));
      parts.push_back({coefficient, range, kNone, atom});
    }
    return std::all_of(b.atoms.begin(), b.atoms.end(),
                       [&](const auto& entry) { return add_alone(-entry.first, *entry.second, second_, parts); });
  }

  static bool add_alone(Wide coefficient, const IndexAtom& atom, const Statement& statement, std::vector<Part>& parts) {
    const auto index = as_index(atom);
    if (!index || reads_tensor(*index)) return false;
    parts.push_back({coefficient, range_of(*index, loop_box(statement)), kNone, nullptr});
    return true;
  }

  /// Products of indices: equal ones cancel where all their factors are known to be equal.
  [[nodiscard]] bool products_cancel(const Sorted& a, Sorted& b) const {
    for (const IndexTerm* term : a.products) {
      const auto partner = std::find_if(b.products.begin(), b.products.end(), [term](const IndexTerm* other) {
        return other->coefficient == term->coefficient &&
               std::equal(term->factors.begin(), term->factors.end(), other->factors.begin(), other->factors.end(),
                          [](const IndexAtom& x, const IndexAtom& y) { return compare(x, y) == 0; });
      });
      if (partner == b.products.end()) return false;
      b.products.erase(partner);
      for (const IndexAtom& factor : term->factors) {
        bool all_equal = false;
        if (!corresponds(factor, all_equal) || !all_equal || !reads_constants_only(factor)) return false;
      }
    }
    return b.products.empty();
  }

  /// Uses one equation; true where something new is known.
  bool use(const Equation& equation) {
    std::vector<Part>& parts = parts_;
    parts.clear();
    if (!difference(*equation.first, *equation.second, parts)) return false;
    const Wide constant = static_cast<Wide>(equation.first->constant_term()) - equation.second->constant_term();
    std::erase_if(parts, [](const Part& part) { return part.coefficient == 0 || part.range == Interval{0, 0}; });
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part& x, const Part& y) { return magnitude(x.coefficient) > magnitude(y.coefficient); });
    bool changed = false;
    // The sum is zero. Where the largest coefficient exceeds all that the rest can be, its factor is zero.
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Interval rest = sum_of(parts, i + 1, constant);
      const Wide coefficient = parts[i].coefficient;
      const Interval whole = rest + Interval{coefficient, coefficient} * parts[i].range;
      if (whole.low > 0 || whole.high < 0) impossible_ = true;
      if (std::max(magnitude(rest.low), magnitude(rest.high)) >= magnitude(coefficient)) {
        impossible_ = impossible_ || !divides(parts, i, constant);
        return changed;
      }
      changed = learn(parts[i]) || changed;
    }
    impossible_ = impossible_ || constant != 0;
    return changed;
  }

  static Interval sum_of(const std::vector<Part>& parts, std::size_t begin, Wide constant) {
    Interval sum{constant, constant};
    for (std::size_t i = begin; i < parts.size(); ++i) {
      sum = sum + Interval{parts[i].coefficient, parts[i].coefficient} * parts[i].range;
    }
    return sum;
  }
  /// What all coefficients have in common divides the constant, or there is no solution.
  static bool divides(const std::vector<Part>& parts, std::size_t begin, Wide constant) {
    Wide common = 0;
    for (std::size_t i = begin; i < parts.size(); ++i) {
      Wide other = magnitude(parts[i].coefficient);
      while (other != 0) common = std::exchange(other, common % other);
    }
    return constant % common == 0;
  }

  bool learn(const Part& part) {
    if (part.pair != kNone) {
      if (pairs_[part.pair].equal) return false;
      return pairs_[part.pair].equal = true;
    }
    if (!part.atom || known_equal(*part.atom)) return false;
    equal_atoms_.push_back(part.atom);
    if (auto digit = as_index(*part.atom)) {
      const Index& kept = digits_.emplace_back(*std::move(digit));
      found_.push_back({&kept, &kept});
    }
    // A dividend is known by its quotient and its remainder.
    if (const auto* quotient = std::get_if<FloorQuotient>(part.atom)) {
      learn_dividend(*quotient->dividend, FloorRemainder{quotient->dividend, quotient->divisor});
    } else if (const auto* remainder = std::get_if<FloorRemainder>(part.atom)) {
      learn_dividend(*remainder->dividend, FloorQuotient{remainder->dividend, remainder->divisor});
    }
    return true;
  }
  void learn_dividend(const Index& dividend, const IndexAtom& counterpart) {
    if (known_equal(counterpart)) found_.push_back({&dividend, &dividend});
  }

  const AccessTable& table_;
  const Statement& first_;
  const Statement& second_;
  std::vector<LoopPair> pairs_;
  std::vector<const IndexAtom*> equal_atoms_;
  std::vector<Equation> found_;
  std::deque<Index> digits_;  ///< those of sums that are known to be equal
  std::vector<Part> parts_;
  bool impossible_ = false;
};

/// What a sum of products of loop indices is where all of them are 0; nothing where it has another form.
std::optional<std::int64_t> at_origin(const Index& index) {
  for (const IndexTerm& term : index.terms()) {
    if (!std::holds_alternative<LoopVariable>(term.factors[0])) return std::nullopt;
  }
  return index.constant_term();
}

}  // namespace

std::vector<LoopPair> pair_loops(const Statement& first, const Statement& second, std::size_t equal_prefix) {
  const std::size_t shared = relate(first, second).shared_loops;
  std::vector<LoopPair> pairs;
  pairs.reserve(shared);
  for (std::size_t i = 0; i < shared; ++i) pairs.push_back({i, i, i < equal_prefix});
  if (first.kernel != second.kernel) return pairs;
  for (std::size_t i = shared; i < first.loops.size(); ++i) {
    if (first.loops[i]->kind != LoopKind::bound) continue;
    for (std::size_t j = shared; j < second.loops.size(); ++j) {
      if (second.loops[j]->kind != LoopKind::bound) continue;
      if (axis_of(first.loops[i]->index) == axis_of(second.loops[j]->index)) pairs.push_back({i, j, false});
    }
  }
  return pairs;
}

bool meet_at_origin(const AccessTable& table, const Access& first, const Access& second) {
  for (const Access* access : {&first, &second}) {
    if (!access->conditions.empty() || !table.statements[access->statement].guards.empty()) return false;
  }
  const std::vector<Index> a = full_subscripts(table, first);
  const std::vector<Index> b = full_subscripts(table, second);
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Index& x, const Index& y) {
    const auto value = at_origin(x);
    return value && value == at_origin(y);
  });
}

Coincidence coincide(const AccessTable& table, const Access& first, const Access& second, std::vector<LoopPair> pairs) {
  const std::vector<Index> a = full_subscripts(table, first);
  const std::vector<Index> b = full_subscripts(table, second);
  return Solver(table, first, second, std::move(pairs)).solve(a, b);
}

}  // namespace steptp
