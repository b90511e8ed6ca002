#include "testing/safe_attacker.h"

#include <cmath>
#include <iomanip>
#include <sstream>

#include "steptp/base/text.h"
#include "steptp/oracle/scalar.h"
#include "steptp/text/printer.h"
#include "steptp/text/signature_text.h"
#include "steptp/verify/verify_pair.h"
#include "testing/attack_text.h"
#include "testing/rounding_bound.h"

namespace steptp::testing {

namespace {

struct SafePair {
  std::string_view name;
  std::string_view before;
  std::string_view after;
};

// K is a drawn large number, H a drawn moderate one.
constexpr SafePair kPairs[] = {
    {"scaled by literals", "x", "x*K/K"},
    {"scaled by literals", "x", "x/K*K"},
    {"scaled by literals", "x*y", "x*K*y/K"},
    {"scaled by literals", "x*y", "x*y*K/K"},
    {"scaled by literals", "x+y", "(x*K+y*K)/K"},
    {"shifted by literals", "x", "x+H-H"},
    {"shifted by literals", "x", "H+x-H"},
    {"shifted by literals", "x+y", "(x+H)+(y-H)"},
    {"shifted by literals", "x*y", "(x+H)*y-H*y"},
    {"shifted by literals", "x", "(1+x)-1"},
    {"shifted by literals", "x*x", "(x+1)*(x-1)+1"},
    {"shifted by literals", "x*y", "(1+x)*y-y"},
    {"mixed magnitudes", "x", "x+y-y"},
    {"mixed magnitudes", "x", "y+x-y"},
    {"mixed magnitudes", "x*2", "(x+y)+(x-y)"},
    {"mixed magnitudes", "x-y", "(x+z)-(y+z)"},
    {"mixed magnitudes", "x+y", "(x+z)+(y-z)"},
    {"mixed magnitudes", "x", "x+y*z-y*z"},
    {"mixed magnitudes", "x*y", "x*(y+z)-x*z"},
    {"mixed magnitudes", "x", "(x-y)+y"},
    {"mixed magnitudes", "x*x", "(x+y)*(x-y)+y*y"},
    {"mixed magnitudes", "x*y", "((x+y)*(x+y)-(x-y)*(x-y))/4"},
    {"mixed magnitudes", "x*y", "((x+y)*(x+y)-x*x-y*y)/2"},
    {"mixed magnitudes", "max(x,y)", "max(x+z,y+z)-z"},
    {"exponentials", "exp(x-y)", "exp(x)/exp(y)"},
    {"exponentials", "exp(x-y)", "exp(x)*exp(-y)"},
    {"exponentials", "x", "x*exp(y)/exp(y)"},
    {"exponentials", "x", "x*exp(y)*exp(-y)"},
    {"exponentials", "x+y", "log(exp(x)*exp(y))"},
    {"exponentials", "x", "log(exp(x))"},
    {"exponentials", "1+abs(x)", "exp(log(1+abs(x)))"},
    {"exponentials", "(1+abs(x))*(1+abs(y))", "exp(log(1+abs(x))+log(1+abs(y)))"},
    {"sigmoid", "1/(1+exp(-x))", "exp(x)/(1+exp(x))"},
    {"sigmoid", "x/(1+exp(-x))", "x*exp(x)/(1+exp(x))"},
    {"sigmoid", "y/(1+exp(-x))", "y*exp(x)/(1+exp(x))"},
    {"sigmoid", "1/(1+exp(-x))", "exp(x+y)/(exp(y)+exp(x+y))"},
    {"tanh", "tanh(x)", "(exp(2*x)-1)/(exp(2*x)+1)"},
    {"tanh", "tanh(x)", "1-2/(exp(2*x)+1)"},
    {"tanh", "tanh(x)", "(exp(x)-exp(-x))/(exp(x)+exp(-x))"},
    {"tanh", "x*tanh(y)", "x*(exp(2*y)-1)/(exp(2*y)+1)"},
    {"softmax without maximum", "exp(x-max(x,y))/(exp(x-max(x,y))+exp(y-max(x,y)))", "exp(x)/(exp(x)+exp(y))"},
    {"softmax without maximum", "z*exp(x-max(x,y))/(exp(x-max(x,y))+exp(y-max(x,y)))", "z*exp(x)/(exp(x)+exp(y))"},
    {"log-sum-exp without maximum", "max(x,y)+log(exp(x-max(x,y))+exp(y-max(x,y)))", "log(exp(x)+exp(y))"},
    {"log-sum-exp without maximum", "max(x,0)+log(1+exp(-abs(x)))", "log(1+exp(x))"},
    {"orders of products", "x*x*(y/z)", "x*x*y/z"},
    {"orders of products", "(x/y)*(x/y)*(x/y)", "x*x*x/(y*y*y)"},
    {"orders of products", "(x/z)*(y/z)*x", "x*x*y/(z*z)"},
    {"orders of products", "x*(y/z)*(y/z)", "x*y*y/z/z"},
    {"orders of products", "x/(1+y*y)*(z*z)", "x*(z*z)/(1+y*y)"},
    {"cancellation", "x*x/(sqrt(1+x*x)+1)", "sqrt(1+x*x)-1"},
    {"cancellation", "1/((1+abs(x))*(2+abs(x)))", "1/(1+abs(x))-1/(2+abs(x))"},
    {"cancellation", "1/(1+abs(x))", "1-abs(x)/(1+abs(x))"},
    {"cancellation", "abs(x)/(1+abs(x))", "1-1/(1+abs(x))"},
    {"cancellation", "x*y/(1+abs(y))", "x-x/(1+abs(y))-x*(abs(y)-y)/(1+abs(y))"},
    {"cancellation", "1/(sqrt(1+x*x)+abs(x))", "sqrt(1+x*x)-abs(x)"},
    {"cancellation", "exp(-abs(x))/(1+exp(-abs(x)))", "1-1/(1+exp(-abs(x)))"},
};

/// The least and the greatest exponent of a good input.
double half_range(DType dtype) { return dtype == DType::f16 ? 7 : dtype == DType::f32 ? 63 : 511; }

/// A bad form inside a box of the logarithmic range in one to three inputs, and the good one outside.
struct BoxPair {
  Term before;
  Term after;
};

std::string literal(double value) { return print(*real_literal(value)); }

BoxPair box_by_conditions(DType dtype, Random& random) {
  // A part of the range in each of so many inputs, so that all together are 1/32 or more.
  const std::uint64_t inputs = 1 + random.below(3);
  const double part = inputs == 1 ? 1.0 / 24 : inputs == 2 ? 0.2 : 1.0 / 3;
  static constexpr std::string_view kBad[] = {"(x+x*4096.0)-x*4096.0", "x*(1+8192.0)-x*8192.0", "(x-x*3000.0)+x*3000.0",
                                              "x+(x*5000.0-x)-x*4999.0"};
  Term after = read_term(kBad[random.below(std::size(kBad))]);
  const Term variable{"x", {}};
  static constexpr std::string_view kNames[] = {"y", "z", "x"};
  for (std::uint64_t i = 0; i < inputs; ++i) {
    const double width = 2 * half_range(dtype) * part;
    const double start =
        -half_range(dtype) + (2 * half_range(dtype) - width) * static_cast<double>(random.below(101)) / 100;
    const Term size{"abs", {Term{std::string(kNames[i]), {}}}};
    const Term low{literal(round_to(dtype, std::exp2(start))), {}};
    const Term high{literal(round_to(dtype, std::exp2(start + width))), {}};
    after = {"where", {Term{"<", {low, size}}, Term{"where", {Term{"<", {size, high}}, after, variable}}, variable}};
  }
  return {variable, std::move(after)};
}

BoxPair box_by_clamps(DType dtype, Random& random) {
  // g is positive only where lo < |y| < hi, and large in most of it.
  const double top = half_range(dtype);
  const double high = top * (0.5 + 0.5 * static_cast<double>(random.below(101)) / 100);
  const std::string lo = literal(round_to(dtype, std::exp2(high - std::max(top / 6, 1.0))));
  const std::string hi = literal(round_to(dtype, std::exp2(high)));
  Term g = read_term("max(0,min(abs(y)-LO,HI-abs(y)))");
  g.parts[1].parts[0].parts[1].head = lo;
  g.parts[1].parts[1].parts[0].head = hi;
  static constexpr std::string_view kForms[] = {"x*(1+p)-x*p", "(x+p)-p", "x+x*p-p*x", "(x*p+x)-x*p"};
  const Term form = read_term(kForms[random.below(std::size(kForms))]);
  return {Term{"x", {}}, instantiate(form, {{"p", g}}, g)};
}

/// Programs whose output elements are $e at elements of the inputs.
struct SafeCarrier {
  std::string_view shape;
  std::string_view subscript;
  std::string_view program;
};
constexpr SafeCarrier kCarriers[] = {
    {"$N", "a", "a$N D(a)=$e;"},
    {"$M,$N", "tx,a", "tx$M a$N D(tx,a)=$e;"},
    {"$N", "a", "a$N E(a)=$e;a$N D(a)=E($Last-a);"},
    {"$N", "tx", "tx$N{E^l=$e;D(tx)=E;}"},
    {"$M,$N", "tx,a", "tx$M a$N D(tx,a)=where(tx==$R,$e,0);"},
    {"$N", "a", "a$N D(a)=0;a$K D(a)=$e;"},
};

DType drawn_float(Random& random) {
  static constexpr DType kTypes[] = {DType::f32, DType::f16, DType::f64, DType::f32};
  return kTypes[random.below(std::size(kTypes))];
}

/// The literals K and H of a pair, by type: K times an ordinary number leaves the type, H is far above 1.
std::map<std::string, std::string> drawn_literals(DType dtype, Random& random) {
  static constexpr std::string_view kLarge[3][3] = {
      {"1e4", "3e4", "60000.0"}, {"1e30", "1e38", "1e35"}, {"1e300", "1e280", "1e307"}};
  static constexpr std::string_view kModerate[3][3] = {
      {"100", "1000", "64"}, {"1e6", "1e10", "1e4"}, {"1e10", "1e30", "1e17"}};
  const std::size_t row = dtype == DType::f16 ? 0 : dtype == DType::f32 ? 1 : 2;
  return {{"K", std::string(kLarge[row][random.below(3)])}, {"H", std::string(kModerate[row][random.below(3)])}};
}

Term with_literals(Term term, const std::map<std::string, std::string>& literals) {
  if (const auto at = literals.find(term.head); at != literals.end()) term.head = at->second;
  for (Term& part : term.parts) part = with_literals(std::move(part), literals);
  return term;
}

/// One of the points: magnitudes even on a logarithmic scale over the middle half of the exponents.
std::map<std::string, double> drawn_point(DType dtype, Random& random) {
  const double half = half_range(dtype);
  std::map<std::string, double> point;
  for (const char* name : {"x", "y", "z", "w"}) {
    const double exponent = half * (static_cast<double>(random.below(20001)) / 10000 - 1);
    const double value = round_to(dtype, std::exp2(exponent));
    point[name] = random.chance(1, 2) ? -value : value;
  }
  return point;
}

}  // namespace

double part_that_is_bad(const Term& before, const Term& after, DType dtype, Random& random, std::int64_t rounds) {
  constexpr int kPoints = 512;
  int bad = 0;
  for (int i = 0; i < kPoints; ++i) {
    if (safety_at(before, after, dtype, drawn_point(dtype, random), rounds) == SafetyAtPoint::bad) ++bad;
  }
  return static_cast<double>(bad) / kPoints;
}

std::optional<SafeAttack> make_safe_attack(Random& random) {
  const SafePair& pair = kPairs[random.below(std::size(kPairs))];
  const DType dtype = drawn_float(random);
  const auto literals = drawn_literals(dtype, random);
  std::string name(pair.name);
  Term before = with_literals(read_term(pair.before), literals);
  Term after = with_literals(read_term(pair.after), literals);
  if (random.chance(1, 3)) {
    const bool by_conditions = random.chance(1, 2);
    name = by_conditions ? "boxes by conditions" : "boxes by clamps";
    BoxPair box = by_conditions ? box_by_conditions(dtype, random) : box_by_clamps(dtype, random);
    before = std::move(box.before);
    after = std::move(box.after);
  }
  const double part = part_that_is_bad(before, after, dtype, random);
  if (part < 1.0 / 64) return std::nullopt;
  AttackNumbers numbers(random);
  numbers.set_text("T", std::string(code(dtype)));
  const SafeCarrier& carrier = kCarriers[random.below(std::size(kCarriers))];
  const auto program = [&](const Term& term) {
    AttackNumbers around = numbers;
    for (const auto& [variable, tensor] : {std::pair("x", "A"), std::pair("y", "C"), std::pair("z", "G")}) {
      around.set_text(variable, concat(tensor, "(", carrier.subscript, ")"));
    }
    around.set_text("e", around.fill(text_of(term)));
    return concat("^", code(dtype), ";", around.fill(carrier.program));
  };
  const std::string shape = concat(" $T[", carrier.shape, "]\n");
  const std::string signature =
      numbers.fill(concat("@input A", shape, "@input C", shape, "@input G", shape, "@output D", shape));
  auto made = attack_from(std::move(name), signature, program(before), program(after));
  if (!made) return std::nullopt;
  return SafeAttack{made->name, std::move(made->before), std::move(made->after), part};
}

std::map<std::string, SafeCounts> attack_safe(SafeAttackMaker maker, std::uint64_t seed, std::uint64_t count,
                                              const std::function<void(const SafeAttack&, const Json&)>& seen) {
  std::map<std::string, SafeCounts> counts;
  std::uint64_t made = 0;
  for (std::uint64_t i = 0; made < count && i < 20 * count + 100; ++i) {
    Random random(combine(seed, i));
    const auto attack = maker(random);
    if (!attack) continue;
    ++made;
    SafeCounts& count_of = counts[attack->name];
    ++count_of.made;
    VerifyOptions options;
    options.seed = combine(seed, i);
    options.budget = 20'000'000;
    const Judgement judgement = verify(attack->before, attack->after, options);
    const Json answer = to_json("safe", judgement);
    if (judgement.verdict == Grade::proved || judgement.verdict == Grade::exact) {
      ++count_of.equal;
      const Json* safe = answer.find("safe");
      const Json* by = answer.find("safe_by");
      const bool yes = safe && safe->as_bool() && *safe->as_bool();
      const bool proof = !by || (by->as_string() && *by->as_string() == "proof");
      if (!safe || !safe->as_bool())
        ++count_of.unknown;
      else if (!yes)
        ++count_of.found;
      else
        ++(proof ? count_of.by_proof : count_of.by_search);
    }
    if (seen) seen(*attack, answer);
  }
  return counts;
}

SafeCounts sum_of(const std::map<std::string, SafeCounts>& counts) {
  SafeCounts sum;
  for (const auto& [name, one] : counts) {
    sum.made += one.made;
    sum.equal += one.equal;
    sum.by_proof += one.by_proof;
    sum.by_search += one.by_search;
    sum.found += one.found;
    sum.unknown += one.unknown;
  }
  return sum;
}

std::string to_table(const std::map<std::string, SafeCounts>& counts) {
  std::ostringstream out;
  out << std::left << std::setw(30) << "pairs that are not safe" << std::right << std::setw(8) << "made" << std::setw(8)
      << "equal" << std::setw(10) << "by proof" << std::setw(10) << "by search" << std::setw(8) << "found"
      << std::setw(9) << "unknown"
      << "\n";
  const auto row = [&](const std::string& name, const SafeCounts& one) {
    out << std::left << std::setw(30) << name << std::right << std::setw(8) << one.made << std::setw(8) << one.equal
        << std::setw(10) << one.by_proof << std::setw(10) << one.by_search << std::setw(8) << one.found << std::setw(9)
        << one.unknown << "\n";
  };
  for (const auto& [name, one] : counts) row(name, one);
  row("all", sum_of(counts));
  return out.str();
}

Json to_json(const SafeAttack& attack, const Json& answer) {
  Json signature{Json::Array{}};
  for (const Variable& variable : attack.before.signature.variables) signature.push(to_json(variable));
  Json out;
  out.set("class", attack.name).set("signature", std::move(signature));
  out.set("before", print(attack.before, Profile::compact)).set("after", print(attack.after, Profile::compact));
  out.set("bad", attack.bad).set("answer", answer);
  return out;
}

}  // namespace steptp::testing
