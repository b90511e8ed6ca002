// Recurrences that are folds (docs/decisions/0026): X(k)=max(X(k-1),T(k)), and N(k)=N(k-1)*f(k-1)/f(k)+B(k), which is
// the sum of B(i)*f(i) up to k, divided by f(k); and the index at which such a maximum was met. The first round and one
// later round are written down, the later one with the round before it as a generator; then the laws of Closing are
// tried.
#include "steptp/prove/flow.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "steptp/prove/give_up.h"

namespace steptp::forms {

namespace {

using Step = RecurrenceStep;
using Rounds = RecurrenceRounds;

class Closing {
 public:
  Closing(Arena& arena, const Step& step, const Rounds& rounds) : arena_(arena), step_(step), rounds_(rounds) {}

  /// Where the round before is a number.
  [[nodiscard]] std::optional<PolynomialId> of_numbers() {
    const auto value = sum();
    return value ? value : masked_sum();
  }
  /// Where the round before is anything.
  [[nodiscard]] std::optional<PolynomialId> of_anything() {
    if (const auto value = extremum()) return value;
    const auto value = plain_sum();
    return value ? value : plain_product();
  }
  /// As a greatest or least value.
  [[nodiscard]] std::optional<PolynomialId> extremum();
  /// As a sum, where the round before is a number: then so is the next, since all that is added is one.
  [[nodiscard]] std::optional<PolynomialId> sum();
  /// As a sum of anything, infinite or NaN, of which nothing is scaled.
  [[nodiscard]] std::optional<PolynomialId> plain_sum();
  /// As a product of anything, to which nothing is added.
  [[nodiscard]] std::optional<PolynomialId> plain_product();
  /// As a sum that is 0 while the maximum so far is -inf.
  [[nodiscard]] std::optional<PolynomialId> masked_sum();
  /// As the index at which the greatest or least value so far was met first or last.
  [[nodiscard]] std::optional<PolynomialId> index_of_extremum();

 private:
  /// What the value before is multiplied by, and what is added.
  struct Linear {
    PolynomialId ratio = 0;
    PolynomialId term = 0;
  };
  /// Numbers that do not speak of the value before.
  [[nodiscard]] std::optional<Linear> as_linear(PolynomialId value);
  /// A maximum is -inf: what choices inside the value are made by.
  struct Mask {
    ConditionId where = 0;
    PolynomialId maximum = 0;
  };
  [[nodiscard]] std::vector<Mask> masks(PolynomialId value);
  /// A formula of the round before, at the round `k`.
  [[nodiscard]] PolynomialId at(PolynomialId formula, const Affine& k) {
    return arena_.substitute.polynomial(formula, {{step_.earlier, Affine::sum(k, Affine::number(-1))}});
  }
  [[nodiscard]] Affine here() { return arena_.affines.variable(rounds_.here); }

  /// Of terms(k) over all rounds up to the one that is asked for; the first is left out where it is something else.
  template <typename Terms>
  [[nodiscard]] PolynomialId fold(ArithmeticOp op, bool with_first, const Terms& terms) {
    const VariableId round = arena_.known.new_variable(with_first ? rounds_.low : rounds_.low + 1, rounds_.high);
    const Affine k = arena_.affines.variable(round);
    return arena_.reductions.reduce(op, {round}, {arena_.conditions.nonnegative(Affine::difference(here(), k))},
                                    terms(k));
  }

  /// f with ratio(k) = f(k-1)/f(k), a number other than zero at every round.
  [[nodiscard]] std::optional<PolynomialId> telescope(PolynomialId ratio) {
    if (ratio == arena_.polynomials.constant(1)) return ratio;
    for (const bool by_positive_terms : {false, true}) {
      const PolynomialId scale = divisor(ratio, by_positive_terms);
      const PolynomialId before = at(scale, arena_.affines.variable(step_.earlier));
      if (arena_.polynomials.multiply(ratio, scale) != before) continue;
      if (is_nonzero_number(scale) && is_nonzero_number(before)) return scale;
    }
    return std::nullopt;
  }

