// Index expressions: a random one and a changed one that agree at nearly every point of a box of loops.

#include <algorithm>

#include "steptp/base/text.h"
#include "testing/attack_terms.h"
#include "testing/attack_text.h"

namespace steptp::testing {

namespace {

/// The box: loops a and c.
struct Box {
  std::int64_t a = 1;
  std::int64_t c = 1;
};

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

std::int64_t value_at(const Term& term, std::int64_t a, std::int64_t c) {
  if (term.parts.empty()) return term.head == "a" ? a : term.head == "c" ? c : std::stoll(term.head);
  const std::int64_t left = value_at(term.parts[0], a, c);
  const std::int64_t right = value_at(term.parts[1], a, c);
  if (term.head == "+") return left + right;
  if (term.head == "-") return left - right;
  if (term.head == "*") return left * right;
  return term.head == "//" ? floor_divide(left, right) : left - right * floor_divide(left, right);
}

Term number(std::int64_t value) { return {std::to_string(value), {}}; }

Term random_index(Random& random, const Box& box, int depth) {
  if (depth == 0) return {random.chance(1, 2) ? "a" : "c", {}};
  switch (random.below(7)) {
    case 0: return {"+", {random_index(random, box, depth - 1), number(random.between(1, 9))}};
    case 1: return {"*", {random_index(random, box, depth - 1), number(random.between(2, 9))}};
    case 2: return {"//", {random_index(random, box, depth - 1), number(random.between(2, 33))}};
    case 3: return {"%", {random_index(random, box, depth - 1), number(random.between(2, 40))}};
    case 4: {
      Term row{"*", {Term{"a", {}}, number(box.c)}};
      return {"+", {std::move(row), Term{"c", {}}}};
    }
    default: return {"+", {random_index(random, box, depth - 1), random_index(random, box, depth - 1)}};
  }
}

/// One small change: a number moves, a quotient becomes a multiplication and a shift, nested quotients are merged, a
/// remainder is dropped or written otherwise, or a term appears that is zero nearly everywhere.
Term changed(const Term& term, Random& random, const Box& box) {
  const std::vector<TermPath> paths = value_paths(term);
  const TermPath& path = paths[random.below(paths.size())];
  const Term& part = part_at(term, path);
  const auto put = [&](Term replacement) { return with_part(term, path, replacement); };
  const auto is_number = [](const Term& one) { return one.parts.empty() && one.head != "a" && one.head != "c"; };
  if (is_number(part)) return put(number(std::max<std::int64_t>(1, std::stoll(part.head) + random.between(-1, 1))));
  if (part.head == "//" && random.chance(2, 3)) {
    const std::int64_t divisor = std::stoll(part.parts[1].head);
    const std::int64_t shift = std::int64_t{1} << random.between(6, 16);
    Term product{"*", {part.parts[0], number(shift / divisor + 1)}};
    return put({"//", {std::move(product), number(shift)}});
  }
  if (part.head == "%" && random.chance(1, 3)) return put(part.parts[0]);
  if (part.head == "%" && random.chance(1, 2)) {
    const std::int64_t divisor = std::stoll(part.parts[1].head);
    Term multiple{"*", {Term{"//", {part.parts[0], number(divisor + random.between(0, 1))}}, number(divisor)}};
    return put({"-", {part.parts[0], std::move(multiple)}});
  }
  switch (random.below(4)) {
    case 0: return put({"+", {part, Term{"//", {Term{"a", {}}, number(std::max<std::int64_t>(box.a - 1, 1))}}}});
    case 1: return put({"+", {part, Term{"//", {Term{"c", {}}, number(std::max<std::int64_t>(box.c - 1, 1))}}}});
    case 2: {
      const std::int64_t k = random.between(box.a / 2 + 1, std::max(box.a - 1, box.a / 2 + 1));
      Term first{"//", {Term{"a", {}}, number(k)}};
      Term second{"//", {Term{"a", {}}, number(k + 1)}};
      return put({"+", {part, Term{"-", {std::move(first), std::move(second)}}}});
    }
    default: {
      Term sum{"+", {Term{"*", {Term{"a", {}}, number(box.c)}}, Term{"c", {}}}};
      return put({"+", {part, Term{"//", {std::move(sum), number(std::max<std::int64_t>(box.a * box.c - 1, 1))}}}});
    }
  }
}

struct Found {
  std::int64_t a = -1;
  std::int64_t c = 0;
  std::int64_t differing = 0;
  std::int64_t least = 0;
  std::int64_t greatest = 0;
};

Found compare(const Term& before, const Term& after, const Box& box, Random& random) {
  Found found;
  for (std::int64_t a = 0; a < box.a; ++a) {
    for (std::int64_t c = 0; c < box.c; ++c) {
      const std::int64_t one = value_at(before, a, c);
      const std::int64_t other = value_at(after, a, c);
      found.least = std::min({found.least, one, other});
      found.greatest = std::max({found.greatest, one, other});
      if (one == other) continue;
      if (random.below(static_cast<std::uint64_t>(++found.differing)) == 0)
        found = {a, c, found.differing, found.least, found.greatest};
    }
  }
  return found;
}

/// How the index is used.
constexpr std::string_view kUses[] = {
    "a$Na c$Nc D(a,c)=A($i);",
    "a$Na c$Nc D(a,c)=A($i)*2+1;",
    "a$Na c$Nc D(a,c)=A(0)*($i);",
    "a$Na c$Nc D(a,c)=where($i==$V,A(0),A(1));",
    "a$Na c$Nc D(a,c)=where($i<$V,A(0),A(1));",
    "a$Na c$Nc D(a,c)=where($i<=$V,A($i),A(1));",
    "a$Na c$Nc E(a,c)=A($i);a$Na c$Nc D(a,c)=E($La-a,c);",
    "a$Na{c$Nc E^l(c)=A($i);c$Nc D(a,c)=E(c);}",
    "a$Na c$Nc D(a,c)=0;a$Na c$Nc ?($i<=$V) D(a,c)=A(0);",
};

std::optional<Attack> make(Random& random) {
  const Box box{random.between(2, 300), random.chance(1, 3) ? random.between(2, 5) : random.between(6, 200)};
  const Term before = random_index(random, box, static_cast<int>(random.between(1, 3)));
  std::optional<Term> best;
  Found rarest;
  for (int attempt = 0; attempt < 12; ++attempt) {
    Term after = changed(before, random, box);
    if (random.chance(1, 3)) after = changed(after, random, box);
    const Found found = compare(before, after, box, random);
    if (found.differing == 0 || found.least < 0 || found.greatest > 10'000'000) continue;
    if (!best || found.differing < rarest.differing) {
      best = std::move(after);
      rarest = found;
    }
  }
  if (!best) return std::nullopt;
  AttackNumbers numbers(random);
  const std::int64_t one = value_at(before, rarest.a, rarest.c);
  const std::int64_t other = value_at(*best, rarest.a, rarest.c);
  const std::string_view use = kUses[random.below(std::size(kUses))];
  const bool mirrored = use.find("$La") != std::string_view::npos;
  numbers.set("Na", box.a);
  numbers.set("Nc", box.c);
  numbers.set("La", box.a - 1);
  numbers.set("V", std::min(one, other));
  numbers.set("Size", std::max<std::int64_t>(rarest.greatest + 1, 2));
  // `<` tells the two values apart at the greater one.
  if (use.find("<$V") != std::string_view::npos) numbers.set("V", std::max(one, other));
  const auto program = [&](const Term& index) {
    AttackNumbers inside = numbers;
    inside.set_text("i", text_of(index));
    return concat("^", numbers.fill("$T"), ";", inside.fill(use));
  };
  auto attack = attack_from("indices", numbers.fill("@input A $T[$Size]\n@output D $T[$Na,$Nc]\n"), program(before),
                            program(*best));
  if (!attack) return std::nullopt;
  attack->inputs.seed = random.below(1000000);
  set_input(*attack, "A", {0}, 3);
  set_input(*attack, "A", {1}, 4);
  set_input(*attack, "A", {one}, 5);
  set_input(*attack, "A", {other}, 7);
  attack->elements = {{"D", {mirrored ? box.a - 1 - rarest.a : rarest.a, rarest.c}}};
  return attack;
}

}  // namespace

const std::vector<AttackClass>& index_attacks() {
  static const std::vector<AttackClass> kClasses = {{"indices", make, 3}};
  return kClasses;
}

}  // namespace steptp::testing
