// Pairs that are written out, with drawn numbers.

#include "testing/attack_templates.h"

#include <set>

#include "steptp/base/text.h"
#include "testing/attack_text.h"

namespace steptp::testing {

namespace {

std::optional<Attack> make(const AttackTemplate& text, Random& random) {
  AttackNumbers numbers(random);
  if (text.by_precision && numbers.texts().at("T") == "bf16") numbers.set_text("T", "f32");
  const auto program = [&](std::string_view body) {
    const bool typed = text.signature.find("$T") != std::string_view::npos;
    const bool wide = text.signature.find("A f64") != std::string_view::npos;
    return concat("^", typed ? numbers.fill("$T") : wide ? "f64" : "f32", ";", numbers.fill(body));
  };
  auto attack =
      attack_from(std::string(text.group), numbers.fill(text.signature), program(text.before), program(text.after));
  if (!attack) return std::nullopt;
  attack->inputs.seed = random.below(1000000);
  set_inputs(*attack, text.set, numbers);
  if (const std::size_t at = text.element.find('@'); at != std::string_view::npos) {
    attack->elements = {{std::string(text.element.substr(0, at)), numbers.list(text.element.substr(at + 1))}};
  }
  if (text.by_precision) attack->reason = AttackReason::precision;
  return attack;
}

/// Tables: a constant with given values of which one is not like the others.
std::optional<Attack> make_table(Random& random) {
  AttackNumbers numbers(random);
  struct Table {
    std::string_view before;
    std::string_view after;
    double usual;
    double odd;
  };
  static constexpr Table kTables[] = {
      {"a$N D(a)=A(a)*Q(a);", "a$N D(a)=A(a);", 1, 2},
      {"a$N D(a)=A(a)+Q(a);", "a$N D(a)=A(a);", 0, 0.5},
      {"a$N D(a)=max(A(a),Q(a));", "a$N D(a)=max(A(a),-1);", -1, 50},
      {"a$N D(a)=A(a)*Q(a);", "a$N D(a)=A(a)*Q(0);", 0.25, 0.5},
      {"a$N D(a)=where(Q(a)>0,A(a),0);", "a$N D(a)=A(a);", 1, -1},
      {"a$N D(a)=A(a)*Q($Last-a);", "a$N D(a)=A(a)*Q(a);", 1, 3},
      {"a$N D(a)=A(a);", "a$N D(a)=A(a)/Q(a)*Q(a);", 1, 0},
      {"a$N D(a)=A(a)*Q(a)*Q(a);", "a$N D(a)=A(a)*Q(a);", 1, 3},
      {"a$N c$N D(a)+=A(c)*Q(c);", "a$N c$N D(a)+=A(c);", 1, 3},
  };
  const Table& table = kTables[random.below(std::size(kTables))];
  const std::string signature = numbers.fill("@input A $T[$N]\n@constant Q $T[$N]\n@output D $T[$N]\n");
  const std::string head = numbers.fill("^$T;");
  auto attack = attack_from("tables", signature, head + numbers.fill(table.before), head + numbers.fill(table.after));
  if (!attack) return std::nullopt;
  std::vector<double> values(static_cast<std::size_t>(numbers.at("N")), table.usual);
  values[static_cast<std::size_t>(numbers.at("K"))] = table.odd;
  for (Program* program : {&attack->before, &attack->after}) {
    for (Variable& variable : program->signature.variables) {
      if (variable.name == "Q") variable.values = values;
    }
  }
  attack->inputs.seed = random.below(1000000);
  set_inputs(*attack, "A@K=1.5 A@Mirror=2.5 A@0=1", numbers);
  attack->elements = {{"D", {numbers.at("K")}}, {"D", {numbers.at("Mirror")}}};
  return attack;
}

/// Index tables: a permutation, or nearly.
std::optional<Attack> make_index_table(Random& random) {
  AttackNumbers numbers(random);
  const std::string signature = numbers.fill("@input A $T[$N]\n@constant Q i64[$N] [0,$N)\n@output D $T[$N]\n");
  const std::string head = numbers.fill("^$T;");
  const bool writes = random.chance(1, 2);
  auto attack = attack_from("tables", signature,
                            head + numbers.fill(writes ? "a$N D(a)=0;a$N D(Q^i64(a))=A(a);" : "a$N D(a)=A(Q^i64(a));"),
                            head + numbers.fill(writes ? "a$N D(a)=A(a)+0*Q^i64(a);" : "a$N D(a)=A(a)+0*Q^i64(a);"));
  if (!attack) return std::nullopt;
  std::vector<double> values(static_cast<std::size_t>(numbers.at("N")));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  const auto k = static_cast<std::size_t>(numbers.at("K"));
  std::swap(values[k], values[k + 1]);
  for (Program* program : {&attack->before, &attack->after}) {
    for (Variable& variable : program->signature.variables) {
      if (variable.name == "Q") variable.values = values;
    }
  }
  set_inputs(*attack, "A@K=1.5 A@After=2.5", numbers);
  attack->elements = {{"D", {numbers.at("K")}}};
  return attack;
}

/// Quotients by a multiplication and a shift, wrong from some index on.
std::optional<Attack> make_quotient(Random& random) {
  const std::int64_t divisor = random.between(3, 97);
  const std::int64_t shift = std::int64_t{1} << random.between(10, 20);
  const std::int64_t factor = shift / divisor + 1;
  const std::int64_t extent = random.chance(1, 2) ? 100000 : random.between(500, 20000);
  std::int64_t first = 0;
  while (first < extent && first / divisor == first * factor / shift) ++first;
  if (first == extent) return std::nullopt;
  AttackNumbers numbers(random);
  numbers.set("Extent", extent);
  numbers.set("Size", extent / divisor + extent * factor / shift + 2);
  numbers.set("Divisor", divisor);
  numbers.set("Factor", factor);
  numbers.set("Shift", shift);
  static constexpr std::pair<std::string_view, std::string_view> kForms[] = {
      {"a$Extent D(a)=A(a//$Divisor);", "a$Extent D(a)=A(a*$Factor//$Shift);"},
      {"a$Extent D(a)=A(a//$Divisor)*2;", "a$Extent E(a)=A(a*$Factor//$Shift);a$Extent D(a)=E(a)*2;"},
      {"a$Extent D(a)=A(0)+a//$Divisor;", "a$Extent D(a)=A(0)+a*$Factor//$Shift;"},
      {"a$Extent D(a)=A(0)*(a%$Divisor);", "a$Extent D(a)=A(0)*(a-a*$Factor//$Shift*$Divisor);"},
      {"a$Extent D(a)=where(a//$Divisor%2==0,A(0),0);", "a$Extent D(a)=where(a*$Factor//$Shift%2==0,A(0),0);"}};
  const auto& form = kForms[random.below(std::size(kForms))];
  const std::string head = numbers.fill("^$T;");
  auto attack = attack_from("quotients", numbers.fill("@input A $T[$Size]\n@output D $T[$Extent]\n"),
                            head + numbers.fill(form.first), head + numbers.fill(form.second));
  if (!attack) return std::nullopt;
  set_input(*attack, "A", {0}, 3);
  set_input(*attack, "A", {first / divisor}, 3);
  set_input(*attack, "A", {first * factor / shift}, 5);
  attack->elements = {{"D", {first}}};
  return attack;
}

}  // namespace

const std::vector<AttackClass>& template_attacks() {
  static const std::vector<AttackClass> kClasses = [] {
    std::vector<AttackClass> classes;
    for (const auto* list : {&region_templates(), &store_templates(), &operator_templates()}) {
      std::set<std::string_view> groups;
      for (const AttackTemplate& text : *list) {
        if (!groups.insert(text.group).second) continue;
        std::vector<const AttackTemplate*> members;
        for (const AttackTemplate& other : *list) {
          if (other.group == text.group) members.push_back(&other);
        }
        classes.push_back({std::string(text.group),
                           [members](Random& random) { return make(*members[random.below(members.size())], random); }});
      }
    }
    classes.push_back(
        {"tables", [](Random& random) { return random.chance(2, 3) ? make_table(random) : make_index_table(random); }});
    classes.push_back({"quotients", make_quotient});
    return classes;
  }();
  return kClasses;
}

}  // namespace steptp::testing
