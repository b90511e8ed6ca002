#pragma once

#include "steptp/prove/arena.h"

namespace steptp::forms {

/// One fold on its way to normal form: variables are split into digits and merged again, ranges take over conditions,
/// and in the end the variables are put in an order that depends on how they are used.
class Reducer {
 public:
  Reducer(Arena& arena, ArithmeticOp op, std::vector<VariableId> variables, const std::vector<ConditionId>& conditions,
          PolynomialId body)
      : arena_(arena), op_(op), variables_(std::move(variables)), body_(body) {
    for (const ConditionId condition : conditions) add_condition(condition);
  }
  [[nodiscard]] PolynomialId result();

 private:
  using Kind = Generator::Kind;
  void add_condition(ConditionId condition);
  [[nodiscard]] PolynomialId again(std::vector<ConditionId> more, PolynomialId body);

  // ---- sums: term by term, each a product over the variables it uses
  [[nodiscard]] PolynomialId sum();
  /// Terms that data leaves out are zero: one form for guards, scattered writes and choices.
  void move_data_conditions();
  /// Without algebra: sums of sums are one sum, and choices by indices become conditions; nothing else is opened.
  [[nodiscard]] PolynomialId plain_sum();
  /// A sum inside the product is spread out; a choice by indices becomes conditions.
  [[nodiscard]] std::optional<PolynomialId> open_factor(MonomialId monomial);
  /// An equation with data that names one of this fold's rounds, whatever the data is.
  [[nodiscard]] bool pins_variable(ConditionId condition);
  [[nodiscard]] PolynomialId flat_sum(std::vector<VariableId> variables, const std::vector<ConditionId>& conditions,
                                      PolynomialId body);
  [[nodiscard]] bool uses_variables(GeneratorId id) const;

  // ---- greatest and least values
  [[nodiscard]] PolynomialId extremum();
  /// max(2*x+y) over x is 2*max(x)+y, and max(-x) is -min(x). An empty fold stays infinite.
  [[nodiscard]] std::optional<PolynomialId> move_out();
  [[nodiscard]] bool uses_own_variables(MonomialId monomial) const;
  /// Which index has the greatest value (index_of_extremum.cpp).
  [[nodiscard]] std::optional<PolynomialId> index_of_extremum();

  // ---- the common part: one body, no more to open
  [[nodiscard]] PolynomialId folded();
  void substitute(VariableId variable, const Affine& value, const std::vector<VariableId>& instead);
  void substitute(const Substitution& map, const std::vector<VariableId>& instead);
  [[nodiscard]] bool is_own(VariableId variable) const;
  [[nodiscard]] bool use_conditions();
  void replace_range(VariableId variable, std::int64_t low, std::int64_t high);
  [[nodiscard]] bool fix_single_values();
  void for_each_affine(const std::function<void(const Affine&)>& visit);
  /// v//m with m dividing the range: v becomes m*o+i, and quotients and remainders disappear.
  [[nodiscard]] bool split_digits();
  /// Two variables that occur only as m*o+i, where i has m values, are one variable.
  [[nodiscard]] bool merge_digits();
  [[nodiscard]] bool occur_together(VariableId high, VariableId low, std::int64_t radix);
  /// The same where m*o+i is also a value, which is a sum of two integers: with i=w-m*o, no o is left.
  [[nodiscard]] bool are_one_value(VariableId high, VariableId low, std::int64_t radix);
  void drop_unused(mpq_class& count);
  /// A factor of a product: a power of a generator, or the exponential of a summand.
  struct Factor {
    std::pair<GeneratorId, std::int32_t> power;
    std::optional<PolynomialId> exponent;
    std::vector<std::size_t> own;  ///< places of the variables of this fold in it
  };
  /// exp(f(a)+g(c)) is exp(f(a))*exp(g(c)), so that its parts can part.
  [[nodiscard]] std::vector<Factor> factors_of(const Monomial& monomial);
  [[nodiscard]] PolynomialId product_of(const std::vector<const Factor*>& factors);
  /// The sum of f(a)*g(c) over a and c is a product of two sums, and what uses no variable stands before it.
  [[nodiscard]] PolynomialId product_of_components();

  // ---- names for the variables that depend on their use only
  [[nodiscard]] PolynomialId named(std::vector<VariableId> variables, std::vector<ConditionId> conditions,
                                   PolynomialId body);
  /// A fold over one value: of max and min it starts from -inf or inf, which a NaN does not replace.
  [[nodiscard]] PolynomialId with_start(PolynomialId body);
  /// A variable counted from another start or backwards, so that its uses look the same wherever the loop began.
  [[nodiscard]] VariableId shifted(VariableId variable, std::vector<ConditionId>& conditions, PolynomialId& body);
  Arena& arena_;
  ArithmeticOp op_;
  std::vector<VariableId> variables_;
  std::vector<ConditionId> conditions_;
  PolynomialId body_;
  bool is_empty_ = false;
  bool needs_reopening_ = false;
};

}  // namespace steptp::forms
