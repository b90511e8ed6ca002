#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "steptp/prove/arena.h"

namespace steptp::forms {

/// Unknowns and their values while the equations are solved one by one.
class IndexEquations {
 public:
  IndexEquations(Arena& arena, std::vector<Affine> equations, std::vector<VariableId> unknown)
      : arena_(arena), equations_(std::move(equations)), unknown_(std::move(unknown)) {}

  /// (8p+4t+x)//6 over unknowns becomes an unknown of its own: with (8p+4t+x)%6, both are determined.
  void name_quotients();
  /// x//8*10+x%8, with x a sum: where x//8 has a name, x%8 gets one, too.
  void name_remainders();

  /// Whether some equation has digits that overlap, as far as the ranges of the loops say.
  [[nodiscard]] bool has_overlapping_digits();

  /// What is known to hold where the statement runs may bound a sum of unknowns from above.
  void use_bound(ConditionId condition);

  /// Solves as many unknowns as the equations determine; what the equations still demand becomes conditions.
  void run();

  /// One more equation, known to hold where the statement runs; false where it determines nothing.
  bool use_equation(ConditionId condition);

  Substitution values;
  std::vector<ConditionId> conditions;

 private:
  /// A multiple of an unknown, and which values it has.
  struct Term {
    VariableId variable;
    std::int64_t coefficient;
    std::int64_t low;
    std::int64_t high;
  };

  /// The sum of these multiples of unknowns, which count from zero, is at most so much.
  struct Bound {
    std::map<VariableId, std::int64_t> factors;
    Wide most;
  };

  struct Quotient {
    VariableId name;
    Affine argument;
    std::int64_t divisor;
  };

  [[nodiscard]] static std::int64_t coefficient_of(AtomId atom, const Affine& affine);
  /// How many times the unknowns of one sum are in another, 0 where they are not.
  [[nodiscard]] std::int64_t multiple_of(const Affine& part, const Affine& whole) const;

  bool has_gaps(const Affine& equation);

  void solve();

  /// Which rounds write the element depends on data, as in D(I(a))+=A(a): a condition on rounds that stay free.
  void leave_to_data();

  [[nodiscard]] bool is_unknown(VariableId id) const;

  /// How many unknowns occur, if they occur only as multiples of themselves.
  std::optional<std::size_t> linear_unknowns(const Affine& equation);

  std::vector<Term> terms_of(const Affine& equation);

  /// Each coefficient is greater than everything the smaller ones can add up to: the digits are determined.
  bool is_mixed_radix(const Affine& equation);

  /// The most that the terms from the `first` on add up to, counted from zero.
  Wide reach_from(const std::vector<Term>& terms, std::size_t first);
  [[nodiscard]] static Wide reach_of(const Term& term);

  /// The same where a bound says it: its sum, times one scale, is a part of these terms.
  static std::optional<Wide> reach_within(const Bound& bound, const std::vector<Term>& terms, std::size_t first);

  void determine(const Affine& equation);

  Arena& arena_;
  std::vector<Affine> equations_;
  std::vector<VariableId> unknown_;
  std::vector<Quotient> quotients_;
  std::vector<Bound> bounds_;
};

}  // namespace steptp::forms
