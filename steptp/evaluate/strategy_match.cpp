#include "steptp/evaluate/strategy_match.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "steptp/ir/canonical.h"
#include "steptp/ir/forms.h"
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

class Matcher {
 public:
  Matcher(const Program& after, std::vector<const Strategy*> strategies, const StrategyMatchLimits& limits)
      : after_(after),
        wanted_(canonical_hash(after)),
        plain_(plain_form_of(after)),
        numbers_(numbers_of(after)),
        strategies_(std::move(strategies)),
        limits_(limits) {}

  /// From a program, with the strategies from this number on.
  StrategyMatch search(const Program& program, std::size_t number) {
    if (number == strategies_.size()) return is_wanted(program) ? StrategyMatch::yes : StrategyMatch::no;
    View view(program);
    const Listing listing = list_choices(*strategies_[number], view, true);
    const StrategyMatch likely = try_likely(listing, view, number);
    if (likely != StrategyMatch::no) return likely;
    bool is_whole = true;
    for (const ChoiceSite& site : listing.sites) {
      for (std::uint64_t i = 0; i < site.count(); ++i) {
        if (is_out()) return StrategyMatch::unknown;
        const StrategyMatch match = try_one(site.choice(i), view, number);
        if (match == StrategyMatch::yes) return match;
        is_whole = is_whole && match == StrategyMatch::no;
      }
    }
    return is_whole ? StrategyMatch::no : StrategyMatch::unknown;
  }

 private:
  [[nodiscard]] bool is_wanted(const Program& program) const {
    if (canonical_hash(program) == wanted_ && same_up_to_renaming(program, after_)) return true;
    return limits_.up_to_plain_form && plain_form_of(program) == plain_;
  }

  [[nodiscard]] bool is_out() {
    return applied_++ >= limits_.applications || std::chrono::steady_clock::now() > limits_.deadline;
  }

  StrategyMatch try_one(const Choice& choice, View& view, std::size_t number) {
    const auto applied = apply(*strategies_[number], view, choice);
    return applied ? search(applied->program, number + 1) : StrategyMatch::no;
  }

  /// Where a site has many choices, those first whose numbers stand in the program that is looked for.
  StrategyMatch try_likely(const Listing& listing, View& view, std::size_t number) {
    constexpr std::uint64_t kManyChoices = 64;
    for (const ChoiceSite& site : listing.sites) {
      if (site.count() <= kManyChoices) continue;
      std::vector<Choice> choices = {{site.at, {}}};
      for (const ParameterDomain& domain : site.parameters) {
        std::vector<Choice> longer;
        for (const Choice& choice : choices) {
          for (const Json& value : likely_values(domain, numbers_)) {
            longer.push_back(choice);
            longer.back().values.emplace_back(std::string(domain.name), value);
          }
        }
        choices = std::move(longer);
      }
      for (const Choice& choice : choices) {
        if (is_out()) return StrategyMatch::unknown;
        if (try_one(choice, view, number) == StrategyMatch::yes) return StrategyMatch::yes;
      }
    }
    return StrategyMatch::no;
  }

  const Program& after_;
  Hash wanted_;
  Hash plain_;
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
