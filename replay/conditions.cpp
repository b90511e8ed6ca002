// More than 400 lines, because what is asked of a statement and the bounds that answer it are read together.
// Rounds on both sides of conditions on indices. Bounds of expressions on a box of loops are reckoned in long doubles:
// they only say where to look, and what is found there is evaluated exactly.
#include "replay/conditions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "replay/boxes.h"
#include "replay/index_condition.h"
#include "steptp/base/text.h"
#include "steptp/text/printer.h"

namespace steptp::replayer {

namespace {

struct Bounds {
  long double low = 0;
  long double high = 0;
};

/// A condition on the way, and whether it is to hold or, of a comparison, its sides are to be equal; or an index that
/// is to have a value.
struct Wanted {
  enum class What : std::uint8_t { holds, fails, ties };
  const Expr* condition = nullptr;
  What what = What::holds;
  const Subscript* index = nullptr;
  std::int64_t value = 0;
};
using Way = std::vector<Wanted>;

Truth negated(Truth truth) {
  return truth == Truth::maybe ? truth : truth == Truth::never ? Truth::always : Truth::never;
}

Bounds hull(long double a, long double b, long double c, long double d) {
  return {std::min(std::min(a, b), std::min(c, d)), std::max(std::max(a, b), std::max(c, d))};
}

/// On which side of zero a difference lies, as a comparison with zero asks.
Truth compared(CompareOp op, const Bounds& gap) {
  const auto above = [&](bool or_equal) {
    if (or_equal ? gap.low >= 0 : gap.low > 0) return Truth::always;
    return (or_equal ? gap.high < 0 : gap.high <= 0) ? Truth::never : Truth::maybe;
  };
  switch (op) {
    case CompareOp::greater: return above(false);
    case CompareOp::greater_equal: return above(true);
    case CompareOp::less: return negated(above(true));
    case CompareOp::less_equal: return negated(above(false));
    case CompareOp::equal:
    case CompareOp::not_equal: break;
  }
  const Truth equal = gap.low > 0 || gap.high < 0     ? Truth::never
                      : gap.low == 0 && gap.high == 0 ? Truth::always
                                                      : Truth::maybe;
  return op == CompareOp::equal ? equal : negated(equal);
}

class Conditions {
 public:
  Conditions(const Layout& layout, const Statement& statement) : layout_(layout), statement_(statement) {}

  ConditionRounds run() {
    Way way;
    for (const ExprPtr& guard : statement_.guards) {
      walk(*guard, way);
      way.push_back({guard.get()});
    }
    walk(*statement_.equation->right, way);
    for_each_ref(*statement_.equation->right, [&](const RefPtr& ref) { ask_of_quotients(*ref); });
    ask_of_quotients(*statement_.equation->left);
    for (const ExprPtr& guard : statement_.guards) ask_of_quotients(*guard);
    ask_of_quotients(*statement_.equation->right);
    return {std::move(found_), std::move(undecided_)};
  }

 private:
  static constexpr int kMostSteps = 6000;
  static constexpr std::size_t kMostConditions = 64;
  static constexpr std::int64_t kMostRounds = std::int64_t{1} << 21;

  void walk(const Expr& expr, Way& way) {
    if (const auto* select = std::get_if<Select>(&expr.node)) {
      walk(*select->condition, way);
      way.push_back({select->condition.get()});
      walk(*select->if_true, way);
      way.back().what = Wanted::What::fails;
      walk(*select->if_false, way);
      way.pop_back();
      return;
    }
    if (is_condition(expr)) ask(expr, way);
    ask_of_zeros(expr, way);
    for (const ExprPtr* child : children(expr)) walk(**child, way);
  }

  /// Divisors, powers and arguments of functions that are made of indices alone: whether they are zero in a round.
  void ask_of_zeros(const Expr& expr, const Way& way) {
    if (const auto* product = std::get_if<Product>(&expr.node)) {
      for (std::size_t i = 0; i < product->operators.size(); ++i) {
        if (product->operators[i] != ArithmeticOp::multiply) ask_of_zero(product->operands[i + 1], way);
      }
    } else if (const auto* power = std::get_if<Power>(&expr.node)) {
      const auto* exponent = std::get_if<Literal>(&power->exponent->node);
      if (!exponent || !exponent->is_integer) ask_of_zero(power->base, way);
      ask_of_zero(power->exponent, way);
    } else if (const auto* call = std::get_if<Call>(&expr.node)) {
      const Function function = call->function;
      if (function == Function::log || function == Function::rsqrt) ask_of_zero(call->argument, way);
    }
  }

