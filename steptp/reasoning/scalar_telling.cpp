#include "steptp/reasoning/scalar_telling.h"

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/reasoning/tellings.h"

namespace steptp {

namespace {

const Expr* expr_at(const Program& program, const Site& site) {
  const SitePart part = resolve(program.nests, site);
  const auto* expr = std::get_if<const Expr*>(&part);
  return expr ? *expr : nullptr;
}

/// The part after the step. A sum in the first place of a sum is the same sum: then the part is a run of its operands.
TextRange result_range(const Teller& teller, const Site& site) {
  if (site.path.empty() || site.path.back() != 0) return {site, {}};
  Site around = site;
  around.path.pop_back();
  const Expr* before = expr_at(*teller.before.program, around);
  const Expr* after = expr_at(*teller.after.program, around);
  if (!before || !after || before->node.index() != after->node.index()) return {site, {}};
  const std::size_t more = child_count(*after) - std::min(child_count(*after), child_count(*before));
  if (more == 0) return {site, {}};
  return {site, static_cast<std::uint32_t>(more)};
}

/// What stands in brackets behind a word, as in clamp(C); nothing where the word is another one.
std::optional<std::string> in_brackets(const std::string& text, std::string_view word) {
  if (!text.starts_with(concat(word, "(")) || !text.ends_with(")")) return std::nullopt;
  return text.substr(word.size() + 1, text.size() - word.size() - 2);
}

/// The first condition in it that is a number where there is no element before.
const Select* neighbour_in(const Expr& expr) {
  const auto* select = std::get_if<Select>(&expr.node);
  if (select && std::holds_alternative<Literal>(select->if_true->node) &&
      std::holds_alternative<Read>(select->if_false->node)) {
    return select;
  }
  for (const ExprPtr* part : children(expr)) {
    if (const Select* found = neighbour_in(**part)) return found;
  }
  return nullptr;
}

/// It is quoted where it stands beside the part; elsewhere it is said what stands in where there is none.
TracePieces element_before(const Teller& teller, const TextRange& result) {
  const Expr* part = scalar_part(teller);
  const Select* neighbour = nullptr;
  for (const Expr* one : scalar_results(teller)) {
    if (one && !neighbour && part && !neighbour_in(*part)) neighbour = neighbour_in(*one);
  }
  TracePieces out = plain("the element ");
  if (part && std::holds_alternative<Read>(part->node)) {
    add(out, "before ");
    add(out, quote_piece(teller.before, {teller.facts.removed[0].site, {}}));
  } else {
    if (neighbour) add(out, "of ");
    if (neighbour) add(out, name_piece(std::get<Read>(neighbour->if_false->node).ref->tensor));
    add(out, neighbour ? " before the one that is read" : "before the one that is read");
  }
  Site value = result.from;
  if (result.to)
    value.path.back() = 1;
  else
    value.path.push_back(1);
  const Expr* expr = expr_at(*teller.after.program, value);
  if (expr && std::holds_alternative<Select>(expr->node)) {
    add(out, " (");
    add(out, quote_piece(teller.after, {value, {}}));
    add(out, ")");
  } else if (neighbour) {
    const auto& number = std::get<Literal>(neighbour->if_true->node);
    if (number.is_integer) add(out, concat(" (", number.integer, " at the first position)"));
  }
  return out;
}

/// What a value is called: a tensor, the address of a read, the element before, or what is made of one of these.
TracePieces value_named(const Teller& teller, const std::string& with, const TextRange& result) {
  if (with == "half") return plain("half of it");
  if (with == "two") return plain("2");
  if (const auto inner = in_brackets(with, "clamp")) {
    TracePieces out = value_named(teller, *inner, result);
    add(out, " (clamped between two bounds)");
    return out;
  }
  if (const auto inner = in_brackets(with, "1+abs")) {
    TracePieces out = plain("1 plus the absolute value of ");
    add(out, value_named(teller, *inner, result));
    return out;
  }
  if (const auto site = parse_site(with)) return quote_piece(teller.before, {*site, {}});
  if (with != "previous") {
    TracePieces out = plain("the matching element of ");
    add(out, name_piece(with));
    return out;
  }
  return element_before(teller, result);
}

TracePieces value_of(const Teller& teller, const TextRange& result) {
  return value_named(teller, teller.choice.word("with"), result);
}

bool has_parameter(const Teller& teller, std::string_view name) {
  const Values& values = teller.choice.values;
  return std::any_of(values.begin(), values.end(), [&](const auto& one) { return one.first == name; });
}

std::vector<std::string> texts_of(const Values& values, std::string_view key) {
  std::vector<std::string> out;
  const Json* list = find_value(values, key);
  if (!list || !list->as_array()) return out;
  for (const Json& one : *list->as_array()) out.push_back(*one.as_string());
  return out;
}

/// Who holds finite values: what is given, and what is computed of it.
void say_finite(Teller& teller, const Values& values) {
  teller.say("finite");
  const auto given = texts_of(values, "given");
  const auto computed = texts_of(values, "computed");
  if (!given.empty()) {
    teller.bind("given", names_of(given));
    teller.bind("given_is", given.size() == 1 ? "is a known variable" : "are known variables");
    teller.say("finite-given");
  }
  if (!computed.empty()) {
    teller.bind("computed", names_of(computed));
    teller.bind("computed_is", computed.size() == 1 ? "is" : "are");
    teller.bind("computed_it", computed.size() == 1 ? "it" : "them");
    teller.say("finite-computed");
  }
}

std::string declared_words(std::string_view domain) {
  if (domain == "positive") return "declared positive";
  return domain == "nonzero" ? "declared nonzero" : "declared with a range that leaves out zero";
}

/// A quotient, or a power, which may have a negative exponent.
bool can_divide(const Expr& expr) {
  if (std::holds_alternative<Power>(expr.node)) {
    const auto* exponent = std::get_if<Literal>(&std::get<Power>(expr.node).exponent->node);
    if (!exponent) return true;
  }
  const auto* product = std::get_if<Product>(&expr.node);
  const auto is_division = [](ArithmeticOp op) { return op == ArithmeticOp::divide; };
  if (product && std::any_of(product->operators.begin(), product->operators.end(), is_division)) return true;
  const std::vector<const ExprPtr*> parts = children(expr);
  return std::any_of(parts.begin(), parts.end(), [](const ExprPtr* part) { return can_divide(**part); });
}

/// In the part, or in what it becomes.
bool has_divisor(const Teller& teller) {
  std::vector<const Expr*> all = scalar_results(teller);
  all.push_back(scalar_part(teller));
  return std::any_of(all.begin(), all.end(), [](const Expr* expr) { return expr && can_divide(*expr); });
}

/// What else makes the definition give such values: its operands, where it reads any.
std::string known_of(const Teller& teller, const Site& definition) {
  const Equation* equation = equation_at(*teller.before.program, definition.items);
  bool reads = false;
  if (equation) for_each_ref(*equation->right, [&](const RefPtr&) { reads = true; });
  return reads ? " and what is known of the values it reads" : "";
}

/// Why one divisor, or the value that is brought in, is not zero.
void say_nonzero(Teller& teller, const Values& values) {
  const Json* why = find_value(values, "why");
  if (!why) {
    if (has_divisor(teller)) teller.say("non-zero");
    return;
  }
  if (is_true(values, "is_inserted") && teller.choice.word("with") == "two") {
    teller.bind("divisor", "2");
    return teller.say("non-zero-number");
  }
  const auto address = [&](std::string_view key) {
    const Json* text = find_value(values, key);
    return text ? parse_site(*text->as_string()) : std::nullopt;
  };
  teller.bind_values(values);
  if (const auto divisor = address("divisor")) {
    teller.bind_before("divisor", *divisor);
  } else if (is_true(values, "is_inserted")) {
    teller.bind("divisor", value_of(teller, result_range(teller, teller.facts.removed[0].site)));
  } else {
    teller.bind("divisor", "the divisor");
  }
  if (const auto definition = address("definition")) {
    teller.bind_before("definition", *definition);
    teller.bind("known", known_of(teller, *definition));
  }
  if (const Json* domain = find_value(values, "domain")) teller.bind("declared", declared_words(*domain->as_string()));
  teller.say(concat("non-zero-", *why->as_string()));
}

bool calls_exponential(const Expr& expr) {
  const auto* call = std::get_if<Call>(&expr.node);
  if (call && call->function == Function::exp) return true;
  const std::vector<const ExprPtr*> parts = children(expr);
  return std::any_of(parts.begin(), parts.end(), [](const ExprPtr* part) { return calls_exponential(**part); });
}

/// In the part, or in what it becomes.
bool has_exponential(const Teller& teller) {
  std::vector<const Expr*> all = scalar_results(teller);
  all.push_back(scalar_part(teller));
  return std::any_of(all.begin(), all.end(), [](const Expr* expr) { return expr && calls_exponential(*expr); });
}

/// Why a value is positive, where a law needs that.
void say_positive(Teller& teller, const Values& values) {
  const Json* why = find_value(values, "why");
  const Json* argument = find_value(values, "argument");
  if (!why || !argument || *why->as_string() == "condition") return teller.say("sign");
  const auto site = parse_site(*argument->as_string());
  if (!site) return teller.say("sign");
  teller.bind_values(values);
  teller.bind_before("argument", *site);
  if (const Json* definition = find_value(values, "definition")) {
    if (const auto equation = parse_site(*definition->as_string())) {
      teller.bind_before("definition", *equation);
      teller.bind("known", known_of(teller, *equation));
    }
  }
  teller.say(concat("positive-", *why->as_string()));
}

/// Enough to follow; a long quotient has many divisors of one kind.
constexpr int kMostDivisors = 3;

}  // namespace

const Expr* scalar_part(const Teller& teller) { return expr_at(*teller.before.program, teller.facts.removed[0].site); }

std::vector<const Expr*> scalar_results(const Teller& teller) {
  const TextRange range = result_range(teller, teller.facts.removed[0].site);
  if (!range.to) return {expr_at(*teller.after.program, range.from)};
  std::vector<const Expr*> out;
  Site operand = range.from;
  for (std::uint32_t i = 0; i <= *range.to; ++i) {
    operand.path.back() = i;
    out.push_back(expr_at(*teller.after.program, operand));
  }
  return out;
}

void tell_scalar(Teller& teller) { tell_scalar_as(teller, ""); }

void tell_scalar_as(Teller& teller, std::string_view form) {
  const Facts& facts = teller.facts;
  const auto say = [&](std::string_view slot) {
    const std::string own = concat(slot, "-", form);
    teller.say(!form.empty() && teller.has(own) ? own : slot);
  };
  // A half is no value that is brought in, and a number is defined everywhere: nothing is said of where it comes from.
  const bool brings_nothing = form == "half";
  const bool brings_number = has_parameter(teller, "with") && teller.choice.word("with") == "two";
  const Site& part = facts.removed[0].site;
  const Site equation{part.items, Site::Part::item, {}, {}};
  const TextRange result = result_range(teller, facts.removed[0].site);
  bind_where(teller);
  teller.bind_before("part", part);
  teller.bind("result", quote_piece(teller.after, result));
  teller.bind_before("left", {part.items, Site::Part::left, {}, {}});
  teller.bind_after("equation_after", equation);
  if (has_parameter(teller, "with")) teller.bind("value", value_of(teller, result));
  const auto bind_by = [&] {
    if (!has_parameter(teller, "by")) return;
    const auto by = parse_site(teller.choice.word("by"));
    teller.bind_before("by", by ? *by : part);
  };
  bind_by();
  say("take");
  int divisors = 0;
  int positives = 0;
  for (const Holds& one : facts.holds) {
    if (one.precondition->id == std::string_view("finite")) {
      say_finite(teller, one.values);
      continue;
    }
    if (one.precondition->id == std::string_view("non-zero")) {
      if (divisors++ < kMostDivisors) say_nonzero(teller, one.values);
      continue;
    }
    if (one.precondition->id == std::string_view("sign")) {
      if (positives++ < kMostDivisors) say_positive(teller, one.values);
      continue;
    }
    const auto same = [&](const Holds& other) { return other.precondition == one.precondition; };
    if (&*std::find_if(facts.holds.begin(), facts.holds.end(), same) != &one) continue;
    const std::string_view id = one.precondition->id;
    if (brings_nothing && (id == "in-scope" || id == "matches")) continue;
    if (brings_number && id == "in-scope") continue;
    teller.bind_values(one.values);
    bind_by();  // the address itself is nothing to read
    teller.say(id == "overflow" && !has_exponential(teller) ? "overflow-none" : id);
  }
  say("become");
  say("why");
  say("back");
}

}  // namespace steptp
