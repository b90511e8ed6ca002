#include <algorithm>
#include <numeric>
#include <set>

#include "steptp/ir/index.h"
#include "steptp/prove/arena.h"
#include "steptp/prove/give_up.h"

namespace steptp::forms {

namespace {

constexpr std::size_t kMaxOrders = 24;
constexpr int kMaxRounds = 64;

}  // namespace

/// One fold on its way to normal form: variables are split into digits and merged again, ranges take over conditions,
/// and in the end the variables are put in an order that depends on how they are used.
class Reducer {
 public:
  Reducer(Arena& arena, ArithmeticOp op, std::vector<VariableId> variables, const std::vector<ConditionId>& conditions,
          PolynomialId body)
      : arena_(arena), op_(op), variables_(std::move(variables)), body_(body) {
    for (const ConditionId condition : conditions) add_condition(condition);
  }

  PolynomialId result() {
    if (op_ == ArithmeticOp::add) return sum();
    if (op_ == ArithmeticOp::max || op_ == ArithmeticOp::min) return extremum();
    return folded();
  }

 private:
  using Kind = Generator::Kind;

  void add_condition(ConditionId condition) {
    const Condition& node = arena_.condition(condition);
    if (node.kind == Condition::Kind::always) return;
    if (node.kind == Condition::Kind::conjunction) {
      const std::vector<ConditionId> parts = node.parts;
      for (const ConditionId part : parts) add_condition(part);
      return;
    }
    if (std::find(conditions_.begin(), conditions_.end(), condition) == conditions_.end()) {
      conditions_.push_back(condition);
    }
  }

  PolynomialId again(std::vector<ConditionId> more, PolynomialId body) {
    std::vector<ConditionId> conditions = conditions_;
    conditions.insert(conditions.end(), more.begin(), more.end());
    return arena_.reduce(op_, variables_, conditions, body);
  }

  // ---- sums: term by term, each a product over the variables it uses

  PolynomialId sum() {
    if (!arena_.with_algebra_) return plain_sum();
    const Polynomial& body = arena_.polynomial(body_);
    if (body.terms.size() > 1) {
      PolynomialId total = arena_.constant(0);
      for (const auto& [monomial, coefficient] : body.terms) {
        const PolynomialId term = arena_.intern_polynomial({{{monomial, mpq_class(1)}}});
        total = arena_.add(total, arena_.scale(again({}, term), coefficient));
      }
      return total;
    }
    if (body.terms.empty()) return body_;
    const mpq_class coefficient = body.terms[0].second;
    if (coefficient != 1) {
      const PolynomialId term = arena_.intern_polynomial({{{body.terms[0].first, mpq_class(1)}}});
      return arena_.scale(again({}, term), coefficient);
    }
    if (const auto opened = open_factor(body.terms[0].first)) return *opened;
    return folded();
  }

  /// Without algebra: sums of sums are one sum, and choices by indices become conditions; nothing else is opened.
  PolynomialId plain_sum() {
    body_ = arena_.lump(body_);
    const auto inner = arena_.as_generator(body_);
    if (!inner) return body_ == arena_.constant(0) ? body_ : folded();
    const Generator& node = arena_.generator(*inner);
    if (node.kind == Kind::reduction && static_cast<ArithmeticOp>(node.tag) == ArithmeticOp::add) {
      const auto opened = instantiate(*inner);
      std::vector<VariableId> variables = variables_;
      variables.insert(variables.end(), opened.variables.begin(), opened.variables.end());
      if (variables.size() > 24) throw GiveUp{"a sum over too many loops"};
      std::vector<ConditionId> conditions = conditions_;
      conditions.insert(conditions.end(), opened.conditions.begin(), opened.conditions.end());
      return flat_sum(std::move(variables), conditions, opened.body);
    }
    return folded();
  }

