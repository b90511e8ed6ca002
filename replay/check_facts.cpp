// Facts and side conditions of a proof. That the forms are those of the programs is checked elsewhere; this is about
// what a certificate says besides, so that it says nothing that is false or that nothing asks for.
#include "replay/check_facts.h"

#include <algorithm>

#include "replay/sample.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"

namespace steptp::replayer {

namespace {

/// The facts that a certificate can state, with the kinds of values that each excludes.
struct FactWord {
  bool Facts::*stated;
  std::string_view name;
  Nature excluded;
  bool is_of_sign;
};
constexpr FactWord kFactWords[] = {
    {&Facts::nonnegative, "nonnegative", nature::kNegative | nature::kMinusInfinity, true},
    {&Facts::nonpositive, "nonpositive", nature::kPositive | nature::kPlusInfinity, true},
    {&Facts::nonzero, "other than zero", nature::kZero, true},
    {&Facts::finite, "finite", nature::kInfinite, false},
    {&Facts::is_number, "a number", nature::kNan, false},
};

Nature excluded_by(const SideCondition& condition) {
  if (condition.needs == "nonzero") return nature::kZero;
  if (condition.needs == "finite") return nature::kInfinite | nature::kNan;
  return nature::kNegative | nature::kMinusInfinity;
}

Nature nature_of(const Real& value, const Numbers& numbers) {
  switch (value.kind) {
    case Class::plus_infinity: return nature::kPlusInfinity;
    case Class::minus_infinity: return nature::kMinusInfinity;
    case Class::nan: return nature::kNan;
    case Class::finite: break;
  }
  if (value.value > value.error) return nature::kPositive;
  if (value.value < -value.error) return nature::kNegative;
  // Zero, as far as can be told; where the sign is open nothing is excluded.
  return value.residue == 0 && numbers.sign(value) == 0 ? nature::kZero : Nature{0};
}

}  // namespace

FactCheck::FactCheck(Context& context)
    : context_(context), natures_(context.certificate), before_(context.before), after_(context.after) {}

bool FactCheck::signs_matter(const Claim& claim) const {
  const auto any = [](const std::vector<VersionName>& names, const Uses& uses) {
    return std::any_of(names.begin(), names.end(),
                       [&](const VersionName& name) { return uses.signs_matter(name.first); });
  };
  return any(claim.before, before_) || any(claim.after, after_);
}

bool FactCheck::signs_matter(const FormPtr& form) const {
  bool out = false;
  for_each_node(form, [&](const Form& node) {
    if (node.kind == Form::Kind::input) out |= before_.signs_matter(node.name) || after_.signs_matter(node.name);
    if (node.kind == Form::Kind::value) out |= signs_matter(*claims_.at(node.number));
  });
  return out;
}

void FactCheck::add(const Claim& claim) {
  natures_.add(claim);
  claims_[claim.number] = &claim;
  if (claim.is_name()) return;
  check_needed(claim);
  const Nature nature = natures_.of_value(claim.number);
  for (const FactWord& word : kFactWords) {
    if (!(claim.facts.*word.stated)) continue;
    if ((nature & word.excluded) == 0) {
      shown_ += 1;
    } else if (not_shown_.empty()) {
      not_shown_ = concat(claim.name(), " is ", word.name);
    }
  }
}

void FactCheck::check_needed(const Claim& claim) const {
  if (signs_matter(claim)) return;
  for (const FactWord& word : kFactWords) {
    if (!(claim.facts.*word.stated) || !word.is_of_sign) continue;
    throw Refused{concat("the table says that ", claim.name(), " is ", word.name, ", and nothing asks for it")};
  }
}

void FactCheck::look_at(const Claim& claim, const Real& value, const Numbers& numbers, const std::string& place) {
  const Nature nature = nature_of(value, numbers);
  for (const FactWord& word : kFactWords) {
    if (claim.facts.*word.stated && (nature & word.excluded) != 0) {
      throw Refused{concat(place, " is not ", word.name, ", as the table says")};
    }
  }
}

void FactCheck::check_bound(const SideCondition& condition) const {
  std::set<std::uint32_t> declared;
  for (const SideCondition::Variable& variable : condition.variables) declared.insert(variable.number);
  for (const std::uint32_t id : condition.of->free) {
    if (!declared.contains(id)) throw Refused{"a side condition has a variable that nothing binds"};
    declared.erase(id);
  }
  if (!declared.empty()) throw Refused{"a side condition binds a variable that it does not have"};
  if (condition.of->reads_self) throw Refused{"a side condition speaks of a recurrence outside of it"};
  for_each_node(condition.of, [&](const Form& node) {
    if (node.kind == Form::Kind::value && !claims_.contains(node.number)) {
      throw Refused{concat("a side condition speaks of #", node.number, ", which is not listed")};
    }
    const Variable* variable = context_.certificate.before.signature.find(node.name);
    if (node.kind == Form::Kind::input && (!variable || variable->role == Role::output)) {
      throw Refused{concat("a side condition reads ", node.name, ", which is not an input")};
    }
  });
}

void FactCheck::check_needed(const SideCondition& condition) const {
  bool reads = false;
  for_each_node(condition.of, [&](const Form& node) {
    reads |= node.kind == Form::Kind::input || node.kind == Form::Kind::value || node.kind == Form::Kind::variable;
  });
  if (!reads) throw Refused{"a side condition about a number"};
  if (condition.needs != "finite" && !signs_matter(condition.of)) {
    throw Refused{concat("a side condition says ", condition.needs, ", and nothing asks for it")};
  }
  for (const SideCondition& other : context_.certificate.conditions) {
    if (&other == &condition) break;
    if (other.needs == condition.needs && is_same_form(*other.of, *condition.of)) {
      throw Refused{"a side condition is stated twice"};
    }
  }
}

void FactCheck::check_condition(const SideCondition& condition) {
  check_bound(condition);
  check_needed(condition);
  std::vector<std::pair<std::uint32_t, Range>> ranges;
  for (const SideCondition::Variable& variable : condition.variables) {
    ranges.emplace_back(variable.number, Range{variable.low, variable.high});
  }
  const Nature nature = natures_.of_form(*condition.of, ranges);
  const bool is_shown = (nature & excluded_by(condition)) == 0;
  look_at(condition, is_shown);
  if (is_shown) {
    shown_ += 1;
  } else if (not_shown_.empty()) {
    not_shown_ = concat("a side condition holds: ", condition.needs);
  }
}

/// At points, with the ends of the ranges of variables among them. What is shown is looked at too, at fewer: the rules
/// that show it may be wrong.
void FactCheck::look_at(const SideCondition& condition, bool is_shown) {
  constexpr std::uint64_t kTrials = 60;
  constexpr std::uint64_t kTrialsOfShown = 12;
  Random random(context_.seed);
  for (std::uint64_t trial = 0; trial < (is_shown ? kTrialsOfShown : kTrials); ++trial) {
    const Kind kind = kAllKinds[trial % std::size(kAllKinds)];
    Sample sample(context_.certificate, kind, combine(context_.seed, trial + 1000), 0);
    FormEvaluator evaluator(sample.numbers, sample.leaves, context_.certificate.names.size(), context_.budget);
    for (const SideCondition::Variable& variable : condition.variables) {
      const std::int64_t ends[] = {variable.low, variable.high, random.between(variable.low, variable.high)};
      evaluator.set(variable.number, ends[random.below(3)]);
    }
    try {
      const Real value = evaluator.real(*condition.of);
      if ((nature_of(value, sample.numbers) & excluded_by(condition)) != 0) {
        throw Refused{concat("a side condition does not hold: not ", condition.needs)};
      }
    } catch (const Undefined&) {
      continue;  // it has no value there
    } catch (const Undecided&) {
      continue;
    }
  }
}

void FactCheck::finish() {
  for (const SideCondition& condition : context_.certificate.conditions) check_condition(condition);
  if (!not_shown_.empty()) throw Undecided{concat("it is not shown that ", not_shown_)};
  if (shown_ > 0) {
    context_.report.reproved.push_back(concat(shown_, " facts and side conditions, from the forms and the domains"));
  }
}

void check_references_are_needed(const Certificate& certificate) {
  if (certificate.unused_parts > 0) {
    throw Refused{concat(certificate.unused_parts, " parts of forms to which nothing refers")};
  }
  std::set<std::int64_t> used;
  const auto note = [&](const FormPtr& form) {
    if (!form) return;
    for_each_node(form, [&](const Form& node) {
      if (node.kind == Form::Kind::value) used.insert(node.number);
    });
  };
  const auto note_all = [&](const Claim& claim) {
    for (const Region& region : claim.regions) {
      for (const FormPtr& form :
           {region.where, region.form, region.after, region.no_value_before, region.no_value_after}) {
        note(form);
      }
    }
  };
  for (const Claim& claim : certificate.outputs) note_all(claim);
  // Later values are made of earlier ones.
  for (auto claim = certificate.values.rbegin(); claim != certificate.values.rend(); ++claim) {
    if (!used.contains(claim->number)) throw Refused{concat(claim->name(), " is listed, and nothing is made of it")};
    note_all(*claim);
  }
}

}  // namespace steptp::replayer
