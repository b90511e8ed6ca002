// Scalar pairs in carriers: every pair can stand in every program.

#include <set>

#include "steptp/base/text.h"
#include "testing/attack_scalar_pairs.h"
#include "testing/attack_text.h"

namespace steptp::testing {

namespace {

/// "A(tx,a)".
std::string read_of(std::string_view tensor, std::string_view subscript) { return concat(tensor, "(", subscript, ")"); }

std::optional<Attack> make(const ScalarPair& pair, const Carrier& carrier, Random& random) {
  AttackNumbers numbers(random);
  const auto expression = [&](std::string_view text) {
    AttackNumbers inside = numbers;
    inside.set_text("x", read_of(carrier.x, carrier.subscript));
    inside.set_text("y", read_of("C", carrier.subscript));
    return concat("(", inside.fill(text), ")");
  };
  const auto program = [&](std::string_view text) {
    AttackNumbers around = numbers;
    around.set_text("e", expression(text));
    return concat("^", numbers.fill("$T"), ";", around.fill(carrier.program));
  };
  const std::string signature =
      numbers.fill(concat("@input A $T[", carrier.shape, "] ", pair.domain, "\n@input C $T[", carrier.shape, "]\n",
                          carrier.more, "@output D $T[", carrier.output, "]\n"));
  auto attack =
      attack_from(concat(pair.group, "/", carrier.name), signature, program(pair.before), program(pair.after));
  if (!attack) return std::nullopt;
  attack->inputs.seed = random.below(1000000);
  const auto place = numbers.list(carrier.place);
  set_input(*attack, "A", place, pair.x_is_c ? numbers.constant() : pair.x);
  set_input(*attack, "C", place, pair.y);
  set_inputs(*attack, carrier.set, numbers);
  attack->elements = {{"D", numbers.list(carrier.element)}};
  return attack;
}

}  // namespace

const std::vector<AttackClass>& scalar_attacks() {
  static const std::vector<AttackClass> kClasses = [] {
    std::vector<AttackClass> classes;
    std::set<std::string_view> groups;
    for (const ScalarPair& pair : scalar_pairs()) {
      if (!groups.insert(pair.group).second) continue;
      std::vector<const ScalarPair*> members;
      for (const ScalarPair& other : scalar_pairs()) {
        if (other.group == pair.group) members.push_back(&other);
      }
      classes.push_back({std::string(pair.group), [members](Random& random) {
                           const ScalarPair& chosen = *members[random.below(members.size())];
                           return make(chosen, carriers()[random.below(carriers().size())], random);
                         }});
    }
    return classes;
  }();
  return kClasses;
}

}  // namespace steptp::testing