  void ask_of_zero(const ExprPtr& expr, const Way& way) {
    bool reads_data = false;
    for_each_ref(*expr, [&](const RefPtr&) { reads_data = true; });
    if (reads_data) return;
    const ExprPtr condition = make_expr(Compare{{expr, integer_literal(0)}, {CompareOp::equal}});
    const auto slot_of = [&](const std::string& name) { return Layout::slot_of(statement_, name); };
    // What is no whole number is left to the looks along indices.
    if (IndexCondition::of(*condition, slot_of)) ask(*condition, way);
  }

  void ask(const Expr& condition, Way way) {
    bool is_of_indices = false;
    for_each_variable(condition, [&](const std::string&) { is_of_indices = true; });
    if (!is_of_indices || ++asked_ > kMostConditions) return;
    for (const Wanted::What what : {Wanted::What::holds, Wanted::What::fails, Wanted::What::ties}) {
      if (what == Wanted::What::ties && !std::holds_alternative<Compare>(condition.node)) continue;
      way.push_back({&condition, what});
      bool is_decided = true;
      for (const bool is_first : {true, false}) is_decided = find(way, is_first) && is_decided;
      way.pop_back();
      if (is_decided || what == Wanted::What::ties || !undecided_.empty()) continue;
      undecided_ = concat(what == Wanted::What::holds ? "holds" : "fails", ": ", print(condition));
    }
  }

  /// The first and the last rounds on both sides of where a quotient in a subscript changes.
  void ask_of_quotients(const Ref& ref) {
    for (const Subscript& subscript : layout_.storage(ref, statement_)) ask_of_quotients(subscript);
  }

  void ask_of_quotients(const Expr& expr) {
    if (const auto index = to_index(expr)) return ask_of_quotients(layout_.subscript(*index, statement_));
    for (const ExprPtr* child : children(expr)) ask_of_quotients(**child);
  }

  void ask_of_quotients(const Subscript& subscript) {
    for (const Subscript::Term& term : subscript.terms) {
      for (const SubscriptAtom& atom : term.factors) {
        ask_of_quotient(atom);
        if (atom.dividend) ask_of_quotients(*atom.dividend);
      }
    }
  }

  void ask_of_quotient(const SubscriptAtom& atom) {
    const bool is_quotient = atom.kind == SubscriptAtom::Kind::quotient || atom.kind == SubscriptAtom::Kind::remainder;
    if (!is_quotient || !atom.divisor->terms.empty() || atom.divisor->constant <= 1 || atom.dividend->reads_data)
      return;
    Subscript remainder;
    SubscriptAtom rest = atom;
    rest.kind = SubscriptAtom::Kind::remainder;
    remainder.terms.push_back({1, {std::move(rest)}});
    for (const std::int64_t value : {std::int64_t{0}, atom.divisor->constant - 1}) {
      if (++asked_ > kMostConditions) return;
      for (const bool is_first : {true, false}) find({{nullptr, Wanted::What::holds, &remainder, value}}, is_first);
    }
  }

  static void add_slots(const Subscript& subscript, std::set<std::size_t>& slots) {
    for (const Subscript::Term& term : subscript.terms) {
      for (const SubscriptAtom& atom : term.factors) {
        if (atom.kind == SubscriptAtom::Kind::slot) slots.insert(atom.slot);
        if (atom.dividend) add_slots(*atom.dividend, slots);
        if (atom.divisor) add_slots(*atom.divisor, slots);
      }
    }
  }

  /// False where neither a round was found nor that there is none.
  bool find(const Way& way, bool is_first) {
    std::set<std::size_t> slots;
    for (const Wanted& one : way) {
      if (one.index) {
        add_slots(*one.index, slots);
        continue;
      }
      for_each_variable(*one.condition,
                        [&](const std::string& name) { slots.insert(Layout::slot_of(statement_, name)); });
    }
    Search::Box box;
    for (const Loop* loop : statement_.loops) box.push_back({0, loop->extent - 1});
    int steps = kMostSteps;
    return descend(way, slots, std::move(box), is_first, steps) || steps >= 0 || go_through(way, slots, is_first);
  }

  static bool is_taken(const std::vector<std::pair<IndexCondition, bool>>& wanted, const Iteration& round) {
    try {
      return std::all_of(wanted.begin(), wanted.end(),
                         [&](const auto& one) { return one.first.holds(round) == one.second; });
    } catch (const Undecided&) {
      return false;
    }
  }

