// Which types values go through on their way from where they enter a program (known variables, literals, indices) to
// its outputs, followed forwards through the statements until nothing changes. A store is noted where its tensor is
// read, so that the store in an output, whose type is given, counts only where the output is read again.

#include "steptp/verify/precision_ways.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "steptp/analysis/accesses.h"
#include "steptp/analysis/box_search.h"
#include "steptp/base/json.h"
#include "steptp/base/text.h"
#include "steptp/ir/accumulation.h"
#include "steptp/structure/types.h"

namespace steptp {

namespace {

constexpr std::size_t kMostWays = 64;
struct TooMany {};

/// The name of a literal or an index once an operation of this type has used it.
std::string used_in(const std::string& source, const ValueType& type) {
  const bool is_named = !is_constant(source) || source.find(" in ") != std::string::npos;
  return is_named || type.weak ? source : concat(source, " in ", info(type.dtype).code);
}

class Follower {
 public:
  explicit Follower(const Program& program) : program_(program), table_(collect_accesses(program)) {
    for (const Variable& variable : program.signature.variables) {
      if (variable.role == Role::output) continue;
      Way way;
      way.own = way.source = width_of(variable);
      ways_[variable.name][variable.name] = {way};
      is_input_.insert(variable.name);
    }
  }

  std::map<std::string, WaysOf> run() {
    // Sets only grow, and there are finitely many types, so this ends; programs settle in a round or two.
    for (bool changed = true; changed;) {
      changed = false;
      for (const Statement& statement : table_.statements) changed = take(statement) || changed;
    }
    std::map<std::string, WaysOf> out;
    for (const Variable& variable : program_.signature.variables) {
      if (variable.role == Role::output) out[variable.name] = ways_[variable.name];
    }
    return out;
  }

 private:
  bool take(const Statement& statement) {
    statement_ = &statement;
    wide_ = wide_product(*statement.equation->left, statement.equation->right);
    const Ref& left = *statement.equation->left;
    WaysOf found = of(*statement.equation->right);
    for (const ExprPtr& guard : statement.guards) merge(found, deciding(*guard));
    for (const Index& subscript : left.subscripts) add_subscript(subscript, found);
    bool changed = false;
    WaysOf& target = ways_[left.tensor];
    if (statement.accumulates) {
      // What the tensor held before was stored in its type.
      merge(found, Follower::changed(target, [&](Way& way) { store(way, left.dtype); }));
    }
    const auto term = type_of(*statement.equation->right);
    for (auto& [source, ways] : found) {
      std::set<Way>& known = target[statement.accumulates ? used_in(source, typed(left.dtype)) : source];
      for (Way way : ways) {
        if (statement.accumulates) accumulate(way, *statement.accumulates, left.dtype, term);
        changed = known.insert(way).second || changed;
      }
      if (known.size() > kMostWays) throw TooMany{};
    }
    return changed;
  }

  /// `type`: of the whole operation. What is wider than the accumulator is not rounded before the operation.
  static void accumulate(Way& way, ArithmeticOp op, DType dtype, const std::optional<ValueType>& type) {
    if (way.is_over() || op == ArithmeticOp::max || op == ArithmeticOp::min) return;
    const Rounding rounding = op == ArithmeticOp::multiply ? Rounding::product : Rounding::sum;
    const bool is_wide = is_float(dtype) && type && is_float(type->dtype) && !width_of(dtype).holds(way.own);
    const Widths widest = way.widest;
    operate(way, rounding, is_wide ? type->dtype : dtype);
    if (is_wide) {
      way.widest = widest;
      way.own = width_of(dtype);
    }
    Width& accumulated = is_float(dtype) ? way.accumulated : way.counted;
    accumulated = narrower(accumulated, width_of(dtype));
  }

  static void merge(WaysOf& into, WaysOf from) {
    for (auto& [source, ways] : from) into[source].merge(ways);
  }

  template <typename Change>
  static WaysOf changed(const WaysOf& from, const Change& change) {
    WaysOf out;
    for (const auto& [source, ways] : from) {
      for (Way way : ways) {
        change(way);
        out[source].insert(way);
      }
    }
    return out;
  }

