#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "steptp/prove/interner.h"

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

/// A law was used that holds only if a part is so; it was shown to be.
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

/// Where normal forms are made. Every constructor returns the normal form of what it is asked for, under what is known
/// of variables at that moment (`assume`). Work and sizes are limited; beyond a limit GiveUp is thrown.
class Arena {
 public:
  explicit Arena(std::uint64_t work_limit, Laws laws = Laws::all);

  [[nodiscard]] bool with_algebra() const { return with_algebra_; }
  [[nodiscard]] Laws laws() const { return laws_; }

  // ---- variables and what is known of them
  [[nodiscard]] VariableId new_variable(std::int64_t low, std::int64_t high);
  [[nodiscard]] Interval range(VariableId variable) const;
  /// Numbers the set of facts: equal sets made in the same order have equal numbers, and zero is the empty one.
  [[nodiscard]] std::uint32_t knowledge() const { return knowledge_; }
  /// Assumes a condition until the object dies.
  class Assumption {
   public:
    Assumption(Arena& arena, ConditionId condition);
    ~Assumption();
    Assumption(const Assumption&) = delete;
    Assumption& operator=(const Assumption&) = delete;

   private:
    Arena& arena_;
    std::size_t facts_;
    std::size_t changes_;
    std::uint32_t knowledge_;
  };
  [[nodiscard]] Truth truth(ConditionId condition);
  [[nodiscard]] Interval range(const Affine& affine);

  // ---- integers (affine.cpp)
  [[nodiscard]] Affine variable(VariableId id);
  [[nodiscard]] Affine atom(Atom atom);
  [[nodiscard]] static Affine number(std::int64_t value) { return {{}, value}; }
  [[nodiscard]] static Affine sum(const Affine& left, const Affine& right, std::int64_t scale = 1);
  [[nodiscard]] static Affine difference(const Affine& left, const Affine& right) { return sum(left, right, -1); }
  [[nodiscard]] static Affine scaled(const Affine& affine, std::int64_t factor);
  [[nodiscard]] Affine product(const Affine& left, const Affine& right);
  [[nodiscard]] Affine quotient(const Affine& dividend, std::int64_t divisor);
  [[nodiscard]] Affine remainder(const Affine& dividend, std::int64_t divisor);
  /// The value in an integer type: itself where it always fits.
  [[nodiscard]] Affine wrapped(const Affine& value, DType dtype);
  [[nodiscard]] AffineId intern(Affine affine);
  [[nodiscard]] const Affine& affine(AffineId id) const { return affines_[id]; }
  [[nodiscard]] const Atom& atom(AtomId id) const { return atoms_[id]; }
  [[nodiscard]] const Traits& traits_of_affine(AffineId id) const { return affines_.traits(id); }

  // ---- conditions (conditions.cpp)
  [[nodiscard]] ConditionId always() const { return always_; }
  [[nodiscard]] ConditionId never() const { return never_; }
  [[nodiscard]] ConditionId nonnegative(Affine affine);
  [[nodiscard]] ConditionId zero(Affine affine);
  [[nodiscard]] ConditionId compare(CompareOp op, PolynomialId left, PolynomialId right);
  [[nodiscard]] ConditionId boolean(GeneratorId generator);
  [[nodiscard]] ConditionId negation(ConditionId condition);
  [[nodiscard]] ConditionId conjunction(const std::vector<ConditionId>& parts);
  [[nodiscard]] ConditionId disjunction(const std::vector<ConditionId>& parts);
  [[nodiscard]] const Condition& condition(ConditionId id) const { return conditions_[id]; }
  [[nodiscard]] const Traits& traits_of_condition(ConditionId id) const { return conditions_.traits(id); }
  [[nodiscard]] bool is_free_of_data(const Affine& affine) const;
  /// On indices only: integers, no data.
  [[nodiscard]] bool is_index_condition(ConditionId id) const;

