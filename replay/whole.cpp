#include "replay/whole.h"

#include <optional>

#include "replay/edges.h"
#include "replay/form_value.h"
#include "steptp/base/text.h"

namespace steptp::replayer {

/// Both programs at one element and one input; nothing where a program has no value.
struct WholeCheck::Point {
  Point(const Certificate& certificate, const std::string& output_name, const std::vector<std::int64_t>& at, Kind kind,
        std::uint64_t seed)
      : output(output_name), element(at), numbers(kPrime), draws(certificate, numbers, kind, seed) {
    sources.input = [this](const Variable& variable, const std::vector<std::int64_t>& index) {
      return draws.input(variable, index);
    };
  }
  const std::string& output;
  const std::vector<std::int64_t>& element;
  Numbers numbers;
  Draws draws;
  Sources sources;
  std::optional<Value> before;
  std::optional<Value> after;
  std::string after_lacks;  ///< why `after` has no value

  [[nodiscard]] bool before_is_nan() const { return before && !before->is_integer && before->real.kind == Class::nan; }
};

namespace {

/// The forms of a certificate at one point, with whole programs behind the value numbers.
class NoValue {
 public:
  NoValue(const Certificate& certificate, Numbers& numbers, const Draws& draws, Evaluator& before,
          const std::map<std::int64_t, const Claim*>& values, std::uint64_t& budget)
      : certificate_(certificate), numbers_(numbers), before_(before), values_(values), budget_(budget) {
    leaves_.input = [this, &draws](const std::string& name, const std::vector<std::int64_t>& index) {
      const Variable* variable = certificate_.before.signature.find(name);
      if (!variable || variable->role == Role::output)
        throw Refused{concat("a form reads ", name, ", which is not an input")};
      if (!is_inside(variable->shape, index)) throw Undefined{"a form reads out of range of " + name};
      const Value value = draws.input(*variable, index);
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

WholeCheck::Said WholeCheck::look(const std::string& output, const std::vector<std::int64_t>& element, Kind kind,
                                  std::uint64_t seed, std::uint64_t& budget) {
  Point point(context_.certificate, output, element, kind, seed);
  const std::string place = concat(output, subscripts(element));
  try {
    for (const bool is_before : {true, false}) {
      Evaluator evaluator(is_before ? context_.before : context_.after, point.numbers, point.sources, budget);
      try {
        (is_before ? point.before : point.after) = evaluator.output(output, element);
      } catch (const Undefined& undefined) {
        if (!is_before) point.after_lacks = undefined.reason;
      }
    }
    check_obligations(point, place, budget);
  } catch (const Undecided&) {
    tally_.undecided += 1;
    return Said::undecided;
  }
  if (!point.before || point.before_is_nan()) {
    tally_.exempt += 1;
    return Said::exempt;
  }
  if (!point.after)
    throw Refused{concat("after has no value at ", place, ", where before has one: ", point.after_lacks)};
  if (point.before->is_integer != point.after->is_integer) throw Refused{concat("types differ at ", place)};
  Agreement agreement = Agreement::by_residue;
  if (point.before->is_integer) {
    if (point.before->integer != point.after->integer) agreement = Agreement::differs;
  } else {
    agreement = compare_values(point.before->real, point.after->real, point.numbers.used_functions());
  }
  if (agreement == Agreement::differs) throw Refused{concat("the programs differ at ", place)};
  (agreement == Agreement::undecided ? tally_.undecided : tally_.agrees) += 1;
  return agreement == Agreement::undecided ? Said::undecided : Said::agrees;
}

void WholeCheck::check_obligations(Point& point, const std::string& place, std::uint64_t& budget) {
  const auto claim = claims_.find(point.output);
  if (claim == claims_.end()) return;
  Evaluator before(context_.before, point.numbers, point.sources, budget);
  NoValue forms(context_.certificate, point.numbers, point.draws, before, values_, budget);
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
    edges_ = edges_of(context_.before, context_.seed);
    for (auto& [name, elements] : edges_of(context_.after, context_.seed)) {
      auto& own = edges_[name];
      own.insert(own.end(), elements.begin(), elements.end());
    }
  }
  return edges_[output.name];
}

}  // namespace steptp::replayer