  /// A sum inside the product is spread out; a choice by indices becomes conditions.
  std::optional<PolynomialId> open_factor(MonomialId monomial) {
    const Monomial& factors = arena_.monomial(monomial);
    for (std::size_t i = 0; i < factors.factors.size(); ++i) {
      const auto& [id, exponent] = factors.factors[i];
      if (exponent != 1) continue;
      const Generator& node = arena_.generator(id);
      Monomial others = factors;
      others.factors.erase(others.factors.begin() + static_cast<std::ptrdiff_t>(i));
      const PolynomialId rest = arena_.intern_polynomial({{{arena_.intern_monomial(others), mpq_class(1)}}});
      if (node.kind == Kind::reduction && static_cast<ArithmeticOp>(node.tag) == ArithmeticOp::add) {
        // An infinite factor does not distribute, and a NaN beside an empty sum is not nothing.
        if (arena_.traits(rest).is_wild() || arena_.traits_of_generator(id).may_be_infinite) continue;
        const auto inner = instantiate(id);
        std::vector<VariableId> variables = variables_;
        variables.insert(variables.end(), inner.variables.begin(), inner.variables.end());
        if (variables.size() > 24) throw GiveUp{"a sum over too many loops"};
        std::vector<ConditionId> conditions = conditions_;
        conditions.insert(conditions.end(), inner.conditions.begin(), inner.conditions.end());
        return flat_sum(std::move(variables), conditions, arena_.multiply(rest, inner.body));
      }
      if (node.kind == Kind::select && arena_.is_index_condition(node.conditions[0]) && uses_variables(id)) {
        PolynomialId total = arena_.constant(0);
        for (const bool holds : {true, false}) {
          const ConditionId chosen = holds ? node.conditions[0] : arena_.negation(node.conditions[0]);
          const PolynomialId branch = node.polynomials[holds ? 0 : 1];
          const PolynomialId part = arena_.multiply(rest, branch);
          if (part != arena_.constant(0)) total = arena_.add(total, again({chosen}, part));
        }
        return total;
      }
    }
    return std::nullopt;
  }

  PolynomialId flat_sum(std::vector<VariableId> variables, const std::vector<ConditionId>& conditions,
                        PolynomialId body) {
    return arena_.reduce(ArithmeticOp::add, std::move(variables), conditions, body);
  }

  bool uses_variables(GeneratorId id) const {
    const auto& used = arena_.traits_of_generator(id).variables;
    return std::any_of(variables_.begin(), variables_.end(),
                       [&](VariableId v) { return std::binary_search(used.begin(), used.end(), v); });
  }

  struct Opened {
    std::vector<VariableId> variables;
    std::vector<ConditionId> conditions;
    PolynomialId body = 0;
  };
  Opened instantiate(GeneratorId id) {
    const Generator& node = arena_.generator(id);
    const std::uint32_t height = arena_.traits_of_generator(id).height;
    Opened result;
    Substitution map;
    for (std::size_t i = 0; i < node.ranges.size(); ++i) {
      result.variables.push_back(arena_.new_variable(node.ranges[i].first, node.ranges[i].second));
      map[bound_variable(height, static_cast<std::uint32_t>(i))] = arena_.variable(result.variables.back());
    }
    for (const ConditionId condition : node.conditions) {
      result.conditions.push_back(arena_.substitute_condition(condition, map));
    }
    result.body = arena_.substitute_polynomial(node.polynomials[0], map);
    return result;
  }

  // ---- greatest and least values

  PolynomialId extremum() {
    if (const auto moved = move_out()) return *moved;
    const auto inner = arena_.as_generator(body_);
    if (!inner) return folded();
    const Generator& node = arena_.generator(*inner);
    const bool is_max = op_ == ArithmeticOp::max;
    if (node.kind == Kind::extremum && (node.tag == 1) == is_max) {
      std::vector<PolynomialId> operands;
      for (const PolynomialId operand : node.polynomials) operands.push_back(again({}, operand));
      return arena_.extremum(is_max, operands);
    }
    if (node.kind == Kind::reduction && static_cast<ArithmeticOp>(node.tag) == op_) {
      const auto opened = instantiate(*inner);
      std::vector<VariableId> variables = variables_;
      variables.insert(variables.end(), opened.variables.begin(), opened.variables.end());
      std::vector<ConditionId> conditions = conditions_;
      conditions.insert(conditions.end(), opened.conditions.begin(), opened.conditions.end());
      return arena_.reduce(op_, std::move(variables), conditions, opened.body);
    }
    if (node.kind == Kind::select && arena_.is_index_condition(node.conditions[0]) && uses_variables(*inner)) {
      std::vector<PolynomialId> parts;
      for (const bool holds : {true, false}) {
        const ConditionId chosen = holds ? node.conditions[0] : arena_.negation(node.conditions[0]);
        const PolynomialId branch = node.polynomials[holds ? 0 : 1];
        if (branch == arena_.identity(op_)) continue;  // adds nothing
        parts.push_back(again({chosen}, branch));
      }
      if (parts.empty()) return arena_.identity(op_);
      // An empty part is the identity, which the other side need not beat: it is dropped by extremum().
      return arena_.extremum(is_max, parts);
    }
    return folded();
  }

