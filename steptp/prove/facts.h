#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "steptp/analysis/interval.h"
#include "steptp/prove/nodes.h"

/// What laws may take for granted, and what they take down when they did.
namespace steptp::forms {

/// What is known of the values of an input, for the laws that need it.
struct InputFacts {
  bool positive = false;
  bool nonzero = false;
  bool may_be_infinite = false;
  bool is_below_infinity = true;  ///< a masked input is finite or -inf
  bool may_be_nan = false;        ///< of a constant whose given values hold NaN
  bool is_integer = false;
  Interval integers = Interval::everything();  ///< of an integer tensor
};

/// Signs that hold for every value; unset means unknown.
struct Sign {
  bool nonnegative = false;
  bool nonpositive = false;
  bool nonzero = false;
};

/// Of which values of its variables something is said: of those in their ranges, or of all integers.
enum class Variables : std::uint8_t { in_range, anything };

/// What a definition that stands for itself can be: the classes of values that a cut must keep.
struct DefinitionFacts {
  bool may_be_infinite = true;
  bool may_be_nan = true;
  Sign sign;
  bool is_below_infinity = false;
  /// The definition that is 1 where this one is NaN or without a value in `before`, and 0 elsewhere, if it is known.
  std::optional<std::uint32_t> excuse = {};
};

/// A side condition that some law needed and that the arena has shown. Certificates list them.
struct Need {
  enum class Kind : std::uint8_t { nonzero, finite, nonnegative };
  Kind kind = Kind::nonzero;
  bool is_monomial = false;  ///< otherwise a generator
  std::uint32_t of = 0;
  auto operator<=>(const Need&) const = default;  // NOLINT(modernize-use-nullptr): what the compiler generates
};

/// Which laws an arena may use.
enum class Laws : std::uint8_t {
  as_written,  ///< none that changes what is rounded: every written operation of floats stays one, with its type
  order,       ///< sums and products may be reordered and regrouped, and nothing else
  all,
};

/// Variables and what to put for them.
using Substitution = std::map<VariableId, Affine>;

/// NaN where the condition holds. Sums, products and functions of it are NaN there too, so it is outermost.
struct Veiled {
  ConditionId where = 0;
  PolynomialId value = 0;
};

/// A fold with new variables for its own.
struct OpenedFold {
  std::vector<VariableId> variables;
  std::vector<ConditionId> conditions;
  PolynomialId body = 0;
};

}  // namespace steptp::forms
