#include "replay/whole.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "replay/edges.h"
#include "replay/form_value.h"
#include "replay/whole_point.h"
#include "steptp/base/text.h"

namespace steptp::replayer {

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
    point.sources.signs = point.signs;
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
  point.sources.signs = nullptr;
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
    is_told_.try_emplace(spot.output, false);
    return Said::undecided;
  }
  if (!point.before || point.before_is_nan()) {
    add_met(point, spot);
    tally_.exempt += 1;
    is_told_[spot.output] = true;
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
  bool& is_told = is_told_[spot.output];
  is_told = is_told || agreement != Agreement::undecided;
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

}  // namespace steptp::replayer