  /// max(2*x+y) over x is 2*max(x)+y, and max(-x) is -min(x). An empty fold stays infinite.
  std::optional<PolynomialId> move_out() {
    if (!arena_.with_algebra_ || arena_.traits(body_).is_wild()) return std::nullopt;
    const Polynomial body = arena_.polynomial(body_);
    Polynomial inside;
    Polynomial outside;
    for (const auto& term : body.terms) (uses_own_variables(term.first) ? inside : outside).terms.push_back(term);
    if (inside.terms.empty()) return std::nullopt;
    mpq_class factor = arena_.common_factor({arena_.intern_polynomial(inside)});
    if (inside.terms[0].second < 0) factor = -factor;
    if (outside.terms.empty() && factor == 1) return std::nullopt;
    for (auto& [monomial, coefficient] : inside.terms) coefficient /= factor;
    const bool is_flipped = factor < 0;
    const ArithmeticOp op = (op_ == ArithmeticOp::max) != is_flipped ? ArithmeticOp::max : ArithmeticOp::min;
    const PolynomialId folded = arena_.reduce(op, variables_, conditions_, arena_.intern_polynomial(std::move(inside)));
    return arena_.add(arena_.scale(folded, factor), arena_.intern_polynomial(std::move(outside)));
  }

  [[nodiscard]] bool uses_own_variables(MonomialId monomial) const {
    const std::vector<std::pair<GeneratorId, std::int32_t>>& factors = arena_.monomial(monomial).factors;
    return std::any_of(factors.begin(), factors.end(),
                       [this](const auto& factor) { return uses_variables(factor.first); });
  }

  // ---- the common part: one body, no more to open

  PolynomialId folded() {
    for (int round = 0; round < kMaxRounds; ++round) {
      arena_.spend(1);
      if (is_empty_) return arena_.identity(op_);
      if (use_conditions() || fix_single_values() || split_digits() || merge_digits()) {
        if (round + 1 == kMaxRounds) throw GiveUp{"a fold that does not settle"};
        continue;
      }
      break;
    }
    if (is_empty_) return arena_.identity(op_);
    if (needs_reopening_) return arena_.reduce(op_, variables_, conditions_, body_);
    mpq_class count = 1;
    drop_unused(count);
    if (op_ == ArithmeticOp::multiply && count != 1) {
      if (count > 64) throw GiveUp{"a power beyond 64"};
      body_ = arena_.integer_power(body_, count.get_num().get_si());
    }
    const bool splits = op_ == ArithmeticOp::add && arena_.with_algebra_;
    PolynomialId result = splits ? product_of_components() : named(variables_, conditions_, body_);
    if (op_ == ArithmeticOp::add) result = arena_.scale(result, count);
    return result;
  }

  void substitute(VariableId variable, const Affine& value, const std::vector<VariableId>& instead) {
    substitute({{variable, value}}, instead);
  }

  void substitute(const Substitution& map, const std::vector<VariableId>& instead) {
    body_ = arena_.substitute_polynomial(body_, map);
    const std::vector<ConditionId> old = std::move(conditions_);
    conditions_.clear();
    for (const ConditionId condition : old) add_condition(arena_.substitute_condition(condition, map));
    std::erase_if(variables_, [&](VariableId variable) { return map.contains(variable); });
    variables_.insert(variables_.end(), instead.begin(), instead.end());
    // What is inside may be a different kind of thing now: a sum of several terms, a choice that was made.
    needs_reopening_ = true;
  }

