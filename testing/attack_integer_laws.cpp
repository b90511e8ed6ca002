// Laws of integers that wrapping, signs or zero break: random terms over bytes, rewritten, and all values searched.

#include <optional>

#include "steptp/base/text.h"
#include "testing/attack_terms.h"
#include "testing/attack_text.h"

namespace steptp::testing {

namespace {

constexpr std::pair<std::string_view, std::string_view> kLaws[] = {
    {"p*2//2", "p"},
    {"p*q//q", "p"},
    {"p//2*2", "p"},
    {"p//2*2+p%2", "p"},
    {"p//q*q+p%q", "p"},
    {"p+q-q", "p"},
    {"(p+q)//2", "p//2+q//2"},
    {"-(p//2)", "(-p)//2"},
    {"p//2//2", "p//4"},
    {"p%4%2", "p%2"},
    {"p%q%q", "p%q"},
    {"(p+q)%3", "(p%3+q%3)%3"},
    {"(p*q)%3", "(p%3)*(q%3)%3"},
    {"abs(p)", "max(p,-p)"},
    {"abs(p*q)", "abs(p)*abs(q)"},
    {"abs(p)*abs(p)", "p*p"},
    {"max(p,q)+r", "max(p+r,q+r)"},
    {"max(p,q)*2", "max(p*2,q*2)"},
    {"max(p,q)", "p+max(q-p,0)"},
    {"min(p,q)", "-max(-p,-q)"},
    {"max(p,q)+min(p,q)", "p+q"},
    {"where(p<q,u,v)", "where(p-q<0,u,v)"},
    {"where(p<q,u,v)", "where(p+1<=q,u,v)"},
    {"where(p<q,u,v)", "where(2*p<2*q,u,v)"},
    {"where(p<q,u,v)", "where(p>=q,v,u)"},
    {"where(p*p>=0,u,v)", "u"},
    {"where(p<p+1,u,v)", "u"},
    {"(p-q)*(p+q)", "p*p-q*q"},
    {"p*(q+r)", "p*q+p*r"},
    {"p-q", "p+(-q)"},
    {"-(-p)", "p"},
    {"p%2", "abs(p)%2"},
    {"p*p%4", "(p%2)"},
    {"p//3", "(p-p%3)//3"},
    {"p%8", "p-p//8*8"},
    {"max(p,0)", "(p+abs(p))//2"},
    {"where(p==q,p,q)", "q"},
    {"p*3-p", "p*2"},
    {"p//(-1)", "-p"},
    {"p*16//16", "p"},
    {"min(max(p,-100),100)", "p"},
    {"where(p>100,100,p)", "min(p,100)"},
    {"p%q", "p-p//q*q"},
};

Term random_leaf(Random& random) {
  static constexpr std::string_view kLeaves[] = {"x", "x", "x", "y", "y", "1", "2", "3", "100"};
  return {std::string(kLeaves[random.below(std::size(kLeaves))]), {}};
}

Term random_term(Random& random, int depth) {
  if (depth == 0 || random.chance(1, 5)) return random_leaf(random);
  static constexpr std::string_view kOperators[] = {"+", "-", "*", "max", "min", "+", "*"};
  switch (random.below(6)) {
    case 0:
      return {random.chance(1, 2) ? "//" : "%",
              {random_term(random, depth - 1), {random.chance(1, 2) ? "2" : "3", {}}}};
    case 1: return {random.chance(1, 2) ? "abs" : "neg", {random_term(random, depth - 1)}};
    case 2: {
      Term condition{random.chance(1, 2) ? "<" : "==",
                     {random_term(random, depth - 1), random_term(random, depth - 1)}};
      return {"where", {condition, random_term(random, depth - 1), random_term(random, depth - 1)}};
    }
    default:
      return {std::string(kOperators[random.below(std::size(kOperators))]),
              {random_term(random, depth - 1), random_term(random, depth - 1)}};
  }
}

Term rewritten(const Term& term, Random& random) {
  const std::vector<TermPath> paths = value_paths(term);
  for (int attempt = 0; attempt < 80; ++attempt) {
    const auto& law = kLaws[random.below(std::size(kLaws))];
    const bool forwards = random.chance(1, 2);
    const Term from = read_term(forwards ? law.first : law.second);
    const TermPath& path = paths[random.below(paths.size())];
    Bindings bindings;
    if ((from.parts.empty() && !random.chance(1, 6)) || !match(from, part_at(term, path), bindings)) continue;
    Term out =
        with_part(term, path, instantiate(read_term(forwards ? law.second : law.first), bindings, random_leaf(random)));
    if (size_of(out) <= 30) return out;
  }
  return term;
}

/// Two numbers at which the terms differ; the second is one of a few.
std::optional<std::pair<std::int64_t, std::int64_t>> find_point(const Attack& pair, DType dtype, Random& random) {
  static constexpr std::int64_t kOthers[] = {0, 1, -1, 7, 100};
  const std::int64_t least = info(dtype).least;
  const std::int64_t greatest = info(dtype).greatest;
  for (const std::int64_t y : kOthers) {
    for (int attempt = 0; attempt < 60; ++attempt) {
      const std::uint64_t kind = random.below(4);
      const std::int64_t x = kind == 0   ? greatest - random.between(0, 2)
                             : kind == 1 ? least + random.between(0, 2)
                             : kind == 2 ? random.between(-9, 9)
                                         : random.between(least, greatest);
      MeaningInputs inputs;
      inputs.set["A"][0] = input_integer(x);
      inputs.set["C"][0] = input_integer(y);
      if (first_difference(pair.before, pair.after, inputs)) return std::pair(x, y);
    }
  }
  return std::nullopt;
}

std::string program_of(const Term& term, std::string_view text, std::string_view subscript,
                       const AttackNumbers& numbers) {
  AttackNumbers inside = numbers;
  inside.set_text("x", concat("A(", subscript, ")"));
  inside.set_text("y", concat("C(", subscript, ")"));
  inside.set_text("e", concat("(", inside.fill(text_of(term)), ")"));
  return concat("^", numbers.fill("$T"), ";", inside.fill(text));
}

std::optional<Attack> make(Random& random) {
  static constexpr DType kTypes[] = {DType::i8, DType::i8, DType::i16, DType::i32, DType::i64};
  struct Use {
    std::string_view shape, subscript, program, place, element;
  };
  static constexpr Use kUses[] = {
      {"$N", "a", "a$N D(a)=$e;", "K", "K"},
      {"$M,$N", "tx,a", "tx$M a$N D(tx,a)=$e;", "R,K", "R,K"},
      {"$N", "a", "a$N E(a)=$e;a$N D(a)=E($Last-a);", "K", "Mirror"},
      {"$N", "tx", "tx$N{E^l=$e;D(tx)=E+1;}", "K", "K"},
  };
  for (int attempt = 0; attempt < 10; ++attempt) {
    const Term before = random_term(random, 3);
    Term after = rewritten(before, random);
    if (random.chance(1, 2)) after = rewritten(after, random);
    if (after == before || size_of(before) > 30) continue;
    const DType dtype = kTypes[random.below(std::size(kTypes))];
    AttackNumbers numbers(random);
    numbers.set_text("T", std::string(code(dtype)));
    const auto single =
        attack_from("integer laws", numbers.fill("@input A $T[1]\n@input C $T[1]\n@output D $T[1]\n"),
                    program_of(before, "a1 D(a)=$e;", "a", numbers), program_of(after, "a1 D(a)=$e;", "a", numbers));
    if (!single) continue;
    const auto point = find_point(*single, dtype, random);
    if (!point) continue;
    const Use& use = kUses[random.below(std::size(kUses))];
    const std::string shape = concat(" $T[", use.shape, "]\n");
    auto attack =
        attack_from("integer laws", numbers.fill(concat("@input A", shape, "@input C", shape, "@output D", shape)),
                    program_of(before, use.program, use.subscript, numbers),
                    program_of(after, use.program, use.subscript, numbers));
    if (!attack) continue;
    const Variable* variable = attack->before.signature.find("A");
    std::int64_t position = 0;
    const auto place = numbers.list(use.place);
    for (std::size_t i = 0; i < place.size(); ++i) position = position * variable->shape[i] + place[i];
    attack->inputs.set["A"][position] = input_integer(point->first);
    attack->inputs.set["C"][position] = input_integer(point->second);
    attack->elements = {{"D", numbers.list(use.element)}};
    return attack;
  }
  return std::nullopt;
}

}  // namespace

const std::vector<AttackClass>& integer_law_attacks() {
  static const std::vector<AttackClass> kClasses = {{"integer laws", make, 3}};
  return kClasses;
}

}  // namespace steptp::testing
