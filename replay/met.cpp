#include "replay/met.h"

#include <algorithm>
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
}

void Met::note_order(const Expr& expr, const Numbers& numbers, const Real& a, const Real& b) {
  const bool is_tie = a.kind == b.kind && (!a.is_finite() || a.residue == b.residue);
  // What is infinite at every input needs no other side.
  const bool is_both = is_tie || !a.is_finite() || !b.is_finite();
  if (is_both) note(expr, 0, true);
  note_gap(expr, 0, !is_both && a.value > b.value, numbers, a, b);
}

void Met::add(const Met& evaluation, const Met& other) {
  std::set<std::uint64_t> gaps;
  for (const auto& [key, ways] : other.ways_) gaps.insert(ways.gaps.begin(), ways.gaps.end());
  for (const auto& [key, ways] : evaluation.ways_) {
    Ways& own = ways_[key];
    own.gone |= ways.gone;
    own.evaluations += 1;
    own.varies = own.varies || ways.gaps.size() != 1 || (own.constant && *own.constant != *ways.gaps.begin());
    if (!own.varies) own.constant = *ways.gaps.begin();
    if (ways.gaps.empty()) continue;
    const bool is_met =
        std::any_of(ways.gaps.begin(), ways.gaps.end(), [&](std::uint64_t gap) { return gaps.contains(gap); });
    own.is_met_by_other = own.is_met_by_other || is_met;
    own.is_own = own.is_own || !is_met;
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

std::vector<Met::Way> Met::never_gone(const Layout& layout, bool makes_infinities) const {
  constexpr std::uint64_t kFewEvaluations = 6;
  Spans spans(layout);
  // How a comparison comes out at every input, where that is known.
  const auto fixed = [&](const Expr& expr, std::size_t part) -> std::optional<bool> {
    const auto found = ways_.find({&expr, part});
    if (found != ways_.end() && found->second.gone != (kFirst | kSecond)) {
      const Ways& ways = found->second;
      if (!ways.varies && ways.constant && ways.evaluations >= kFewEvaluations) return ways.gone == kFirst;
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
    const Expr& expr = *place.first;
    if (ways.gone == (kFirst | kSecond) || ways.is_shared() || !reads_data(expr)) continue;
    if (std::holds_alternative<Logic>(expr.node) && parts_are_shared(expr)) continue;
    if (is_closed(expr, place.second)) continue;
    out.push_back({&expr, place.second, ways.gone == kSecond});
  }
  return out;
}

std::string Met::text_of(const Way& way) {
  const char* what = !is_condition(*way.expr) && !std::holds_alternative<Read>(way.expr->node)
                         ? " never fell on the other side"
                     : way.is_first ? " never held"
                                    : " never failed";
  return concat(print(*way.expr), what);
}

Hash Met::ways_gone() const {
  Hash out = 1;
  std::uint64_t number = 0;
  for (const auto& [place, ways] : ways_) out = combine(out, combine(++number, ways.gone));
  return out;
}

std::vector<Met::Place> Met::places() const {
  std::vector<Place> out;
  for (const auto& [place, ways] : ways_) out.push_back(place);
  return out;
}

}  // namespace steptp::replayer