  /// What the ratio divides by: its inverses, and of its exponential those summands that have one sign.
  [[nodiscard]] PolynomialId divisor(PolynomialId ratio, bool by_positive_terms) {
    std::map<GeneratorId, std::int32_t> powers;  // the highest in any term
    for (const auto& [monomial, coefficient] : arena_.polynomial(ratio).terms) {
      for (const auto& [id, exponent] : arena_.monomial(monomial).factors) {
        if (arena_.generator(id).kind == Generator::Kind::inverse || is_exponential(id) || exponent < 0) {
          std::int32_t& power = powers.try_emplace(id, exponent).first->second;
          if (std::abs(exponent) > std::abs(power)) power = exponent;
        }
      }
    }
    PolynomialId below = arena_.polynomials.constant(1);
    for (const auto& [id, power] : powers) {
      const Generator& node = arena_.generator(id);
      if (is_exponential(id)) {
        below =
            arena_.polynomials.multiply(below, divisor_of_exponential(node.polynomials[0], power, by_positive_terms));
      } else {
        const PolynomialId base =
            node.kind == Generator::Kind::inverse ? node.polynomials[0] : arena_.polynomials.generator(node);
        below = arena_.polynomials.multiply(below, arena_.polynomials.integer_power(base, std::abs(power)));
      }
    }
    return below;
  }

  [[nodiscard]] PolynomialId divisor_of_exponential(PolynomialId argument, std::int32_t power, bool by_positive_terms) {
    PolynomialId sum = arena_.polynomials.constant(0);
    for (const auto& [monomial, coefficient] : arena_.polynomial(argument).terms) {
      if ((coefficient * power > 0) != by_positive_terms) continue;
      sum = arena_.polynomials.add(sum,
                                   arena_.polynomials.scale(product(arena_.monomial(monomial)), -coefficient * power));
    }
    return arena_.functions.call(Function::exp, sum);
  }

  [[nodiscard]] bool is_exponential(GeneratorId id) const {
    const Generator& node = arena_.generator(id);
    return node.kind == Generator::Kind::call && static_cast<Function>(node.tag) == Function::exp;
  }

  [[nodiscard]] PolynomialId product(const Monomial& factors) {
    PolynomialId result = arena_.polynomials.constant(1);
    for (const auto& [id, exponent] : factors.factors) {
      result = arena_.polynomials.multiply(
          result, arena_.polynomials.integer_power(arena_.polynomials.generator(arena_.generator(id)), exponent));
    }
    return result;
  }
  [[nodiscard]] bool has_self(PolynomialId id) const { return arena_.traits(id).has_self; }
  [[nodiscard]] bool is_nonzero_number(PolynomialId id) {
    return !arena_.traits(id).is_wild() && arena_.signs.sign(id).nonzero;
  }

