// Types between sources and tensors, read off the statements until nothing new is met. A store counts once the tensor
// is read, so that the type of an output, which is given, counts only where the output is read again.

#include "replay/trails.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "replay/types.h"
#include "steptp/base/text.h"

namespace steptp::replayer {

namespace {

constexpr std::size_t kMostTrails = 64;

Width width_of_number(double value) {
  if (value == 0 || !std::isfinite(value)) return {1, 1};
  int exponent = 0;
  double rest = std::fabs(std::frexp(value, &exponent));
  std::int64_t digits = 0;
  for (; rest != 0; rest = rest * 2 - std::floor(rest * 2)) ++digits;
  return {digits, std::max(1, std::abs(exponent - 1))};
}

/// Of all integers up to a magnitude: a power of two at the end takes no digit more than those below it.
Width width_of_integers(double most) {
  constexpr std::int64_t kMostBits = 63;
  Width out{1, 1};
  for (double bound = 2; bound <= most && out.exponent < kMostBits; bound *= 2) {
    ++out.exponent;
    if (bound < std::floor(most)) ++out.digits;
  }
  return out;
}

std::string literal_name(double value) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(value));
  return concat("literal ", std::string(buffer.data(), end.ptr));
}

bool is_constant(const std::string& source) { return source.starts_with("literal ") || source.starts_with("index"); }

std::string first_used(const std::string& source, const ValueType& type) {
  if (!is_constant(source) || type.weak || source.find(" in ") != std::string::npos) return source;
  return concat(source, " in ", info(type.dtype).code);
}

class Walker {
 public:
  explicit Walker(const Layout& layout) : layout_(layout) {
    for (const Variable& variable : layout.program().signature.variables) {
      if (variable.role == Role::output) continue;
      Trail trail;
      trail.now = width_of(variable.dtype);
      if (!is_float(variable.dtype) && variable.domain.kind == Domain::Kind::range) {
        trail.now.meet(
            width_of_integers(std::max(std::fabs(variable.domain.low), std::ceil(variable.domain.high) - 1)));
      }
      trail.origin = trail.now;
      known_[variable.name][variable.name] = {trail};
    }
  }

  Trails run(const std::string& tensor) {
    for (bool is_new = true; is_new;) {
      is_new = false;
      for (const Statement& statement : layout_.statements()) is_new = take(statement) || is_new;
    }
    return made_[tensor];
  }

 private:
  template <typename Change>
  static Trails changed(const Trails& from, const Change& change) {
    Trails out;
    for (const auto& [source, trails] : from) {
      for (Trail trail : trails) {
        change(trail);
        out[source].insert(trail);
      }
    }
    return out;
  }

  static void add(Trails& to, const Trails& from) {
    for (const auto& [source, trails] : from) to[source].insert(trails.begin(), trails.end());
  }

  bool take(const Statement& statement) {
    at_ = &statement;
    widened_ = widened_product(*statement.equation);
    const Ref& left = *statement.equation->left;
    Trails& target = made_[left.tensor];
    Trails found = of(*statement.equation->right);
    for (const ExprPtr& guard : statement.guards) add(found, changed(of(*guard), decide));
    add(found, of_subscripts(left));
    if (statement.accumulates) {
      add(found, changed(target, [&](Trail& trail) { put(trail, left.dtype); }));
      found = accumulated(found, statement);
    }
    bool is_new = false;
    for (const auto& [source, trails] : found) {
      std::set<Trail>& old = target[source];
      for (const Trail& trail : trails) is_new = old.insert(trail).second || is_new;
      if (old.size() > kMostTrails) throw Undecided{"values go through too many types"};
    }
    return is_new;
  }

  static Trails accumulated(const Trails& found, const Statement& statement) {
    const ArithmeticOp op = *statement.accumulates;
    const DType dtype = statement.equation->left->dtype;
    const auto whole = type_of(*statement.equation->right);
    const bool is_order = op == ArithmeticOp::max || op == ArithmeticOp::min;
    Trails out;
    for (const auto& [source, trails] : found) {
      for (Trail trail : trails) {
        if (!trail.is_over() && !is_order) {
          // A term that is wider than the accumulator goes into the operation as it is.
          const bool is_wide = is_float(dtype) && whole && is_float(whole->dtype) && !width_of(dtype).holds(trail.now);
          compute(trail, op == ArithmeticOp::multiply ? OperationKind::product : OperationKind::sum,
                  is_wide ? whole->dtype : dtype);
          trail.now = width_of(dtype);
          (is_float(dtype) ? trail.rounds : trail.counts).meet(width_of(dtype));
        }
        out[first_used(source, typed(dtype))].insert(trail);
      }
    }
    return out;
  }

