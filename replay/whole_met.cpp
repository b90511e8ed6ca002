// Whether all was met: which ways through the programs no look has gone, and whether these make a difference.
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "replay/whole_point.h"
#include "steptp/base/text.h"

namespace steptp::replayer {

/// Values become infinite at single inputs by logarithms only: no other number that is not written down is infinite.
static bool has_logarithms(const Layout& layout) {
  bool found = false;
  const std::function<void(const Expr&)> look = [&](const Expr& expr) {
    const auto* call = std::get_if<Call>(&expr.node);
    found = found || (call && call->function == Function::log);
    for (const ExprPtr* child : children(expr)) look(**child);
  };
  for (const Statement& statement : layout.statements()) look(*statement.equation->right);
  return found;
}

void WholeCheck::add_met(const Point& point, const Spot& spot) {
  // What a way decides may depend on the others: one input for each combination.
  constexpr std::size_t kMostSpots = 12;
  const bool is_compared = point.before && point.after && point.before->is_integer == point.after->is_integer;
  // Zero is the same whatever it is multiplied with.
  const bool is_zero =
      is_compared && (point.before->is_integer ? point.before->integer == 0 : point.before->real.residue == 0);
  const Met::Look look{point.numbers.was_ambiguous(), spot.shifted && !spot.shifted->empty(),
                       is_compared && !is_zero && point.compared() == Agreement::by_residue};
  for (const std::size_t program : {0, 1}) {
    met_[program].add(point.met[program], point.met[1 - program], look);
    Hash ways = point.met[program].ways_gone();
    for (const std::uint64_t mark : spot.shifted ? *spot.shifted : std::set<std::uint64_t>())
      ways = combine(ways, mark);
    if (spot.signs) ways = combine(ways, spot.signs->hash());
    for (const Place& place : point.met[program].places()) {
      std::vector<KeptSpot>& kept = spots_[program][place];
      const auto is_known = [&](const KeptSpot& one) { return one.ways == ways; };
      // Inputs that a search has found, where no others lead.
      if (spot.given && !kept.empty()) continue;
      if (kept.size() >= kMostSpots || std::any_of(kept.begin(), kept.end(), is_known)) continue;
      kept.push_back({spot.output, spot.element, spot.kind, spot.seed, spot.assumes, ways, {}, {}, {}, {}});
      if (spot.given) kept.back().given = *spot.given;
      if (spot.forced) kept.back().forced = *spot.forced;
      if (spot.shifted) kept.back().shifted = *spot.shifted;
      if (spot.signs) kept.back().signs = *spot.signs;
    }
  }
}

std::optional<bool> WholeCheck::agrees_by_force(std::size_t program, const Met::Way& way, const KeptSpot& kept) {
  std::array<std::vector<Met::Way>, 2> forced = kept.forced;
  std::set<std::uint64_t> shifted = kept.shifted;
  Spot spot = kept.spot();
  spot.forced = &forced;
  spot.shifted = &shifted;
  if (way.place.question == Question::rounding) {
    Point as_it_is(context_.certificate, spot);
    evaluate(as_it_is, nullptr, forced_steps_);
    shifted.merge(as_it_is.met[program].marks_at(way.place));
  } else {
    forced[program].push_back(way);
  }
  Point point(context_.certificate, spot);
  evaluate(point, nullptr, forced_steps_);
  return said_by_force(point, spot, program == 0 && way.place.question != Question::way);
}

std::optional<bool> WholeCheck::said_by_force(const Point& point, const Spot& spot, bool may_be_exempt) {
  // Where `before` itself is NaN on that way, nothing is asked.
  if (!point.before || point.before_is_nan()) return may_be_exempt ? std::optional(true) : std::nullopt;
  if (!point.after || point.before->is_integer != point.after->is_integer) return false;
  const Agreement agreement = point.compared();
  if (agreement == Agreement::differs || agreement == Agreement::not_counted) return false;
  if (agreement == Agreement::undecided) return std::nullopt;
  add_met(point, spot);
  return true;
}

bool WholeCheck::makes_no_difference(std::size_t program, const Met::Way& way) {
  if (way.place.question == Question::tie) {
    // Both sides of the comparison are the same expression, so that it does not matter with which of them a tie goes.
    const Place place{way.place.expr, way.place.part};
    return makes_no_difference(program, {place, true}) && makes_no_difference(program, {place, false});
  }
  constexpr std::size_t kMostForced = 6;
  const Question question = way.place.question;
  const bool has_two_sides = question == Question::way || question == Question::truth;
  const bool can_be_forced = has_two_sides || question == Question::rounding ||
                             (way.is_first && question != Question::special && question != Question::writer);
  if (!can_be_forced) return false;
  const std::vector<KeptSpot> spots = spots_[program][way.place];
  bool agrees = false;
  for (const KeptSpot& kept : spots) {
    if (kept.forced[program].size() >= kMostForced) return false;
    try {
      const auto found = agrees_by_force(program, way, kept);
      if (found && !*found) return false;
      agrees = agrees || found;
    } catch (const Undecided&) {
      continue;
    } catch (const Beyond&) {
      // What agreed so far is what can be had.
      return agrees;
    }
  }
  return agrees;
}

std::optional<bool> WholeCheck::agrees_by_sign(std::size_t program, const Met::Way& way, const KeptSpot& kept,
                                               int sign) {
  const bool is_tie = way.place.question == Question::tie;
  const Place asked = is_tie ? Place{way.place.expr, way.place.part} : way.place;
  Signs signs = kept.signs;
  Spot spot = kept.spot();
  spot.signs = &signs;
  Point as_it_is(context_.certificate, spot);
  evaluate(as_it_is, nullptr, forced_steps_);
  const std::size_t known = signs.size();
  for (const std::uint64_t residue : as_it_is.met[program].residues_at(asked)) {
    // What is zero there is no other number by its residue.
    if ((residue != 0 || way.is_shared) && !signs.of(residue)) signs.set(residue, sign);
  }
  if (signs.size() == known) return std::nullopt;
  Point point(context_.certificate, spot);
  evaluate(point, nullptr, forced_steps_);
  return said_by_force(point, spot, way.place.question != Question::way);
}

bool WholeCheck::agrees_by_signs(std::size_t program, const Met::Way& way) {
  constexpr std::size_t kMostSigns = 64;
  constexpr std::uint64_t kMoreSeeds = 2;
  std::vector<KeptSpot> spots = spots_[program][way.place];
  const std::size_t count = spots.size();
  // What is the same at zeros need not be the same elsewhere.
  for (std::size_t i = 0; i < count; ++i) {
    for (std::uint64_t more = 1; more <= kMoreSeeds; ++more) {
      spots.push_back(spots[i]);
      spots.back().kind = Kind::mixed;
      spots.back().seed = combine(spots[i].seed, more);
    }
  }
  const std::vector<int> signs = Signs::of_way(way);
  return !signs.empty() && std::all_of(signs.begin(), signs.end(), [&](int sign) {
    bool agrees = false;
    for (const KeptSpot& kept : spots) {
      if (kept.signs.size() >= kMostSigns) return false;
      try {
        const auto found = agrees_by_sign(program, way, kept, sign);
        if (found && !*found) return false;
        agrees = agrees || found;
      } catch (const Undecided&) {
        continue;
      } catch (const Beyond&) {
        return agrees;
      }
    }
    return agrees;
  });
}

/// How far to move an element of an input, so that quotients of integers move too.
std::vector<std::int64_t> WholeCheck::steps_of(const Value& value) const {
  constexpr double kMostStep = 4096;
  constexpr std::size_t kMostSteps = 4;
  std::vector<std::int64_t> out = {1};
  for (const double number : context_.certificate.numbers) {
    const bool is_step = number == std::floor(number) && number > 1 && number <= kMostStep;
    if (value.is_integer && is_step && out.size() < kMostSteps) out.push_back(static_cast<std::int64_t>(number));
  }
  return out;
}

/// How much a step of each element of an input moves what is asked there, where two steps move it twice as far.
void WholeCheck::add_slopes(std::size_t program, const Place& place, const KeptSpot& kept, Slopes& slopes) {
  constexpr std::size_t kMostReads = 8;
  constexpr int kStep = -10;
  const Numbers numbers(kPrime);
  const Field& field = numbers.field();
  const auto residue_with = [&](const Given& given, Seen* seen) {
    Spot spot = kept.spot();
    spot.given = &given;
    Point point(context_.certificate, spot);
    evaluate(point, seen, forced_steps_);
    return point.met[program].residue_at(place);
  };
  Seen seen;
  const auto first = residue_with({}, &seen);
  for (std::size_t k = 0; first && k < std::min(seen.reads.size(), kMostReads); ++k) {
    const Seen::Read& read = seen.reads[k];
    if (!read.value.is_integer && !read.value.real.is_finite()) continue;
    for (const std::int64_t step : steps_of(read.value)) {
      const auto moved_by = [&](std::int64_t count) {
        Value value = read.value;
        value.integer += count * step;
        if (!value.is_integer) value.real = numbers.add(value.real, numbers.of_dyadic(count, kStep));
        Given given;
        given.values[{read.variable->name, read.index}] = value;
        return residue_with(given, nullptr);
      };
      const auto second = moved_by(1);
      const auto third = moved_by(2);
      if (!second || !third) continue;
      const std::uint64_t slope = field.add(*second, field.negate(*first));
      if (slope == 0 && *third == *first) continue;
      const bool is_straight = slope == field.add(*third, field.negate(*second));
      slopes[{concat(read.variable->name, subscripts(read.index)), step}].push_back(is_straight ? slope : 0);
    }
  }
}

/// Where what is asked is zero is the graph of a function of the other elements, which has no second part that inputs
/// might not have led to: at two inputs and more a step of an element of an input moves it by the same number.
bool WholeCheck::is_affine(std::size_t program, const Place& place) {
  constexpr std::size_t kMostSpots = 4;
  Slopes slopes;
  const std::vector<KeptSpot>& spots = spots_[program][place];
  for (std::size_t i = 0; i < std::min(spots.size(), kMostSpots); ++i) {
    if (!spots[i].given) add_slopes(program, place, spots[i], slopes);
  }
  return std::any_of(slopes.begin(), slopes.end(), [](const auto& one) {
    const std::vector<std::uint64_t>& all = one.second;
    return all.size() > 1 && all[0] != 0 &&
           std::all_of(all.begin(), all.end(), [&](std::uint64_t slope) { return slope == all[0]; });
  });
}

void WholeCheck::check_single_points() {
  for (const std::size_t program : {1, 0}) {
    const Layout& layout = program == 0 ? context_.before : context_.after;
    for (const Met::Way& way : met_[program].met_at_single_points(layout, program == 0)) {
      try {
        if (is_affine(program, way.place)) continue;
        if (!way.is_shared && makes_no_difference(program, way)) continue;
        if (agrees_by_signs(program, way)) continue;
      } catch (const Undecided&) {
      } catch (const Beyond&) {
      }
      throw Undecided{concat("that all inputs were met at which a number is zero is not known of ", Met::text_of(way),
                             " in ", program == 0 ? "before" : "after")};
    }
  }
}

void WholeCheck::check_that_looks_tell() const {
  for (const auto& [output, is_told] : is_told_) {
    if (!is_told) throw Undecided{concat("no look at ", output, " tells whether the programs agree")};
  }
}

void WholeCheck::check_that_all_was_met() {
  constexpr int kMostWays = 400;
  if (!undecided_condition_.empty()) {
    throw Undecided{concat("it is not known whether there is an index at which this ", undecided_condition_)};
  }
  int ways = 0;
  // Behind a way that is gone by force there may be others.
  for (bool is_open = true; is_open;) {
    is_open = false;
    for (const std::size_t program : {1, 0}) {
      const Layout& layout = program == 0 ? context_.before : context_.after;
      for (const Met::Way& way : met_[program].never_gone(layout, has_logarithms(layout), program == 0)) {
        is_open = true;
        const bool is_own = ++ways <= kMostWays && !way.is_shared && makes_no_difference(program, way);
        if (is_own || (ways <= kMostWays && agrees_by_signs(program, way))) {
          met_[program].close(way);
          continue;
        }
        throw Undecided{concat("at the inputs that were looked at, ", Met::text_of(way), " in ",
                               program == 0 ? "before" : "after")};
      }
    }
  }
  check_single_points();
}

}  // namespace steptp::replayer
