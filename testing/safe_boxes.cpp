// Pairs that are bad in a box of the logarithmic range of one, two or three inputs and nowhere else, in programs where
// the box is hard to see: behind long sums, behind and before other operations, in one region of the elements.

#include <cmath>

#include "steptp/base/text.h"
#include "steptp/oracle/scalar.h"
#include "steptp/text/printer.h"
#include "testing/attack_text.h"
#include "testing/safe_attacker.h"

namespace steptp::testing {

namespace {

/// `before` has x where `after` has $e, which is x but for what it is inside a box of y, z and w.
struct BoxCarrier {
  std::string_view name;
  std::string_view signature;
  std::string_view program;
  std::string_view x;
  std::string_view y;
  std::string_view z;
  std::string_view w;
};
constexpr std::string_view kVectors = "@input A $T[$N]\n@input C $T[$N]\n@input G $T[$N]\n@input W $T[$N]\n";
constexpr std::string_view kRows = "@input A $T[$M,$N]\n@input C $T[$M,$N]\n@input G $T[$M,$N]\n@input W $T[$M,$N]\n";
constexpr std::string_view kBehindSum = "@input A $T[$N,$S]\n@input C $T[$N]\n@input G $T[$N]\n@input W $T[$N]\n";
constexpr std::string_view kBehindProducts =
    "@input A $T[$N,$S]\n@input F $T[$S,$M]\n@input C $T[$N,$M]\n@input G $T[$M]\n@input W $T[$N,$M]\n";

constexpr BoxCarrier kBoxCarriers[] = {
    {"plain", kVectors, "a$N D(a)=$e;", "A(a)", "C(a)", "G(a)", "W(a)"},
    {"behind a sum", kBehindSum, "a$N c$S X(a)=X(a)+A(a,c);a$N D(a)=$e;", "X(a)", "C(a)", "G(a)", "W(a)"},
    {"behind a sum", kBehindSum, "a$N c$S X(a)=X(a)+abs(A(a,c));a$N{Y(a)=-C(a);D(a)=$e;}", "X(a)", "Y(a)", "G(a)",
     "W(a)"},
    {"behind a sum, one element", kBehindSum, "a$N c$S X(a)=X(a)+A(a,c);a$N D(a)=where(a==$K,$e,X(a));", "X(a)", "C(a)",
     "G(a)", "W(a)"},
    {"behind products", kBehindProducts, "a$N c$M d$S X(a,c)=X(a,c)+A(a,d)*F(d,c);a$N c$M D(a,c)=$e;", "X(a,c)",
     "C(a,c)", "G(c)", "W(a,c)"},
    {"behind a front", kVectors, "a$N X(a)=-2*A(a);a$N Y(a)=C(a)/4;a$N D(a)=$e;", "X(a)", "Y(a)", "G(a)", "W(a)"},
    {"behind a front", kVectors, "a$N X(a)=max(A(a),-A(a));a$N Z(a)=G($Last-a);a$N D(a)=$e;", "X(a)", "C(a)", "Z(a)",
     "W(a)"},
    {"before others", kVectors, "a$N E(a)=$e;a$N D(a)=-E(a)*0.5;", "A(a)", "C(a)", "G(a)", "W(a)"},
    {"in a sum", kVectors, "a$N E(a)=$e;a$N D(0)=D(0)+E(a);", "A(a)", "C(a)", "G(a)", "W(a)"},
    {"in a maximum", kRows, "tx$M a$N D(tx)=max(D(tx),$e);", "A(tx,a)", "C(tx,a)", "G(tx,a)", "W(tx,a)"},
    {"in one region", kVectors, "a$N D(a)=A(a);a$K D(a)=$e;", "A(a)", "C(a)", "G(a)", "W(a)"},
    {"in one region", kVectors, "a$N D(a)=A(a);a$N ?(a>=$K) D(a)=$e;", "A(a)", "C(a)", "G(a)", "W(a)"},
    {"in one element", kRows, "tx$M a$N D(tx,a)=where(tx==$R&a==$K,$e,A(tx,a));", "A(tx,a)", "C(tx,a)", "G(tx,a)",
     "W(tx,a)"},
};

/// What is computed for x, with q between 0 and 1: near 1 in most of the box, 0 outside. K is so large that what is
/// lost is more than a sum of hundreds of terms may lose.
constexpr std::string_view kSmoothForms[] = {"x*(1+q*K)-x*(q*K)", "(x+x*(q*K))-(q*K)*x", "x+(x*q)*K-(q*K)*x",
                                             "x/(1+q*K)+x*(q*K)/(1+q*K)-x*(q*K)+x*(q*K)"};
constexpr std::string_view kFormsInside[] = {"(x+x*K)-x*K", "x*(1+K)-x*K", "(x-x*K)+x*K", "(x*T)/T", "(x/T)*T"};

double half_range(DType dtype) { return dtype == DType::f16 ? 7 : dtype == DType::f64 ? 511 : 63; }
std::string literal(DType dtype, double value) { return print(*real_literal(round_to(dtype, value))); }

/// So much of the range of each input, in exponents.
struct Side {
  std::string name;
  double low = 0;
  double high = 0;
};

std::vector<Side> drawn_sides(DType dtype, Random& random) {
  static constexpr std::string_view kNames[] = {"y", "z", "w"};
  const std::uint64_t inputs = 1 + random.below(3);
  // All together a part of 1/40 to 1/16.
  const double part = std::pow(1.0 / static_cast<double>(16 + random.below(25)), 1.0 / static_cast<double>(inputs));
  const double half = half_range(dtype);
  std::vector<Side> sides;
  for (std::uint64_t i = 0; i < inputs; ++i) {
    const double width = 2 * half * part;
    const double low = -half + (2 * half - width) * static_cast<double>(random.below(1001)) / 1000;
    sides.push_back({std::string(kNames[i]), low, low + width});
  }
  return sides;
}

Term with_names(Term term, const std::map<std::string, std::string>& names) {
  if (const auto at = names.find(term.head); at != names.end() && term.parts.empty()) term.head = at->second;
  for (Term& part : term.parts) part = with_names(std::move(part), names);
  return term;
}

std::map<std::string, std::string> drawn_numbers(DType dtype, Random& random) {
  const bool is_half = dtype == DType::f16;
  const int power = is_half ? 9 : dtype == DType::f64 ? 40 : 20;
  const double large = std::ldexp(1 + static_cast<double>(random.below(64)) / 64, power);
  const double top = is_half ? 40000 : dtype == DType::f64 ? 1e306 : 2e38;
  return {{"K", literal(dtype, large)}, {"T", literal(dtype, top)}};
}

Term by_conditions(const std::vector<Side>& sides, DType dtype, Random& random) {
  Term term = with_names(read_term(kFormsInside[random.below(std::size(kFormsInside))]), drawn_numbers(dtype, random));
  for (const Side& side : sides) {
    const Term size{"abs", {Term{side.name, {}}}};
    const Term low{literal(dtype, std::exp2(side.low)), {}};
    const Term high{literal(dtype, std::exp2(side.high)), {}};
    const Term x{"x", {}};
    term = {"where", {Term{"<", {low, size}}, Term{"where", {Term{"<", {size, high}}, std::move(term), x}}, x}};
  }
  return term;
}

/// A product of clamps, of magnitudes or of their logarithms.
Term by_clamps(const std::vector<Side>& sides, DType dtype, bool by_logarithms, Random& random) {
  std::optional<Term> product;
  for (const Side& side : sides) {
    constexpr double kNatural = 0.6931471805599453;
    std::map<std::string, std::string> names = {{"s", side.name}};
    std::string form = "max(0,min(1,min(abs(s)/LO-1,2-abs(s)/HI)))";
    if (by_logarithms) {
      const auto difference = [](double number) { return number < 0 ? "+" : "-"; };
      const std::string size = "log(abs(s)+TINY)";
      form = concat("max(0,min(1,min(", size, difference(side.low), "LO,0-(", size, difference(side.high), "HI))))");
      names["LO"] = literal(dtype, std::fabs(side.low) * kNatural);
      names["HI"] = literal(dtype, std::fabs(side.high) * kNatural);
      names["TINY"] = literal(dtype, std::exp2(-half_range(dtype) - 4));
    } else {
      names["LO"] = literal(dtype, std::exp2(side.low));
      names["HI"] = literal(dtype, std::exp2(side.high) / 2);
    }
    Term one = with_names(read_term(form), names);
    product = product ? Term{"*", {std::move(*product), std::move(one)}} : std::move(one);
  }
  const Term form =
      with_names(read_term(kSmoothForms[random.below(std::size(kSmoothForms))]), drawn_numbers(dtype, random));
  return instantiate(form, {{"q", *product}}, *product);
}

/// What x and y are of the inputs of the carriers that compute them element by element.
std::map<std::string, Term> fronts_of(const BoxCarrier& carrier) {
  if (carrier.program.find("X(a)=-2*A(a)") != std::string_view::npos) {
    return {{"x", read_term("0-2*x")}, {"y", read_term("y/4")}};
  }
  if (carrier.program.find("X(a)=max(A(a),-A(a))") != std::string_view::npos) return {{"x", read_term("abs(x)")}};
  return {};
}

Term with_fronts(const Term& term, const std::map<std::string, Term>& fronts) {
  if (const auto at = fronts.find(term.head); at != fronts.end() && term.parts.empty()) return at->second;
  Term out{term.head, {}};
  for (const Term& part : term.parts) out.parts.push_back(with_fronts(part, fronts));
  return out;
}

}  // namespace

std::optional<SafeAttack> make_safe_box(Random& random) {
  static constexpr DType kTypes[] = {DType::f32, DType::f64, DType::f32, DType::f16};
  static constexpr std::int64_t kTerms[] = {1, 3, 16, 64, 150, 400};
  const BoxCarrier& carrier = kBoxCarriers[random.below(std::size(kBoxCarriers))];
  const DType dtype = kTypes[random.below(std::size(kTypes))];
  const std::vector<Side> sides = drawn_sides(dtype, random);
  const std::uint64_t way = random.below(3);
  const Term before{"x", {}};
  const Term after = way == 0 ? by_conditions(sides, dtype, random) : by_clamps(sides, dtype, way == 2, random);
  // The range is that of the inputs, not of what a front makes of them.
  const std::map<std::string, Term> fronts = fronts_of(carrier);
  double part = part_that_is_bad(with_fronts(before, fronts), with_fronts(after, fronts), dtype, random);
  if (part < 1.0 / 64) return std::nullopt;
  AttackNumbers numbers(random);
  // A sum of hundreds of terms may itself lose as much as one of them does, in f16 at least.
  if (carrier.name == "in a sum") part = part_that_is_bad(before, after, dtype, random, numbers.at("N"));
  if (part < 1.0 / 64) return std::nullopt;
  numbers.set_text("T", std::string(code(dtype)));
  // In f16 a sum of more terms may itself lose as much.
  numbers.set("S", kTerms[random.below(dtype == DType::f16 ? 2 : std::size(kTerms))]);
  const auto program = [&](const Term& term) {
    AttackNumbers around = numbers;
    for (const auto& [name, text] :
         {std::pair("x", carrier.x), std::pair("y", carrier.y), std::pair("z", carrier.z), std::pair("w", carrier.w)}) {
      around.set_text(name, numbers.fill(text));
    }
    around.set_text("e", around.fill(text_of(term)));
    return concat("^", code(dtype), ";", around.fill(carrier.program));
  };
  const bool is_matrix = carrier.program.find("D(tx,a)") != std::string_view::npos;
  const std::string_view output = is_matrix                                                  ? "$M,$N"
                                  : carrier.program.find("D(a,c)") != std::string_view::npos ? "$N,$M"
                                  : carrier.program.find("D(tx)") != std::string_view::npos  ? "$M"
                                  : carrier.program.find("D(0)") != std::string_view::npos   ? "1"
                                                                                             : "$N";
  const std::string signature = numbers.fill(concat(carrier.signature, "@output D $T[", output, "]\n"));
  const std::string name = concat(carrier.name, way == 0 ? ", conditions" : way == 1 ? ", clamps" : ", logarithms");
  auto made = attack_from(name, signature, program(before), program(after));
  if (!made) return std::nullopt;
  return SafeAttack{made->name, std::move(made->before), std::move(made->after), part};
}

}  // namespace steptp::testing