  [[nodiscard]] bool is_own(VariableId variable) const {
    return std::find(variables_.begin(), variables_.end(), variable) != variables_.end();
  }

  bool use_conditions() {
    for (std::size_t i = 0; i < conditions_.size(); ++i) {
      const ConditionId condition = conditions_[i];
      const Truth known = arena_.truth(condition);
      if (known == Truth::no) {
        is_empty_ = true;
        return true;
      }
      if (known == Truth::yes) {
        conditions_.erase(conditions_.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      }
      const Condition& node = arena_.condition(condition);
      if (node.kind == Condition::Kind::nonnegative) {
        const Affine affine = arena_.affine(node.left);
        if (affine.terms.size() != 1) continue;
        const Atom& atom = arena_.atom(affine.terms[0].first);
        if (atom.kind != Atom::Kind::variable || !is_own(atom.argument)) continue;
        // coefficient*v + constant >= 0, and nonnegative() made the coefficient 1 or -1
        const Interval old = arena_.range(atom.argument);
        auto low = static_cast<std::int64_t>(old.low);
        auto high = static_cast<std::int64_t>(old.high);
        if (affine.terms[0].second == 1) {
          low = std::max(low, -affine.constant);
        } else {
          high = std::min(high, affine.constant);
        }
        conditions_.erase(conditions_.begin() + static_cast<std::ptrdiff_t>(i));
        replace_range(atom.argument, low, high);
        return true;
      }
      if (node.kind == Condition::Kind::zero) {
        const Affine affine = arena_.affine(node.left);
        for (const auto& [id, coefficient] : affine.terms) {
          const Atom& atom = arena_.atom(id);
          if (atom.kind != Atom::Kind::variable || !is_own(atom.argument) || std::abs(coefficient) != 1) continue;
          const Affine others = Arena::difference(affine, Arena::scaled(Affine{{{id, 1}}, 0}, coefficient));
          const auto& used = arena_.traits_of_affine(arena_.intern(others)).variables;
          if (std::binary_search(used.begin(), used.end(), atom.argument)) continue;
          const Affine value = Arena::scaled(others, -coefficient);
          const Interval old = arena_.range(atom.argument);
          conditions_.erase(conditions_.begin() + static_cast<std::ptrdiff_t>(i));
          substitute(atom.argument, value, {});
          add_condition(
              arena_.nonnegative(Arena::difference(value, Arena::number(static_cast<std::int64_t>(old.low)))));
          add_condition(
              arena_.nonnegative(Arena::difference(Arena::number(static_cast<std::int64_t>(old.high)), value)));
          return true;
        }
      }
    }
    return false;
  }

  void replace_range(VariableId variable, std::int64_t low, std::int64_t high) {
    if (low > high) {
      is_empty_ = true;
      return;
    }
    const VariableId fresh = arena_.new_variable(low, high);
    substitute(variable, arena_.variable(fresh), {fresh});
  }

  bool fix_single_values() {
    for (const VariableId variable : variables_) {
      const Interval range = arena_.range(variable);
      if (range.low > range.high) {
        is_empty_ = true;
        return true;
      }
      if (!range.is_point()) continue;
      substitute(variable, Arena::number(static_cast<std::int64_t>(range.low)), {});
      return true;
    }
    return false;
  }

  void for_each_affine(const std::function<void(const Affine&)>& visit) {
    arena_.for_each_affine(body_, visit);
    for (const ConditionId condition : conditions_) arena_.for_each_affine_of_condition(condition, visit);
  }

  /// v//m with m dividing the range: v becomes m*o+i, and quotients and remainders disappear.
  bool split_digits() {
    VariableId variable = 0;
    std::int64_t divisor = 0;
    std::int64_t shift = 0;
    for_each_affine([&](const Affine& affine) {
      for (const auto& [id, coefficient] : affine.terms) {
        const Atom& atom = arena_.atom(id);
        if (atom.kind != Atom::Kind::quotient) continue;
        const Affine& inside = arena_.affine(atom.argument);
        if (inside.terms.size() != 1 || inside.terms[0].second != 1) continue;
        const Atom& digit = arena_.atom(inside.terms[0].first);
        if (digit.kind != Atom::Kind::variable || !is_own(digit.argument)) continue;
        const Interval range = arena_.range(digit.argument);
        if (floor_remainder(static_cast<std::int64_t>(range.low) + inside.constant, atom.divisor) != 0) continue;
        if (floor_remainder(static_cast<std::int64_t>(range.high) + 1 + inside.constant, atom.divisor) != 0) continue;
        if (divisor != 0 && (variable != digit.argument || divisor <= atom.divisor)) continue;
        variable = digit.argument;
        divisor = atom.divisor;
        shift = inside.constant;
      }
    });
    if (divisor == 0) return false;
    const Interval range = arena_.range(variable);
    const VariableId high = arena_.new_variable(floor_quotient(static_cast<std::int64_t>(range.low) + shift, divisor),
                                                floor_quotient(static_cast<std::int64_t>(range.high) + shift, divisor));
    const VariableId low = arena_.new_variable(0, divisor - 1);
    const Affine value =
        Arena::sum(Arena::sum(arena_.variable(low), Arena::number(-shift)), arena_.variable(high), divisor);
    substitute(variable, value, {high, low});
    return true;
  }

  /// Two variables that occur only as m*o+i, where i has m values, are one variable.
  bool merge_digits() {
    for (const VariableId high : variables_) {
      for (const VariableId low : variables_) {
        if (high == low) continue;
        const Interval low_range = arena_.range(low);
        const Interval high_range = arena_.range(high);
        const Wide size = low_range.high - low_range.low + 1;
        if (size > (Wide{1} << 40)) continue;
        const auto radix = static_cast<std::int64_t>(size);
        if (!occur_together(high, low, radix) && !are_one_value(high, low, radix)) continue;
        const Wide least = high_range.low * size + low_range.low;
        const Wide greatest = high_range.high * size + low_range.high;
        if (greatest > (Wide{1} << 60) || least < -(Wide{1} << 60)) continue;
        const VariableId merged =
            arena_.new_variable(static_cast<std::int64_t>(least), static_cast<std::int64_t>(greatest));
        // c*(m*o+i) = c*w: putting o=0 and i=w gives exactly that. Both at once: o=0 alone would say something else.
        substitute({{high, Arena::number(0)}, {low, arena_.variable(merged)}}, {merged});
        return true;
      }
    }
    return false;
  }

  bool occur_together(VariableId high, VariableId low, std::int64_t radix) {
    bool together = true;
    bool occurs = false;
    for_each_affine([&](const Affine& affine) {
      std::int64_t high_coefficient = 0;
      std::int64_t low_coefficient = 0;
      for (const auto& [id, coefficient] : affine.terms) {
        const Atom& atom = arena_.atom(id);
        if (atom.kind != Atom::Kind::variable) continue;
        if (atom.argument == high) high_coefficient = coefficient;
        if (atom.argument == low) low_coefficient = coefficient;
      }
      if (high_coefficient == 0 && low_coefficient == 0) return;
      occurs = true;
      std::int64_t expected = 0;
      if (__builtin_mul_overflow(low_coefficient, radix, &expected) || expected != high_coefficient) together = false;
    });
    return together && occurs;
  }

  /// The same where m*o+i is also a value, which is a sum of two integers: with i=w-m*o, no o is left.
  bool are_one_value(VariableId high, VariableId low, std::int64_t radix) {
    bool is_possible = true;
    bool is_value = false;
    for_each_affine([&](const Affine& affine) {
      std::int64_t high_coefficient = 0;
      std::int64_t low_coefficient = 0;
      for (const auto& [id, coefficient] : affine.terms) {
        const Atom& atom = arena_.atom(id);
        if (atom.kind != Atom::Kind::variable) continue;
        if (atom.argument == high) high_coefficient = coefficient;
        if (atom.argument == low) low_coefficient = coefficient;
      }
      const bool is_alone = affine.terms.size() == 1 && affine.constant == 0 && high_coefficient + low_coefficient == 1;
      is_value = is_value || is_alone;
      is_possible = is_possible && (is_alone || high_coefficient == low_coefficient * radix);
    });
    if (!is_possible || !is_value) return false;
    const Affine whole = arena_.variable(arena_.new_variable(0, 1));
    const Substitution map = {{low, Arena::sum(whole, arena_.variable(high), -radix)}};
    const auto is_free_of_high = [&](const std::vector<VariableId>& used) {
      return !std::binary_search(used.begin(), used.end(), high);
    };
    if (!is_free_of_high(arena_.traits(arena_.substitute_polynomial(body_, map)).variables)) return false;
    return std::all_of(conditions_.begin(), conditions_.end(), [&](ConditionId condition) {
      return is_free_of_high(arena_.traits_of_condition(arena_.substitute_condition(condition, map)).variables);
    });
  }

  void drop_unused(mpq_class& count) {
    std::vector<VariableId> used = arena_.traits(body_).variables;
    for (const ConditionId condition : conditions_) {
      merge_variables(used, arena_.traits_of_condition(condition).variables);
    }
    std::vector<VariableId> kept;
    for (const VariableId variable : variables_) {
      if (std::binary_search(used.begin(), used.end(), variable)) {
        kept.push_back(variable);
      } else {
        const Interval range = arena_.range(variable);
        count *= mpq_class(static_cast<long>(range.high - range.low + 1));
      }
    }
    variables_ = std::move(kept);
  }

  /// The sum of f(a)*g(c) over a and c is a product of two sums, and what uses no variable stands before it.
  PolynomialId product_of_components() {
    const Monomial& monomial = arena_.monomial(arena_.polynomial(body_).terms[0].first);
    std::vector<std::size_t> group(variables_.size());
    std::iota(group.begin(), group.end(), std::size_t{0});
    const auto find = [&](std::size_t i) {
      while (group[i] != i) i = group[i];
      return i;
    };
    const auto own = [&](const std::vector<VariableId>& used) {
      std::vector<std::size_t> places;
      for (std::size_t i = 0; i < variables_.size(); ++i) {
        if (std::binary_search(used.begin(), used.end(), variables_[i])) places.push_back(i);
      }
      return places;
    };
    const auto join = [&](const std::vector<std::size_t>& places) {
      for (std::size_t i = 1; i < places.size(); ++i) group[find(places[i])] = find(places[0]);
    };
    bool separable = true;
    for (const auto& [factor, exponent] : monomial.factors) {
      join(own(arena_.traits_of_generator(factor).variables));
      if (arena_.traits_of_generator(factor).is_wild()) separable = false;
    }
    for (const ConditionId condition : conditions_) join(own(arena_.traits_of_condition(condition).variables));
    // inf*(3-1) again: with an infinite factor the sum stays whole.
    if (!separable) {
      for (std::size_t i = 1; i < variables_.size(); ++i) group[find(i)] = find(0);
    }
    PolynomialId result = arena_.constant(1);
    Monomial outside;
    for (const auto& factor : monomial.factors) {
      if (separable && own(arena_.traits_of_generator(factor.first).variables).empty())
        outside.factors.push_back(factor);
    }
    std::vector<ConditionId> outer_conditions;
    for (const ConditionId condition : conditions_) {
      if (own(arena_.traits_of_condition(condition).variables).empty()) outer_conditions.push_back(condition);
    }
    for (std::size_t root = 0; root < variables_.size(); ++root) {
      if (find(root) != root) continue;
      std::vector<VariableId> variables;
      for (std::size_t i = 0; i < variables_.size(); ++i) {
        if (find(i) == root) variables.push_back(variables_[i]);
      }
      Monomial inside;
      for (const auto& factor : monomial.factors) {
        const auto places = own(arena_.traits_of_generator(factor.first).variables);
        if (places.empty() ? !separable : find(places[0]) == root) inside.factors.push_back(factor);
      }
      std::vector<ConditionId> conditions;
      for (const ConditionId condition : conditions_) {
        const auto places = own(arena_.traits_of_condition(condition).variables);
        if (!places.empty() && find(places[0]) == root) conditions.push_back(condition);
      }
      const PolynomialId body = arena_.intern_polynomial({{{arena_.intern_monomial(std::move(inside)), mpq_class(1)}}});
      result = arena_.multiply(result, named(std::move(variables), std::move(conditions), body));
    }
    if (variables_.empty() && !separable) outside = monomial;
    result = arena_.multiply(result,
                             arena_.intern_polynomial({{{arena_.intern_monomial(std::move(outside)), mpq_class(1)}}}));
    // A condition on outer indices decides whether there is a sum at all.
    if (!outer_conditions.empty()) {
      result = arena_.select(arena_.conjunction(outer_conditions), result, arena_.constant(0));
    }
    return result;
  }

  // ---- names for the variables that depend on their use only

  PolynomialId named(std::vector<VariableId> variables, std::vector<ConditionId> conditions, PolynomialId body) {
    if (variables.empty()) {
      if (conditions.empty()) return with_start(body);
      return arena_.select(arena_.conjunction(conditions), with_start(body), arena_.identity(op_));
    }
    if (variables.size() >= kMaxBoundPerReduction) throw GiveUp{"a fold over too many loops"};
    std::vector<ConditionId> outer;
    if (op_ != ArithmeticOp::add) {
      // Conditions on outer indices only: outside, as for sums.
      std::erase_if(conditions, [&](ConditionId condition) {
        const auto& used = arena_.traits_of_condition(condition).variables;
        const bool is_outer = std::none_of(variables.begin(), variables.end(), [&](VariableId v) {
          return std::binary_search(used.begin(), used.end(), v);
        });
        if (is_outer) outer.push_back(condition);
        return is_outer;
      });
    }
    for (VariableId& variable : variables) variable = shifted(variable, conditions, body);
    std::uint32_t height = arena_.traits(body).height;
    for (const ConditionId condition : conditions) {
      height = std::max(height, arena_.traits_of_condition(condition).height);
    }
    height += 1;

    struct Signed {
      VariableId variable;
      std::vector<std::uint32_t> key;
      std::pair<std::int64_t, std::int64_t> range;
    };
    std::vector<Signed> order;
    for (const VariableId variable : variables) {
      Substitution map;
      for (const VariableId other : variables) {
        map[other] = arena_.variable(other == variable ? kThisVariable : kOtherVariable);
      }
      Signed entry{variable, {}, {}};
      if (variables.size() > 1) {
        for (const ConditionId condition : conditions) entry.key.push_back(arena_.substitute_condition(condition, map));
        std::sort(entry.key.begin(), entry.key.end());
        entry.key.push_back(arena_.substitute_polynomial(body, map));
      }
      const Interval range = arena_.range(variable);
      entry.range = {static_cast<std::int64_t>(range.low), static_cast<std::int64_t>(range.high)};
      order.push_back(std::move(entry));
    }
    std::stable_sort(order.begin(), order.end(), [](const Signed& a, const Signed& b) {
      return std::tie(a.key, a.range) < std::tie(b.key, b.range);
    });
    const auto build = [&](const std::vector<Signed>& chosen) {
      Substitution map;
      Generator node{Kind::reduction, static_cast<std::uint32_t>(op_), {}, {}, {}, {}};
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        map[chosen[i].variable] = arena_.variable(bound_variable(height, static_cast<std::uint32_t>(i)));
        node.ranges.push_back(chosen[i].range);
      }
      for (const ConditionId condition : conditions) {
        node.conditions.push_back(arena_.substitute_condition(condition, map));
      }
      std::sort(node.conditions.begin(), node.conditions.end());
      node.polynomials = {arena_.substitute_polynomial(body, map)};
      std::uint32_t inside = arena_.traits(node.polynomials[0]).height;
      for (const ConditionId condition : node.conditions) {
        inside = std::max(inside, arena_.traits_of_condition(condition).height);
      }
      if (inside + 1 != height) throw GiveUp{"a fold whose inside changed while it was named"};
      return node;
    };
    Generator best = build(order);
    // Variables that look alike one by one: the least of all orders.
    std::size_t orders = 1;
    for (std::vector<Signed> next = order; orders < kMaxOrders && next_order(next); ++orders) {
      Generator other = build(next);
      if (std::tie(other.conditions, other.polynomials) < std::tie(best.conditions, best.polynomials)) {
        best = std::move(other);
      }
    }
    PolynomialId result = arena_.generator(std::move(best));
    if (!outer.empty()) {
      result = arena_.select(arena_.conjunction(outer), result, arena_.identity(op_));
    }
    return result;
  }