  Arena& arena_;
  Step step_;
  Rounds rounds_;
};

/// X(k) = max(X(k-1),T(k)) is max{i<=k}(T(i)), if no NaN is first.
std::optional<PolynomialId> Closing::extremum() {
  const auto whole = arena_.as_generator(step_.value);
  if (!whole || arena_.generator(*whole).kind != Generator::Kind::extremum) return std::nullopt;
  const Generator& node = arena_.generator(*whole);
  std::vector<PolynomialId> others = node.polynomials;
  if (std::erase(others, step_.previous) != 1) return std::nullopt;
  const bool is_max = node.tag == 1;
  const PolynomialId term = arena_.choices.extremum(is_max, others);
  if (has_self(term)) return std::nullopt;
  const ArithmeticOp op = is_max ? ArithmeticOp::max : ArithmeticOp::min;
  const PolynomialId first = at(term, Affine::number(rounds_.low));
  const auto folded = [&](bool with_first) {
    return fold(op, with_first, [&](const Affine& k) { return at(term, k); });
  };
  // It begins at the identity, as a fold does, and a number beats NaN.
  const PolynomialId nothing = arena_.reductions.identity(op);
  if (arena_.choices.extremum(is_max, {nothing, first}) == rounds_.first)
    return arena_.choices.extremum(is_max, {nothing, folded(true)});
  // Otherwise the maximum is NaN where all values are, and a fold is -inf there.
  if (arena_.traits(term).may_be_nan || arena_.traits(rounds_.first).may_be_nan) return std::nullopt;
  return first == rounds_.first ? folded(true) : arena_.choices.extremum(is_max, {rounds_.first, folded(false)});
}

std::optional<Closing::Linear> Closing::as_linear(PolynomialId value) {
  const std::pair<GeneratorId, std::int32_t> self{*arena_.as_generator(step_.previous), 1};
  Linear result{arena_.polynomials.constant(0), arena_.polynomials.constant(0)};
  for (const auto& [monomial, coefficient] : Polynomial(arena_.polynomial(value)).terms) {
    Monomial factors = arena_.monomial(monomial);
    PolynomialId& part = std::erase(factors.factors, self) == 0 ? result.term : result.ratio;
    part = arena_.polynomials.add(part, arena_.polynomials.scale(product(factors), coefficient));
  }
  for (const PolynomialId part : {result.ratio, result.term}) {
    if (has_self(part) || arena_.traits(part).is_wild()) return std::nullopt;
  }
  return result;
}

/// N(k) = N(k-1)*f(k-1)/f(k)+B(k) is sum{i<=k}(B(i)*f(i))/f(k), where f is a number other than zero.
std::optional<PolynomialId> Closing::sum() {
  if (!arena_.with_algebra()) return std::nullopt;
  const auto linear = as_linear(step_.value);
  if (!linear || has_self(rounds_.first) || arena_.traits(rounds_.first).is_wild()) return std::nullopt;
  const PolynomialId term = linear->term;
  const auto scale = telescope(linear->ratio);
  if (!scale) return std::nullopt;
  const PolynomialId end = arena_.polynomials.inverse(at(*scale, here()));
  const auto scaled = [&](PolynomialId value, const Affine& k) {
    return arena_.polynomials.multiply(value, arena_.polynomials.multiply(at(*scale, k), end));
  };
  const Affine low = Affine::number(rounds_.low);
  const bool is_whole = at(term, low) == rounds_.first;
  const PolynomialId total = fold(ArithmeticOp::add, is_whole, [&](const Affine& k) { return scaled(at(term, k), k); });
  return is_whole ? total : arena_.polynomials.add(total, scaled(rounds_.first, low));
}

/// N(k) = N(k-1)+B(k) is sum{i<=k}(B(i)), whatever B is.
std::optional<PolynomialId> Closing::plain_sum() {
  const Monomial self{{{*arena_.as_generator(step_.previous), 1}}};
  Polynomial others = arena_.polynomial(step_.value);
  const auto is_self = [&](const auto& term) { return term.second == 1 && arena_.monomial(term.first) == self; };
  if (std::erase_if(others.terms, is_self) != 1) return std::nullopt;
  PolynomialId term = arena_.polynomials.constant(0);
  for (const auto& [monomial, coefficient] : others.terms) {
    term = arena_.polynomials.add(term, arena_.polynomials.scale(product(arena_.monomial(monomial)), coefficient));
  }
  const bool is_whole = !has_self(term) && at(term, Affine::number(rounds_.low)) == rounds_.first;
  if (!is_whole) return std::nullopt;
  return fold(ArithmeticOp::add, true, [&](const Affine& k) { return at(term, k); });
}

/// N(k) = N(k-1)*B(k) is product{i<=k}(B(i)), whatever B is.
std::optional<PolynomialId> Closing::plain_product() {
  const Polynomial value = arena_.polynomial(step_.value);
  if (value.terms.size() != 1) return std::nullopt;
  Monomial others = arena_.monomial(value.terms[0].first);
  const std::pair<GeneratorId, std::int32_t> self{*arena_.as_generator(step_.previous), 1};
  if (std::erase(others.factors, self) != 1) return std::nullopt;
  PolynomialId term = arena_.polynomials.scale(product(others), value.terms[0].second);
  // A sum beside a factor that may be infinite stays whole; by itself it need not.
  const auto whole = arena_.as_generator(term);
  if (whole && arena_.generator(*whole).kind == Generator::Kind::lump) term = arena_.generator(*whole).polynomials[0];
  if (has_self(term) || at(term, Affine::number(rounds_.low)) != rounds_.first) return std::nullopt;
  return fold(ArithmeticOp::multiply, true, [&](const Affine& k) { return at(term, k); });
}

/// N(k) = if(X(k)==-inf;0;sum{i<=k}(B(i)*exp(X(i)-X(k)))). With X a maximum that is -inf only where it was before and
/// where x is: N(k) is 0 where X(k) is -inf, and elsewhere N(k-1)*exp(X(k-1)-X(k))+B(k), and B(k) is 0 where x(k) is
/// -inf. Then N(k) is 0 where X(k) is -inf, and elsewhere the sum of B(i)*exp(X(i)-X(k)) up to k, in which rounds with
/// an X(i) of -inf add nothing, whatever is put for it.
std::optional<PolynomialId> Closing::masked_sum() {
  if (!arena_.with_algebra()) return std::nullopt;
  const PolynomialId nothing = arena_.polynomials.constant(0);
  for (const auto& [masked, greatest] : masks(step_.value)) {
    const GeneratorId maximum = *arena_.as_generator(greatest);
    const auto linear = as_linear(arena_.masks.where(arena_.conditions.negation(masked), step_.value));
    if (!linear || arena_.masks.where(masked, step_.value) != nothing) continue;
    const Affine now = Affine::sum(arena_.affines.variable(step_.earlier), Affine::number(1));
    // By a name of its own: clang 14 does not capture structured bindings, and clang 19 warns of an equal name.
    const auto number_at = [this, top = greatest](const Affine& k) { return arena_.masks.number_part(at(top, k)); };
    const PolynomialId before = at(greatest, arena_.affines.variable(step_.earlier));
    const PolynomialId fall = arena_.polynomials.add(before, arena_.polynomials.negate(number_at(now)));
    if (linear->ratio != arena_.functions.call(Function::exp, fall)) continue;
    if (!arena_.maxima.is_below(before, maximum) || !arena_.maxima.vanishes_with(linear->term, maximum)) continue;
    const Affine low = Affine::number(rounds_.low);
    const ConditionId masked_first = arena_.masks.is_minus_infinity(at(greatest, low));
    const ConditionId shown_first = arena_.conditions.negation(masked_first);
    if (arena_.masks.where(masked_first, rounds_.first) != nothing) continue;
    if (arena_.masks.where(shown_first, at(linear->term, low)) != arena_.masks.where(shown_first, rounds_.first))
      continue;
    const PolynomialId total = fold(ArithmeticOp::add, true, [&](const Affine& k) {
      const PolynomialId rise = arena_.polynomials.add(number_at(k), arena_.polynomials.negate(number_at(here())));
      return arena_.polynomials.multiply(at(linear->term, k), arena_.functions.call(Function::exp, rise));
    });
    return arena_.choices.select(arena_.masks.is_minus_infinity(at(greatest, here())), nothing, total);
  }
  return std::nullopt;
}

/// I(k) = min{i<=k, x(i)==X(k)}(t(i)). I(k) is t(k) where x(k)>X(k-1), and I(k-1) elsewhere, with X(k) the maximum of x
/// up to k: the least t(i) with x(i) equal to X(k). With >= it is the greatest. Where x may be NaN the law does not
/// hold: a running comparison passes a NaN over, and a NaN equals no maximum.
std::optional<PolynomialId> Closing::index_of_extremum() {
  const auto whole = arena_.as_generator(step_.value);
  if (!arena_.with_algebra() || !whole || arena_.generator(*whole).kind != Generator::Kind::select) return std::nullopt;
  const Generator node = arena_.generator(*whole);
  if (node.polynomials[1] != step_.previous) return std::nullopt;
  const PolynomialId index = node.polynomials[0];
  const Affine earlier = arena_.affines.variable(step_.earlier);
  const Affine now = Affine::sum(earlier, Affine::number(1));
  const auto rise =
      arena_.as_constant(arena_.polynomials.add(at(index, now), arena_.polynomials.negate(at(index, earlier))));
  if (!rise || *rise <= 0 || at(index, Affine::number(rounds_.low)) != rounds_.first) return std::nullopt;
  const Condition comparison = arena_.condition(node.conditions[0]);
  const bool is_first = comparison.kind == Condition::Kind::less;
  if (!is_first && comparison.kind != Condition::Kind::less_equal) return std::nullopt;
  for (const bool is_max : {true, false}) {
    const PolynomialId value = is_max ? comparison.right : comparison.left;
    const PolynomialId extremum = is_max ? comparison.left : comparison.right;
    if (has_self(value) || arena_.traits(value).may_be_nan) continue;
    const ArithmeticOp op = is_max ? ArithmeticOp::max : ArithmeticOp::min;
    const auto extremum_up_to = [&](const Affine& end) {
      const VariableId round = arena_.known.new_variable(rounds_.low, rounds_.high);
      const Affine k = arena_.affines.variable(round);
      return arena_.reductions.reduce(op, {round}, {arena_.conditions.nonnegative(Affine::difference(end, k))},
                                      at(value, k));
    };
    if (extremum_up_to(earlier) != extremum) continue;
    const Affine end = is_first ? Affine::number(rounds_.high) : Affine::number(rounds_.low);
    const PolynomialId none = arena_.polynomials.add(at(index, end), arena_.polynomials.constant(is_first ? 1 : -1));
    const PolynomialId found = extremum_up_to(here());
    return fold(is_first ? ArithmeticOp::min : ArithmeticOp::max, true, [&](const Affine& k) {
      return arena_.choices.select(arena_.conditions.compare(CompareOp::equal, at(value, k), found), at(index, k),
                                   none);
    });
  }
  return std::nullopt;
}

std::vector<Closing::Mask> Closing::masks(PolynomialId value) {
  std::vector<Mask> found;
  for (const auto& [monomial, coefficient] : Polynomial(arena_.polynomial(value)).terms) {
    for (const auto& [id, exponent] : Monomial(arena_.monomial(monomial)).factors) {
      const Generator node = arena_.generator(id);
      if (node.kind == Generator::Kind::reduction) {
        const std::vector<Mask> inside = masks(node.polynomials[0]);
        found.insert(found.end(), inside.begin(), inside.end());
      }
      if (node.kind != Generator::Kind::select) continue;
      for (const ConditionId masked : {node.conditions[0], arena_.conditions.negation(node.conditions[0])}) {
        const Condition comparison = arena_.condition(masked);
        if (comparison.kind != Condition::Kind::equal) continue;
        for (const PolynomialId side : {comparison.left, comparison.right}) {
          const auto maximum = arena_.as_generator(side);
          const bool is_mask =
              maximum && arena_.maxima.is_maximum(*maximum) && arena_.masks.is_minus_infinity(side) == masked;
          if (is_mask) found.push_back({masked, side});
        }
      }
    }
  }
  return found;
}

}  // namespace

std::optional<std::size_t> Recurrences::direction(const std::vector<VariableId>& names) const {
  std::optional<std::size_t> found;
  for (const std::vector<Affine>& element : reads_of_itself_) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Affine gap = Affine::difference(arena_.affines.variable(names[i]), element[i]);
      const Interval distance = arena_.known.range(gap);
      if (distance.is_point() && distance.low == 0) continue;
      if (gap != Affine::number(1) || (found && *found != i)) return std::nullopt;
      found = i;
    }
  }
  return found;
}

