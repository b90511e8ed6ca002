#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "steptp/analysis/interval.h"
#include "steptp/ir/dtype.h"
#include "steptp/ir/operation.h"

/// The nodes of normal forms. All are interned: equal content, equal number. Both programs of a pair are written into
/// one arena, so comparing two normal forms is comparing two numbers.
namespace steptp::forms {

using VariableId = std::uint32_t;
using AtomId = std::uint32_t;
using AffineId = std::uint32_t;
using ConditionId = std::uint32_t;
using GeneratorId = std::uint32_t;
using MonomialId = std::uint32_t;
using PolynomialId = std::uint32_t;

/// Variables of reductions have names that depend on their place only: the height of the reduction and the position in
/// it. Everything else is a number handed out by the arena.
inline constexpr VariableId kFirstBound = 0x80000000U;
inline constexpr std::uint32_t kMaxBoundPerReduction = 64;
inline constexpr VariableId bound_variable(std::uint32_t height, std::uint32_t position) {
  return kFirstBound + height * kMaxBoundPerReduction + position;
}
/// Stand for "this variable" and "any other" when the variables of a reduction are put in order.
inline constexpr VariableId kThisVariable = 0xfffffffeU;
inline constexpr VariableId kOtherVariable = 0xffffffffU;

/// A sum of integer multiples of atoms, sorted by atom, and a constant.
struct Affine {
  std::vector<std::pair<AtomId, std::int64_t>> terms;
  std::int64_t constant = 0;
  [[nodiscard]] bool is_constant() const { return terms.empty(); }
  bool operator==(const Affine&) const = default;

  [[nodiscard]] static Affine number(std::int64_t value) { return {{}, value}; }
  [[nodiscard]] static Affine sum(const Affine& left, const Affine& right, std::int64_t scale = 1);
  [[nodiscard]] static Affine difference(const Affine& left, const Affine& right) { return sum(left, right, -1); }
  [[nodiscard]] static Affine scaled(const Affine& affine, std::int64_t factor);
};

/// What an affine sum is made of. There is no remainder: x%m is x-m*(x//m), so that digits put together again vanish.
struct Atom {
  enum class Kind : std::uint8_t {
    variable,  ///< argument: the variable
    quotient,  ///< floor(argument / divisor), argument an affine, divisor > 1
    product,   ///< of factors, sorted, at least two
    value,     ///< argument: a generator whose value is an integer
    wrapped,   ///< argument: an affine, reduced into the range of the integer type `divisor` (a DType)
  };
  Kind kind = Kind::variable;
  std::uint32_t argument = 0;
  std::int64_t divisor = 0;
  std::vector<AtomId> factors;
  bool operator==(const Atom&) const = default;
};

struct Condition {
  enum class Kind : std::uint8_t {
    never,
    always,
    nonnegative,  ///< affine >= 0
    zero,         ///< affine == 0
    less,         ///< left < right, of reals: false with NaN
    less_equal,
    equal,
    boolean,  ///< the generator `left`, a bool
    negation,
    conjunction,
    disjunction,
  };
  Kind kind = Kind::never;
  std::uint32_t left = 0;  ///< an affine, a polynomial, a generator, a condition
  std::uint32_t right = 0;
  std::vector<ConditionId> parts;
  bool operator==(const Condition&) const = default;
};

/// What is taken for granted of a recurrence while its body is written.
enum class SelfKind : std::uint32_t {
  real,
  integer,
  number,  ///< a real that is finite, which is shown afterwards by induction
};

/// What is another value where it is not as somebody knows it to be, so that laws of such values always hold.
enum class TamedKind : std::uint32_t {
  number,    ///< 0 where it is infinite or NaN
  positive,  ///< 1 where it is not a positive number
};

/// What a polynomial is made of: anything whose inside the algebra does not look into.
struct Generator {
  enum class Kind : std::uint8_t {
    input,       ///< tag: the known variable; subscripts
    definition,  ///< tag: a value number that both programs have; subscripts: the element
    integer,     ///< tag: an atom, as a real number
    infinity,
    inverse,     ///< 1/p
    call,        ///< tag: a Function
    extremum,    ///< tag: 1 for max; polynomials sorted, at least two
    select,      ///< conditions[0] ? polynomials[0] : polynomials[1]
    reduction,   ///< tag: an ArithmeticOp; over ranges, where all conditions hold, of polynomials[0]
    conversion,  ///< tag: a DType; to an integer type
    power,       ///< polynomials[0] ** polynomials[1]
    operation,   ///< tag: a WrittenOperation * 16 + DType (written_operations.h): what has no law here
    truth,       ///< 1 where conditions[0] holds, 0 elsewhere
    recurrence,  ///< tag: 1 for integers; f(subscripts) where f(p) = polynomials[0] over the bound variables of
                 ///< `height`
    lump,        ///< a sum that must not be multiplied out: a factor beside it may be infinite
    self,        ///< the value of the recurrence in whose body it stands; subscripts: where; tag: a SelfKind
    tamed,       ///< polynomials[0], where it is as the TamedKind `tag` says
  };
  Kind kind = Kind::input;
  std::uint32_t tag = 0;
  std::vector<PolynomialId> polynomials;
  std::vector<ConditionId> conditions;
  std::vector<AffineId> subscripts;
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;  ///< reduction: of its variables, both ends included
  bool operator==(const Generator&) const = default;
};

/// A product of powers of generators, sorted by generator; exponents are not zero.
struct Monomial {
  std::vector<std::pair<GeneratorId, std::int32_t>> factors;
  bool operator==(const Monomial&) const = default;
};

/// A sum of rational multiples of monomials, sorted by monomial. A coefficient is zero only where the monomial may be
/// infinite or NaN: then the term is not nothing.
struct Polynomial {
  std::vector<std::pair<MonomialId, mpq_class>> terms;
  bool operator==(const Polynomial&) const = default;
};

/// What is known of a node besides its content.
struct Traits {
  std::vector<VariableId> variables;  ///< free ones, sorted
  std::uint32_t height = 0;           ///< of the highest reduction or recurrence in it
  bool may_be_infinite = false;
  bool may_be_nan = false;
  bool is_integer = false;  ///< whatever its variables are
  bool has_self = false;    ///< speaks of the recurrence in whose body it stands
  [[nodiscard]] bool is_wild() const { return may_be_infinite || may_be_nan; }
};

}  // namespace steptp::forms
