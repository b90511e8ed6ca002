// Reads and writes of one iteration: subscripts as affine sums, entries of known variables, and what other statements
// have written (reaching_writes.cpp). An access that data may put outside of its tensor is a hazard
// (docs/decisions/0039).
#include "steptp/prove/flow.h"

#include <cmath>
#include <utility>

#include "steptp/prove/give_up.h"

namespace steptp::forms {

namespace {

bool is_accumulator(const Ref& left, const Ref& read) { return left.tensor == read.tensor; }

}  // namespace

Affine Evaluator::index(const Index& index, const Frame& frame) {
  const Statement& statement = table_.statements[frame.statement];
  Affine result = Affine::number(index.constant_term());
  for (const IndexTerm& term : index.terms()) {
    Affine product = Affine::number(term.coefficient);
    for (const IndexAtom& factor : term.factors) {
      struct AtomVisitor {
        Evaluator& evaluator;
        const Frame& frame;
        const Statement& statement;
        Affine operator()(const LoopVariable& variable) const {
          for (std::size_t i = 0; i < statement.loops.size(); ++i) {
            if (statement.loops[i]->index == variable.name) return frame.loops[i];
          }
          throw GiveUp{"an index that no loop binds"};
        }
        Affine operator()(const FloorQuotient& node) const {
          return evaluator.arena_.affines.quotient(evaluator.index(*node.dividend, frame), divisor(*node.divisor));
        }
        Affine operator()(const FloorRemainder& node) const {
          return evaluator.arena_.affines.remainder(evaluator.index(*node.dividend, frame), divisor(*node.divisor));
        }
        Affine operator()(const IndirectRead& read) const {
          const Value value = evaluator.read(read.ref, frame);
          return evaluator.to_integer(value, read.ref->dtype);
        }
        [[nodiscard]] std::int64_t divisor(const Index& index) const {
          const Affine value = evaluator.index(index, frame);
          if (!value.is_constant()) throw GiveUp{"a divisor that is not a constant"};
          return value.constant;
        }
      };
      product = arena_.affines.product(product, std::visit(AtomVisitor{*this, frame, statement}, factor));
    }
    result = Affine::sum(result, product);
  }
  return result;
}

Value Evaluator::entry(const TwoValuedTable& table, DType dtype, const std::vector<Affine>& subscripts) {
  Affine place = Affine::number(table.constant);
  for (std::size_t i = 0; i < subscripts.size(); ++i) {
    place = Affine::sum(place, Affine::scaled(subscripts[i], table.coefficients[i]));
  }
  const auto value = [this, dtype](double number) -> Value {
    if (std::isinf(number))
      return real_value(number > 0 ? arena_.functions.infinity()
                                   : arena_.polynomials.negate(arena_.functions.infinity()));
    const auto whole = static_cast<std::int64_t>(number);
    if (dtype == DType::boolean)
      return truth_value(whole != 0 ? arena_.conditions.always() : arena_.conditions.never());
    if (is_float(dtype)) return real_value(arena_.polynomials.constant(mpq_class(static_cast<long>(whole))));
    return integer_value(Affine::number(whole));
  };
  return choose(arena_.conditions.nonnegative(std::move(place)), value(table.inside), value(table.outside), dtype);
}

Value Evaluator::known_value(std::uint32_t number, const Variable& variable, std::vector<Affine> subscripts) {
  if (const TwoValuedTable* table = parts_.shared.table(number)) return entry(*table, variable.dtype, subscripts);
  const PolynomialId value = arena_.functions.input(number, std::move(subscripts));
  if (is_float(variable.dtype)) return real_value(value);
  if (variable.dtype == DType::boolean) return truth_value(arena_.conditions.boolean(*arena_.as_generator(value)));
  return integer_value(arena_.affines.atom({Atom::Kind::value, *arena_.as_generator(value), 0, {}}));
}

Value Evaluator::read(const RefPtr& ref, const Frame& frame) {
  const Statement& statement = table_.statements[frame.statement];
  if (frame.as_accumulator && is_accumulator(*statement.equation->left, *ref)) {
    return real_value(frame.accumulator.value_or(arena_.reductions.identity(*statement.accumulates)));
  }
  std::vector<Affine> subscripts;
  for (const Index& subscript : ref->subscripts) subscripts.push_back(index(subscript, frame));
  if (const auto number = parts_.shared.known(ref->tensor)) {
    const Variable* variable = parts_.shared.signature.find(ref->tensor);
    if (variable->role != Role::output) {
      add_range_hazards(subscripts, variable->shape);
      return known_value(*number, *variable, std::move(subscripts));
    }
  }
  add_range_hazards(subscripts, writers_.shape(ref->tensor));
  add_hidden(ref, frame, subscripts);
  Value value =
      parts_.reaching.resolve(ref->tensor, subscripts, frame.statement, frame.loops, writers_.of(ref->tensor).size());
  add_hazard(value.hazard);
  return value;
}

void Evaluator::add_hidden(const RefPtr& ref, const Frame& frame, std::vector<Affine>& subscripts) {
  if (table_.tensors.at(ref->tensor).effective_scope() == Scope::global) return;
  Access access;
  access.statement = frame.statement;
  access.ref = ref;
  for (const Index& subscript : hidden_subscripts(table_, access)) subscripts.push_back(index(subscript, frame));
}

std::vector<Affine> Evaluator::left_subscripts(std::size_t statement, const Frame& frame) {
  const RefPtr& left = table_.statements[statement].equation->left;
  std::vector<Affine> subscripts;
  // A write outside of the tensor would leave all its elements without a value: such writes have no form.
  const PolynomialId outside = std::exchange(hazard_, kHarmless);
  for (const Index& subscript : left->subscripts) subscripts.push_back(index(subscript, frame));
  add_range_hazards(subscripts, writers_.shape(left->tensor));
  if (std::exchange(hazard_, outside) != kHarmless) throw GiveUp{"a write that data may put outside of its tensor"};
  add_hidden(left, frame, subscripts);
  return subscripts;
}

Value Evaluator::right_side(std::size_t statement, const std::vector<Affine>& loops, bool as_accumulator,
                            std::optional<PolynomialId> accumulator) {
  const Equation& equation = *table_.statements[statement].equation;
  const Frame frame{statement, loops, as_accumulator, accumulator};
  const PolynomialId outside = std::exchange(hazard_, kHarmless);
  Value value = convert(evaluate(*equation.right, frame), equation.left->dtype);
  value.hazard = std::exchange(hazard_, outside);
  return value;
}

void Evaluator::add_range_hazards(const std::vector<Affine>& subscripts, const std::vector<std::int64_t>& shape) {
  for (std::size_t i = 0; i < subscripts.size() && i < shape.size(); ++i) {
    // What is made of indices alone lies inside: `check` has shown it.
    if (arena_.is_free_of_data(subscripts[i])) continue;
    const ConditionId inside = arena_.conditions.conjunction(
        {arena_.conditions.nonnegative(subscripts[i]),
         arena_.conditions.nonnegative(Affine::difference(Affine::number(shape[i] - 1), subscripts[i]))});
    add_hazard(hazards_.of_condition(arena_.conditions.negation(inside)));
  }
}

}  // namespace steptp::forms
