// Who wrote an element last: a search through the loops around each statement that writes the tensor, from the last
// iteration to the first. Ranges of subscripts leave out iterations that cannot reach the element; they only save time.

#include <algorithm>

#include "testing/meaning.h"

namespace steptp::testing {

namespace {

using Kind = Meant::Kind;

constexpr Wide kHuge = static_cast<Wide>(1) << 100;

std::size_t hidden_axes(Scope scope) { return scope == Scope::global ? 0 : scope == Scope::shared ? 3 : kAxes; }

Wide floor_divide(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }
Wide ceil_divide(Wide a, Wide b) { return -floor_divide(-a, b); }
Wide clamp(Wide value) { return std::clamp(value, -kHuge, kHuge); }

Wide product(Wide a, Wide b) {
  Wide out = 0;
  if (__builtin_mul_overflow(a, b, &out)) return (a < 0) == (b < 0) ? kHuge : -kHuge;
  return clamp(out);
}

bool reads_data(const Ref& ref) {
  return std::any_of(ref.subscripts.begin(), ref.subscripts.end(), [](const Index& index) {
    bool found = false;
    for_each_read(index, [&](const RefPtr&) { found = true; });
    return found;
  });
}

}  // namespace

std::optional<Instance> Meaning::last_writer(const Wanted& element, const Stamp& before) {
  std::optional<Instance> best;
  for (const std::size_t number : element.tensor->writers) {
    const MeaningStatement& statement = program_.statements()[number];
    if (element.tensor->scope != Scope::global && statement.kernel != element.kernel) continue;
    Stamp stamp;
    if (find_last(statement, element, before, true, stamp) && (!best || best->stamp < stamp)) {
      best = Instance{number, std::move(stamp)};
    }
  }
  return best;
}

/// Completes a prefix of a stamp to the last execution before `before` that writes the element. `tight`: the prefix is
/// also one of `before`.
bool Meaning::find_last(const MeaningStatement& statement, const Wanted& element, const Stamp& before, bool tight,
                        Stamp& stamp) {
  count_step();
  const std::size_t at = stamp.size();
  if (!guards_hold(statement, stamp) || !may_reach(statement, element, stamp)) return false;
  if (at == statement.entries.size()) return !tight;
  const auto try_number = [&](std::int64_t number) {
    stamp.push_back(number);
    if (find_last(statement, element, before, tight && number == before[at], stamp)) return true;
    stamp.pop_back();
    return false;
  };
  const bool in_launch = element.tensor->scope != Scope::global && at < statement.launch;
  if (!statement.entries[at].loop) {
    const std::int64_t number = statement.entries[at].number;
    if ((tight && number > before[at]) || (in_launch && number != element.launch[at])) return false;
    return try_number(number);
  }
  auto range = loop_range(statement, element, stamp);
  if (!range) return false;
  if (tight) range->high = std::min<Wide>(range->high, before[at]);
  if (in_launch) {
    range->low = std::max<Wide>(range->low, element.launch[at]);
    range->high = std::min<Wide>(range->high, element.launch[at]);
  }
  for (Wide number = range->high; number >= range->low; --number) {
    if (try_number(static_cast<std::int64_t>(number))) return true;
  }
  return false;
}

/// Which values the next loop of the stamp can have, as far as subscripts that are linear in it tell.
std::optional<Meaning::Range> Meaning::loop_range(const MeaningStatement& statement, const Wanted& element,
                                                  const Stamp& stamp) {
  const Loop& loop = *statement.entries[stamp.size()].loop;
  Range out{0, loop.extent - 1};
  for (std::size_t axis = 0; axis < hidden_axes(element.tensor->scope); ++axis) {
    if (statement.axes[axis] != stamp.size()) continue;
    out.low = std::max<Wide>(out.low, element.position[axis]);
    out.high = std::min<Wide>(out.high, element.position[axis]);
  }
  const Ref& left = *statement.equation->left;
  for (std::size_t i = 0; i < left.subscripts.size(); ++i) {
    Wide coefficient = 0;
    Range rest{left.subscripts[i].constant_term(), left.subscripts[i].constant_term()};
    for (const IndexTerm& term : left.subscripts[i].terms()) {
      const auto* variable = std::get_if<LoopVariable>(&term.factors[0]);
      if (term.factors.size() == 1 && variable && variable->name == loop.index) {
        coefficient = term.coefficient;
        continue;
      }
      Range one{term.coefficient, term.coefficient};
      for (const IndexAtom& atom : term.factors) {
        const Range next = range_of(atom, statement, stamp);
        const Wide corners[] = {product(one.low, next.low), product(one.low, next.high), product(one.high, next.low),
                                product(one.high, next.high)};
        one = {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
      }
      rest = {clamp(rest.low + one.low), clamp(rest.high + one.high)};
    }
    if (coefficient == 0 || rest.low <= -kHuge || rest.high >= kHuge) continue;
    // coefficient * index lies in [target - rest.high, target - rest.low].
    Wide low = element.subscripts[i] - rest.high;
    Wide high = element.subscripts[i] - rest.low;
    if (coefficient < 0) {
      std::swap(low, high);
      low = -low;
      high = -high;
      coefficient = -coefficient;
    }
    out.low = std::max(out.low, ceil_divide(low, coefficient));
    out.high = std::min(out.high, floor_divide(high, coefficient));
  }
  if (out.low > out.high) return std::nullopt;
  return out;
}

bool Meaning::may_reach(const MeaningStatement& statement, const Wanted& element, const Stamp& stamp) {
  const bool complete = stamp.size() == statement.entries.size();
  if (complete) {
    for (std::size_t axis = 0; axis < hidden_axes(element.tensor->scope); ++axis) {
      const std::int64_t own = statement.axes[axis] == kNoEntry ? 0 : stamp[statement.axes[axis]];
      if (own != element.position[axis]) return false;
    }
  }
  const Ref& left = *statement.equation->left;
  for (std::size_t i = 0; i < left.subscripts.size(); ++i) {
    if (complete) {
      const Subscript found = subscript(left.subscripts[i], Instance{statement.number, stamp});
      if (found.kind == Kind::unknown) throw CannotTell{};
      if (found.kind != Kind::number || found.value != element.subscripts[i]) return false;
    } else if (!stamp.empty() && statement.entries[stamp.size() - 1].loop) {
      const Range range = range_of(left.subscripts[i], statement, stamp);
      if (element.subscripts[i] < range.low || element.subscripts[i] > range.high) return false;
    }
  }
  return true;
}

/// The guards that this prefix of the stamp has just decided.
bool Meaning::guards_hold(const MeaningStatement& statement, const Stamp& stamp) {
  for (const StatementGuard& guard : statement.guards) {
    if (guard.entries != stamp.size()) continue;
    const auto truth = arithmetic_.is_true(evaluate(*guard.condition, Instance{statement.number, stamp}));
    if (!truth) throw CannotTell{};
    if (!*truth) return false;
  }
  return true;
}

Meaning::Range Meaning::range_of(const Index& index, const MeaningStatement& statement, const Stamp& stamp) {
  Range out{index.constant_term(), index.constant_term()};
  for (const IndexTerm& term : index.terms()) {
    Range one{term.coefficient, term.coefficient};
    for (const IndexAtom& atom : term.factors) {
      const Range next = range_of(atom, statement, stamp);
      const Wide corners[] = {product(one.low, next.low), product(one.low, next.high), product(one.high, next.low),
                              product(one.high, next.high)};
      one = {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
    }
    out = {clamp(out.low + one.low), clamp(out.high + one.high)};
  }
  return out;
}

Meaning::Range Meaning::range_of(const IndexAtom& atom, const MeaningStatement& statement, const Stamp& stamp) {
  constexpr Range kAnything = {-kHuge, kHuge};
  if (const auto* variable = std::get_if<LoopVariable>(&atom)) {
    const std::size_t entry = statement.loops.at(variable->name);
    if (entry < stamp.size()) return {stamp[entry], stamp[entry]};
    return {0, statement.entries[entry].loop->extent - 1};
  }
  if (std::holds_alternative<IndirectRead>(atom)) return kAnything;
  const auto* quotient = std::get_if<FloorQuotient>(&atom);
  const auto* remainder = std::get_if<FloorRemainder>(&atom);
  const Range dividend = range_of(quotient ? *quotient->dividend : *remainder->dividend, statement, stamp);
  const Range divisor = range_of(quotient ? *quotient->divisor : *remainder->divisor, statement, stamp);
  if (divisor.low != divisor.high || divisor.low <= 0) return kAnything;
  const Wide d = divisor.low;
  if (quotient) return {floor_divide(dividend.low, d), floor_divide(dividend.high, d)};
  const Wide whole = floor_divide(dividend.low, d);
  if (whole != floor_divide(dividend.high, d)) return {0, d - 1};
  return {dividend.low - whole * d, dividend.high - whole * d};
}

bool Meaning::has_stray(const MeaningTensor& tensor, const Stamp& before) {
  for (const std::size_t number : tensor.writers) {
    const MeaningStatement& statement = program_.statements()[number];
    if (!may_stray(statement, {})) continue;
    Strays& known = strays_[number];
    if (!known.first && known.searched < before) {
      // Without data in the subscripts the search may run to the end at once: nothing is evaluated for it.
      const Stamp until = reads_data(*statement.equation->left) ? before : Stamp{INT64_MAX};
      Stamp stamp;
      auto first = first_stray(statement, known.searched, until, true, true, stamp);
      strays_[number] = {until, std::move(first)};
    }
    const Strays& found = strays_[number];
    if (found.first && *found.first < before) return true;
  }
  return false;
}

/// Whether a write with this prefix of a stamp may leave the tensor: below zero, or beyond a known shape.
bool Meaning::may_stray(const MeaningStatement& statement, const Stamp& stamp) {
  const Ref& left = *statement.equation->left;
  const MeaningTensor& tensor = *program_.tensor(left.tensor);
  for (std::size_t i = 0; i < left.subscripts.size(); ++i) {
    Range range = range_of(left.subscripts[i], statement, stamp);
    if (stamp.size() == statement.entries.size()) {
      const Subscript found = subscript(left.subscripts[i], Instance{statement.number, stamp});
      if (found.kind == Kind::unknown) throw CannotTell{};
      if (found.kind == Kind::none) return true;
      range = {found.value, found.value};
    }
    if (range.low < 0 || (tensor.known && range.high >= tensor.known->shape[i])) return true;
  }
  return false;
}

/// The first execution from `from` on and before `before` whose write leaves the tensor.
std::optional<Stamp> Meaning::first_stray(const MeaningStatement& statement, const Stamp& from, const Stamp& before,
                                          bool low_tight, bool high_tight, Stamp& stamp) {
  count_step();
  const std::size_t at = stamp.size();
  low_tight = low_tight && at < from.size();
  if (!guards_hold(statement, stamp) || !may_stray(statement, stamp)) return std::nullopt;
  if (at == statement.entries.size()) return high_tight ? std::nullopt : std::optional(stamp);
  const StampEntry& entry = statement.entries[at];
  std::int64_t low = entry.loop ? 0 : entry.number;
  std::int64_t high = entry.loop ? entry.loop->extent - 1 : entry.number;
  if (low_tight) low = std::max(low, from[at]);
  if (high_tight) high = std::min(high, before[at]);
  for (std::int64_t number = low; number <= high; ++number) {
    stamp.push_back(number);
    auto found = first_stray(statement, from, before, low_tight && number == from[at],
                             high_tight && number == before[at], stamp);
    if (found) return found;
    stamp.pop_back();
  }
  return std::nullopt;
}

}  // namespace steptp::testing