  static WaysOf operated(const WaysOf& from, Rounding rounding, const ValueType& type) {
    WaysOf out;
    for (const auto& [source, ways] : from) {
      for (Way way : ways) {
        operate(way, rounding, type.dtype);
        out[used_in(source, type)].insert(way);
      }
    }
    return out;
  }

  /// Operands of one operation: where there is data among them, literals and indices have been used.
  static WaysOf used(WaysOf operands) {
    const auto is_data = [](const auto& one) {
      const auto leads_on = [](const Way& way) { return !way.is_over(); };
      return !is_constant(one.first) && std::any_of(one.second.begin(), one.second.end(), leads_on);
    };
    if (std::none_of(operands.begin(), operands.end(), is_data)) return operands;
    WaysOf out;
    for (auto& [source, ways] : operands) {
      for (Way way : ways) {
        if (is_constant(source) && !way.is_over()) {
          settle(way);
          way.is_used = true;
        }
        out[source].insert(way);
      }
    }
    return out;
  }

  /// What a condition or a subscript is made of.
  WaysOf deciding(const Expr& expr) { return changed(of(expr), decide); }

  void add_subscript(const Index& subscript, WaysOf& out) {
    for (const IndexTerm& term : subscript.terms()) {
      for (const IndexAtom& atom : term.factors) {
        if (const auto* indirect = std::get_if<IndirectRead>(&atom)) {
          merge(out, deciding(*read_expr(indirect->ref)));
        } else if (const auto* quotient = std::get_if<FloorQuotient>(&atom)) {
          add_subscript(*quotient->dividend, out);
          add_subscript(*quotient->divisor, out);
        } else if (const auto* remainder = std::get_if<FloorRemainder>(&atom)) {
          add_subscript(*remainder->dividend, out);
          add_subscript(*remainder->divisor, out);
        }
      }
    }
  }

  WaysOf of_read(const Ref& ref) {
    WaysOf out;
    const bool is_own = statement_->accumulates && ref.tensor == statement_->equation->left->tensor;
    if (!is_own) {
      const bool is_input = is_input_.contains(ref.tensor);
      out = changed(ways_[ref.tensor], [&](Way& way) {
        if (!is_input) store(way, ref.dtype);
      });
      // Which integer it is was decided by every digit that was held before.
      if (!is_input && !is_float(ref.dtype)) merge(out, changed(ways_[ref.tensor], decide));
    }
    for (const Index& subscript : ref.subscripts) add_subscript(subscript, out);
    return out;
  }

  static Rounding rounding_of(ArithmeticOp op) {
    switch (op) {
      case ArithmeticOp::add:
      case ArithmeticOp::subtract: return Rounding::sum;
      case ArithmeticOp::multiply: return Rounding::product;
      case ArithmeticOp::divide: return Rounding::quotient;
      default: return Rounding::function;
    }
  }

  /// Each operand with the first operation that it takes part in: types only get wider along a chain.
  WaysOf of_chain(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators,
                  std::optional<ValueType> first = std::nullopt) {
    WaysOf out;
    auto type = first ? first : type_of(*operands[0]);
    for (std::size_t i = 0; i < operators.size() && type; ++i) {
      const auto next = type_of(*operands[i + 1]);
      type = next ? binary_type(operators[i], *type, *next) : std::nullopt;
      if (!type) break;
      const Rounding rounding = rounding_of(operators[i]);
      if (i == 0) {
        const bool is_own = statement_->accumulates && is_left(*operands[0]);
        if (!is_own) merge(out, operated(of(*operands[0]), rounding, *type));
        if (is_own && operators.size() == 1) {
          // What is added to an accumulator is rounded by the accumulation alone.
          merge(out, of(*operands[1]));
          continue;
        }
      }
      merge(out, operated(of(*operands[i + 1]), rounding, *type));
    }
    return used(std::move(out));
  }

  bool is_left(const Expr& expr) const {
    const auto* read = std::get_if<Read>(&expr.node);
    return read && read->ref->tensor == statement_->equation->left->tensor;
  }

  /// Operands that keep their values: of a maximum, of a choice, of a comparison.
  WaysOf of_converted(const std::vector<const Expr*>& operands) {
    std::optional<ValueType> type;
    for (const Expr* operand : operands) {
      const auto own = type_of(*operand);
      type = !type ? own : own ? join_type(*type, *own) : type;
    }
    WaysOf out;
    for (const Expr* operand : operands) {
      merge(out, changed(of(*operand), [&](Way& way) {
              if (type && !type->weak) convert(way, type->dtype);
            }));
    }
    return out;
  }

