#include "steptp/verify/precision_marks.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "steptp/analysis/accesses.h"
#include "steptp/ir/accumulation.h"
#include "steptp/structure/types.h"
#include "steptp/verify/precision_ways.h"

namespace steptp {

namespace {

/// What a mark stands for: a value that was computed in a type, an integer that became one, a term that was added to an
/// accumulator of one.
enum class Mark : std::uint8_t { value, integer, term };

/// erf of the value times a number of its own.
ExprPtr marked(const ExprPtr& expr, DType dtype, Mark mark) {
  const double number = 3 + 2 * static_cast<double>(dtype) + 64 * static_cast<double>(mark);
  return make_call(Function::erf, make_product(expr, ArithmeticOp::multiply, real_literal(number)));
}

bool is_typed_float(const std::optional<ValueType>& type) { return type && !type->weak && is_float(type->dtype); }
bool is_typed_integer(const std::optional<ValueType>& type) { return type && !type->weak && !is_float(type->dtype); }

struct Chain {
  bool is_sum = true;
  std::vector<ExprPtr> operands;
  std::vector<ArithmeticOp> operators;

  [[nodiscard]] ExprPtr expr() const {
    if (operators.empty()) return operands[0];
    return is_sum ? make_expr(Sum{operands, operators}) : make_expr(Product{operands, operators});
  }
};

/// An expression with marks in it.
struct Part {
  ExprPtr expr;
  std::optional<ValueType> type;  ///< of what it was made of
  bool is_rounded = false;        ///< it was computed in a narrow type, and bears no mark for that yet
};

class Marker {
 public:
  Marker(const Program& program, const Width& widest, bool marks_operations)
      : program_(program), table_(collect_accesses(program)), widest_(widest), marks_operations_(marks_operations) {
    for (const auto& [name, facts] : table_.tensors) {
      const bool is_made = !facts.known || facts.known->role == Role::output;
      if (is_made && is_narrow(facts.dtype) && rounds(facts)) lossy_.insert(name);
    }
  }

  Program run() {
    // A tensor may hold what was computed into another one: until nothing new is found.
    for (bool changed = marks_operations_; changed;) {
      changed = false;
      for_each_equation(program_, [&](const Equation& equation, const std::vector<const Nest*>&) {
        const std::string& name = equation.left->tensor;
        const bool is_open = is_narrow(equation.left->dtype) && !lossy_.contains(name) && !computed_.contains(name);
        if (is_open && right_of(equation).is_rounded) changed = computed_.insert(name).second;
      });
    }
    Program out = program_;
    for (NestPtr& nest : out.nests) nest = of_nest(*nest);
    return out;
  }

 private:
  [[nodiscard]] bool is_narrow(DType dtype) const { return is_float(dtype) && !width_of(dtype).holds(widest_); }

  /// Some statement that writes the tensor stores what its type may not hold, or accumulates.
  [[nodiscard]] bool rounds(const TensorFacts& facts) const {
    return std::any_of(facts.writes.begin(), facts.writes.end(), [&](std::size_t number) {
      const Statement& statement = table_.statements[table_.accesses[number].statement];
      const auto type = type_of(*statement.equation->right);
      const bool is_held = type && !type->weak && width_of(facts.dtype).holds(width_of(type->dtype));
      return statement.accumulates || !is_held;
    });
  }

  NestPtr of_nest(const Nest& nest) {
    std::vector<Item> items;
    for (const Item& item : nest.items) {
      if (const auto* inner = std::get_if<NestPtr>(&item)) {
        items.emplace_back(of_nest(**inner));
      } else {
        const Equation& equation = *std::get<EquationPtr>(item);
        items.emplace_back(make_equation(equation.left, stored(right_of(equation), *equation.left)));
      }
    }
    return make_nest(nest.loops, nest.guard, std::move(items));
  }

  [[nodiscard]] bool is_output(const std::string& tensor) const {
    const Variable* variable = program_.signature.find(tensor);
    return variable && variable->role == Role::output;
  }

  Part right_of(const Equation& equation) {
    const auto accumulates = accumulation_operator(*equation.left, equation.right);
    accumulator_ = accumulates ? equation.left->tensor : std::string();
    wide_ = wide_product(*equation.left, equation.right);
    adds_to_output_ = marks_operations_ && is_output(accumulator_) && is_narrow(equation.left->dtype) &&
                      *accumulates != ArithmeticOp::max && *accumulates != ArithmeticOp::min;
    return of(equation.right);
  }

