#pragma once

// The contract of a strategy, whole: what it says of itself, how it lists its choices, what it answers when it is
// applied. docs/strategies-howto.md shows how to write one.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/ir/program.h"
#include "steptp/ir/site.h"

namespace steptp {

class View;

/// The published levels. The folder of level `operators` is strategies/loop: what it changes is loops.
enum class Level : std::uint8_t { graph, operators, memory, math };
[[nodiscard]] std::string_view name_of(Level level);

/// What a precondition is about. The nine kinds up to `intermediate_variable` are published, and the difficulty score
/// counts them; the others keep a step sound and are not scored. `place` and `choice` belong to no strategy: an address
/// that leads nowhere, a parameter that is missing or of the wrong kind.
enum class Check : std::uint8_t {
  pattern_match,
  dependency,
  operation_identity,
  loop_nest_consistency,
  equation_count,
  loop_axis_count,
  loop_range_factorization,
  reduction_axis,
  intermediate_variable,
  order,
  scope,
  size,
  launch,
  fact,
  place,
  choice,
};
[[nodiscard]] std::string_view name_of(Check check);
[[nodiscard]] inline bool is_published(Check check) { return check <= Check::intermediate_variable; }

/// One thing that must be so before a step is made. Refusals, documentation and tests name it by `id`.
struct Precondition {
  Check check = Check::pattern_match;
  std::string_view id;
  std::string_view text;  ///< what is wanted, as a sentence without a full stop
};
inline constexpr Precondition kPlace = {Check::place, "place", "the address leads to a part of the wanted kind"};
inline constexpr Precondition kChoice = {Check::choice, "choice", "the choice has the strategy's parameters"};

/// Kinds of existing parts that a strategy changes, and of new ones that it brings in. The number of entries is what
/// the difficulty score calls P and S, so that an entry may stand twice where instances count (set_storage_scope).
enum class Component : std::uint8_t { expressions, loop_axes, range_adjustments, equations, variables, index_segments };
enum class NewElement : std::uint8_t { variables, index_calculations, expressions };
[[nodiscard]] std::string_view name_of(Component component);
[[nodiscard]] std::string_view name_of(NewElement element);

/// A parameter of a choice, besides the place.
struct Parameter {
  enum class Kind : std::uint8_t { integer, word };
  std::string_view name;
  Kind kind = Kind::integer;
  std::string_view text;
  std::optional<std::int64_t> fallback = {};  ///< of an integer that a choice may leave out
};

/// Named values: integers and words, in the order in which they are worth reading.
using Values = Json::Object;

/// All integers from low to high, both included, without some.
struct IntegerRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::vector<std::int64_t> except;  ///< ascending, all inside
};
/// The values that one parameter can take at one place, in order.
struct ParameterDomain {
  std::string_view name;
  std::variant<IntegerRange, std::vector<std::int64_t>, std::vector<std::string>> values;

  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] Json value(std::uint64_t number) const;
  [[nodiscard]] Json to_json() const;  ///< an array, or {"from","to","except"}
};

/// One step to make: a place and a value for each parameter. As JSON: {"at":"0:loop[1]","inner":4,"kind":"outer"}.
struct Choice {
  Site at;
  Values values;

  /// The value of a parameter. It is there: `apply` below looks before it calls a strategy.
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] const std::string& word(std::string_view name) const;
  [[nodiscard]] Json to_json() const;
};

/// A place with the values that its parameters can take, independently of each other: every combination is legal. Where
/// they hang together, a strategy offers the place several times.
struct ChoiceSite {
  Site at;
  std::vector<ParameterDomain> parameters;
  bool extended = false;  ///< beyond the published form of the strategy (docs/strategies-howto.md S12)

  /// The number of combinations; UINT64_MAX where it is more.
  [[nodiscard]] std::uint64_t count() const;
  /// The last parameter runs fastest.
  [[nodiscard]] Choice choice(std::uint64_t number) const;
  [[nodiscard]] bool contains(const Choice& choice) const;
};

