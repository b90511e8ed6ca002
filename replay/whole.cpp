#include "replay/whole.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "replay/edges.h"
#include "replay/form_value.h"
#include "steptp/base/text.h"

namespace steptp::replayer {

/// Both programs at one element and one input; nothing where a program has no value.
struct WholeCheck::Point {
  Point(const Certificate& certificate, const Spot& spot, long bits = 0)
      : output(spot.output),
        element(spot.element),
        given(spot.given),
        forced(spot.forced),
        shifted(spot.shifted),
        numbers(kPrime, bits),
        draws(certificate, numbers, spot.kind, spot.seed, spot.assumes) {
    sources.input = [this](const Variable& variable, const std::vector<std::int64_t>& index) {
      const Value value = input(variable, index);
      if (seen) seen->read(variable, index, value);
      return value;
    };
    if (given && given->uses_functions) numbers.note_function();
  }
  [[nodiscard]] Value input(const Variable& variable, const std::vector<std::int64_t>& index) const {
    if (given) {
      if (const auto found = given->values.find({variable.name, index}); found != given->values.end()) {
        return found->second;
      }
    }
    return draws.input(variable, index);
  }
  const std::string& output;
  const std::vector<std::int64_t>& element;
  const Given* given;
  const std::array<std::vector<Met::Way>, 2>* forced;
  const std::set<std::uint64_t>* shifted;
  Numbers numbers;
  Draws draws;
  Sources sources;
  Seen* seen = nullptr;
  std::array<Met, 2> met;
  std::optional<Value> before;
  std::optional<Value> after;
  std::string after_lacks;  ///< why `after` has no value

  [[nodiscard]] bool before_is_nan() const { return before && !before->is_integer && before->real.kind == Class::nan; }
  [[nodiscard]] Agreement compared() const {
    if (before->is_integer) return before->integer == after->integer ? Agreement::by_residue : Agreement::differs;
    return compare_values(before->real, after->real, numbers.used_functions());
  }
};

void WholeCheck::Seen::read(const Variable& variable, const std::vector<std::int64_t>& index, const Value& value) {
  constexpr int kMostOfVariable = 3;
  if (!variable.values.empty()) return;
  constexpr std::size_t kMostReads = 48;
  if (keeps_conditions && all_reads.size() < kMostReads) {
    const auto is_same = [&](const Read& one) { return one.variable == &variable && one.index == index; };
    if (std::none_of(all_reads.begin(), all_reads.end(), is_same)) all_reads.push_back({&variable, index, value});
  }
  int count = 0;
  Read* last = nullptr;
  for (Read& one : reads) {
    if (one.variable != &variable) continue;
    if (one.index == index) return;
    last = &one;
    ++count;
  }
  if (count < kMostOfVariable) {
    reads.push_back({&variable, index, value});
  } else {
    *last = {&variable, index, value};
  }
}

namespace {

/// The forms of a certificate at one point, with whole programs behind the value numbers.
class NoValue {
 public:
  using Input = std::function<Value(const Variable&, const std::vector<std::int64_t>&)>;
  NoValue(const Certificate& certificate, Numbers& numbers, const Input& input, Evaluator& before,
          const std::map<std::int64_t, const Claim*>& values, std::uint64_t& budget)
      : certificate_(certificate), numbers_(numbers), before_(before), values_(values), budget_(budget) {
    leaves_.input = [this, &input](const std::string& name, const std::vector<std::int64_t>& index) {
      const Variable* variable = certificate_.before.signature.find(name);
      if (!variable || variable->role == Role::output)
        throw Refused{concat("a form reads ", name, ", which is not an input")};
      if (!is_inside(variable->shape, index)) throw Undefined{"a form reads out of range of " + name};
      const Value value = input(*variable, index);
      return FormValue{value.is_integer, value.integer, value.real};
    };
    leaves_.value = [this](std::int64_t number, const std::vector<std::int64_t>& index) {
      const Claim& claim = *values_.at(number);
      if (!claim.before.empty()) return before_.version(claim.before[0], index).real;
      FormEvaluator evaluator(numbers_, leaves_, certificate_.names.size(), budget_);
      return evaluator.real(*region_of(claim, index, evaluator).form);
    };
  }

  /// The region of an element, whose indices are set from here on.
  const Region& region_of(const Claim& claim, const std::vector<std::int64_t>& element, FormEvaluator& evaluator) {
    for (std::size_t d = 0; d < element.size(); ++d) evaluator.set(static_cast<std::uint32_t>(d), element[d]);
    for (const Region& region : claim.regions) {
      if (evaluator.holds(*region.where)) return region;
    }
    throw Refused{concat("no region of ", claim.name(), " holds ", subscripts(element))};
  }