  // ---- polynomials (polynomials.cpp)
  [[nodiscard]] PolynomialId constant(mpq_class value);
  [[nodiscard]] PolynomialId integer(const Affine& affine);
  [[nodiscard]] PolynomialId generator(Generator generator);
  [[nodiscard]] PolynomialId add(PolynomialId left, PolynomialId right);
  [[nodiscard]] PolynomialId scale(PolynomialId polynomial, const mpq_class& factor);
  [[nodiscard]] PolynomialId negate(PolynomialId polynomial) { return scale(polynomial, -1); }
  [[nodiscard]] PolynomialId multiply(PolynomialId left, PolynomialId right);
  /// The polynomial as one factor.
  [[nodiscard]] PolynomialId lump(PolynomialId polynomial);
  [[nodiscard]] PolynomialId inverse(PolynomialId polynomial);
  [[nodiscard]] PolynomialId integer_power(PolynomialId base, std::int64_t exponent);
  [[nodiscard]] std::optional<mpq_class> as_constant(PolynomialId id) const;
  [[nodiscard]] std::optional<Affine> as_affine(PolynomialId id);
  [[nodiscard]] std::optional<GeneratorId> as_generator(PolynomialId id) const;
  /// A multiple of a generator, but not 0 times it; without algebra only the generator itself.
  [[nodiscard]] std::optional<std::pair<GeneratorId, mpq_class>> as_scaled_generator(PolynomialId id) const;
  /// 1 for inf, -1 for -inf.
  [[nodiscard]] std::optional<int> as_infinity(PolynomialId id) const;
  /// The greatest number of which all coefficients are whole multiples.
  [[nodiscard]] std::optional<std::vector<PolynomialId>> all_exponents(const std::vector<PolynomialId>& operands);
  [[nodiscard]] std::optional<std::vector<PolynomialId>> all_squares(const std::vector<PolynomialId>& operands);
  /// Of exp(x): x. Of what is exp(x) or zero, as conditions decide: x or -inf.
  [[nodiscard]] std::optional<PolynomialId> argument_of_exponential(PolynomialId id);
  [[nodiscard]] std::optional<ConditionId> vanishes_where(PolynomialId id);
  [[nodiscard]] mpq_class common_factor(const std::vector<PolynomialId>& polynomials) const;
  [[nodiscard]] const Polynomial& polynomial(PolynomialId id) const { return polynomials_[id]; }
  [[nodiscard]] const Monomial& monomial(MonomialId id) const { return monomials_[id]; }
  [[nodiscard]] const Generator& generator(GeneratorId id) const { return generators_[id]; }
  [[nodiscard]] const Traits& traits(PolynomialId id) const { return polynomials_.traits(id); }
  [[nodiscard]] const Traits& traits_of_generator(GeneratorId id) const { return generators_.traits(id); }
  [[nodiscard]] const Traits& traits_of_monomial(MonomialId id) const { return monomials_.traits(id); }

  // ---- functions (functions.cpp)
  [[nodiscard]] PolynomialId infinity();
  [[nodiscard]] PolynomialId input(std::uint32_t number, std::vector<Affine> subscripts);
  [[nodiscard]] PolynomialId call(Function function, PolynomialId argument);
  [[nodiscard]] PolynomialId extremum(bool is_max, const std::vector<PolynomialId>& operands);
  [[nodiscard]] PolynomialId select(ConditionId condition, PolynomialId if_true, PolynomialId if_false);
  [[nodiscard]] PolynomialId power(PolynomialId base, PolynomialId exponent);
  [[nodiscard]] Sign sign(PolynomialId id, Variables variables = Variables::in_range);
  std::vector<InputFacts> inputs;            ///< by number
  std::vector<DefinitionFacts> definitions;  ///< by value number
  const std::atomic<bool>* stop = nullptr;   ///< gives up once it is raised
  std::set<Need>* needs = nullptr;           ///< where they are listed, if anybody asks

  // ---- products (products.cpp)
  /// A number times powers of polynomials. Numbers only, so that it may be multiplied out again.
  struct Factored {
    mpq_class constant = 1;
    std::vector<std::pair<PolynomialId, std::int64_t>> factors;
  };
  [[nodiscard]] std::optional<Factored> factored(PolynomialId id);

