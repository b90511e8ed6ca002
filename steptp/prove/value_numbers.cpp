// Value numbers (docs/decisions/0011). Programs of a pair share most of their text, so what a tensor holds after a
// given number of its writers gets a number: equal formulas, equal number, in both programs. Reads of what has a number
// stay reads. A cut claims nothing that its definition does not have: a number carries its sign, whether it may be
// infinite or NaN, and where it has no value (docs/decisions/0039).
#include "steptp/prove/value_numbers.h"

#include "steptp/prove/give_up.h"

namespace steptp::forms {

Numbering ValueNumbers::number(Flow& flow, Whose role) {
  Numbering result;
  for (const Version& version : flow.writers().versions()) {
    const auto& shape = flow.writers().shape(version.tensor);
    const std::vector<Affine> element = shared_.subscripts(shape);
    try {
      const Value value = flow.value(version, element);
      if (value.kind != Value::Kind::real) continue;
      const VersionNumbers numbers = numbers_of(shape, value, role);
      flow.set_number(version, numbers);
      result.emplace(version, numbers.value);
    } catch (const GiveUp&) {
      continue;
    }
  }
  return result;
}

std::pair<Numbering, Numbering> ValueNumbers::number_together(Flow& left, Flow& right) {
  Side sides[2] = {{left, left.writers().versions(), Whose::before}, {right, right.writers().versions(), Whose::after}};
  for (Side& side : sides) side.flow.forget_numbers();
  // Side by side, so that definitions are met before much has been built on them. Programs that have little in common
  // are looked through again and again, which ends here.
  constexpr std::uint64_t kMostWork = 200'000;
  const std::uint64_t start = shared_.arena.budget.work();
  while (sides[0].next < sides[0].versions.size() || sides[1].next < sides[1].versions.size()) {
    if (shared_.arena.budget.work() - start > kMostWork) break;
    const bool second = sides[1].share() < sides[0].share();
    look_at_next(sides[second ? 1 : 0], sides[second ? 0 : 1]);
  }
  for (Side& side : sides) side.flow.renew_recurrences();
  return {std::move(sides[0].numbers), std::move(sides[1].numbers)};
}

void ValueNumbers::look_at_next(Side& own, Side& other) {
  const Version version = own.versions[own.next++];
  const auto& shape = own.flow.writers().shape(version.tensor);
  const std::vector<Affine> element = shared_.subscripts(shape);
  try {
    const Value value = own.flow.value(version, element);
    if (value.kind != Value::Kind::real) return;
    const Form form{shape, value.real};
    const auto others = other.alone.find(form);
    if (others == other.alone.end() && !met_.contains(form)) {
      own.alone[form].emplace_back(version, value);
      return;
    }
    // Where one program reads it in the nest that writes it, it has no name there: then it has none at all.
    bool is_seen_through = own.flow.writers().is_read_where_written(version.tensor) || is_mask_of_indices(value.real);
    if (others != other.alone.end()) {
      for (const auto& [same, same_value] : others->second) {
        is_seen_through = is_seen_through || other.flow.writers().is_read_where_written(same.tensor);
      }
    }
    if (is_seen_through) {
      own.alone[form].emplace_back(version, value);
      return;
    }
    met_.insert(form);
    const auto set_own = [&] { own.set(version, numbers_of(shape, value, own.role)); };
    if (others == other.alone.end()) return set_own();
    // What `before` cannot bear is known before `after` is looked at.
    if (own.role == Whose::before) set_own();
    for (const auto& [same, same_value] : others->second) {
      other.set(same, numbers_of(shape, same_value, other.role));
    }
    if (own.role == Whose::after) set_own();
    other.alone.erase(others);
  } catch (const GiveUp&) {
    return;
  }
}

bool ValueNumbers::is_mask_of_indices(PolynomialId form) {
  Arena& arena = shared_.arena;
  const auto generator = arena.as_generator(form);
  if (!generator || !arena.traits(form).may_be_infinite) return false;
  const Generator& node = arena.generator(*generator);
  return node.kind == Generator::Kind::select && arena.is_index_condition(node.conditions[0]);
}

VersionNumbers ValueNumbers::numbers_of(const std::vector<std::int64_t>& shape, const Value& value, Whose role) {
  VersionNumbers numbers{number_of(shape, value), kHarmless};
  const auto number_hazard = [&](PolynomialId hazard) {
    return hazard == kHarmless ? kHarmless : number_of(shape, {Value::Kind::real, {}, hazard, 0});
  };
  Hazards hazards(shared_.arena);
  const auto excused = excuses_.find(numbers.value);
  if (role == Whose::before) {
    const PolynomialId excuse = hazards.united(value.hazard, hazards.of_nan(value.real));
    // Two versions of one value that differ in this excuse nothing.
    const bool is_new = excused == excuses_.end();
    if (is_new) excuses_.emplace(numbers.value, excuse);
    if (is_new) hazards_.emplace(numbers.value, value.hazard);
    if (!is_new && excused->second != excuse) {
      excused->second = kHarmless;
      shared_.arena.definitions[numbers.value].excuse.reset();
    }
  } else if (excused != excuses_.end() && value.hazard != kHarmless && excused->second != kHarmless &&
             value.hazard != hazards_[numbers.value] && hazards.includes(excused->second, value.hazard)) {
    numbers.hazard = number_hazard(excused->second);
    shared_.arena.definitions[numbers.value].excuse = numbers.hazard;
    return numbers;
  }
  numbers.hazard = number_hazard(value.hazard);
  return numbers;
}

std::uint32_t ValueNumbers::number_of(const std::vector<std::int64_t>& shape, const Value& value) {
  const auto next = static_cast<std::uint32_t>(shared_.arena.definitions.size());
  const auto [place, is_new] = numbers_.try_emplace({shape, value.real}, next);
  if (is_new) {
    forms_.emplace(place->second, std::pair(shape, value));
    const Traits& traits = shared_.arena.traits(value.real);
    shared_.arena.definitions.push_back({traits.may_be_infinite, traits.may_be_nan,
                                         shared_.arena.signs.sign(value.real),
                                         shared_.arena.maxima.is_below_infinity(value.real)});
  }
  return place->second;
}

}  // namespace steptp::forms
