#pragma once

#include "steptp/prove/arena.h"
#include "steptp/prove/fold.h"

namespace steptp::forms {

/// One fold on its way to normal form: what is inside is opened first, as far as a law allows; then the box of its
/// variables is brought to one form, and in the end the variables get names that depend on how they are used.
class Reducer {
 public:
  Reducer(Arena& arena, ArithmeticOp op, std::vector<VariableId> variables, const std::vector<ConditionId>& conditions,
          PolynomialId body)
      : arena_(arena), fold_{op, std::move(variables), {}, body} {
    for (const ConditionId condition : conditions) fold_.add_condition(arena_, condition);
  }
  [[nodiscard]] PolynomialId result();

 private:
  using Kind = Generator::Kind;
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
  [[nodiscard]] bool is_own(VariableId variable) const { return fold_.is_own(variable); }

  // ---- products
  [[nodiscard]] PolynomialId product();
  /// What is inside a fold by the same operator, which is the whole body, is inside of this one.
  [[nodiscard]] PolynomialId with_inner(GeneratorId inner);

  // ---- greatest and least values
  [[nodiscard]] PolynomialId extremum();
  /// max(2*x+y) over x is 2*max(x)+y, and max(-x) is -min(x). An empty fold stays infinite.
  [[nodiscard]] std::optional<PolynomialId> move_out();
  [[nodiscard]] bool uses_own_variables(MonomialId monomial) const;
  /// Which index has the greatest value (index_of_extremum.cpp).
  [[nodiscard]] std::optional<PolynomialId> index_of_extremum();

  /// One body, no more to open.
  [[nodiscard]] PolynomialId folded();

  Arena& arena_;
  Fold fold_;
  const ArithmeticOp& op_ = fold_.op;
  std::vector<VariableId>& variables_ = fold_.variables;
  std::vector<ConditionId>& conditions_ = fold_.conditions;
  PolynomialId& body_ = fold_.body;
};

}  // namespace steptp::forms
