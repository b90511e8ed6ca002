#include "steptp/strategies/strategy.h"

#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/strategies/parameters.h"
#include "steptp/strategies/promises.h"
#include "steptp/strategies/view.h"

namespace steptp {

namespace {

const Json* find(const Values& values, std::string_view name) {
  for (const auto& [key, value] : values) {
    if (key == name) return &value;
  }
  return nullptr;
}

}  // namespace

std::string_view name_of(Level level) {
  switch (level) {
    case Level::graph: return "graph";
    case Level::operators: return "operator";
    case Level::memory: return "memory";
    case Level::math: return "math";
  }
  return {};
}

std::string_view name_of(Check check) {
  constexpr std::string_view kNames[] = {"pattern match",
                                         "dependency",
                                         "operation identity",
                                         "loop nest consistency",
                                         "equation count",
                                         "loop axis count",
                                         "loop range factorization",
                                         "reduction axis",
                                         "intermediate variable",
                                         "order",
                                         "scope",
                                         "size",
                                         "launch",
                                         "fact",
                                         "place",
                                         "choice"};
  return kNames[static_cast<std::size_t>(check)];
}

std::string_view name_of(Component component) {
  constexpr std::string_view kNames[] = {"expressions", "loop axes", "range adjustments",
                                         "equations",   "variables", "index segments"};
  return kNames[static_cast<std::size_t>(component)];
}

std::string_view name_of(NewElement element) {
  constexpr std::string_view kNames[] = {"variables", "index calculations", "expressions"};
  return kNames[static_cast<std::size_t>(element)];
}

std::uint64_t ParameterDomain::count() const {
  struct Visitor {
    std::uint64_t operator()(const IntegerRange& range) const {
      if (range.high < range.low) return 0;
      return static_cast<std::uint64_t>(range.high) - static_cast<std::uint64_t>(range.low) + 1 - range.except.size();
    }
    std::uint64_t operator()(const std::vector<std::int64_t>& list) const { return list.size(); }
    std::uint64_t operator()(const std::vector<std::string>& list) const { return list.size(); }
  };
  return std::visit(Visitor{}, values);
}

Json ParameterDomain::value(std::uint64_t number) const {
  struct Visitor {
    std::uint64_t number;
    Json operator()(const IntegerRange& range) const {
      auto value = static_cast<std::int64_t>(static_cast<std::uint64_t>(range.low) + number);
      for (const std::int64_t gone : range.except) value += gone <= value ? 1 : 0;
      return value;
    }
    Json operator()(const std::vector<std::int64_t>& list) const { return list[number]; }
    Json operator()(const std::vector<std::string>& list) const { return list[number]; }
  };
  return std::visit(Visitor{number}, values);
}

Json ParameterDomain::to_json() const {
  const auto* range = std::get_if<IntegerRange>(&values);
  if (range) {
    Json out;
    out.set("from", range->low).set("to", range->high);
    if (!range->except.empty()) out.set("except", Json::Array(range->except.begin(), range->except.end()));
    return out;
  }
  Json::Array list;
  for (std::uint64_t i = 0; i < count(); ++i) list.push_back(value(i));
  return list;
}

std::int64_t Choice::integer(std::string_view name) const { return *find(values, name)->as_integer(); }
const std::string& Choice::word(std::string_view name) const { return *find(values, name)->as_string(); }

Json Choice::to_json() const {
  Json out;
  out.set("at", to_text(at));
  for (const auto& [key, value] : values) out.set(key, value);
  return out;
}

std::uint64_t ChoiceSite::count() const {
  std::uint64_t product = 1;
  for (const ParameterDomain& domain : parameters) {
    const std::uint64_t factor = domain.count();
    if (factor == 0) return 0;
    product = product > UINT64_MAX / factor ? UINT64_MAX : product * factor;
  }
  return product;
}

Choice ChoiceSite::choice(std::uint64_t number) const {
  Choice out{at, Values(parameters.size())};
  for (std::size_t i = parameters.size(); i-- > 0;) {
    const std::uint64_t radix = parameters[i].count();
    out.values[i] = {std::string(parameters[i].name), parameters[i].value(number % radix)};
    number /= radix;
  }
  return out;
}

bool ChoiceSite::contains(const Choice& wanted) const {
  if (!(at == wanted.at) || wanted.values.size() != parameters.size()) return false;
  for (const ParameterDomain& domain : parameters) {
    const Json* value = find(wanted.values, domain.name);
    if (!value) return false;
    const auto* range = std::get_if<IntegerRange>(&domain.values);
    bool found = false;
    if (range) {
      const std::int64_t* integer = value->as_integer();
      found = integer && *integer >= range->low && *integer <= range->high &&
              !std::binary_search(range->except.begin(), range->except.end(), *integer);
    }
    for (std::uint64_t i = 0; !range && i < domain.count(); ++i) {
      found = found || domain.value(i).dump() == value->dump();
    }
    if (!found) return false;
  }
  return true;
}

std::string to_text(std::string_view strategy, const Refusal& refusal) {
  return concat(strategy, " refused [", refusal.precondition->id, "] at ", to_text(refusal.place), ": ",
                refusal.message);
}

void Listing::offer(ChoiceSite site) {
  if (site.extended && !extended) return;
  if (site.count() > 0) sites.push_back(std::move(site));
}

void Listing::refuse(Refusal refusal) {
  if (with_refusals) refusals.push_back(std::move(refusal));
}

int Strategy::score_in_tenths() const {
  const auto p = static_cast<int>(modifies.size());
  return static_cast<int>(published.size()) + 5 * (p - 1) + 10 * static_cast<int>(introduces.size());
}

std::string_view Strategy::difficulty() const {
  const int score = score_in_tenths();
  if (score < 10) return "easy";
  return score < 25 ? "medium" : "difficult";
}

Listing list_choices(const Strategy& strategy, View& view, bool extended, bool with_refusals) {
  Listing listing;
  listing.extended = extended;
  listing.with_refusals = with_refusals;
  strategy.choices(view, listing);
  if (!has_matrix_nests(view.program())) return listing;
  // No strategy knows these words: what would change such an expression is no choice.
  std::vector<ChoiceSite> sites = std::exchange(listing.sites, {});
  for (ChoiceSite& site : sites) {
    const auto applied = apply(strategy, view, site.choice(0));
    if (applied || applied.error().precondition->id != kMatrixNests.id) {
      listing.sites.push_back(std::move(site));
    } else {
      listing.refuse(applied.error());
    }
  }
  return listing;
}

Result<Applied, Refusal> apply(const Strategy& strategy, View& view, const Choice& choice) {
  std::string wrong = misfit(strategy.parameters, choice);
  if (!wrong.empty()) return Refusal{&kChoice, choice.at, std::move(wrong), {}};
  auto applied = strategy.apply(view, with_fallbacks(strategy.parameters, choice));
  if (!applied) return applied;
  if (has_matrix_nests(view.program())) {
    if (auto refusal = refuse_matrix_change(view.program(), applied->program, choice.at)) return *std::move(refusal);
  }
  applied->program = with_kept_depths(std::move(applied->program));
  return applied;
}

Result<std::size_t, Refusal> one_of(const Choice& choice, std::string_view parameter,
                                    std::span<const std::string_view> words) {
  const std::string& word = choice.word(parameter);
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string known;
  for (const std::string_view other : words) append(known, known.empty() ? "" : ", ", "\"", other, "\"");
  return Refusal{&kChoice, choice.at, concat("\"", parameter, "\" is \"", word, "\", not one of ", known), {}};
}

Result<Choice, std::string> choice_from_json(const Json& json) {
  const Json::Object* object = json.as_object();
  if (!object) return concat("a choice is an object such as {\"at\":\"0\"}, not ", json.kind_name());
  Choice choice;
  bool has_place = false;
  for (const auto& [key, value] : *object) {
    if (key != "at") {
      if (!value.as_integer() && !value.as_string()) {
        return concat("\"", key, "\" is ", value.kind_name(), "; parameters are integers and strings");
      }
      choice.values.emplace_back(key, value);
      continue;
    }
    const auto site = value.as_string() ? parse_site(*value.as_string()) : std::nullopt;
    if (!site) return concat("\"at\" is ", value.dump(), ", which is not an address such as \"0/1:loop[2]\"");
    choice.at = *site;
    has_place = true;
  }
  if (!has_place) return std::string("the key \"at\" is missing: where to make the step");
  return choice;
}

}  // namespace steptp