  Trails of_subscripts(const Ref& ref) {
    Trails out;
    for (const Index& subscript : ref.subscripts) {
      for_each_read(subscript, [&](const RefPtr& inner) { add(out, changed(of_read(*inner), decide)); });
    }
    return out;
  }

  bool is_accumulator(const std::string& tensor) const {
    return at_->accumulates && tensor == at_->equation->left->tensor;
  }

  Trails of_read(const Ref& ref) {
    Trails out = of_subscripts(ref);
    if (is_accumulator(ref.tensor)) return out;
    if (const auto known = known_.find(ref.tensor); known != known_.end()) {
      add(out, known->second);
      return out;
    }
    const Trails& made = made_[ref.tensor];
    add(out, changed(made, [&](Trail& trail) { put(trail, ref.dtype); }));
    if (!is_float(ref.dtype)) add(out, changed(made, decide));
    return out;
  }

  Trails of_number(double value) {
    Trail trail;
    trail.origin = trail.now = width_of_number(value);
    return {{literal_name(value), {trail}}};
  }

  /// The greatest magnitude of an expression of indices and whole numbers.
  double most_of(const Expr& expr) const {
    if (const auto* literal = std::get_if<Literal>(&expr.node)) return std::fabs(literal->real);
    if (const auto* value = std::get_if<IndexValue>(&expr.node)) {
      return static_cast<double>(at_->loops[Layout::slot_of(*at_, value->index)]->extent - 1);
    }
    const auto* product = std::get_if<Product>(&expr.node);
    double most = product ? 1 : 0;
    for (std::size_t i = 0; const ExprPtr* part : children(expr)) {
      const double own = most_of(**part);
      const ArithmeticOp op = product && i > 0 ? product->operators[i - 1] : ArithmeticOp::multiply;
      ++i;
      if (!product) most += own;
      if (product && op == ArithmeticOp::multiply) most *= own;
      if (product && op == ArithmeticOp::floor_divide && own > 0 && std::holds_alternative<Literal>((*part)->node))
        most = std::floor(most / own);
      if (product && op == ArithmeticOp::modulo) most = std::min(most, own);
    }
    return most;
  }

  static bool has_index(const Expr& expr) {
    bool found = false;
    for_each_variable(expr, [&](const std::string&) { found = true; });
    return found;
  }

  /// The operands of one operation of this type.
  static void operate(Trails& out, const Trails& operand, OperationKind step, const ValueType& type) {
    for (const auto& [source, trails] : operand) {
      for (Trail trail : trails) {
        compute(trail, step, type.dtype);
        out[first_used(source, type)].insert(trail);
      }
    }
  }

  /// Where data takes part, its trails lead on, and those of literals and indices end.
  static Trails joined(const Trails& operands) {
    const bool has_data = std::any_of(operands.begin(), operands.end(), [](const auto& one) {
      return !is_constant(one.first) &&
             std::any_of(one.second.begin(), one.second.end(), [](const Trail& trail) { return !trail.is_over(); });
    });
    if (!has_data) return operands;
    Trails out;
    for (const auto& [source, trails] : operands) {
      for (Trail trail : trails) {
        if (is_constant(source) && !trail.is_over()) {
          trail.wake();
          trail.is_used = true;
        }
        out[source].insert(trail);
      }
    }
    return out;
  }

  Trails of_chain(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators,
                  const std::optional<ValueType>& of_first = {}) {
    const auto step_of = [](ArithmeticOp op) {
      if (op == ArithmeticOp::add || op == ArithmeticOp::subtract) return OperationKind::sum;
      return op == ArithmeticOp::multiply ? OperationKind::product
             : op == ArithmeticOp::divide ? OperationKind::quotient
                                          : OperationKind::other;
    };
    const auto* first = std::get_if<Read>(&operands[0]->node);
    const bool is_own = first && is_accumulator(first->ref->tensor);
    if (is_own && operators.size() == 1) return joined(of(*operands[1]));
    Trails out;
    auto type = of_first ? of_first : type_of(*operands[0]);
    for (std::size_t i = 0; type && i < operators.size(); ++i) {
      const auto next = type_of(*operands[i + 1]);
      type = next ? binary_type(operators[i], *type, *next) : std::nullopt;
      if (!type) break;
      if (i == 0 && !is_own) operate(out, of(*operands[0]), step_of(operators[0]), *type);
      operate(out, of(*operands[i + 1]), step_of(operators[i]), *type);
    }
    return joined(out);
  }