  // ---- reductions (reductions.cpp)
  /// The fold of `body` over all values of `variables` (in their ranges) at which the conditions hold.
  [[nodiscard]] PolynomialId reduce(ArithmeticOp op, std::vector<VariableId> variables,
                                    const std::vector<ConditionId>& conditions, PolynomialId body);
  [[nodiscard]] PolynomialId identity(ArithmeticOp op);
  /// A fold with new variables for its own.
  struct Opened {
    std::vector<VariableId> variables;
    std::vector<ConditionId> conditions;
    PolynomialId body = 0;
  };
  [[nodiscard]] Opened opened(GeneratorId fold);
  /// A fold with another range of one of its variables.
  [[nodiscard]] PolynomialId with_range(GeneratorId fold, std::size_t number,
                                        std::pair<std::int64_t, std::int64_t> range);

  // ---- what may be masked as a whole (masked.cpp)
  [[nodiscard]] PolynomialId nan();
  /// NaN where the condition holds. Sums, products and functions of it are NaN there too, so it is outermost.
  struct Veiled {
    ConditionId where = 0;
    PolynomialId value = 0;
  };
  [[nodiscard]] PolynomialId veil(const Veiled& veiled) { return select(veiled.where, nan(), veiled.value); }
  [[nodiscard]] std::optional<Veiled> as_veiled(PolynomialId id);
  /// The value where it is a number, and 0 elsewhere.
  [[nodiscard]] PolynomialId number_part(PolynomialId id);
  /// The value where it is positive, and 1 elsewhere.
  [[nodiscard]] PolynomialId positive_part(PolynomialId id);
  /// What the value is where the condition holds.
  [[nodiscard]] PolynomialId where(ConditionId condition, PolynomialId id);
  [[nodiscard]] ConditionId is_minus_infinity(PolynomialId id) {
    return compare(CompareOp::equal, id, negate(infinity()));
  }
  /// Never inf; it may be -inf.
  [[nodiscard]] bool is_below_infinity(PolynomialId id) const;
  /// The greatest of many values, none of them inf or NaN; it may be -inf.
  [[nodiscard]] bool is_maximum(GeneratorId id) const;
  /// Where the maximum is -inf, so is the value: it is taken in, or it is a maximum of what is.
  [[nodiscard]] bool is_below(PolynomialId value, GeneratorId maximum);
  /// Where the maximum is -inf, the value is 0: every summand has a factor exp(x+...) with an x that is taken in.
  [[nodiscard]] bool vanishes_with(PolynomialId value, GeneratorId maximum);

  // ---- substitution (substitution.cpp)
  [[nodiscard]] Affine substitute(const Affine& affine, const Substitution& map);
  [[nodiscard]] ConditionId substitute_condition(ConditionId id, const Substitution& map);
  [[nodiscard]] PolynomialId substitute_polynomial(PolynomialId id, const Substitution& map);
  /// Calls `visit` for every affine sum inside, also in subscripts of subscripts and in conditions.
  void for_each_affine(PolynomialId id, const std::function<void(const Affine&)>& visit);
  void for_each_affine_of_condition(ConditionId id, const std::function<void(const Affine&)>& visit);
  void for_each_affine_of_affine(const Affine& affine, const std::function<void(const Affine&)>& visit);

  /// The known variables that occur.
  void for_each_input(PolynomialId id, std::set<std::uint32_t>& found);

  void spend(std::uint64_t work);
  /// From now on at most so much more.
  void limit_work(std::uint64_t more) { work_limit_ = std::min(work_limit_, work_ + more); }
  [[nodiscard]] std::uint64_t work() const { return work_; }

  /// One level deeper in a recursion over nodes or from law to law, while the object lives. Gives up where it is too
  /// deep, and where so many nodes were looked at that walks over shared parts have become a matter of powers of two.
  class Deeper {
   public:
    explicit Deeper(const Arena& arena) : arena_(arena) { arena.go_deeper(); }
    ~Deeper() { --arena_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    const Arena& arena_;
  };