  /// Nothing where the form itself has no value there.
  std::optional<bool> strikes(const FormPtr& form, FormEvaluator& evaluator) {
    if (!form) return false;
    try {
      const FormValue value = evaluator.value(*form);
      if (value.is_integer) return value.integer != 0;
      return value.real.kind == Class::nan || numbers_.sign(value.real) != 0;
    } catch (const Undefined&) {
      return std::nullopt;
    }
  }

  [[nodiscard]] const Leaves& leaves() const { return leaves_; }

 private:
  const Certificate& certificate_;
  Numbers& numbers_;
  Evaluator& before_;
  const std::map<std::int64_t, const Claim*>& values_;
  std::uint64_t& budget_;
  Leaves leaves_;
};

}  // namespace

WholeCheck::WholeCheck(Context& context) : context_(context) {
  for (const Claim& claim : context.certificate.outputs) claims_[claim.output] = &claim;
  for (const Claim& claim : context.certificate.values) values_[claim.number] = &claim;
}

void WholeCheck::evaluate(Point& point, Seen* seen, std::uint64_t& budget) const {
  point.seen = seen;
  for (const bool is_before : {true, false}) {
    if (seen) point.numbers.record_turns(&seen->turns[is_before ? 0 : 1]);
    point.sources.met = &point.met[is_before ? 0 : 1];
    point.sources.forced = point.forced ? &(*point.forced)[is_before ? 0 : 1] : nullptr;
    point.sources.shifted = point.shifted;
    point.sources.conditions = seen && seen->keeps_conditions ? &seen->conditions[is_before ? 0 : 1] : nullptr;
    Evaluator evaluator(is_before ? context_.before : context_.after, point.numbers, point.sources, budget);
    try {
      (is_before ? point.before : point.after) = evaluator.output(point.output, point.element);
    } catch (const Undefined& undefined) {
      if (!is_before) point.after_lacks = undefined.reason;
    }
  }
  point.seen = nullptr;
  point.sources.conditions = nullptr;
  point.sources.met = nullptr;
  point.sources.forced = nullptr;
  point.sources.shifted = nullptr;
  point.numbers.record_turns(nullptr);
  if (seen) seen->used_functions = point.numbers.used_functions();
}

bool WholeCheck::differs_finely(const Spot& spot, std::uint64_t steps, std::uint64_t& budget) {
  if (fine_looks_ >= kMostFineLooks || fine_steps_ + steps > kMostFineSteps) return false;
  ++fine_looks_;
  fine_steps_ += steps;
  Point point(context_.certificate, spot, kFineBits);
  try {
    evaluate(point, nullptr, budget);
  } catch (const Undecided&) {
    return false;
  }
  return point.before && point.after && !point.before_is_nan() && point.compared() == Agreement::differs;
}

WholeCheck::Said WholeCheck::look(const Spot& spot, std::uint64_t& budget, Seen* seen) {
  Point point(context_.certificate, spot);
  const std::string place = concat(spot.output, subscripts(spot.element));
  const std::uint64_t start = budget;
  const auto differs_finely_here = [&] { return differs_finely(spot, start - budget, budget); };
  try {
    evaluate(point, seen, budget);
    if (spot.assumes) check_obligations(point, place, budget);
  } catch (const Undecided&) {
    if (differs_finely_here()) throw Refused{concat("the programs differ at ", place)};
    tally_.undecided += 1;
    return Said::undecided;
  }
  if (!point.before || point.before_is_nan()) {
    add_met(point, spot);
    tally_.exempt += 1;
    return Said::exempt;
  }
  if (!point.after)
    throw Refused{concat("after has no value at ", place, ", where before has one: ", point.after_lacks)};
  if (point.before->is_integer != point.after->is_integer) throw Refused{concat("types differ at ", place)};
  Agreement agreement = point.compared();
  const bool is_unsure = agreement == Agreement::by_digits || agreement == Agreement::undecided;
  if (is_unsure && differs_finely_here()) agreement = Agreement::differs;
  if (agreement == Agreement::differs) throw Refused{concat("the programs differ at ", place)};
  if (agreement != Agreement::undecided) add_met(point, spot);
  (agreement == Agreement::undecided ? tally_.undecided : tally_.agrees) += 1;
  return agreement == Agreement::undecided ? Said::undecided : Said::agrees;
}

void WholeCheck::check_obligations(Point& point, const std::string& place, std::uint64_t& budget) {
  const auto claim = claims_.find(point.output);
  if (claim == claims_.end()) return;
  Evaluator before(context_.before, point.numbers, point.sources, budget);
  NoValue forms(context_.certificate, point.numbers, point.sources.input, before, values_, budget);
  FormEvaluator evaluator(point.numbers, forms.leaves(), context_.certificate.names.size(), budget);
  const Region& region = forms.region_of(*claim->second, point.element, evaluator);
  const auto is_struck_before = forms.strikes(region.no_value_before, evaluator);
  const auto is_struck_after = forms.strikes(region.no_value_after, evaluator);
  if (region.no_value_before || region.no_value_after) tally_.obligations += 1;
  if (!point.after && is_struck_after && !*is_struck_after) {
    throw Refused{
        concat("after has no value at ", place, ", and the certificate does not say so: ", point.after_lacks)};
  }
  if (point.before && is_struck_before && *is_struck_before) {
    throw Refused{concat("before has a value at ", place, ", where the certificate says that it has none")};
  }
  const bool is_excused = point.before_is_nan() || !is_struck_before || *is_struck_before;
  if (is_struck_after && *is_struck_after && !is_excused) {
    throw Refused{concat("by the certificate after has no value at ", place, ", and before has one")};
  }
}

std::vector<std::vector<std::int64_t>> WholeCheck::edges(const Variable& output) {
  if (edges_.empty()) {
    EdgesFound after = edges_of(context_.after, context_.seed);
    EdgesFound before = edges_of(context_.before, context_.seed);
    edges_ = std::move(after.elements);
    undecided_condition_ = after.undecided.empty() ? before.undecided : after.undecided;
    for (auto& [name, elements] : before.elements) {
      auto& own = edges_[name];
      own.insert(own.end(), elements.begin(), elements.end());
    }
  }
  return edges_[output.name];
}

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
  for (const std::size_t program : {0, 1}) {
    met_[program].add(point.met[program], point.met[1 - program], point.numbers.was_ambiguous());
    if (spot.given) continue;
    Hash ways = point.met[program].ways_gone();
    for (const std::uint64_t mark : spot.shifted ? *spot.shifted : std::set<std::uint64_t>()) ways = combine(ways, mark);
    for (const Place& place : point.met[program].places()) {
      std::vector<KeptSpot>& kept = spots_[program][place];
      const auto is_known = [&](const KeptSpot& one) { return one.ways == ways; };
      if (kept.size() >= kMostSpots || std::any_of(kept.begin(), kept.end(), is_known)) continue;
      kept.push_back({spot.output, spot.element, spot.kind, spot.seed, spot.assumes, ways, {}, {}});
      if (spot.forced) kept.back().forced = *spot.forced;
      if (spot.shifted) kept.back().shifted = *spot.shifted;
    }
  }
}

