#include "steptp/evaluate/strategy_match.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "steptp/ir/canonical.h"
#include "steptp/ir/forms.h"
#include "steptp/reasoning/worth_showing.h"
#include "steptp/recipe/registry.h"
#include "steptp/strategies/view.h"

namespace steptp {

namespace {

using Numbers = std::set<std::int64_t>;

void add_numbers(const Index& index, Numbers& out) {
  out.insert(index.constant_term());
  for (const IndexTerm& term : index.terms()) {
    out.insert(std::abs(term.coefficient));
    for (const IndexAtom& atom : term.factors) {
      const auto* quotient = std::get_if<FloorQuotient>(&atom);
      const auto* remainder = std::get_if<FloorRemainder>(&atom);
      if (quotient) add_numbers(*quotient->divisor, out);
      if (remainder) add_numbers(*remainder->divisor, out);
    }
  }
}

void add_numbers(const Nest& nest, Numbers& out) {
  for (const Loop& loop : nest.loops) out.insert(loop.extent);
  for (const Item& item : nest.items) {
    if (const auto* inner = std::get_if<NestPtr>(&item)) {
      add_numbers(**inner, out);
      continue;
    }
    const Equation& equation = *std::get<EquationPtr>(item);
    const auto add = [&](const RefPtr& ref) {
      for (const Index& subscript : ref->subscripts) add_numbers(subscript, out);
    };
    for_each_ref(equation.left, add);
    for_each_ref(*equation.right, add);
  }
}

/// Extents of loops and numbers in subscripts: among them is nearly every number that a step was made with.
Numbers numbers_of(const Program& program) {
  Numbers out;
  for (const NestPtr& nest : program.nests) add_numbers(*nest, out);
  return out;
}

/// The values of a parameter that are worth a try first: of many integers those that the program has.
std::vector<Json> likely_values(const ParameterDomain& domain, const Numbers& numbers) {
  constexpr std::uint64_t kMany = 8;
  std::vector<Json> out;
  const auto* range = std::get_if<IntegerRange>(&domain.values);
  if (range && domain.count() > kMany) {
    for (const std::int64_t number : numbers) {
      const bool is_inside = number >= range->low && number <= range->high;
      if (is_inside && !std::binary_search(range->except.begin(), range->except.end(), number))
        out.emplace_back(number);
    }
    return out;
  }
  const auto* list = std::get_if<std::vector<std::int64_t>>(&domain.values);
  for (std::uint64_t i = 0; i < domain.count(); ++i) {
    Json value = domain.value(i);
    const bool is_likely = !list || domain.count() <= kMany || numbers.contains(*value.as_integer());
    if (is_likely) out.push_back(std::move(value));
  }
  return out;
}

/// How a single expression is written, without the names of intermediates.
std::vector<Hash> expression_forms(const Program& program) {
  std::vector<Hash> out;
  Program one;
  one.signature = program.signature;
  for (const NestPtr& nest : program.nests) {
    one.nests = {nest};
    out.push_back(form_of(one));
  }
  return out;
}

class Matcher {
 public:
  Matcher(const Program& after, std::vector<const Strategy*> strategies, const StrategyMatchLimits& limits)
      : after_(after),
        wanted_(limits.only_worth_showing ? written_form_of(after) : canonical_hash(after)),
        kept_(expression_forms(after)),
        numbers_(numbers_of(after)),
        strategies_(std::move(strategies)),
        limits_(limits) {}

  /// From a program, with the strategies from this number on.
  StrategyMatch search(const Program& program, std::size_t number) {
    View view(program);
    const std::vector<ChoiceSite> sites = sites_of(view, number);
    StrategyMatch found = StrategyMatch::no;
    for (const bool likely : {true, false}) {
      for (const ChoiceSite& site : sites) {
        if (!likely && site.count() <= kManyChoices) continue;  // all of them were likely
        const StrategyMatch match = likely ? try_likely(site, view, number) : try_all(site, view, number);
        if (match == StrategyMatch::yes || is_out())
          return match == StrategyMatch::yes ? match : StrategyMatch::unknown;
        if (match == StrategyMatch::unknown) found = match;
      }
    }
    return found;
  }

 private:
  static constexpr std::uint64_t kManyChoices = 64;

