#include "replay/climb.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "replay/check.h"

namespace steptp::replayer {

void ConditionClimb::run(const Variable& output, const std::vector<std::vector<std::int64_t>>& elements,
                         std::uint64_t budget) {
  output_ = &output;
  pursued_.clear();
  for (std::size_t i = 0; i < std::min(elements.size(), kElements); ++i) {
    budget_ = budget / kElements;
    most_looks_ = looks_ + kMostLooks;
    open_.clear();
    try {
      open_.push_back(look({elements[i], {}}));
      while (!open_.empty() && !is_over()) {
        const Point point = std::move(open_.front());
        open_.pop_front();
        for (const Target& target : targets_at(point)) {
          if (pursued_.insert(target.expr).second) pursue(point, target);
        }
      }
    } catch (const Beyond&) {
      // The part of this element is spent.
    }
  }
}

ConditionClimb::Point ConditionClimb::look(Probe probe) {
  ++looks_;
  Point out{std::move(probe), {}};
  out.seen.keeps_conditions = true;
  static_cast<void>(
      whole_.look({output_->name, out.probe.element, Kind::mixed, seed_, &out.probe.given}, budget_, &out.seen));
  return out;
}

/// Conditions that only one of the programs asks.
std::vector<ConditionClimb::Target> ConditionClimb::targets_at(const Point& point) const {
  std::vector<Target> out;
  for (const std::size_t program : {std::size_t{1}, std::size_t{0}}) {
    const std::vector<AskedCondition>& all = point.seen.conditions[program].all();
    for (std::size_t number = 0; number < all.size() && out.size() < kMostTargets; ++number) {
      const AskedCondition& asked = all[number];
      if (pursued_.contains(asked.expr)) continue;
      const bool is_shared = std::all_of(asked.parts.begin(), asked.parts.end(), [&](const AskedCondition::Part& part) {
        return is_among(part.gap, point.seen.turns[1 - program]);
      });
      if (is_shared) continue;
      // A conjunction that does not hold needs all parts; one that holds fails with any of them.
      const bool needs_all = asked.is_conjunction != asked.holds;
      Target target{program, number, asked.expr, {}, {}};
      for (const AskedCondition::Part& part : asked.parts) {
        target.wanted.push_back(!asked.holds);
        target.counts.push_back(needs_all || &part == &asked.parts.front());
      }
      out.push_back(std::move(target));
    }
  }
  return out;
}

const AskedCondition* ConditionClimb::condition_of(const Point& point, const Target& target) const {
  const std::vector<AskedCondition>& all = point.seen.conditions[target.program].all();
  if (target.number >= all.size() || all[target.number].expr != target.expr) return nullptr;
  const AskedCondition& asked = all[target.number];
  return asked.parts.size() == target.wanted.size() ? &asked : nullptr;
}

std::optional<ConditionClimb::Score> ConditionClimb::score_of(const Point& point, const Target& target) const {
  const AskedCondition* asked = condition_of(point, target);
  if (!asked) return std::nullopt;
  Score out;
  out.first_open = asked->parts.size();
  for (std::size_t i = 0; i < asked->parts.size(); ++i) {
    if (!target.counts[i]) continue;
    if (asked->parts[i].holds == target.wanted[i]) {
      ++out.met;
    } else if (out.first_open == asked->parts.size()) {
      out.first_open = i;
      out.gap = std::fabs(asked->parts[i].gap.value);
    }
  }
  return out;
}

void ConditionClimb::pursue(Point point, const Target& target) {
  moves_.clear();
  const std::uint64_t last = looks_ + kMostTargetLooks;
  while (looks_ < last && !is_over()) {
    const auto score = score_of(point, target);
    if (!score) return;
    if (score->first_open == target.wanted.size()) {
      // It is met, and the programs agree: what is asked behind it may be met from here.
      constexpr std::size_t kMostOpen = 4;
      if (open_.size() < kMostOpen) open_.push_back(std::move(point));
      return;
    }
    if (!improve(point, target)) return;
  }
}

std::vector<Coordinate> ConditionClimb::coordinates_of(const Point& point) const {
  std::vector<Coordinate> out;
  for (const WholeCheck::Seen::Read& read : point.seen.all_reads) {
    if (read.value.is_integer || read.value.real.is_finite()) out.push_back({read.variable, read.index, 0, read.value});
  }
  for (std::size_t d = 0; d < point.probe.element.size(); ++d) {
    if (output_->shape[d] > 2) out.push_back({nullptr, {}, d, value_of_integer(point.probe.element[d])});
  }
  return out;
}

bool ConditionClimb::improve(Point& point, const Target& target) {
  const auto score = score_of(point, target);
  // Those that no part has been met with come first: what is met should stay so.
  std::vector<Coordinate> coordinates = coordinates_of(point);
  std::stable_partition(coordinates.begin(), coordinates.end(), [&](const Coordinate& one) {
    return one.variable && !point.probe.given.values.contains({one.variable->name, one.index});
  });
  for (const bool is_known : {true, false}) {
    for (const Coordinate& coordinate : coordinates) {
      if (is_over()) return false;
      if (moves(point, target, coordinate, score->first_open) != is_known) continue;
      if (improve_along(point, target, coordinate, *score, is_known)) return true;
    }
  }
  return false;
}

/// Whether a small step along the coordinate changes the part; asked once for all parts of a condition.
bool ConditionClimb::moves(const Point& point, const Target& target, const Coordinate& coordinate, std::size_t part) {
  const auto name = std::pair{coordinate.variable ? coordinate.variable->name : std::to_string(coordinate.dimension),
                              coordinate.index};
  const auto [at, is_new] = moves_.try_emplace(name);
  if (is_new) {
    at->second.assign(target.wanted.size(), false);
    const AskedCondition& here = *condition_of(point, target);
    for (const std::int64_t sign : {1, -1}) {
      const Value value =
          coordinate.start.is_integer
              ? value_of_integer(coordinate.start.integer + sign)
              : value_of_real(numbers_.add(coordinate.start.real, numbers_.of_dyadic(sign, kStepExponent)));
      auto there = moved(certificate_, *output_, point.probe, coordinate, value);
      if (!there) continue;
      there->given.uses_functions |= coordinate.variable && point.seen.used_functions && !is_plain(numbers_, value);
      const Point found = look(*std::move(there));
      const AskedCondition* asked = condition_of(found, target);
      for (std::size_t i = 0; asked && i < at->second.size(); ++i) {
        at->second[i] = asked->parts[i].gap.residue != here.parts[i].gap.residue;
      }
      break;
    }
  }
  return at->second[part];
}

bool ConditionClimb::try_value(Point& point, const Target& target, const Coordinate& coordinate, const Value& value,
                               const Score& score, bool is_irrational) {
  auto there = moved(certificate_, *output_, point.probe, coordinate, value);
  if (!there || is_over()) return false;
  there->given.uses_functions |= coordinate.variable && point.seen.used_functions && !is_plain(numbers_, value);
  there->given.is_irrational |= is_irrational;
  Point found = look(*std::move(there));
  const auto now = score_of(found, target);
  if (!now) return false;
  const bool is_nearer = now->met == score.met && now->first_open == score.first_open && now->gap < score.gap * 0.999L;
  if (now->met <= score.met && !is_nearer) return false;
  point = std::move(found);
  return true;
}

bool ConditionClimb::improve_along(Point& point, const Target& target, const Coordinate& coordinate, const Score& score,
                                   bool is_known) {
  const auto gap_at = [&](const Value& value) -> std::optional<Real> {
    auto there = moved(certificate_, *output_, point.probe, coordinate, value);
    if (!there || is_over()) return std::nullopt;
    there->given.uses_functions |= coordinate.variable && point.seen.used_functions && !is_plain(numbers_, value);
    const Point found = look(*std::move(there));
    const AskedCondition* asked = condition_of(found, target);
    if (!asked) return std::nullopt;
    return asked->parts[score.first_open].gap;
  };
  const Real first = condition_of(point, target)->parts[score.first_open].gap;
  const Real start = real_of(numbers_, coordinate.start);
  if (coordinate.start.is_integer) {
    const auto near = [&](std::int64_t by) { return value_of_integer(coordinate.start.integer + by); };
    for (const std::int64_t by : {1, -1}) {
      const auto second = gap_at(near(by));
      if (!second) continue;
      if (second->residue == first.residue) return false;
      const auto third = gap_at(near(2 * by));
      if (third) {
        for (const Root& root : roots_of(numbers_, first, *second, *third, start, numbers_.of_integer(by))) {
          for (const Value& value : values_near(numbers_, root, true)) {
            if (try_value(point, target, coordinate, value, score)) return true;
          }
        }
      }
      return try_value(point, target, coordinate, near(by), score);
    }
    return false;
  }
  // Close by, and where that changes nothing further away.
  const std::vector<int> exponents = is_known ? std::vector{kStepExponent, 0, 6} : std::vector{0, 6};
  for (const int exponent : exponents) {
    const Real step = numbers_.of_dyadic(1, exponent);
    const auto second = gap_at(value_of_real(numbers_.add(start, step)));
    if (!second || second->residue == first.residue) continue;
    const auto third = gap_at(value_of_real(numbers_.add(start, numbers_.add(step, step))));
    if (!third) continue;
    for (const Root& root : roots_of(numbers_, first, *second, *third, start, step)) {
      if (point.probe.given.is_irrational && root.is_irrational) continue;
      for (const Value& value : values_near(numbers_, root, false)) {
        if (try_value(point, target, coordinate, value, score, root.is_irrational)) return true;
      }
    }
    if (exponent == kStepExponent && go_up(point, target, coordinate, score)) return true;
  }
  for (const Value& value : far_values(coordinate)) {
    if (try_value(point, target, coordinate, value, score)) return true;
  }
  return false;
}

/// Up to the top of the parabola through three places, and again from there.
bool ConditionClimb::go_up(Point& point, const Target& target, const Coordinate& coordinate, const Score& score) {
  constexpr long double kWidth = 0x1p-4L;
  constexpr int kRounds = 6;
  long double center = real_of(numbers_, coordinate.start).value;
  for (int round = 0; round < kRounds; ++round) {
    std::array<long double, 3> gaps{};
    for (int i = -1; i <= 1; ++i) {
      const Real at = numbers_.of_double(static_cast<double>(center + static_cast<long double>(i) * kWidth));
      auto there = moved(certificate_, *output_, point.probe, coordinate, value_of_real(at));
      if (!there || is_over()) return false;
      there->given.uses_functions |= point.seen.used_functions;
      const Point found = look(*std::move(there));
      const AskedCondition* asked = condition_of(found, target);
      if (!asked) return false;
      gaps[static_cast<std::size_t>(i + 1)] = asked->parts[score.first_open].gap.value;
    }
    const long double bend = gaps[0] + gaps[2] - 2 * gaps[1];
    // Where it falls off on both sides of the wanted one, it is a top; the sign of what is wanted does not matter here.
    if (bend == 0) return false;
    const long double shift = kWidth * (gaps[0] - gaps[2]) / (2 * bend);
    if (!(std::fabs(shift) < 0x1p20L)) return false;
    center += std::clamp(shift, -1.0L, 1.0L);
    const Real at = numbers_.of_double(static_cast<double>(center));
    if (std::fabs(shift) < kWidth && try_value(point, target, coordinate, value_of_real(at), score)) return true;
  }
  return false;
}

/// The other sign, and the ends of what its type holds.
std::vector<Value> ConditionClimb::far_values(const Coordinate& coordinate) const {
  const int most = info(coordinate.variable->dtype).max_exponent - 2;
  std::vector<Value> out = {value_of_real(numbers_.negate(coordinate.start.real))};
  for (const std::int64_t sign : {1, -1}) {
    for (const int exponent : {4, 10, most / 2, most, -most / 2, 3 - most}) {
      out.push_back(value_of_real(numbers_.of_dyadic(sign, exponent)));
    }
  }
  return out;
}

}  // namespace steptp::replayer