 private:
  friend class Assumption;
  friend class Reducer;
  friend class Substituter;
  friend class Deeper;

  void go_deeper() const;
  /// Counts looks at nodes that cost no work of their own.
  void look(std::uint64_t nodes) const;
  [[nodiscard]] AtomId intern_atom(Atom atom);
  [[nodiscard]] ConditionId intern_condition(Condition condition);
  [[nodiscard]] GeneratorId intern_generator(Generator generator);
  [[nodiscard]] MonomialId intern_monomial(Monomial monomial);
  [[nodiscard]] PolynomialId intern_polynomial(Polynomial polynomial);
  /// Both connectives: `neutral` parts are left out, a `deciding` one is the answer.
  [[nodiscard]] ConditionId combined(Condition::Kind kind, const std::vector<ConditionId>& parts, ConditionId neutral,
                                     ConditionId deciding);
  [[nodiscard]] Interval atom_range(AtomId id);
  [[nodiscard]] Interval value_range(GeneratorId id);
  /// Of a maximum or minimum of integers that is not empty.
  [[nodiscard]] Interval range_of_fold(GeneratorId id);
  void add_fact(ConditionId condition);
  void narrow(const Affine& nonnegative);
  [[nodiscard]] Truth truth_of_affine(const Affine& affine, bool equality);
  [[nodiscard]] PolynomialId multiply_monomials(MonomialId left, MonomialId right);
  [[nodiscard]] PolynomialId exponent_of(MonomialId monomial);
  [[nodiscard]] std::pair<PolynomialId, PolynomialId> without_exponential(PolynomialId sum);
  /// A sum of exp(n*step), each n with its coefficient.
  struct PowersOfExponential {
    PolynomialId step = 0;
    std::map<std::int64_t, mpq_class> terms;
  };
  [[nodiscard]] std::optional<PowersOfExponential> powers_of_exponential(PolynomialId sum);
  [[nodiscard]] std::optional<std::pair<GeneratorId, std::map<std::int64_t, mpq_class>>> powers_of_generator(
      PolynomialId sum);
  [[nodiscard]] std::optional<PolynomialId> divide_powers(MonomialId product);
  /// The product, with what stands beside a divisor reduced by it.
  [[nodiscard]] PolynomialId divided(MonomialId product);
  [[nodiscard]] MonomialId times_power(MonomialId product, GeneratorId factor, std::int64_t power);
  [[nodiscard]] std::optional<PolynomialId> exp_of_logs(PolynomialId argument);
  [[nodiscard]] std::optional<PolynomialId> exp_of_masked(PolynomialId argument);
  [[nodiscard]] std::optional<PolynomialId> exp_of_difference(PolynomialId argument);
  [[nodiscard]] std::optional<PolynomialId> exp_below_maximum(PolynomialId argument);
  [[nodiscard]] bool takes_in(GeneratorId maximum, PolynomialId value);
  struct Reading {
    std::pair<Generator::Kind, std::uint32_t> tensor;
    std::vector<AffineId> subscripts;
  };
  [[nodiscard]] std::vector<Reading> readings(PolynomialId id);
  void solve_subscript(const Affine& pattern, const Affine& target, const std::function<bool(VariableId)>& is_own,
                       Substitution& place);
  [[nodiscard]] bool takes_in_at(GeneratorId maximum, const Substitution& place, PolynomialId value);
  [[nodiscard]] bool factor_vanishes_with(GeneratorId factor, GeneratorId maximum);
  [[nodiscard]] bool generator_is_below_infinity(GeneratorId id) const;
  /// The terms that may be infinite.
  [[nodiscard]] Polynomial infinite_terms(PolynomialId id) const;
  [[nodiscard]] PolynomialId where(const std::vector<ConditionId>& known, PolynomialId id);
  [[nodiscard]] PolynomialId inverse_where(const std::vector<ConditionId>& known, PolynomialId id);
  [[nodiscard]] std::optional<PolynomialId> nothing_by_nothing(const Monomial& product);
  [[nodiscard]] std::optional<PolynomialId> log_of_exponentials(PolynomialId argument);
  [[nodiscard]] std::optional<PolynomialId> exponent_of_factor(PolynomialId factor);
  [[nodiscard]] std::optional<PolynomialId> log_of_product(PolynomialId argument);
  [[nodiscard]] std::optional<PolynomialId> root_of_product(PolynomialId argument);
  /// The argument of a root whose square is its argument: it is never negative.
  [[nodiscard]] std::optional<PolynomialId> under_root(GeneratorId id);
  [[nodiscard]] std::optional<PolynomialId> inverse_of_fractions(PolynomialId sum);
  [[nodiscard]] PolynomialId join_reductions(PolynomialId sum);
  /// A fold that goes one step further on one side, if what it would have there is there.
  [[nodiscard]] std::optional<PolynomialId> longer_by(GeneratorId fold,
                                                      const std::function<bool(PolynomialId)>& is_there);
  [[nodiscard]] ConditionId at_an_end(ConditionId condition);
  [[nodiscard]] PolynomialId join_selects(PolynomialId sum);
  [[nodiscard]] std::optional<PolynomialId> join_two(GeneratorId left, GeneratorId right);
  [[nodiscard]] Sign sign_of_generator(GeneratorId id, Variables variables = Variables::in_range);
  /// What the conditions that are assumed at the moment say of it.
  [[nodiscard]] Sign sign_by_facts(GeneratorId id) const;
  // written_operations.cpp
  [[nodiscard]] Sign sign_of_operation(const Generator& node);
  [[nodiscard]] bool is_natural_power(const Generator& node) const;
  void set_operation_traits(const Generator& node, Traits& traits);
  /// The conditions hold at the first or at the last place of all variables, wherever the fold stands.
  [[nodiscard]] bool is_filled(const Generator& fold, std::uint32_t height);
  /// Remembers that values are never negative, or positive: a square does not show it once it is multiplied out.
  PolynomialId as_nonnegative(PolynomialId id, bool is_positive = false, Variables variables = Variables::anything);
  /// What is remembered of one value holds of the other too.
  PolynomialId as_nonnegative_as(PolynomialId id, PolynomialId known);
  void note(Need need) const {
    if (needs) needs->insert(need);
  }

