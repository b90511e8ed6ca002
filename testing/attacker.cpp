#include "testing/attacker.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "steptp/base/text.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "steptp/text/signature_text.h"
#include "testing/deep_stack.h"
#include "testing/equal_steps.h"

namespace steptp::testing {

namespace {

/// Outputs beyond this are looked at only where the attack says.
constexpr std::int64_t kMostElements = 20000;

std::int64_t output_elements(const Signature& signature) {
  std::int64_t total = 0;
  for (const Variable& variable : signature.variables) {
    if (variable.role == Role::output) total += element_count(variable.shape).value_or(kMostElements + 1);
  }
  return total;
}

Attack disguised(const Attack& attack, Random& random) {
  Attack out = attack;
  disguise(out, random);
  return out;
}

}  // namespace

const std::vector<AttackClass>& attack_classes() {
  static const std::vector<AttackClass> kClasses = [] {
    std::vector<AttackClass> classes;
    for (const auto* list :
         {&template_attacks(), &scalar_attacks(), &integer_attacks(), &host_attacks(), &law_attacks(),
          &integer_law_attacks(), &index_attacks(), &write_attacks(), &matrix_attacks()}) {
      classes.insert(classes.end(), list->begin(), list->end());
    }
    return classes;
  }();
  return kClasses;
}

void disguise(Attack& attack, Random& random) {
  static const std::vector<EqualStep>* const kSteps[] = {&loop_steps(), &nest_steps(), &tensor_steps(),
                                                         &algebra_steps()};
  const std::int64_t wanted = random.between(1, 3);
  std::int64_t done = 0;
  for (int attempt = 0; done < wanted && attempt < 20; ++attempt) {
    const std::vector<EqualStep>& group = *kSteps[random.below(std::size(kSteps))];
    if (group[random.below(group.size())].apply(attack.after, random)) ++done;
  }
}

std::optional<MeaningDifference> confirm(const Attack& attack) {
  if (attack.reason == AttackReason::precision) {
    return MeaningDifference{"", {}, "precision", "a narrower float type on the way to an output"};
  }
  if (attack.elements.empty() && output_elements(attack.before.signature) > kMostElements) return std::nullopt;
  return first_difference(attack.before, attack.after, attack.inputs, attack.elements);
}

std::uint64_t AttackCounts::accepted() const {
  std::uint64_t total = 0;
  for (const Grade grade : {Grade::proved, Grade::exact}) {
    if (const auto at = grades.find(grade); at != grades.end()) total += at->second;
  }
  return total;
}

std::map<std::string, AttackCounts> attack(const AttackOptions& options) {
  std::vector<const AttackClass*> classes;
  for (const AttackClass& one : attack_classes()) {
    if (one.name.find(options.only) != std::string::npos) classes.insert(classes.end(), one.weight, &one);
  }
  std::map<std::string, AttackCounts> counts;
  if (classes.empty()) return counts;
  std::uint64_t confirmed = 0;
  // A class that no longer makes pairs must not keep the others waiting for ever.
  for (std::uint64_t i = 0; confirmed < options.count && i < 20 * options.count + 100; ++i) {
    const AttackClass& chosen = *classes[i % classes.size()];
    Random random(combine(options.seed, i));
    std::optional<Attack> made;
    std::optional<MeaningDifference> difference;
    on_deep_stack([&] {
      made = chosen.make(random);
      if (!made) return;
      if (made->reason == AttackReason::value && random.chance(1, 4)) made = disguised(*made, random);
      difference = confirm(*made);
    });
    if (!made) continue;
    AttackCounts& count = counts[chosen.name];
    ++count.made;
    if (!difference) {
      if (options.unconfirmed) options.unconfirmed(*made);
      continue;
    }
    ++count.confirmed;
    ++confirmed;
    VerifyOptions verify_options;
    verify_options.seed = combine(options.seed, i);
    verify_options.budget = options.budget;
    verify_options.safety_budget = 1;
    const Judgement judgement = verify(made->before, made->after, verify_options);
    ++count.grades[judgement.verdict];
    if (options.seen) options.seen(*made, *difference, judgement);
  }
  return counts;
}

Json to_json(const Attack& attack, const MeaningDifference& difference, const Judgement* judgement) {
  Json signature{Json::Array{}};
  for (const Variable& variable : attack.before.signature.variables) signature.push(to_json(variable));
  Json index{Json::Array{}};
  for (const std::int64_t one : difference.index) index.push(one);
  Json where;
  where.set("output", difference.output).set("index", std::move(index));
  where.set("before", difference.before).set("after", difference.after);
  Json out;
  out.set("class", attack.name).set("signature", std::move(signature));
  out.set("before", print(attack.before, Profile::compact)).set("after", print(attack.after, Profile::compact));
  out.set("inputs", to_json(attack.inputs)).set("difference", std::move(where));
  if (judgement) {
    out.set("verdict", std::string(name_of(judgement->verdict))).set("reason", judgement->reason);
  }
  return out;
}

std::string to_table(const std::map<std::string, AttackCounts>& counts) {
  static constexpr Grade kGrades[] = {Grade::proved,  Grade::exact,     Grade::numeric,
                                      Grade::differs, Grade::undecided, Grade::invalid};
  std::ostringstream out;
  out << std::left << std::setw(24) << "class" << std::right << std::setw(8) << "made" << std::setw(10) << "confirmed"
      << std::setw(9) << "accepted";
  for (const Grade grade : kGrades) out << std::setw(10) << name_of(grade);
  out << "\n";
  AttackCounts total;
  const auto row = [&](const std::string& name, const AttackCounts& count) {
    out << std::left << std::setw(24) << name << std::right << std::setw(8) << count.made << std::setw(10)
        << count.confirmed << std::setw(9) << count.accepted();
    for (const Grade grade : kGrades) {
      const auto at = count.grades.find(grade);
      out << std::setw(10) << (at == count.grades.end() ? 0 : at->second);
    }
    out << "\n";
  };
  for (const auto& [name, count] : counts) {
    row(name, count);
    total.made += count.made;
    total.confirmed += count.confirmed;
    for (const auto& [grade, number] : count.grades) total.grades[grade] += number;
  }
  row("all", total);
  return out.str();
}

}  // namespace steptp::testing
