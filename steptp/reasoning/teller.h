#pragma once

// Tells one step in the words of its strategy (words.h): a function per strategy fills the places in the phrases from
// the facts and says them in order (telling_*.cpp).

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "steptp/base/random.h"
#include "steptp/reasoning/quoting.h"
#include "steptp/reasoning/words.h"
#include "steptp/strategies/strategy.h"

namespace steptp {

class Teller;

/// Who tells the steps of a strategy.
struct Telling {
  std::string_view strategy;
  void (*tell)(Teller&) = nullptr;
};

class Teller {
 public:
  Teller(std::string_view strategy, const Words& words, const Program& program, const Choice& made,
         const Applied& applied, std::uint64_t seed);

  const Facts& facts;
  const Choice& choice;
  const Quotable before;
  const Quotable after;

  void bind(std::string_view name, TracePieces pieces);
  void bind(std::string_view name, std::string words) { bind(name, plain(std::move(words))); }
  void bind(std::string_view name, std::int64_t number) { bind(name, std::to_string(number)); }
  /// "one use", "3 uses"
  void bind_count(std::string_view name, std::int64_t number, std::string_view one, std::string_view several);
  void bind_name(std::string_view name, std::string_view of) { bind(name, name_piece(of)); }
  void bind_before(std::string_view name, const Site& site) { bind(name, quote_piece(before, {site, {}})); }
  void bind_after(std::string_view name, const Site& site) { bind(name, quote_piece(after, {site, {}})); }
  /// "the third expression", of the program before.
  void bind_expression(std::string_view name, const Site& site);
  /// Every value that the facts name, as what it is: a number, the name of a tensor or an index, a type, a scope.
  void bind_values(const Values& values);

  /// One sentence, or several that belong together.
  void say(std::string_view slot);
  /// Whether the strategy's own words have it.
  [[nodiscard]] bool has(std::string_view slot) const;
  /// Each precondition that the strategy has looked at, with its values, in words of the strategy or of all.
  void say_preconditions();
  /// Whether a precondition is among those.
  [[nodiscard]] bool holds(std::string_view id) const;

  [[nodiscard]] std::int64_t integer(std::string_view value) const;  ///< of the facts; 0 where there is none
  [[nodiscard]] std::string word(std::string_view value) const;      ///< likewise; empty where there is none
  [[nodiscard]] bool flag(std::string_view value) const;

  /// Where a strategy has several purposes, the slot of the one at hand.
  void set_purpose(std::string_view slot) { purpose_ = slot; }
  [[nodiscard]] std::string_view purpose() const { return purpose_; }

  [[nodiscard]] TracePieces take() { return std::move(out_); }

 private:
  void sentence(std::string_view text);
  void expand(std::string_view text, TracePieces& out);
  [[nodiscard]] bool say_from(std::span<const Phrase> phrases, std::string_view slot);

  std::string_view strategy_;
  const Words& words_;
  Random random_;
  std::vector<std::pair<std::string_view, TracePieces>> bound_;
  TracePieces out_;
  bool at_start_ = true;  ///< nothing is said yet
  std::string_view purpose_ = "purpose";
};

/// Null where there is no such value.
[[nodiscard]] const Json* find_value(const Values& values, std::string_view key);
/// "addition" for "+".
[[nodiscard]] std::string operator_words(std::string_view symbol);
/// Whether a value is there and true.
[[nodiscard]] bool is_true(const Values& values, std::string_view key);

/// The one of this strategy, or one for all that need none of their own: it binds {where}, {old} and {new} and says the
/// slots `take`, those of the preconditions, `become`, `why` and `back`, as far as there are words for them.
[[nodiscard]] Telling telling_of(const Strategy& strategy);

/// What the step saves and costs, counted in both programs; where it saves nothing that is counted, what it is for.
void say_effect(Teller& teller);

/// The whole trace.
[[nodiscard]] TracePieces tell(const Strategy& strategy, const Program& before, const Choice& choice,
                               const Applied& applied, std::uint64_t seed);

}  // namespace steptp
