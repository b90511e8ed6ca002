// What inputs may be: the domains of the signature, and what the certificate says besides. Whatever it says is held
// against the signature and the programs.
#include "replay/domains.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "replay/fields.h"
#include "steptp/base/text.h"

namespace steptp::replayer {

namespace {

/// The variables that subscripts of `tensor` read, in one program.
bool is_indexed_by(const Program& program, const std::string& tensor, const std::string& name) {
  bool found = false;
  for_each_equation(program, [&](const Equation& equation, const std::vector<const Nest*>&) {
    const auto look = [&](const RefPtr& ref) {
      if (ref->tensor != tensor && !tensor.empty()) return;
      for_each_ref(ref, [&](const RefPtr& inner) { found = found || (inner != ref && inner->tensor == name); });
    };
    for_each_ref(*equation.right, look);
    look(equation.left);
  });
  return found;
}

bool divides(const Program& program) {
  bool found = false;
  const std::function<void(const Expr&)> walk = [&](const Expr& expr) {
    if (const auto* product = std::get_if<Product>(&expr.node)) {
      for (const ArithmeticOp op : product->operators) found = found || op != ArithmeticOp::multiply;
    }
    for (const ExprPtr* child : children(expr)) walk(**child);
  };
  for_each_equation(program, [&](const Equation& equation, const std::vector<const Nest*>&) { walk(*equation.right); });
  return found;
}

bool take_integer(std::string_view& text, std::int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}
bool take_text(std::string_view& text, std::string_view wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(wanted.size());
  return true;
}

/// The integers that a domain leaves of a type, as far as they are ever drawn.
std::pair<std::int64_t, std::int64_t> integers_of_domain(const Variable& variable) {
  constexpr std::int64_t kWide = std::int64_t{1} << 40;
  const DTypeInfo& type = info(variable.dtype);
  std::int64_t low = std::max(type.least, -kWide);
  std::int64_t high = std::min(type.greatest, kWide);
  if (variable.domain.kind == Domain::Kind::positive) low = 1;
  if (variable.domain.kind == Domain::Kind::range) {
    const auto clamped = [&](double value) {
      if (value <= static_cast<double>(type.least)) return type.least;
      return value >= static_cast<double>(type.greatest) ? type.greatest : static_cast<std::int64_t>(value);
    };
    low = clamped(std::ceil(variable.domain.low));
    high = clamped(std::ceil(variable.domain.high) - 1);
  }
  return {low, high};
}

std::string_view word_for(Domain::Kind kind) {
  switch (kind) {
    case Domain::Kind::unstated:
    case Domain::Kind::any: return "any";
    case Domain::Kind::positive: return "positive";
    case Domain::Kind::nonzero: return "nonzero";
    case Domain::Kind::masked: return "masked";
    case Domain::Kind::range: return "range";
  }
  return "any";
}

InputRule read_rule(const Json& json, const Variable& variable, const Program& before) {
  InputRule out;
  out.name = text_of(json, "name");
  out.draw = word_of(json, "draw", {"any", "positive", "nonzero", "masked", "range", "integer", "given"});
  const auto wrong = [&] { throw BadFile{concat("the values of ", out.name, " are not those of the signature")}; };
  if (out.name != variable.name) throw BadFile{concat("the values of ", variable.name, " are missing")};
  const bool is_given = !variable.values.empty();
  const bool is_integer = !is_given && !is_float(variable.dtype);
  if ((out.draw == "given") != is_given || (out.draw == "integer") != is_integer) wrong();
  if (is_integer) {
    only(json, out.name, {"name", "draw", "low", "high", "nonzero", "bounded"});
    out.least = integer_of(json, "low");
    out.greatest = integer_of(json, "high");
    out.skips_zero = truth_of(json, "nonzero");
    out.is_bounded = truth_of(json, "bounded");
    const auto [low, high] = integers_of_domain(variable);
    if (out.least > out.greatest || out.skips_zero != (variable.domain.kind == Domain::Kind::nonzero)) wrong();
    // Bounded by its use, where it indexes something and has no range of its own.
    const bool may_be_less =
        out.is_bounded && variable.domain.kind != Domain::Kind::range && is_indexed_by(before, {}, variable.name);
    if (may_be_less ? out.least < low || out.greatest > high
                    : out.is_bounded || out.least != low || out.greatest != high) {
      wrong();
    }
    return out;
  }
  if (out.draw == "range") {
    only(json, out.name, {"name", "draw", "low", "high"});
    out.low = number_of(json, "low");
    out.high = number_of(json, "high");
    if (out.low != variable.domain.low || out.high != variable.domain.high) wrong();
  } else {
    only(json, out.name, {"name", "draw"});
  }
  if (is_given) return out;
  // Where nothing is stated, positive numbers were drawn where roots need them: these are legal too.
  const bool is_narrower =
      variable.domain.kind == Domain::Kind::unstated && (out.draw == "positive" || out.draw == "nonzero");
  if (out.draw != word_for(variable.domain.kind) && !is_narrower) wrong();
  return out;
}

}  // namespace

Assumption read_assumption(const std::string& text, const Program& before, const Program& after) {
  Assumption out;
  out.text = text;
  const auto wrong = [&](std::string_view why) { throw BadFile{concat("it assumes '", text, "'", why)}; };
  const std::size_t end = text.find(' ');
  out.name = text.substr(0, end);
  std::string_view rest = std::string_view(text).substr(std::min(end, text.size()));
  const Variable* variable = before.signature.find(out.name);
  if (!variable || variable->role == Role::output || !variable->values.empty()) wrong(", which is of no input");
  if (variable->domain.kind != Domain::Kind::unstated && variable->domain.kind != Domain::Kind::any) {
    wrong(", and the signature states a domain");
  }
  if (rest == " is not zero") {
    if (!divides(before) && !divides(after)) wrong(", and nothing divides");
    return out;
  }
  const bool is_read = take_text(rest, " lies in [") && take_integer(rest, out.low) && take_text(rest, ",") &&
                       take_integer(rest, out.high) && take_text(rest, ") where it indexes ");
  if (!is_read || rest.empty()) wrong(", which is not one of the assumptions that there are");
  out.indexed = std::string(rest);
  if (out.low >= out.high) wrong(", which no value is");
  if (!is_indexed_by(before, out.indexed, out.name) && !is_indexed_by(after, out.indexed, out.name)) {
    wrong(", and it does not");
  }
  return out;
}

std::map<std::string, Domain, std::less<>> domains_of(const Signature& signature,
                                                      const std::vector<Assumption>& assumes) {
  std::map<std::string, Domain, std::less<>> out;
  for (const Variable& variable : signature.variables) {
    if (variable.role != Role::output) out[variable.name] = variable.domain;
  }
  for (const Assumption& assumption : assumes) {
    Domain& domain = out[assumption.name];
    if (assumption.indexed.empty()) {
      if (domain.kind != Domain::Kind::range) domain.kind = Domain::Kind::nonzero;
      continue;
    }
    const bool is_narrower = domain.kind == Domain::Kind::range;
    const auto low = static_cast<double>(assumption.low);
    const auto high = static_cast<double>(assumption.high);
    domain.low = is_narrower ? std::max(domain.low, low) : low;
    domain.high = is_narrower ? std::min(domain.high, high) : high;
    domain.kind = Domain::Kind::range;
  }
  return out;
}

std::vector<InputRule> read_input_rules(const Json& list, const Program& before) {
  std::vector<InputRule> out;
  const Json::Array* items = list.as_array();
  if (!items) throw BadFile{"\"inputs\" is not a list"};
  std::size_t next = 0;
  for (const Variable& variable : before.signature.variables) {
    if (variable.role == Role::output) continue;
    if (next == items->size()) throw BadFile{concat("the values of ", variable.name, " are missing")};
    out.push_back(read_rule((*items)[next++], variable, before));
  }
  if (next != items->size()) throw BadFile{"values of an input that there is not"};
  return out;
}

std::vector<double> literals_of(const Program& before, const Program& after) {
  std::set<double> out;
  const std::function<void(const Expr&)> walk = [&](const Expr& expr) {
    if (const auto* literal = std::get_if<Literal>(&expr.node)) out.insert(literal->real);
    for (const ExprPtr* child : children(expr)) walk(**child);
  };
  for (const Program* program : {&before, &after}) {
    for_each_equation(*program,
                      [&](const Equation& equation, const std::vector<const Nest*>&) { walk(*equation.right); });
  }
  return {out.begin(), out.end()};
}

}  // namespace steptp::replayer
