#include "replay/turns.h"

#include <algorithm>
#include <cmath>

#include "replay/check.h"
#include "replay/probe.h"
#include "steptp/base/text.h"

namespace steptp::replayer {

void TurnSearch::run(const Variable& output, const std::vector<std::vector<std::int64_t>>& elements,
                     std::uint64_t budget) {
  output_ = &output;
  known_.clear();
  // No element may take more than its part.
  constexpr std::uint64_t kParts = 4;
  const std::uint64_t share = budget / kParts;
  for (std::size_t i = 0; i < std::min(elements.size(), kElements); ++i) {
    std::uint64_t own = std::min(share, budget);
    const std::uint64_t start = own;
    budget_ = &own;
    most_looks_ = looks_ + kMostLooks;
    open_.clear();
    open_.push_back({elements[i], {}});
    try {
      while (!open_.empty() && !is_over()) {
        const Probe base = std::move(open_.front());
        open_.pop_front();
        explore(base);
      }
    } catch (const Beyond&) {
      // The part of this element is spent.
    }
    budget -= start - own;
  }
}

bool TurnSearch::is_over() const { return looks_ >= most_looks_; }

void TurnSearch::look(const Probe& base, WholeCheck::Seen& seen) {
  ++looks_;
  static_cast<void>(whole_.look({output_->name, base.element, Kind::mixed, seed_, &base.given}, *budget_, &seen));
}

void TurnSearch::explore(const Probe& base) {
  WholeCheck::Seen seen;
  look(base, seen);
  known_.insert(signs_of(seen));
  for (const Coordinate& coordinate : coordinates_of(base, seen)) {
    if (is_over()) return;
    along(base, seen, coordinate);
  }
}

std::vector<Coordinate> TurnSearch::coordinates_of(const Probe& base, const WholeCheck::Seen& seen) const {
  std::vector<Coordinate> out;
  for (const WholeCheck::Seen::Read& read : seen.reads) out.push_back({read.variable, read.index, 0, read.value});
  for (std::size_t d = 0; d < base.element.size(); ++d) {
    if (output_->shape[d] > 2) out.push_back({nullptr, {}, d, value_of_integer(base.element[d])});
  }
  return out;
}

std::optional<Probe> TurnSearch::moved(const Probe& base, const Coordinate& coordinate, const Value& value) const {
  return replayer::moved(certificate_, *output_, base, coordinate, value);
}

std::optional<Probe> TurnSearch::stepped(const Probe& base, const Coordinate& coordinate, const Real& step) const {
  if (!coordinate.start.is_integer) {
    return moved(base, coordinate, value_of_real(numbers_.add(coordinate.start.real, step)));
  }
  return moved(base, coordinate, value_of_integer(coordinate.start.integer + static_cast<std::int64_t>(step.value)));
}

void TurnSearch::along(const Probe& base, const WholeCheck::Seen& seen, const Coordinate& coordinate) {
  if (!coordinate.start.is_integer && !coordinate.start.real.is_finite()) return;
  std::optional<Probe> next;
  std::optional<Probe> third;
  Real step;
  for (const std::int64_t sign : {1, -1}) {
    step = coordinate.start.is_integer ? numbers_.of_integer(sign) : numbers_.of_dyadic(sign, kStepExponent);
    next = stepped(base, coordinate, step);
    third = stepped(base, coordinate, numbers_.add(step, step));
    if (next && third) break;
  }
  if (!next || !third) return;
  WholeCheck::Seen beside;
  WholeCheck::Seen further;
  look(*next, beside);
  look(*third, further);
  std::set<std::pair<std::uint64_t, bool>> met;
  // What only one of the programs asks comes first.
  for (const bool is_shared : {false, true}) {
    for (std::size_t program = 0; program < seen.turns.size(); ++program) {
      const std::vector<Real>& turns = seen.turns[program];
      const std::size_t count = std::min({turns.size(), beside.turns[program].size(), further.turns[program].size()});
      for (std::size_t i = 0; i < count && met.size() < kMostRoots; ++i) {
        if (is_among(turns[i], seen.turns[1 - program]) != is_shared) continue;
        for (const Root& root : roots_of(numbers_, turns[i], beside.turns[program][i], further.turns[program][i],
                                         real_of(numbers_, coordinate.start), step)) {
          if (base.given.is_irrational && root.is_irrational) continue;
          if (!met.emplace(root.at.residue, root.is_exact).second) continue;
          try_values(base, seen, coordinate, values_near(numbers_, root, coordinate.start.is_integer),
                     root.is_irrational);
        }
      }
    }
  }
  if (!coordinate.start.is_integer || !coordinate.variable) return;
  try_values(base, seen, coordinate, values_of_integers(coordinate.variable->dtype));
}

void TurnSearch::try_values(const Probe& base, const WholeCheck::Seen& seen, const Coordinate& coordinate,
                            const std::vector<Value>& values, bool is_irrational) {
  for (const Value& value : values) {
    auto there = moved(base, coordinate, value);
    if (!there) continue;
    if (is_over()) return;
    there->given.uses_functions |= coordinate.variable && seen.used_functions && !is_plain(numbers_, value);
    there->given.is_irrational |= is_irrational;
    WholeCheck::Seen found;
    look(*there, found);
    if (known_.insert(signs_of(found)).second) open_.push_back(std::move(*there));
  }
}

std::vector<Value> TurnSearch::values_of_integers(DType dtype) const {
  constexpr std::size_t kMostLiterals = 6;
  constexpr double kLarge = 0x1p31;
  std::vector<std::int64_t> whole;
  for (const double number : certificate_.numbers) {
    const bool is_whole = number == std::floor(number) && number > 2 && number < kLarge;
    if (is_whole && whole.size() < kMostLiterals) whole.push_back(static_cast<std::int64_t>(number));
  }
  std::vector<Value> out = {value_of_integer(info(dtype).least), value_of_integer(info(dtype).greatest)};
  for (std::size_t i = 0; i < whole.size(); ++i) {
    out.push_back(value_of_integer(whole[i]));
    for (std::size_t k = 0; k < i; ++k) out.push_back(value_of_integer(whole[i] * whole[k]));
  }
  return out;
}

std::string TurnSearch::signs_of(const WholeCheck::Seen& seen) {
  std::string out;
  for (const std::vector<Real>& turns : seen.turns) {
    for (const Real& turn : turns) out += turn.value > turn.error ? '+' : turn.value < -turn.error ? '-' : '0';
    out += '|';
  }
  return out;
}

}  // namespace steptp::replayer