  /// All rounds one by one, where bounds do not lead to one at which the way is taken, as far as there are not too
  /// many.
  bool go_through(const Way& way, const std::set<std::size_t>& slots, bool is_first) {
    std::int64_t count = 1;
    for (const std::size_t slot : slots) {
      const std::int64_t extent = statement_.loops[slot]->extent;
      if (count > left_ / extent) return false;
      count *= extent;
    }
    std::vector<std::pair<IndexCondition, bool>> wanted;
    for (const Wanted& one : way) {
      if (one.index || one.what == Wanted::What::ties) return false;
      auto condition = IndexCondition::of(*one.condition,
                                          [&](const std::string& name) { return Layout::slot_of(statement_, name); });
      if (!condition) return false;
      wanted.emplace_back(*std::move(condition), one.what == Wanted::What::holds);
    }
    left_ -= count;
    Iteration round(statement_.loops.size(), 0);
    for (std::int64_t number = 0; number < count; ++number) {
      std::int64_t rest = is_first ? number : count - 1 - number;
      for (const std::size_t slot : slots) {
        const std::int64_t extent = statement_.loops[slot]->extent;
        round[slot] = rest % extent;
        rest /= extent;
      }
      if (!is_taken(wanted, round)) continue;
      if (known_.insert(round).second) found_.push_back(round);
      return true;
    }
    return true;
  }

  static Truth truth_of_index(const Wanted& wanted, const Search::Box& box) {
    const Search::Range range = Search::range_of(*wanted.index, box);
    const Bounds gap{static_cast<long double>(range.low - wanted.value),
                     static_cast<long double>(range.high - wanted.value)};
    return compared(CompareOp::equal, gap);
  }

  Truth truth_of(const Wanted& wanted, const Search::Box& box) {
    if (wanted.index) return truth_of_index(wanted, box);
    if (wanted.what == Wanted::What::ties) return truth_of(std::get<Compare>(wanted.condition->node), true, box);
    const Truth truth = truth_of(*wanted.condition, box);
    return wanted.what == Wanted::What::holds ? truth : negated(truth);
  }

  Truth truth_of(const Way& way, const Search::Box& box) {
    Truth all = Truth::always;
    for (const Wanted& one : way) {
      all = std::min(all, truth_of(one, box));
    }
    return all;
  }

  static Search::Box half_of(Search::Box box, std::size_t slot, bool is_lower) {
    const Wide middle = box[slot].low + (box[slot].high - box[slot].low) / 2;
    (is_lower ? box[slot].high : box[slot].low) = is_lower ? middle : middle + 1;
    return box;
  }

  /// Leaves out halves in which the way cannot be taken, as long as there are any, and then halves the widest loop of
  /// those that the conditions speak of. True once a round was found.
  bool descend(const Way& way, const std::set<std::size_t>& slots, Search::Box box, bool is_first, int& steps) {
    Truth all = truth_of(way, box);
    const auto is_wide = [&](std::size_t slot) { return box[slot].low < box[slot].high; };
    for (bool is_cut = true; is_cut && all == Truth::maybe;) {
      is_cut = false;
      for (const std::size_t slot : slots) {
        for (const bool is_lower : {true, false}) {
          if (--steps < 0) return false;
          if (!is_wide(slot) || truth_of(way, half_of(box, slot, is_lower)) != Truth::never) continue;
          box = half_of(box, slot, !is_lower);
          is_cut = true;
        }
      }
      all = truth_of(way, box);
    }
    if (all == Truth::never) return false;
    std::size_t widest = box.size();
    for (const std::size_t slot : slots) {
      if (!is_wide(slot)) continue;
      if (widest == box.size() || box[slot].high - box[slot].low > box[widest].high - box[widest].low) widest = slot;
    }
    if (all == Truth::always || widest == box.size()) {
      Iteration round;
      for (const Search::Range& range : box) {
        round.push_back(static_cast<std::int64_t>(is_first ? range.low : range.high));
      }
      if (known_.insert(round).second) found_.push_back(std::move(round));
      return true;
    }
    for (const bool is_lower : {is_first, !is_first}) {
      if (descend(way, slots, half_of(box, widest, is_lower), is_first, steps)) return true;
    }
    return false;
  }