  Interner<Atom> atoms_;
  Interner<Affine> affines_;
  Interner<Condition> conditions_;
  Interner<Generator> generators_;
  Interner<Monomial> monomials_;
  Interner<Polynomial> polynomials_;

  std::vector<Interval> ranges_;
  std::vector<Interval> first_ranges_;  ///< without what is assumed
  bool ignore_assumptions_ = false;
  std::vector<std::pair<VariableId, Interval>> changes_;  ///< what narrowing replaced, to be put back
  std::vector<ConditionId> facts_;
  std::map<std::pair<std::uint32_t, ConditionId>, std::uint32_t> knowledge_numbers_;
  std::unordered_map<PolynomialId, bool> nonnegative_;  ///< although their terms do not show it; true: positive
  /// Of these, what holds whatever the variables are: a formula may be asked for beyond the ranges of its variables, as
  /// that of a later round is at the first one.
  std::unordered_map<PolynomialId, bool> nonnegative_anywhere_;
  std::uint32_t knowledge_ = 0;
  std::unordered_map<PolynomialId, std::optional<Factored>> factored_;

  ConditionId always_ = 0;
  ConditionId never_ = 0;
  std::uint64_t work_ = 0;
  std::uint64_t work_limit_;
  mutable std::uint64_t looks_ = 0;  ///< at nodes, by recursions; see Deeper
  mutable std::uint32_t depth_ = 0;
  Laws laws_;
  bool with_algebra_;
};

/// The union of two sorted lists.
void merge_variables(std::vector<VariableId>& into, const std::vector<VariableId>& from);

}  // namespace steptp::forms