/// Why a step is not made: which precondition, where, and the values that break it.
struct Refusal {
  const Precondition* precondition = &kPlace;
  Site place;
  std::string message;  ///< the values in words: "12 iterations, which 5 does not divide"
  Values values;
};
/// "loop_split refused [divides] at 0:loop[1]: 12 iterations, which 5 does not divide".
[[nodiscard]] std::string to_text(std::string_view strategy, const Refusal& refusal);

/// What a strategy finds in a program, in the order of the text.
struct Listing {
  bool extended = false;       ///< wanted: extended sites
  bool with_refusals = false;  ///< wanted: why other places are none
  std::vector<ChoiceSite> sites;
  std::vector<Refusal> refusals;

  void offer(ChoiceSite site);
  void refuse(Refusal refusal);
  /// Whether nothing stands in the way; otherwise the refusal is noted. What `choices` asks of each place.
  template <typename Planned>
  [[nodiscard]] bool allows(const Result<Planned, Refusal>& planned) {
    if (!planned) refuse(planned.error());
    return planned.ok();
  }
  [[nodiscard]] bool allows(std::optional<Refusal> refusal) {
    const bool allowed = !refusal;
    if (refusal) refuse(*std::move(refusal));
    return allowed;
  }
};

/// A part of a program, and what it is for the step.
struct Part {
  std::string_view role;  ///< "loop", "equation", "guard", "expression", "subscript", ...
  Site site;
};
/// A precondition that was looked at and held.
struct Holds {
  const Precondition* precondition = nullptr;
  Values values;
};
/// An index or a tensor that has another name below a place.
struct Renaming {
  std::string_view what;  ///< "index", "tensor"
  std::string from;
  std::string to;
  Site below;  ///< in the program before
};
/// An index that became a calculation below a place.
struct Substitution {
  std::string index;
  Index value;
  Site below;  ///< in the program before
};
/// The change as data, from which the reasoning is written: nothing is compared afterwards. Addresses stand for texts,
/// so that each profile can quote its own.
struct Facts {
  std::vector<Part> matched;  ///< in the program before
  std::vector<Part> removed;  ///< in the program before
  std::vector<Part> added;    ///< in the program after
  std::vector<Renaming> renamings;
  std::vector<Substitution> substitutions;
  std::vector<Holds> holds;
  Values values;        ///< whatever else has a number or a name
  std::string because;  ///< why it is legal here
};

struct Applied {
  Program program;
  Facts facts;
};

/// A program (a .leir text) and a choice as JSON: what `explain` shows.
struct Example {
  std::string_view program;
  std::string_view choice;
};

/// A strategy: data and two functions. `choices` is complete, ordered and free of randomness; `apply` checks
/// everything, then makes one change. Both leave the program alone.
struct Strategy {
  std::string_view name;
  Level level = Level::graph;
  std::string_view summary;  ///< one sentence: what it does
  std::string_view picture;  ///< before and after, in LEIR
  std::string_view reason;   ///< why that is safe
  std::string_view inverse;  ///< the strategy that goes back, or empty
  Example example;
  std::span<const Parameter> parameters;
  std::span<const Precondition> published;
  std::span<const Precondition> safety;
  std::span<const Component> modifies;
  std::span<const NewElement> introduces;
  void (*choices)(View&, Listing&) = nullptr;
  Result<Applied, Refusal> (*apply)(View&, const Choice&) = nullptr;

  /// 0.1 K + 0.5 (P - 1) + S, in tenths so that it is exact.
  [[nodiscard]] int score_in_tenths() const;
  /// "easy", "medium" or "difficult".
  [[nodiscard]] std::string_view difficulty() const;
};

/// Every site of a strategy in a program.
[[nodiscard]] Listing list_choices(const Strategy& strategy, View& view, bool extended, bool with_refusals = false);

/// One step, after the choice was compared with the strategy's parameters.
[[nodiscard]] Result<Applied, Refusal> apply(const Strategy& strategy, View& view, const Choice& choice);

/// Which of the words a parameter is, or a refusal that names them.
[[nodiscard]] Result<std::size_t, Refusal> one_of(const Choice& choice, std::string_view parameter,
                                                  std::span<const std::string_view> words);

/// A choice as it was printed; the text says what is wrong with another.
[[nodiscard]] Result<Choice, std::string> choice_from_json(const Json& json);

}  // namespace steptp