  WaysOf of_integers(const Index& index) {
    Way way;
    way.own = way.source = width_of(range_of(index, loop_box(*statement_)));
    if (index.is_constant()) return of_number(static_cast<double>(index.constant_term()));
    return {{"index", {way}}};
  }

  WaysOf of_number(double value) {
    Way way;
    way.own = way.source = width_of(value);
    return {{concat("literal ", Json(std::fabs(value)).dump()), {way}}};
  }

  WaysOf of_function(const Call& call, const Expr& expr) {
    if (call.function == Function::negate || call.function == Function::abs) return of(*call.argument);
    return used(operated(of(*call.argument), Rounding::function, type_of(expr).value_or(kWeakDecimal)));
  }

  WaysOf of(const Expr& expr);

  const Program& program_;
  AccessTable table_;
  const Statement* statement_ = nullptr;
  std::optional<WideProduct> wide_;  ///< of the statement
  std::map<std::string, WaysOf> ways_;
  std::set<std::string> is_input_;
};

WaysOf Follower::of(const Expr& expr) {
  if (const auto* read = std::get_if<Read>(&expr.node)) return of_read(*read->ref);
  if (const auto* literal = std::get_if<Literal>(&expr.node)) return of_number(literal->real);
  if (std::holds_alternative<Infinity>(expr.node)) return {};
  if (const auto index = to_index(expr)) return of_integers(*index);
  if (const auto* sum = std::get_if<Sum>(&expr.node)) return of_chain(sum->operands, sum->operators);
  if (const ExprPtr* factor = factor_of_sign(expr)) {
    const auto type = type_of(expr);
    return changed(of(**factor), [&](Way& way) {
      if (type && !type->weak) convert(way, type->dtype);
    });
  }
  if (const auto* product = std::get_if<Product>(&expr.node)) {
    const bool is_wide = wide_ && wide_->product == product;
    return of_chain(product->operands, product->operators, is_wide ? std::optional(typed(wide_->dtype)) : std::nullopt);
  }
  if (const auto* call = std::get_if<Call>(&expr.node)) return of_function(*call, expr);
  if (const auto* extremum = std::get_if<Extremum>(&expr.node))
    return of_converted({extremum->left.get(), extremum->right.get()});
  if (const auto* select = std::get_if<Select>(&expr.node)) {
    WaysOf out = of_converted({select->if_true.get(), select->if_false.get()});
    merge(out, deciding(*select->condition));
    return out;
  }
  if (const auto* power = std::get_if<Power>(&expr.node)) {
    WaysOf out = of(*power->base);
    merge(out, of(*power->exponent));
    return used(operated(out, Rounding::function, type_of(expr).value_or(kWeakDecimal)));
  }
  WaysOf out;
  if (const auto* compare = std::get_if<Compare>(&expr.node)) {
    std::vector<const Expr*> operands;
    for (const ExprPtr& operand : compare->operands) operands.push_back(operand.get());
    out = of_converted(operands);
  } else {
    for (const ExprPtr* part : children(expr)) merge(out, of(**part));
  }
  return changed(out, [](Way& way) { decide(way); });
}

}  // namespace

const ExprPtr* factor_of_sign(const Expr& expr) {
  const auto* product = std::get_if<Product>(&expr.node);
  if (!product || product->operands.size() != 2 || product->operators[0] != ArithmeticOp::multiply) return nullptr;
  for (const std::size_t number : {0, 1}) {
    const Expr* factor = product->operands[number].get();
    const auto* call = std::get_if<Call>(&factor->node);
    if (call && call->function == Function::negate) factor = call->argument.get();
    const auto* literal = std::get_if<Literal>(&factor->node);
    if (literal && std::fabs(literal->real) == 1) return &product->operands[1 - number];
  }
  return nullptr;
}

bool is_constant(const std::string& source) {
  return source.starts_with("literal ") || source == "index" || source.starts_with("index ");
}

std::optional<std::map<std::string, WaysOf>> ways_to_outputs(const Program& program) {
  try {
    return Follower(program).run();
  } catch (const TooMany&) {
    return std::nullopt;
  }
}

}  // namespace steptp
