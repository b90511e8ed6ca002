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

/// What a value is called: a tensor, the address of a read, the element before, or what is made of one of these.
TracePieces value_named(const Teller& teller, const std::string& with, const TextRange& result) {
  if (with == "half") return plain("half of it");
  if (with == "two") return plain("2");
  if (const auto inner = in_brackets(with, "clamp")) {
    TracePieces out = value_named(teller, *inner, result);
    add(out, " (clamped so that it is never too large)");
    return out;
  }
  if (const auto inner = in_brackets(with, "1+abs")) {
    TracePieces out = plain("one plus the size of ");
    add(out, value_named(teller, *inner, result));
    return out;
  }
  if (const auto site = parse_site(with)) return quote_piece(teller.before, {*site, {}});
  if (with != "previous") {
    TracePieces out = plain("the matching element of ");
    add(out, name_piece(with));
    return out;
  }
  Site value = result.from;
  if (result.to)
    value.path.back() = 1;
  else
    value.path.push_back(1);
  const Expr* expr = expr_at(*teller.after.program, value);
  if (!expr || !std::holds_alternative<Select>(expr->node)) return plain("the element before it");
  TracePieces out = plain("the element before it (");
  add(out, quote_piece(teller.after, {value, {}}));
  add(out, ")");
  return out;
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

/// Why one divisor, or the value that is brought in, is not zero.
void say_nonzero(Teller& teller, const Values& values) {
  const Json* why = find_value(values, "why");
  if (!why) return teller.say("non-zero");
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
    teller.bind("divisor", value_of(teller, result_range(teller, teller.facts.added[0].site)));
  } else {
    teller.bind("divisor", "the divisor");
  }
  if (const auto definition = address("definition")) teller.bind_before("definition", *definition);
  if (const Json* domain = find_value(values, "domain")) teller.bind("declared", declared_words(*domain->as_string()));
  teller.say(concat("non-zero-", *why->as_string()));
}

/// Enough to follow; a long quotient has many divisors of one kind.
constexpr int kMostDivisors = 3;

}  // namespace

const Expr* scalar_part(const Teller& teller) { return expr_at(*teller.before.program, teller.facts.removed[0].site); }

std::vector<const Expr*> scalar_results(const Teller& teller) {
  const TextRange range = result_range(teller, teller.facts.added[0].site);
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
  // A half is no value that is brought in: nothing is said of where it comes from.
  const bool brings_nothing = form == "half";
  const Site& part = facts.removed[0].site;
  const Site equation{part.items, Site::Part::item, {}, {}};
  const TextRange result = result_range(teller, facts.added[0].site);
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
  for (const Holds& one : facts.holds) {
    if (one.precondition->id == std::string_view("finite")) {
      say_finite(teller, one.values);
      continue;
    }
    if (one.precondition->id == std::string_view("non-zero")) {
      if (divisors++ < kMostDivisors) say_nonzero(teller, one.values);
      continue;
    }
    const auto same = [&](const Holds& other) { return other.precondition == one.precondition; };
    if (&*std::find_if(facts.holds.begin(), facts.holds.end(), same) != &one) continue;
    const std::string_view id = one.precondition->id;
    if (brings_nothing && (id == "in-scope" || id == "matches")) continue;
    teller.bind_values(one.values);
    bind_by();  // the address itself is nothing to read
    teller.say(id);
  }
  say("become");
  say("why");
  say("back");
}

}  // namespace steptp