  ExprPtr stored(Part part, const Ref& left) {
    const bool leaves = !is_float(left.dtype) || is_output(left.tensor) || !is_typed_float(part.type) ||
                        !width_of(part.type->dtype).holds(width_of(left.dtype));
    if (!accumulator_.empty()) return part.expr;
    part = converted(std::move(part), typed(left.dtype));
    return leaves ? left_narrow(std::move(part)) : part.expr;
  }

  /// The part gets a mark as an operand of this type.
  [[nodiscard]] bool changes(const Part& part, const std::optional<ValueType>& type) const {
    if (!marks_operations_ || !is_typed_float(type)) return false;
    const bool is_integer = is_typed_integer(part.type) && !width_of(type->dtype).holds(width_of(part.type->dtype));
    return is_integer || (part.is_rounded && !width_of(part.type->dtype).holds(width_of(type->dtype)));
  }
  [[nodiscard]] Part converted(Part part, const std::optional<ValueType>& type) const {
    if (!changes(part, type)) return part;
    if (is_typed_integer(part.type)) return {marked(part.expr, type->dtype, Mark::integer), type, false};
    return {left_narrow(std::move(part)), type, false};
  }

  /// The part with a mark for the type in which it was computed.
  static ExprPtr left_narrow(Part part) {
    return part.is_rounded ? marked(part.expr, part.type->dtype, Mark::value) : part.expr;
  }

  [[nodiscard]] bool is_rounding(const std::optional<ValueType>& type) const {
    return marks_operations_ && is_typed_float(type) && is_narrow(type->dtype);
  }

  Part of_read(const ExprPtr& expr, const Ref& ref) const {
    const auto type = typed(ref.dtype);
    if (ref.tensor == accumulator_) return {expr, type, false};
    if (lossy_.contains(ref.tensor)) return {marked(expr, ref.dtype, Mark::value), type, false};
    return {expr, type, computed_.contains(ref.tensor)};
  }

  Part of_sign(const ExprPtr& expr, const ExprPtr& factor) {
    Part part = of(factor);
    const auto type = type_of(*expr);
    std::vector<ExprPtr> parts;
    part = converted(std::move(part), type);
    for (const ExprPtr* operand : children(*expr)) parts.push_back(*operand == factor ? part.expr : *operand);
    return {with_children(expr, parts), part.is_rounded ? part.type : type, part.is_rounded};
  }

  Part of_chain(const ExprPtr& expr, const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators) {
    const bool is_wide =
        wide_ && std::holds_alternative<Product>(expr->node) && wide_->product == &std::get<Product>(expr->node);
    const bool is_sum = std::holds_alternative<Sum>(expr->node);
    const auto is_own = [&](const ExprPtr& operand) {
      const auto* read = std::get_if<Read>(&operand->node);
      return read && read->ref->tensor == accumulator_;
    };
    const bool adds = adds_to_output_ && std::any_of(operands.begin(), operands.end(), is_own);
    const auto operand = [&](std::size_t i) {
      Part part = of(operands[i]);
      if (!adds || is_own(operands[i])) return part;
      return Part{marked(left_narrow(part), accumulator_type(), Mark::term), part.type, false};
    };
    Part whole = operand(0);  // of what is in `chain`, whose expression is made only where it is marked
    Chain chain{is_sum, {whole.expr}, {}};
    for (std::size_t i = 0; i < operators.size(); ++i) {
      Part next = operand(i + 1);
      auto type = whole.type && next.type ? binary_type(operators[i], *whole.type, *next.type) : std::nullopt;
      if (is_wide) type = typed(wide_->dtype);
      if (changes(whole, type)) {
        whole.expr = chain.expr();
        chain = {is_sum, {converted(whole, type).expr}, {}};
      }
      chain.operands.push_back(converted(std::move(next), type).expr);
      chain.operators.push_back(operators[i]);
      whole = {nullptr, type, is_rounding(type) && !adds};
    }
    whole.expr = chain.expr();
    return whole;
  }

  [[nodiscard]] DType accumulator_type() const { return table_.tensors.at(accumulator_).dtype; }