std::optional<bool> WholeCheck::agrees_by_force(std::size_t program, const Met::Way& way, const KeptSpot& kept) {
  std::array<std::vector<Met::Way>, 2> forced = kept.forced;
  std::set<std::uint64_t> shifted = kept.shifted;
  const Spot spot{kept.output, kept.element, kept.kind, kept.seed, nullptr, kept.assumes, &forced, &shifted};
  if (way.place.question == Question::rounding) {
    Point as_it_is(context_.certificate, spot);
    evaluate(as_it_is, nullptr, forced_steps_);
    shifted.merge(as_it_is.met[program].marks_at(way.place));
  } else {
    forced[program].push_back(way);
  }
  Point point(context_.certificate, spot);
  evaluate(point, nullptr, forced_steps_);
  if (!point.before || point.before_is_nan()) {
    // Where `before` itself is NaN on that way, nothing is asked.
    return program == 0 && way.place.question != Question::way ? std::optional(true) : std::nullopt;
  }
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
                             (way.is_first && question != Question::special);
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
    const Spot spot{kept.output, kept.element, kept.kind, kept.seed, &given, kept.assumes, &kept.forced, &kept.shifted};
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
  for (std::size_t i = 0; i < std::min(spots.size(), kMostSpots); ++i) add_slopes(program, place, spots[i], slopes);
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
        if (is_affine(program, way.place) || makes_no_difference(program, way)) continue;
      } catch (const Undecided&) {
      } catch (const Beyond&) {
      }
      throw Undecided{concat("that all inputs were met at which a number is zero is not known of ",
                             Met::text_of(way), " in ", program == 0 ? "before" : "after")};
    }
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
        if (++ways <= kMostWays && makes_no_difference(program, way)) {
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