/// Where some round up to the one that is asked for has no value.
PolynomialId Recurrences::hazard_of_rounds(const RecurrenceRounds& rounds, const Round& first,
                                           const RecurrenceStep& step, const Round& later) {
  if (later.hazard == kHarmless) return first.hazard;
  if (arena_.traits(later.hazard).has_self) throw GiveUp{"a recurrence that divides by itself"};
  const VariableId round = arena_.known.new_variable(rounds.low + 1, rounds.high);
  const Affine k = arena_.affines.variable(round);
  const PolynomialId here =
      arena_.substitute.polynomial(later.hazard, {{step.earlier, Affine::sum(k, Affine::number(-1))}});
  const ConditionId is_reached =
      arena_.conditions.nonnegative(Affine::difference(arena_.affines.variable(rounds.here), k));
  return hazards_.united(first.hazard, hazards_.anywhere({round}, is_reached, here));
}

void Recurrences::close(std::size_t statement, const std::vector<VariableId>& names) {
  const std::optional<std::size_t> along = direction(names);
  if (!along) return;
  const bool is_real = is_float(table_.statements[statement].equation->left->dtype);
  const Interval range = arena_.known.range(names[*along]);
  if (range.is_point()) return;
  Rounds rounds{static_cast<std::int64_t>(range.low), static_cast<std::int64_t>(range.high), 0, names[*along]};
  std::vector<Affine> element;
  for (const VariableId name : names) {
    // A subscript that is always the same is read as what it is.
    const Interval values = arena_.known.range(name);
    element.push_back(values.is_point() ? Affine::number(static_cast<std::int64_t>(values.low))
                                        : arena_.affines.variable(name));
  }
  try {
    element[*along] = Affine::number(rounds.low);
    const Round first = body_at(statement, element);
    rounds.first = first.value;
    if (!reads_of_itself_.empty()) return;
    // With a name of its own the round before is known to exist.
    Step step;
    step.earlier = arena_.known.new_variable(rounds.low, rounds.high - 1);
    const Affine earlier = arena_.affines.variable(step.earlier);
    for (const bool is_number : {false, true}) {
      if (is_number && !is_real) break;
      self_is_number_ = is_number;
      element[*along] = Affine::sum(earlier, Affine::number(1));
      const Round later = body_at(statement, element);
      step.value = later.value;
      element[*along] = earlier;
      step.previous = arena_.polynomials.generator(self(statement, element));
      if (!is_real) {
        // As a read gives it: kept in its type, in which it is already.
        const DType dtype = table_.statements[statement].equation->left->dtype;
        step.previous = arena_.polynomials.integer(arena_.affines.wrapped(integer_of(step.previous).integer, dtype));
      }
      Closing closing(arena_, step, rounds);
      const std::optional<PolynomialId> value = !is_real    ? closing.index_of_extremum()
                                                : is_number ? closing.of_numbers()
                                                            : closing.of_anything();
      if (!value) continue;
      closed_[statement] = Closed{names, *value, hazard_of_rounds(rounds, first, step, later)};
      break;
    }
  } catch (const GiveUp&) {
    // It stays a recurrence.
    forget_open_recurrence();
  }
  self_is_number_ = false;
}

}  // namespace steptp::forms