  Truth truth_of(const Expr& condition, const Search::Box& box) {
    if (const auto* logic = std::get_if<Logic>(&condition.node)) {
      const bool is_and = logic->op == LogicOp::conjunction;
      Truth out = is_and ? Truth::always : Truth::never;
      for (const ExprPtr& operand : logic->operands) {
        const Truth truth = truth_of(*operand, box);
        out = is_and ? std::min(out, truth) : std::max(out, truth);
      }
      return out;
    }
    const auto* compare = std::get_if<Compare>(&condition.node);
    return compare ? truth_of(*compare, false, box) : Truth::maybe;
  }

  /// Of a comparison, or of all its sides being equal.
  Truth truth_of(const Compare& compare, bool is_tie, const Search::Box& box) {
    Truth out = Truth::always;
    for (std::size_t i = 0; i < compare.operators.size(); ++i) {
      const auto left = bounds_of(*compare.operands[i], box);
      const auto right = bounds_of(*compare.operands[i + 1], box);
      const CompareOp op = is_tie ? CompareOp::equal : compare.operators[i];
      const Truth truth =
          left && right ? compared(op, {left->low - right->high, left->high - right->low}) : Truth::maybe;
      out = std::min(out, truth);
    }
    return out;
  }

  std::optional<Bounds> bounds_of(const Expr& expr, const Search::Box& box) {
    const auto [at, is_new] = subscripts_.try_emplace(&expr);
    if (is_new) {
      if (const auto index = to_index(expr)) at->second = layout_.subscript(*index, statement_);
    }
    if (at->second) {
      if (at->second->reads_data) return std::nullopt;
      const Search::Range range = Search::range_of(*at->second, box);
      return Bounds{static_cast<long double>(range.low), static_cast<long double>(range.high)};
    }
    if (const auto* literal = std::get_if<Literal>(&expr.node)) return Bounds{literal->real, literal->real};
    if (const auto* call = std::get_if<Call>(&expr.node)) {
      const auto of = bounds_of(*call->argument, box);
      if (!of || (call->function != Function::negate && call->function != Function::abs)) return std::nullopt;
      if (call->function == Function::negate) return Bounds{-of->high, -of->low};
      const long double far = std::max(std::fabs(of->low), std::fabs(of->high));
      return Bounds{of->low <= 0 && of->high >= 0 ? 0 : std::min(std::fabs(of->low), std::fabs(of->high)), far};
    }
    if (const auto* extremum = std::get_if<Extremum>(&expr.node)) {
      const auto left = bounds_of(*extremum->left, box);
      const auto right = bounds_of(*extremum->right, box);
      if (!left || !right) return std::nullopt;
      if (extremum->is_max) return Bounds{std::max(left->low, right->low), std::max(left->high, right->high)};
      return Bounds{std::min(left->low, right->low), std::min(left->high, right->high)};
    }
    if (const auto* sum = std::get_if<Sum>(&expr.node)) return chain(sum->operands, sum->operators, box);
    if (const auto* product = std::get_if<Product>(&expr.node))
      return chain(product->operands, product->operators, box);
    return std::nullopt;
  }

  std::optional<Bounds> chain(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators,
                              const Search::Box& box) {
    auto total = bounds_of(*operands[0], box);
    for (std::size_t i = 0; total && i < operators.size(); ++i) {
      const auto next = bounds_of(*operands[i + 1], box);
      if (!next) return std::nullopt;
      switch (operators[i]) {
        case ArithmeticOp::add: total = Bounds{total->low + next->low, total->high + next->high}; break;
        case ArithmeticOp::subtract: total = Bounds{total->low - next->high, total->high - next->low}; break;
        case ArithmeticOp::multiply:
          total =
              hull(total->low * next->low, total->low * next->high, total->high * next->low, total->high * next->high);
          break;
        case ArithmeticOp::divide:
          if (next->low <= 0) return std::nullopt;
          total =
              hull(total->low / next->low, total->low / next->high, total->high / next->low, total->high / next->high);
          break;
        default: return std::nullopt;
      }
    }
    return total;
  }

  const Layout& layout_;
  const Statement& statement_;
  std::map<const Expr*, std::optional<Subscript>> subscripts_;
  std::vector<Iteration> found_;
  std::string undecided_;
  std::set<Iteration> known_;
  std::size_t asked_ = 0;
  std::int64_t left_ = kMostRounds;  ///< rounds that may be gone through one by one
};

}  // namespace

ConditionRounds rounds_of_conditions(const Layout& layout, const Statement& statement) {
  return Conditions(layout, statement).run();
}

}  // namespace steptp::replayer
