// Beside each tensor X a second one is computed, of the same shape and in the same places, that holds the maximum of
// terms exp(C)*k over all uses of an integer C, as an index or as a divisor, that the element of X was made with; k
// tells apart what C is used for. As functions of all integers, two maxima of such terms are equal only if their sets
// of terms are. So that programs whose second outputs are proved equal make the same uses for each element.

#include "steptp/verify/index_uses.h"

#include <cctype>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steptp/analysis/accesses.h"
#include "steptp/analysis/shapes.h"
#include "steptp/base/text.h"
#include "steptp/prove/prove.h"

namespace steptp {

namespace {

/// A use that no maximum can tell: a write to where data says makes every later element of the tensor depend on it.
struct NotTold {};

using Terms = std::vector<ExprPtr>;

class Shadow {
 public:
  explicit Shadow(const Program& program)
      : program_(program), table_(collect_accesses(program)), shapes_(infer_shapes(table_)) {}

  Program run() {
    Program out;
    out.name = program_.name;
    for (const Variable& variable : program_.signature.variables) {
      Variable own = variable;
      if (variable.role == Role::output) {
        own.name = name_of(variable.name);
        own.dtype = DType::f64;
      }
      out.signature.variables.push_back(std::move(own));
    }
    for (const NestPtr& nest : program_.nests) out.nests.push_back(of(*nest));
    return out;
  }

 private:
  [[nodiscard]] std::string name_of(const std::string& tensor) const {
    std::string out = "Q";
    for (const char c : tensor) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    do {
      out += 'q';
    } while (table_.tensors.contains(out));
    return out;
  }

  NestPtr of(const Nest& nest) {
    std::vector<Item> items;
    for (const Item& item : nest.items) {
      if (const auto* inner = std::get_if<NestPtr>(&item)) {
        items.emplace_back(of(**inner));
        continue;
      }
      // First, while conditions still read what the equation reads.
      items.emplace_back(of(*std::get<EquationPtr>(item)));
      items.push_back(item);
    }
    return make_nest(nest.loops, nest.guard, std::move(items));
  }

  EquationPtr of(const Equation& equation) {
    const Ref& left = *equation.left;
    for (const Index& subscript : left.subscripts) {
      Terms uses;
      add_subscript(subscript, uses);
      if (!uses.empty()) throw NotTold{};
    }
    accumulator_ = accumulation_operator(left, equation.right) ? &left : nullptr;
    const RefPtr target = make_ref(name_of(left.tensor), DType::f64, left.scope, left.subscripts);
    Terms terms;
    add(*equation.right, terms);
    if (accumulator_) terms.push_back(read_expr(target));
    return make_equation(target, greatest(std::move(terms)));
  }

  static ExprPtr greatest(Terms terms) {
    ExprPtr out = integer_literal(0);
    for (ExprPtr& term : terms) out = make_expr(Extremum{true, std::move(out), std::move(term)});
    return out;
  }

  [[nodiscard]] bool is_free(const Ref& ref) const {
    const Variable* known = table_.tensors.at(ref.tensor).known;
    return known && known->role != Role::output && !is_float(known->dtype) && known->values.empty() &&
           known->domain.kind == Domain::Kind::unstated;
  }

  /// Indices of a dimension and divisors differ in the factor.
  static ExprPtr term(const RefPtr& integer, double factor) {
    return make_product(make_call(Function::exp, read_expr(integer)), ArithmeticOp::multiply, real_literal(factor));
  }

  void add_subscript(const Index& subscript, Terms& out, std::optional<std::int64_t> extent = std::nullopt) {
    for (const IndexTerm& one : subscript.terms()) {
      for (const IndexAtom& atom : one.factors) {
        if (const auto* read = std::get_if<IndirectRead>(&atom)) {
          add_read(*read->ref, out);
          // The offset and the scale are part of what the integer must fit.
          if (is_free(*read->ref)) {
            if (!extent || one.factors.size() != 1 || subscript.terms().size() != 1) throw NotTold{};
            const double place = static_cast<double>(*extent) + 0x1p-20 * static_cast<double>(one.coefficient);
            out.push_back(term(read->ref, 2 + place + 0x1p20 * static_cast<double>(subscript.constant_term())));
          }
        } else if (const auto* quotient = std::get_if<FloorQuotient>(&atom)) {
          add_subscript(*quotient->dividend, out);
          add_subscript(*quotient->divisor, out);
        } else if (const auto* remainder = std::get_if<FloorRemainder>(&atom)) {
          add_remainder(*remainder, out);
        }
      }
    }
  }

  /// C%8 is in range whatever C is.
  void add_remainder(const FloorRemainder& remainder, Terms& out) {
    if (!remainder.divisor->is_constant()) throw NotTold{};
    for_each_read(*remainder.dividend, [&](const Ref& ref) { add_read(ref, out); });
  }

  template <typename Visit>
  static void for_each_read(const Index& index, const Visit& visit) {
    for (const IndexTerm& one : index.terms()) {
      for (const IndexAtom& atom : one.factors) {
        if (const auto* read = std::get_if<IndirectRead>(&atom)) {
          visit(*read->ref);
        } else if (!std::holds_alternative<LoopVariable>(atom)) {
          throw NotTold{};
        }
      }
    }
  }

  void add_read(const Ref& ref, Terms& out) {
    if (accumulator_ && ref.tensor == accumulator_->tensor) return;
    const auto shape = shapes_.find(ref.tensor);
    for (std::size_t i = 0; i < ref.subscripts.size(); ++i) {
      const bool has_extent = shape != shapes_.end() && i < shape->second.dimensions.size();
      add_subscript(ref.subscripts[i], out, has_extent ? std::optional(shape->second.dimensions[i]) : std::nullopt);
    }
    const Variable* known = table_.tensors.at(ref.tensor).known;
    if (known && known->role != Role::output) return;
    out.push_back(read_expr(make_ref(name_of(ref.tensor), DType::f64, ref.scope, ref.subscripts)));
  }

  void add_divisors(const Product& product, Terms& out) {
    for (std::size_t i = 0; i < product.operators.size(); ++i) {
      const bool divides =
          product.operators[i] == ArithmeticOp::floor_divide || product.operators[i] == ArithmeticOp::modulo;
      const auto* read = divides ? std::get_if<Read>(&product.operands[i + 1]->node) : nullptr;
      if (read && is_free(*read->ref)) out.push_back(term(read->ref, 1));
    }
  }

  void add(const Expr& expr, Terms& out) {
    if (const auto* read = std::get_if<Read>(&expr.node)) return add_read(*read->ref, out);
    if (const auto* select = std::get_if<Select>(&expr.node)) {
      add(*select->condition, out);
      Terms if_true;
      Terms if_false;
      add(*select->if_true, if_true);
      add(*select->if_false, if_false);
      if (if_true.empty() && if_false.empty()) return;
      out.push_back(make_expr(Select{select->condition, greatest(std::move(if_true)), greatest(std::move(if_false))}));
      return;
    }
    if (const auto* product = std::get_if<Product>(&expr.node)) add_divisors(*product, out);
    for (const ExprPtr* part : children(expr)) add(**part, out);
  }

  const Program& program_;
  AccessTable table_;
  std::map<std::string, InferredShape> shapes_;
  const Ref* accumulator_ = nullptr;
};

}  // namespace

bool make_same_index_uses(const Program& before, const Program& after) {
  try {
    return prove(Shadow(before).run(), Shadow(after).run()).proved;
  } catch (const NotTold&) {
    return false;
  }
}

}  // namespace steptp
