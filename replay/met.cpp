#include "replay/met.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "replay/spans.h"
#include "steptp/base/text.h"
#include "steptp/text/printer.h"

namespace steptp::replayer {

namespace {

bool reads_data(const Expr& expr) {
  bool found = false;
  for_each_ref(expr, [&](const RefPtr&) { found = true; });
  return found;
}

bool compares_with_infinity(const Expr& expr) {
  const auto* compare = std::get_if<Compare>(&expr.node);
  if (!compare) return false;
  return std::any_of(compare->operands.begin(), compare->operands.end(), [](const ExprPtr& operand) {
    const auto* call = std::get_if<Call>(&operand->node);
    const bool is_negative = call && call->function == Function::negate;
    return std::holds_alternative<Infinity>((is_negative ? call->argument : operand)->node);
  });
}

}  // namespace

void Met::note(const Expr& expr, std::size_t part, bool is_first) {
  ways_[{&expr, part}].gone |= is_first ? kFirst : kSecond;
}

void Met::note_gap(const Expr& expr, std::size_t part, bool is_first, const Numbers& numbers, const Real& a,
                   const Real& b) {
  Ways& ways = ways_[{&expr, part}];
  ways.gone |= is_first ? kFirst : kSecond;
  if (!a.is_finite() || !b.is_finite() || ways.gaps.size() >= kMostGaps) return;
  const std::uint64_t gap = numbers.field().add(a.residue, numbers.field().negate(b.residue));
  // Either side may stand first.
  ways.gaps.insert(std::min(gap, numbers.field().negate(gap)));
  if (!ways.residue) ways.residue = gap;
  ways.residues.insert(gap);
}

void Met::note_question(const Place& place, bool is_first, std::optional<std::uint64_t> mark,
                        std::optional<std::uint64_t> residue) {
  Ways& ways = ways_[place];
  ways.gone |= is_first ? kFirst : kSecond;
  if (mark && ways.gaps.size() < kMostMarks) ways.gaps.insert(*mark);
  if (!ways.residue) ways.residue = residue;
  if (residue && ways.residues.size() < kMostMarks) ways.residues.insert(*residue);
}

void Met::note_digits(const Place& place, std::uint64_t mark, const Real& value) {
  constexpr long double kMostError = 0x1p-36L;
  if (!(value.error <= std::fabs(value.value) * kMostError) || value.value == 0) return;
  Ways& ways = ways_[place];
  if (ways.digits.size() < kMostMarks) ways.digits.emplace(mark, value.value);
}

/// The same question about a number that agrees in thirty-odd bits.
bool Met::asks_near(Question question, long double value) const {
  constexpr long double kMostGap = 0x1p-35L;
  return std::any_of(ways_.begin(), ways_.end(), [&](const auto& one) {
    return one.first.question == question &&
           std::any_of(one.second.digits.begin(), one.second.digits.end(), [&](const auto& digits) {
             return std::fabs(digits.second - value) <= std::fabs(value) * kMostGap;
           });
  });
}

std::set<std::uint64_t> Met::residues_at(const Place& place) const {
  const auto found = ways_.find(place);
  return found == ways_.end() ? std::set<std::uint64_t>() : found->second.residues;
}

std::optional<std::uint64_t> Met::residue_at(const Place& place) const {
  const auto found = ways_.find(place);
  return found == ways_.end() ? std::nullopt : found->second.residue;
}

std::uint64_t Met::mark_of(Question question, const Real& value, const Field& field) {
  const bool is_of_sign = question == Question::domain || question == Question::factor_sign ||
                          question == Question::exponent_sign || question == Question::special;
  const std::uint64_t residue = is_of_sign ? value.residue : std::min(value.residue, field.negate(value.residue));
  // A bool asks what a comparison with zero asks.
  return question == Question::truth ? residue : combine(static_cast<std::uint64_t>(question) + 1, residue);
}

std::set<std::uint64_t> Met::marks_at(const Place& place) const {
  const auto found = ways_.find(place);
  return found == ways_.end() ? std::set<std::uint64_t>() : found->second.gaps;
}

void Met::note_order(const Expr& expr, const Numbers& numbers, const Real& a, const Real& b) {
  const bool is_tie = a.kind == b.kind && (!a.is_finite() || a.residue == b.residue);
  // What is infinite at every input needs no other side.
  const bool is_both = is_tie || !a.is_finite() || !b.is_finite();
  if (is_both) note(expr, 0, true);
  note_gap(expr, 0, !is_both && a.value > b.value, numbers, a, b);
}

/// A quotient by a product has no value where one by a factor has none.
void Met::add_products_of_divisors(std::set<std::uint64_t>& gaps) const {
  constexpr std::size_t kMostDivisors = 8;
  std::vector<std::uint64_t> residues;
  for (const auto& [place, ways] : ways_) {
    const bool is_kept = place.question == Question::divisor && ways.residue && residues.size() < kMostDivisors;
    if (is_kept) residues.push_back(*ways.residue);
  }
  const Field field(kPrime);
  for (const std::uint64_t one : residues) {
    for (const std::uint64_t two : residues) {
      Real product;
      product.residue = field.multiply(one, two);
      gaps.insert(mark_of(Question::divisor, product, field));
    }
  }
}

void Met::add(const Met& evaluation, const Met& other, const Look& look) {
  std::set<std::uint64_t> gaps;
  other.add_products_of_divisors(gaps);
  for (const auto& [key, ways] : other.ways_) gaps.insert(ways.gaps.begin(), ways.gaps.end());
  for (const auto& [key, ways] : evaluation.ways_) {
    const auto [at, is_new] = ways_.try_emplace(key);
    Ways& own = at->second;
    if (is_new || !look.is_shifted) own.gone |= ways.gone;
    own.is_selected = own.is_selected || ways.is_selected;
    if (key.question == Question::digits && look.is_exact) own.gone |= kFirst | kSecond;
    own.evaluations += 1;
    own.varies = own.varies || ways.gaps.size() != 1 || (own.constant && *own.constant != *ways.gaps.begin());
    if (!own.varies) own.constant = *ways.gaps.begin();
    if (ways.gaps.empty()) continue;
    own.was_finite = true;
    const auto is_among = [&](std::uint64_t gap) {
      if (gaps.contains(gap)) return true;
      const auto digits = ways.digits.find(gap);
      return digits != ways.digits.end() && other.asks_near(key.question, digits->second);
    };
    const bool is_met = key.question == Question::way ? std::any_of(ways.gaps.begin(), ways.gaps.end(), is_among)
                                                      : std::all_of(ways.gaps.begin(), ways.gaps.end(), is_among);
    Ways::Sharing& sharing = own.sharing[look.is_ambiguous ? 1 : 0];
    sharing.is_met_by_other = sharing.is_met_by_other || is_met;
    sharing.is_own = sharing.is_own || !is_met;
  }
}

bool Met::is_shared(const Expr& expr, std::size_t part) const {
  const auto found = ways_.find({&expr, part});
  return found != ways_.end() && found->second.is_shared();
}

bool Met::parts_are_shared(const Expr& expr) const {
  if (!reads_data(expr)) return true;
  if (const auto* logic = std::get_if<Logic>(&expr.node)) {
    return std::all_of(logic->operands.begin(), logic->operands.end(),
                       [&](const ExprPtr& operand) { return parts_are_shared(*operand); });
  }
  const auto* compare = std::get_if<Compare>(&expr.node);
  if (!compare) return false;
  for (std::size_t part = 0; part < compare->operators.size(); ++part) {
    if (!is_shared(expr, part)) return false;
  }
  return true;
}

/// Both programs ask it, and go on by themselves from there.
static bool may_differ_behind(Question question) {
  switch (question) {
    case Question::way:
    case Question::truth: return true;
    default: return false;
  }
}

/// Of a question other than a way: whether the side that was never gone is none, or that of both programs.
bool Met::is_answered(const Place& place, const Ways& ways, const Layout& layout, Spans& spans, bool is_before) const {
  // Where `before` has no value nothing is asked of `after`.
  if (is_before && place.question == Question::divisor) return true;
  const bool is_of_data = place.part == Place::kSubscripts || place.question == Question::writer || ways.is_selected;
  if (!is_of_data && !reads_data(*place.expr)) return true;
  if (ways.is_shared() && !may_differ_behind(place.question)) return true;
  if (place.question == Question::writer) return ways.gone == (kFirst | kSecond);
  if (is_one_number(ways, place, layout)) return true;
  if (place.question == Question::digits) return (ways.gone & kSecond) != 0;
  const bool is_of_cases = place.question == Question::rounding || place.question == Question::special;
  if (!is_of_cases && (ways.gone & (kFirst | kSecond)) == (kFirst | kSecond)) return true;
  return spans.is_answered(place, ways.gone == kSecond);
}

/// One side of it is a single number, so that it holds at hardly any input.
static bool is_of_single_points(const Place& place) {
  if (place.question == Question::way) {
    const auto* compare = std::get_if<Compare>(&place.expr->node);
    if (!compare) return false;
    const CompareOp op = compare->operators[place.part];
    return op == CompareOp::equal || op == CompareOp::not_equal;
  }
  switch (place.question) {
    case Question::truth:
    case Question::divisor:
    case Question::pole:
    case Question::factor:
    case Question::base:
    case Question::exponent: return true;
    default: return false;
  }
}

std::vector<Met::Way> Met::met_at_single_points(const Layout& layout, bool is_before) const {
  Spans spans(layout);
  std::vector<Way> out;
  for (const auto& [place, ways] : ways_) {
    const bool is_open = (ways.gone & kClosed) == 0 && (ways.gone & (kFirst | kSecond)) == (kFirst | kSecond) &&
                         ways.varies && ways.was_finite && is_of_single_points(place);
    if (!is_open || (is_before && place.question == Question::divisor)) continue;
    if (ways.is_shared() && !may_differ_behind(place.question)) continue;
    if (place.part != Place::kNowhere && !reads_data(*place.expr)) continue;
    const auto* compare = std::get_if<Compare>(&place.expr->node);
    const bool is_way = place.question == Question::way;
    const bool is_answered =
        is_way ? compares_with_infinity(*place.expr) || spans.is_zero_at_infinity(*compare, place.part)
               : spans.is_answered(place, true);
    if (is_answered) continue;
    out.push_back({place, !is_way || compare->operators[place.part] == CompareOp::equal, ways.is_shared()});
  }
  return out;
}

std::vector<Met::Way> Met::never_gone(const Layout& layout, bool makes_infinities, bool is_before) const {
  Spans spans(layout);
  // How a comparison comes out at every input, where that is known.
  const auto fixed = [&](const Expr& expr, std::size_t part) -> std::optional<bool> {
    const auto found = ways_.find({&expr, part});
    if (found != ways_.end() && found->second.gone != (kFirst | kSecond)) {
      const Ways& ways = found->second;
      if (is_one_number(ways, {&expr, part}, layout)) return ways.gone == kFirst;
      if (!makes_infinities && compares_with_infinity(expr)) return ways.gone == kFirst;
    }
    const auto* compare = std::get_if<Compare>(&expr.node);
    return compare ? spans.decided(*compare, part) : std::nullopt;
  };
  // Of a condition made of others.
  const std::function<std::optional<bool>(const Expr&)> fixed_whole = [&](const Expr& expr) -> std::optional<bool> {
    const auto* compare = std::get_if<Compare>(&expr.node);
    const auto* logic = std::get_if<Logic>(&expr.node);
    if (!compare && !logic) return spans.decided(expr);
    const bool is_conjunction = compare || logic->op == LogicOp::conjunction;
    const std::size_t count = compare ? compare->operators.size() : logic->operands.size();
    bool all_known = true;
    for (std::size_t i = 0; i < count; ++i) {
      const auto one = compare ? fixed(expr, i) : fixed_whole(*logic->operands[i]);
      if (one && *one != is_conjunction) return *one;
      all_known = all_known && one;
    }
    return all_known ? std::optional(is_conjunction) : std::nullopt;
  };
  const auto is_closed = [&](const Expr& expr, std::size_t part) {
    if (std::holds_alternative<Compare>(expr.node)) return fixed(expr, part).has_value();
    if (is_condition(expr) || std::holds_alternative<Read>(expr.node)) return fixed_whole(expr).has_value();
    return fixed(expr, part) || spans.is_one_sided(expr);
  };
  std::vector<Way> out;
  for (const auto& [place, ways] : ways_) {
    if ((ways.gone & kClosed) != 0) continue;
    if (place.question != Question::way) {
      if (!is_answered(place, ways, layout, spans, is_before))
        out.push_back({place, ways.gone == kSecond, ways.is_shared()});
      continue;
    }
    const Expr& expr = *place.expr;
    if (ways.gone == (kFirst | kSecond) || (!reads_data(expr) && !ways.is_selected)) continue;
    if (std::holds_alternative<Logic>(expr.node) && !ways.is_selected && parts_are_shared(expr)) continue;
    if (ways.is_shared() && (compares_the_same(place) || !depends_on_inputs(place, layout))) continue;
    if (is_closed(expr, place.part)) continue;
    out.push_back({place, ways.gone == kSecond, ways.is_shared()});
  }
  return out;
}

std::string Met::text_of(const Way& way) {
  const Expr& expr = *way.place.expr;
  const std::string what = way.place.part == 0 ? print(expr) : concat("a part of ", print(expr));
  switch (way.place.question) {
    case Question::way: {
      const bool has_sides = !is_condition(expr) && !std::holds_alternative<Read>(expr.node);
      return concat(print(expr), has_sides      ? " never fell on the other side"
                                 : way.is_first ? " never held"
                                                : " never failed");
    }
    case Question::tie:
      return concat("the two sides of ", print(expr), way.is_first ? " were never equal" : " were always equal");
    case Question::divisor: return concat(what, ", which is divided by, is nowhere shown to be other than zero");
    case Question::truth:
    case Question::pole:
    case Question::factor:
    case Question::base:
    case Question::exponent: return concat(what, way.is_first ? " was never zero" : " was always zero");
    case Question::domain:
    case Question::factor_sign:
    case Question::exponent_sign:
      return concat(what, way.is_first ? " was never below zero" : " was always below zero");
    case Question::range:
      return concat(
          what, way.is_first ? " was never beyond the ends of its type" : " was always beyond the ends of its type");
    case Question::special:
      return concat(what, " decides more than two cases, and the other program does not ask the same");
    case Question::writer:
      return concat("of the elements that data selects, ", way.is_first ? "none" : "each",
                    " was written by the statement that computes ", what);
    case Question::digits: return concat(what, " was never far enough from a limit to be told from it");
    case Question::rounding: return concat(what, " is rounded, and the other program does not round the same");
  }
  return what;
}

Hash Met::ways_gone() const {
  Hash out = 1;
  std::uint64_t number = 0;
  for (const auto& [place, ways] : ways_) out = combine(out, combine(++number, ways.gone));
  return out;
}

std::vector<Place> Met::places() const {
  std::vector<Place> out;
  for (const auto& [place, ways] : ways_) out.push_back(place);
  return out;
}

}  // namespace steptp::replayer