  /// The next permutation among those that only exchange variables with equal keys.
  template <typename Entry>
  static bool next_order(std::vector<Entry>& order) {
    for (std::size_t first = order.size(); first-- > 0;) {
      std::size_t begin = first;
      while (begin > 0 && order[begin - 1].key == order[first].key && order[begin - 1].range == order[first].range) {
        --begin;
      }
      const auto less = [](const Entry& a, const Entry& b) { return a.variable < b.variable; };
      if (std::next_permutation(order.begin() + static_cast<std::ptrdiff_t>(begin),
                                order.begin() + static_cast<std::ptrdiff_t>(first) + 1, less)) {
        return true;
      }
      first = begin;
    }
    return false;
  }

  /// A fold over one value: of max and min it starts from -inf or inf, which a NaN does not replace.
  PolynomialId with_start(PolynomialId body) {
    if (op_ != ArithmeticOp::max && op_ != ArithmeticOp::min) return body;
    return arena_.extremum(op_ == ArithmeticOp::max, {arena_.identity(op_), body});
  }

  /// A variable counted from another start or backwards, so that its uses look the same wherever the loop began.
  VariableId shifted(VariableId variable, std::vector<ConditionId>& conditions, PolynomialId& body) {
    std::int64_t offset = 0;
    bool found = false;
    std::int64_t forward = 0;
    std::int64_t backward = 0;
    const auto look = [&](const Affine& affine) {
      for (const auto& [id, coefficient] : affine.terms) {
        const Atom& atom = arena_.atom(id);
        if (atom.kind != Atom::Kind::variable || atom.argument != variable) continue;
        (coefficient > 0 ? forward : backward) += 1;
        const std::int64_t here = floor_quotient(affine.constant, coefficient);
        if (!found || here < offset) offset = here;
        found = true;
      }
    };
    arena_.for_each_affine(body, look);
    if (!found) {
      for (const ConditionId condition : conditions) arena_.for_each_affine_of_condition(condition, look);
    }
    const bool turn = backward > forward;
    if (turn) {
      // Measured again after turning: floor of the offset depends on the sign.
      offset = 0;
      found = false;
      const auto measure = [&](const Affine& affine) {
        for (const auto& [id, coefficient] : affine.terms) {
          const Atom& atom = arena_.atom(id);
          if (atom.kind != Atom::Kind::variable || atom.argument != variable) continue;
          const std::int64_t here = floor_quotient(affine.constant, -coefficient);
          if (!found || here < offset) offset = here;
          found = true;
        }
      };
      arena_.for_each_affine(body, measure);
    }
    if (offset == 0 && !turn) return variable;
    const Interval range = arena_.range(variable);
    // w = v + offset, or w = -v + offset.
    const auto low = static_cast<std::int64_t>(turn ? -range.high : range.low) + offset;
    const auto high = static_cast<std::int64_t>(turn ? -range.low : range.high) + offset;
    const VariableId fresh = arena_.new_variable(low, high);
    Affine value = Arena::sum(arena_.variable(fresh), Arena::number(-offset));
    if (turn) value = Arena::scaled(value, -1);
    const Substitution map = {{variable, value}};
    body = arena_.substitute_polynomial(body, map);
    for (ConditionId& condition : conditions) condition = arena_.substitute_condition(condition, map);
    return fresh;
  }

  Arena& arena_;
  ArithmeticOp op_;
  std::vector<VariableId> variables_;
  std::vector<ConditionId> conditions_;
  PolynomialId body_;
  bool is_empty_ = false;
  bool needs_reopening_ = false;
};

PolynomialId Arena::reduce(ArithmeticOp op, std::vector<VariableId> variables,
                           const std::vector<ConditionId>& conditions, PolynomialId body) {
  spend(8);
  return Reducer(*this, op, std::move(variables), conditions, body).result();
}

}  // namespace steptp::forms