  /// Operands that keep their values, in their common type.
  std::vector<Part> of_alternatives(const std::vector<ExprPtr>& operands, std::optional<ValueType>& type) {
    std::vector<Part> parts;
    for (const ExprPtr& operand : operands) {
      parts.push_back(of(operand));
      type = parts.size() == 1           ? parts[0].type
             : type && parts.back().type ? join_type(*type, *parts.back().type)
                                         : type;
    }
    for (Part& part : parts) part = converted(std::move(part), type);
    return parts;
  }

  ExprPtr deciding(const ExprPtr& expr) { return left_narrow(of(expr)); }

  Part of_function(const ExprPtr& expr, const std::vector<ExprPtr>& operands) {
    const auto type = type_of(*expr);
    std::vector<ExprPtr> parts;
    parts.reserve(operands.size());
    for (const ExprPtr& operand : operands) parts.push_back(converted(of(operand), type).expr);
    return {with_children(expr, parts), type, is_rounding(type)};
  }

  /// Conditions, and what decides in them.
  Part of_condition(const ExprPtr& expr) {
    std::vector<ExprPtr> operands;
    for (const ExprPtr* part : children(*expr)) operands.push_back(*part);
    std::vector<ExprPtr> parts;
    if (std::holds_alternative<Compare>(expr->node)) {
      std::optional<ValueType> type;
      for (Part& part : of_alternatives(operands, type)) parts.push_back(left_narrow(std::move(part)));
    } else {
      for (const ExprPtr& operand : operands) parts.push_back(deciding(operand));
    }
    return {with_children(expr, parts), type_of(*expr), false};
  }

  Part of(const ExprPtr& expr) {
    if (const ExprPtr* factor = factor_of_sign(*expr)) return of_sign(expr, *factor);
    if (const auto* read = std::get_if<Read>(&expr->node)) return of_read(expr, *read->ref);
    if (to_index(*expr)) return {expr, type_of(*expr), false};
    if (const auto* sum = std::get_if<Sum>(&expr->node)) return of_chain(expr, sum->operands, sum->operators);
    if (const auto* product = std::get_if<Product>(&expr->node))
      return of_chain(expr, product->operands, product->operators);
    if (const auto* power = std::get_if<Power>(&expr->node)) return of_function(expr, {power->base, power->exponent});
    if (const auto* call = std::get_if<Call>(&expr->node)) {
      if (call->function != Function::negate && call->function != Function::abs)
        return of_function(expr, {call->argument});
      Part part = of(call->argument);
      part.expr = with_children(expr, {part.expr});
      return part;
    }
    if (const auto* extremum = std::get_if<Extremum>(&expr->node))
      return of_choice(expr, {extremum->left, extremum->right}, {});
    if (const auto* select = std::get_if<Select>(&expr->node))
      return of_choice(expr, {select->if_true, select->if_false}, {deciding(select->condition)});
    if (children(*expr).empty()) return {expr, type_of(*expr), false};
    return of_condition(expr);
  }

  /// `first`: the children before the alternatives.
  Part of_choice(const ExprPtr& expr, const std::vector<ExprPtr>& alternatives, std::vector<ExprPtr> first) {
    std::optional<ValueType> type;
    bool is_rounded = false;
    for (Part& part : of_alternatives(alternatives, type)) {
      is_rounded = is_rounded || part.is_rounded;
      first.push_back(std::move(part.expr));
    }
    return {with_children(expr, first), type, is_rounded};
  }

  const Program& program_;
  AccessTable table_;
  Width widest_;
  bool marks_operations_;
  std::set<std::string> lossy_;     ///< tensors that hold less than what is stored in them, or accumulate
  std::set<std::string> computed_;  ///< narrow tensors that hold what was computed in their types
  std::string accumulator_;         ///< of the statement; empty where it does not accumulate
  bool adds_to_output_ = false;
  std::optional<WideProduct> wide_;
};

Width widest_in(const Expr& expr) {
  Width out{0, 0};
  if (const auto type = type_of(expr); is_typed_float(type)) out = width_of(type->dtype);
  for (const ExprPtr* part : children(expr)) out = wider(out, widest_in(**part));
  return out;
}

}  // namespace

Width widest_float(const Program& program) {
  Width out{0, 0};
  for_each_equation(program, [&](const Equation& equation, const std::vector<const Nest*>&) {
    if (is_float(equation.left->dtype)) out = wider(out, width_of(equation.left->dtype));
    out = wider(out, widest_in(*equation.right));
  });
  return out;
}

Program with_marks(const Program& program, const Width& widest, bool marks_operations) {
  return Marker(program, widest, marks_operations).run();
}

}  // namespace steptp