  /// In the order in which they are worth a try.
  std::vector<ChoiceSite> sites_of(View& view, std::size_t number) {
    std::vector<ChoiceSite> sites = list_choices(*strategies_[number], view, true).sites;
    const std::vector<Hash> forms = expression_forms(view.program());
    std::multiset<Hash> kept(kept_.begin(), kept_.end());
    std::vector<bool> is_kept;
    for (const Hash form : forms) {
      const auto found = kept.find(form);
      is_kept.push_back(found != kept.end());
      if (found != kept.end()) kept.erase(found);
    }
    std::stable_sort(sites.begin(), sites.end(), [&](const ChoiceSite& a, const ChoiceSite& b) {
      const auto rank = [&](const ChoiceSite& site) {
        const bool stays = !site.at.items.empty() && site.at.items[0] < is_kept.size() && is_kept[site.at.items[0]];
        return std::pair(stays, site.extended);
      };
      return rank(a) < rank(b);
    });
    return sites;
  }

  [[nodiscard]] bool is_wanted(const Program& program) const {
    if (limits_.only_worth_showing) return written_form_of(program) == wanted_;
    return canonical_hash(program) == wanted_ && same_up_to_renaming(program, after_);
  }

  [[nodiscard]] bool is_out() const {
    return applied_ >= limits_.applications || std::chrono::steady_clock::now() > limits_.deadline;
  }

  StrategyMatch try_one(const Choice& choice, View& view, std::size_t number) {
    ++applied_;
    const auto applied = apply(*strategies_[number], view, choice);
    if (!applied) return StrategyMatch::no;
    if (number + 1 < strategies_.size()) return search(applied->program, number + 1);
    if (!is_wanted(applied->program)) return StrategyMatch::no;
    if (!limits_.only_worth_showing) return StrategyMatch::yes;
    const bool is_worth = is_worth_showing(*strategies_[number], view.program(), choice, *applied);
    return is_worth ? StrategyMatch::yes : StrategyMatch::no;
  }

  StrategyMatch try_all(const ChoiceSite& site, View& view, std::size_t number) {
    StrategyMatch found = StrategyMatch::no;
    for (std::uint64_t i = 0; i < site.count(); ++i) {
      if (is_out()) return StrategyMatch::unknown;
      const StrategyMatch match = try_one(site.choice(i), view, number);
      if (match == StrategyMatch::yes) return match;
      if (match == StrategyMatch::unknown) found = match;
    }
    return found;
  }

  /// Where a site has many choices, those whose numbers stand in the program that is looked for.
  StrategyMatch try_likely(const ChoiceSite& site, View& view, std::size_t number) {
    if (site.count() <= kManyChoices) return try_all(site, view, number);
    std::vector<std::vector<Json>> values;
    for (const ParameterDomain& domain : site.parameters) values.push_back(likely_values(domain, numbers_));
    if (std::any_of(values.begin(), values.end(), [](const auto& list) { return list.empty(); }))
      return StrategyMatch::no;
    std::vector<std::size_t> at(values.size(), 0);
    while (!is_out()) {
      Choice choice{site.at, {}};
      for (std::size_t i = 0; i < values.size(); ++i)
        choice.values.emplace_back(std::string(site.parameters[i].name), values[i][at[i]]);
      if (try_one(choice, view, number) == StrategyMatch::yes) return StrategyMatch::yes;
      std::size_t last = values.size();
      while (last > 0 && ++at[last - 1] == values[last - 1].size()) at[--last] = 0;
      if (last == 0) return StrategyMatch::no;
    }
    return StrategyMatch::unknown;
  }

  const Program& after_;
  Hash wanted_;
  std::vector<Hash> kept_;
  Numbers numbers_;
  std::vector<const Strategy*> strategies_;
  StrategyMatchLimits limits_;
  std::uint64_t applied_ = 0;
};

}  // namespace

StrategyMatch match_strategies(const Program& before, const Program& after, const std::vector<std::string>& strategies,
                               const StrategyMatchLimits& limits) {
  std::vector<const Strategy*> found;
  for (const std::string& name : strategies) {
    found.push_back(find_strategy(name));
    if (!found.back()) return StrategyMatch::unknown;
  }
  if (found.empty()) return StrategyMatch::unknown;
  return Matcher(after, std::move(found), limits).search(before, 0);
}

}  // namespace steptp