  /// The operand of a product of two whose other operand is 1 or -1; none where there is no such one.
  static const Expr* signed_by_one(const Product& product) {
    if (product.operators != std::vector{ArithmeticOp::multiply}) return nullptr;
    const auto is_one = [](const Expr& expr) {
      const auto* call = std::get_if<Call>(&expr.node);
      const Expr& inner = call && call->function == Function::negate ? *call->argument : expr;
      const auto* literal = std::get_if<Literal>(&inner.node);
      return literal && (literal->real == 1 || literal->real == -1);
    };
    if (is_one(*product.operands[0])) return product.operands[1].get();
    return is_one(*product.operands[1]) ? product.operands[0].get() : nullptr;
  }

  /// Values that keep what they are, in this type.
  static Trails alike(const Trails& values, const std::optional<ValueType>& type) {
    return changed(values, [&](Trail& trail) {
      const bool is_changed = type && !type->weak && is_float(type->dtype) && !trail.is_over();
      if (is_changed && !width_of(type->dtype).holds(trail.now)) compute(trail, OperationKind::conversion, type->dtype);
    });
  }

  /// Operands whose values are compared or chosen as they are, in their common type.
  Trails of_alternatives(const std::vector<ExprPtr>& operands) {
    std::optional<ValueType> type;
    Trails out;
    for (const ExprPtr& operand : operands) {
      const auto own = type_of(*operand);
      type = type && own ? join_type(*type, *own) : own ? own : type;
    }
    for (const ExprPtr& operand : operands) add(out, alike(of(*operand), type));
    return out;
  }

  Trails of(const Expr& expr) {
    if (const auto* read = std::get_if<Read>(&expr.node)) return of_read(*read->ref);
    if (const auto* literal = std::get_if<Literal>(&expr.node)) return of_number(literal->real);
    if (std::holds_alternative<Infinity>(expr.node)) return {};
    if (const auto index = to_index(expr)) {
      if (!has_index(expr)) return of_number(static_cast<double>(index->constant_term()));
      Trail trail;
      trail.origin = trail.now = width_of_integers(most_of(expr));
      return {{"index", {trail}}};
    }
    if (const auto* sum = std::get_if<Sum>(&expr.node)) return of_chain(sum->operands, sum->operators);
    if (const auto* product = std::get_if<Product>(&expr.node)) {
      if (const Expr* other = signed_by_one(*product)) return alike(of(*other), type_of(expr));
      if (product != widened_) return of_chain(product->operands, product->operators);
      return of_chain(product->operands, product->operators, typed(at_->equation->left->dtype));
    }
    if (const auto* call = std::get_if<Call>(&expr.node)) {
      if (call->function == Function::negate || call->function == Function::abs) return of(*call->argument);
      return of_function(expr, {call->argument});
    }
    if (const auto* power = std::get_if<Power>(&expr.node)) return of_function(expr, {power->base, power->exponent});
    if (const auto* extremum = std::get_if<Extremum>(&expr.node)) {
      return of_alternatives({extremum->left, extremum->right});
    }
    if (const auto* select = std::get_if<Select>(&expr.node)) {
      Trails out = of_alternatives({select->if_true, select->if_false});
      add(out, changed(of(*select->condition), decide));
      return out;
    }
    if (const auto* compare = std::get_if<Compare>(&expr.node)) {
      return changed(of_alternatives(compare->operands), decide);
    }
    Trails out;
    for (const ExprPtr* part : children(expr)) add(out, of(**part));
    return changed(out, decide);
  }

  Trails of_function(const Expr& expr, const std::vector<ExprPtr>& arguments) {
    Trails out;
    for (const ExprPtr& argument : arguments) {
      operate(out, of(*argument), OperationKind::other, type_of(expr).value_or(kWeakDecimal));
    }
    return joined(out);
  }

  const Layout& layout_;
  const Statement* at_ = nullptr;
  const Product* widened_ = nullptr;  ///< of that statement
  std::map<std::string, Trails> known_;
  std::map<std::string, Trails> made_;
};

}  // namespace

Trails trails_to(const Layout& layout, const std::string& tensor) { return Walker(layout).run(tensor); }

std::string source_name(const std::string& written) {
  constexpr std::string_view kWord = "literal ";
  if (!written.starts_with(kWord)) return written;
  const std::size_t use = written.find(" in ");
  const std::string rest = use == std::string::npos ? "" : written.substr(use);
  return concat(literal_name(std::strtod(written.c_str() + kWord.size(), nullptr)), rest);
}

}  // namespace steptp::replayer
