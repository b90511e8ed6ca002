// Laws of scalars that hold nearly everywhere, or nowhere near everywhere: a random term is rewritten by some of them,
// in either direction, and a grid of special points is searched for one at which the result is another. What is found
// there is a pair whose inequality rests on a domain, an infinity, a NaN, a tie or a pole.

#include "steptp/base/text.h"
#include "steptp/text/document.h"
#include "testing/attack_scalar_pairs.h"
#include "testing/attack_terms.h"
#include "testing/attack_text.h"

namespace steptp::testing {

namespace {

struct Law {
  Term left;
  Term right;
};

constexpr std::pair<std::string_view, std::string_view> kTexts[] = {
    // exponentials and logarithms
    {"log(p*q)", "log(p)+log(q)"},
    {"log(p/q)", "log(p)-log(q)"},
    {"log(p**2)", "2*log(p)"},
    {"log(p**2)", "2*log(abs(p))"},
    {"log(sqrt(p))", "0.5*log(p)"},
    {"log(1/p)", "-log(p)"},
    {"exp(p+q)", "exp(p)*exp(q)"},
    {"exp(p-q)", "exp(p)/exp(q)"},
    {"exp(-p)", "1/exp(p)"},
    {"exp(2*p)", "exp(p)**2"},
    {"exp(log(p))", "p"},
    {"log(exp(p))", "p"},
    {"p*q", "exp(log(p)+log(q))"},
    {"log(exp(p)+exp(q))", "p+log(1+exp(q-p))"},
    {"log(exp(p)+exp(q))", "max(p,q)+log(exp(p-max(p,q))+exp(q-max(p,q)))"},
    {"exp(max(p,q))", "max(exp(p),exp(q))"},
    {"log(max(p,q))", "max(log(p),log(q))"},
    {"exp(p)/(exp(p)+exp(q))", "1/(1+exp(q-p))"},
    // roots and powers
    {"sqrt(p*q)", "sqrt(p)*sqrt(q)"},
    {"sqrt(p/q)", "sqrt(p)/sqrt(q)"},
    {"sqrt(p*p)", "abs(p)"},
    {"sqrt(p*p)", "p"},
    {"sqrt(p)*sqrt(p)", "p"},
    {"sqrt(p)*sqrt(p)", "abs(p)"},
    {"p**0.5", "sqrt(p)"},
    {"p**(-0.5)", "rsqrt(p)"},
    {"rsqrt(p)", "1/sqrt(p)"},
    {"p*rsqrt(p)", "sqrt(p)"},
    {"p/sqrt(p)", "sqrt(p)"},
    {"rsqrt(p*q)", "rsqrt(p)*rsqrt(q)"},
    {"sqrt(p)**2", "p"},
    {"p**2", "p*p"},
    {"p**3", "p*p*p"},
    {"p**1.5", "p*sqrt(p)"},
    {"p**2**0.5", "abs(p)"},
    {"(p**2)**0.5", "p"},
    {"(p**2)**0.5", "abs(p)"},
    {"(p*q)**0.5", "p**0.5*q**0.5"},
    {"(p*q)**1.5", "p**1.5*q**1.5"},
    {"p**1.5*p**0.5", "p**2"},
    {"p**0.5*p**0.5", "p"},
    {"(p**3)**0.5", "p**1.5"},
    {"p**(-1)", "1/p"},
    {"p**(-1)*p", "1"},
    {"p**(-2)", "1/(p*p)"},
    {"p**0", "1"},
    {"p**1.5", "exp(1.5*log(p))"},
    {"abs(p)**1.5", "abs(p)*sqrt(abs(p))"},
    {"abs(p)**2", "p**2"},
    {"p**4", "(p**2)**2"},
    {"p**3", "p**2*abs(p)"},
    // quotients
    {"p*q/q", "p"},
    {"p/q*q", "p"},
    {"q/q", "1"},
    {"p*q/(r*q)", "p/r"},
    {"p/q", "p*(1/q)"},
    {"1/(1/p)", "p"},
    {"p/(q/r)", "p*r/q"},
    {"p/q/r", "p/(q*r)"},
    {"(p+q)/r", "p/r+q/r"},
    {"p/r+q/r", "(p+q)/r"},
    {"p*(q+r)", "p*q+p*r"},
    {"p*(q-r)", "p*q-p*r"},
    {"p/q", "(-p)/(-q)"},
    {"p/(p+q)", "1/(1+q/p)"},
    {"1/p+1/q", "(p+q)/(p*q)"},
    {"1/p-1/q", "(q-p)/(p*q)"},
    {"p/q+r", "(p+r*q)/q"},
    {"(p*p-q*q)/(p-q)", "p+q"},
    {"(p*p-q*q)", "(p-q)*(p+q)"},
    {"p/max(abs(p),q)", "p/max(p,q)"},
    // sums
    {"p-p", "0"},
    {"p+q-q", "p"},
    {"p-q+q", "p"},
    {"0*p", "0"},
    {"p+p", "2*p"},
    {"p-q", "-(q-p)"},
    {"-(-p)", "p"},
    {"p+0*q", "p"},
    {"p*1", "p"},
    {"(p+q)*(p+q)", "p*p+2*p*q+q*q"},
    {"p*q+p*r", "p*(q+r)"},
    {"p*q-q*p", "0"},
    // max, min, abs
    {"max(p,q)", "max(q,p)"},
    {"max(p,p)", "p"},
    {"max(p,q)", "where(p>q,p,q)"},
    {"max(p,q)", "where(p>=q,p,q)"},
    {"max(p,q)", "where(p<q,q,p)"},
    {"min(p,q)", "where(p<q,p,q)"},
    {"min(p,q)", "where(p<=q,p,q)"},
    {"min(p,q)", "-max(-p,-q)"},
    {"max(p,q)+r", "max(p+r,q+r)"},
    {"r+max(p,q)", "max(r+p,r+q)"},
    {"max(p,q)*2", "max(p*2,q*2)"},
    {"max(p,q)*r", "max(p*r,q*r)"},
    {"max(p,q)-p", "max(0,q-p)"},
    {"max(p,q)+min(p,q)", "p+q"},
    {"max(p,q)*min(p,q)", "p*q"},
    {"max(max(p,q),r)", "max(p,max(q,r))"},
    {"max(p,min(p,q))", "p"},
    {"min(max(p,q),q)", "q"},
    {"max(p,-inf)", "p"},
    {"min(p,inf)", "p"},
    {"max(p,0)", "(p+abs(p))/2"},
    {"max(p,q)", "(p+q+abs(p-q))/2"},
    {"max(p,0)", "where(p>0,p,0)"},
    {"max(p,0)-max(-p,0)", "p"},
    {"abs(p)", "max(p,-p)"},
    {"abs(p)", "where(p<0,-p,p)"},
    {"abs(p)", "where(p>0,p,-p)"},
    {"abs(p*q)", "abs(p)*abs(q)"},
    {"abs(p)*abs(p)", "p*p"},
    {"abs(p-q)", "abs(q-p)"},
    {"abs(p)", "p"},
    {"sqrt(max(p,0))", "sqrt(p)"},
    {"log(max(p,0))", "log(p)"},
    {"max(sqrt(p),0)", "sqrt(p)"},
    {"min(max(p,0),1)", "max(min(p,1),0)"},
    // choices
    {"where(p<q,u,v)", "where(p>=q,v,u)"},
    {"where(p<q,u,v)", "where(q>p,u,v)"},
    {"where(p<q,u,v)", "where(q<=p,v,u)"},
    {"where(p<=q,u,v)", "where(p>q,v,u)"},
    {"where(p==q,u,v)", "where(p!=q,v,u)"},
    {"where(p<q,u,v)", "where(p<=q,u,v)"},
    {"where(p<q,u,v)", "where(p-q<0,u,v)"},
    {"where(p<q,u,v)", "where(exp(p)<exp(q),u,v)"},
    {"where(p<q,u,v)", "where(2*p<2*q,u,v)"},
    {"where(p<q,u,v)", "where(p*r<q*r,u,v)"},
    {"where(p<q,u,v)", "where(-p>-q,u,v)"},
    {"where(p<0,u,v)", "where(p*p*p<0,u,v)"},
    {"where(p<q,u,u)", "u"},
    {"where(p<q,u,v)*r", "where(p<q,u*r,v*r)"},
    {"where(p<q,u,v)+r", "where(p<q,u+r,v+r)"},
    {"exp(where(p<q,u,v))", "where(p<q,exp(u),exp(v))"},
    {"where(p<q,u,0)", "u*where(p<q,1,0)"},
    {"where(p<q,u,0)+where(p<q,0,v)", "where(p<q,u,v)"},
    {"where(p==0,q,r/p)", "r/p"},
    {"where(p!=0,r/p,q)", "r/p"},
    {"where(p>0,log(p),q)", "log(p)"},
    {"where(p>=0,sqrt(p),q)", "sqrt(p)"},
    {"where(p==q,p,q)", "q"},
    {"where(p==0,0,p)", "p"},
    {"where(p>q,p-q,0)", "max(p-q,0)"},
    {"where(p==p,u,v)", "u"},
    {"where(p<p,u,v)", "v"},
    {"where(p>=0,u,where(p<0,v,r))", "where(p>=0,u,v)"},
    // functions
    {"tanh(p)", "(exp(2*p)-1)/(exp(2*p)+1)"},
    {"tanh(p)", "1-2/(exp(2*p)+1)"},
    {"tanh(p)", "(exp(p)-exp(-p))/(exp(p)+exp(-p))"},
    {"tanh(-p)", "-tanh(p)"},
    {"erf(-p)", "-erf(p)"},
    {"1/(1+exp(-p))", "exp(p)/(1+exp(p))"},
    {"1/(1+exp(-p))", "0.5*(1+tanh(p*0.5))"},
    {"1/(1+exp(p))", "1-1/(1+exp(-p))"},
    {"log(1+exp(p))", "p+log(1+exp(-p))"},
    {"log(1+exp(p))", "max(p,0)+log(1+exp(-abs(p)))"},
    {"sin(p)*sin(p)+cos(p)*cos(p)", "1"},
    {"sin(2*p)", "2*sin(p)*cos(p)"},
    {"cos(-p)", "cos(p)"},
    {"p*tanh(log(1+exp(p)))", "p*((1+exp(p))**2-1)/((1+exp(p))**2+1)"},
    // roundings
    {"floor(p)", "p//1"},
    {"floor(p)", "-ceil(-p)"},
    {"floor(p)", "p-p%1"},
    {"floor(p)", "ceil(p)-1"},
    {"floor(p+1)", "floor(p)+1"},
    {"floor(p/q)", "p//q"},
    {"p-q*floor(p/q)", "p%q"},
    {"round(p)", "floor(p+0.5)"},
    {"round(-p)", "-round(p)"},
    {"round(p+1)", "round(p)+1"},
    {"round(2*p)/2", "round(p)"},
    {"floor(p+q)", "floor(p)+floor(q)"},
    {"floor(2*p)//2", "floor(p)"},
    {"p//2//2", "p//4"},
    {"p%q%q", "p%q"},
    {"(p+q)%q", "p%q"},
    {"(p*q)%q", "0"},
    {"-(p//q)", "(-p)//q"},
    {"floor(floor(p))", "floor(p)"},
};

const std::vector<Law>& laws() {
  static const std::vector<Law> kLaws = [] {
    std::vector<Law> out;
    for (const auto& [left, right] : kTexts) out.push_back({read_term(left), read_term(right)});
    return out;
  }();
  return kLaws;
}

Term random_leaf(Random& random) {
  static constexpr std::string_view kLeaves[] = {"x", "x", "x", "y", "y", "1", "2", "0.5", "0"};
  return {std::string(kLeaves[random.below(std::size(kLeaves))]), {}};
}

Term random_term(Random& random, int depth) {
  if (depth == 0 || random.chance(1, 6)) return random_leaf(random);
  static constexpr std::string_view kFunctions[] = {"exp",   "log",   "sqrt", "abs",  "tanh",
                                                    "floor", "rsqrt", "neg",  "round"};
  static constexpr std::string_view kOperators[] = {"+", "-", "*", "/", "max", "min", "*", "+"};
  static constexpr std::string_view kComparisons[] = {"<", "<=", ">", ">=", "==", "!="};
  switch (random.below(8)) {
    case 0:
    case 1: return {std::string(kFunctions[random.below(std::size(kFunctions))]), {random_term(random, depth - 1)}};
    case 2: {
      Term condition{std::string(kComparisons[random.below(6)]),
                     {random_term(random, depth - 1), random_term(random, depth - 1)}};
      return {"where", {condition, random_term(random, depth - 1), random_term(random, depth - 1)}};
    }
    default:
      return {std::string(kOperators[random.below(std::size(kOperators))]),
              {random_term(random, depth - 1), random_term(random, depth - 1)}};
  }
}

/// What a variable of a law stands for: often something with an edge of its own.
Term random_binding(Random& random) {
  static constexpr std::string_view kBindings[] = {
      "log(x)",   "log(abs(x))",    "sqrt(x)", "1/x", "x-y", "exp(x)", "x*y",      "log(y)",
      "max(x,y)", "where(x<y,x,y)", "abs(x)",  "1/y", "-x",  "x*x",    "log(x*x)", "floor(x)"};
  switch (random.below(4)) {
    case 0: return read_term(kBindings[random.below(std::size(kBindings))]);
    case 1: return random_term(random, 1);
    default: return random_leaf(random);
  }
}

/// The term rewritten once by a law that applies somewhere.
std::optional<Term> rewritten(const Term& term, Random& random) {
  const std::vector<TermPath> paths = value_paths(term);
  for (int attempt = 0; attempt < 60; ++attempt) {
    const Law& law = laws()[random.below(laws().size())];
    const bool forwards = random.chance(1, 2);
    const Term& from = forwards ? law.left : law.right;
    const TermPath& path = paths[random.below(paths.size())];
    Bindings bindings;
    if (!match(from, part_at(term, path), bindings)) continue;
    // A side that is one variable or one number matches everywhere: seldom is enough.
    if (from.parts.empty() && !random.chance(1, 12)) continue;
    const Term rest = random_binding(random);
    Term out = with_part(term, path, instantiate(forwards ? law.right : law.left, bindings, rest));
    if (size_of(out) <= 40 && out != term) return out;
  }
  return std::nullopt;
}

constexpr double kInfinity = __builtin_inf();
constexpr double kPoints[] = {0, 1, -1, 2, -2, 0.5, -0.5, 1.5, 2.5, -2.5, 4, -3, 0.25, 2048, -2048};

struct Domains {
  std::string_view x;
  std::string_view y;
};
constexpr Domains kDomains[] = {{"", ""},        {"", ""}, {"", "positive"}, {"masked", ""}, {"nonzero", "masked"},
                                {"positive", ""}};

bool in_domain(std::string_view domain, double value) {
  if (value == -kInfinity) return domain == "masked";
  if (domain == "positive") return value > 0;
  return domain != "nonzero" || value != 0;
}

bool differ_at(const Attack& pair, double x, double y) {
  MeaningInputs inputs;
  inputs.set["A"][0] = input_real(x);
  inputs.set["C"][0] = input_real(y);
  return first_difference(pair.before, pair.after, inputs).has_value();
}

/// A point at which the two terms differ; nothing where they differ at every ordinary one too.
std::optional<std::pair<double, double>> find_point(const Term& before, const Term& after, const Domains& domains,
                                                    Random& random) {
  const std::string signature = "@input A f64[1]\n@input C f64[1]\n@output D f64[1]\n";
  const ShorthandValues names = {{"x", "A(a)"}, {"y", "C(a)"}};
  const auto pair = attack_from("laws", signature, concat("^f64;a1 D(a)=", replace_names(text_of(before), names), ";"),
                                concat("^f64;a1 D(a)=", replace_names(text_of(after), names), ";"));
  if (!pair) return std::nullopt;
  constexpr double kOrdinary = 0.8125;
  constexpr double kLarger = 1.1875;
  if (differ_at(*pair, kOrdinary, kLarger) && differ_at(*pair, -kLarger, kOrdinary) &&
      differ_at(*pair, kLarger, -kOrdinary)) {
    return std::nullopt;
  }
  std::vector<double> points(std::begin(kPoints), std::end(kPoints));
  points.push_back(-kInfinity);
  const std::uint64_t start = random.below(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double x = points[(i + start) % points.size()];
    if (!in_domain(domains.x, x)) continue;
    for (const double y : points) {
      if (!in_domain(domains.y, y)) continue;
      if (differ_at(*pair, x, y)) return std::pair(x, y);
    }
  }
  return std::nullopt;
}

std::optional<Attack> put_into_carrier(const Term& before, const Term& after, std::pair<double, double> point,
                                       const Domains& domains, Random& random) {
  AttackNumbers numbers(random);
  const Carrier& carrier = carriers()[random.below(carriers().size())];
  const std::string subscript = concat("(", carrier.subscript, ")");
  numbers.set_text("x", concat(carrier.x, subscript));
  numbers.set_text("y", concat("C", subscript));
  const auto program = [&](const Term& term) {
    AttackNumbers around = numbers;
    around.set_text("e", concat("(", numbers.fill(text_of(term)), ")"));
    return concat("^", numbers.fill("$T"), ";", around.fill(carrier.program));
  };
  const std::string signature =
      numbers.fill(concat("@input A $T[", carrier.shape, "] ", domains.x, "\n@input C $T[", carrier.shape, "] ",
                          domains.y, "\n", carrier.more, "@output D $T[", carrier.output, "]\n"));
  auto attack = attack_from(concat("laws/", carrier.name), signature, program(before), program(after));
  if (!attack) return std::nullopt;
  attack->inputs.seed = random.below(1000000);
  set_input(*attack, "A", numbers.list(carrier.place), point.first);
  set_input(*attack, "C", numbers.list(carrier.place), point.second);
  set_inputs(*attack, carrier.set, numbers);
  attack->elements = {{"D", numbers.list(carrier.element)}};
  return attack;
}

std::optional<Attack> make(Random& random) {
  for (int attempt = 0; attempt < 10; ++attempt) {
    // Either a law as it stands, with simple terms for its variables, or a random term rewritten up to three times.
    Term before = random_term(random, 3);
    if (random.chance(2, 3)) {
      const Law& law = laws()[random.below(laws().size())];
      Bindings bindings;
      for (const char* name : {"p", "q", "r", "u", "v"}) bindings[name] = random_binding(random);
      before = instantiate(random.chance(1, 2) ? law.left : law.right, bindings, random_leaf(random));
    }
    Term after = before;
    for (std::uint64_t steps = 1 + random.below(3); steps > 0; --steps) {
      if (auto next = rewritten(after, random)) after = std::move(*next);
    }
    if (after == before || size_of(before) > 40) continue;
    const Domains& domains = kDomains[random.below(std::size(kDomains))];
    const auto point = find_point(before, after, domains, random);
    if (!point) continue;
    if (auto attack = put_into_carrier(before, after, *point, domains, random)) return attack;
  }
  return std::nullopt;
}

}  // namespace

const std::vector<AttackClass>& law_attacks() {
  static const std::vector<AttackClass> kClasses = {{"laws", make, 6}};
  return kClasses;
}

}  // namespace steptp::testing
