// Identities of real numbers, on parts of an equation that are made of floats.
#include "testing/equal_steps.h"
#include "testing/generator_context.h"
#include "testing/tree_editor.h"

namespace steptp::testing {

namespace {

/// A chain of two operands with this operator.
template <typename Chain>
bool is_pair(const Expr& expr, ArithmeticOp op) {
  const auto* chain = std::get_if<Chain>(&expr.node);
  return chain && chain->operands.size() == 2 && chain->operators[0] == op;
}

template <typename Chain>
const Chain& as(const Expr& expr) {
  return std::get<Chain>(expr.node);
}

using Rewrite = ExprPtr (*)(const ExprPtr&);

ExprPtr commute(const ExprPtr& expr) {
  if (is_pair<Sum>(*expr, ArithmeticOp::add)) {
    const auto& sum = as<Sum>(*expr);
    return make_sum(sum.operands[1], ArithmeticOp::add, sum.operands[0]);
  }
  if (is_pair<Product>(*expr, ArithmeticOp::multiply)) {
    const auto& product = as<Product>(*expr);
    return make_product(product.operands[1], ArithmeticOp::multiply, product.operands[0]);
  }
  if (const auto* extremum = std::get_if<Extremum>(&expr->node)) {
    return make_expr(Extremum{extremum->is_max, extremum->right, extremum->left});
  }
  return expr;
}

/// (a+b)*c is a*c+b*c.
ExprPtr distribute(const ExprPtr& expr) {
  if (!is_pair<Product>(*expr, ArithmeticOp::multiply)) return expr;
  const auto& product = as<Product>(*expr);
  for (std::size_t side = 0; side < 2; ++side) {
    const auto* sum = std::get_if<Sum>(&product.operands[side]->node);
    if (!sum || sum->operands.size() != 2) continue;
    const ExprPtr& factor = product.operands[1 - side];
    return make_sum(make_product(sum->operands[0], ArithmeticOp::multiply, factor), sum->operators[0],
                    make_product(sum->operands[1], ArithmeticOp::multiply, factor));
  }
  return expr;
}

/// a-b is a+(-1)*b.
ExprPtr subtract_by_adding(const ExprPtr& expr) {
  if (!is_pair<Sum>(*expr, ArithmeticOp::subtract)) return expr;
  const auto& sum = as<Sum>(*expr);
  const ExprPtr minus_one = make_call(Function::negate, integer_literal(1));
  return make_sum(sum.operands[0], ArithmeticOp::add, make_product(minus_one, ArithmeticOp::multiply, sum.operands[1]));
}

ExprPtr square(const ExprPtr& expr) {
  if (!is_pair<Product>(*expr, ArithmeticOp::multiply)) return expr;
  const auto& product = as<Product>(*expr);
  if (!equal(*product.operands[0], *product.operands[1])) return expr;
  return make_expr(Power{product.operands[0], integer_literal(2)});
}

ExprPtr unsquare(const ExprPtr& expr) {
  const auto* power = std::get_if<Power>(&expr->node);
  if (!power) return expr;
  const auto* exponent = std::get_if<Literal>(&power->exponent->node);
  if (!exponent || !exponent->is_integer || exponent->integer != 2) return expr;
  return make_product(power->base, ArithmeticOp::multiply, power->base);
}

/// max(a,b) is -min(-a,-b).
ExprPtr mirror(const ExprPtr& expr) {
  const auto* extremum = std::get_if<Extremum>(&expr->node);
  if (!extremum) return expr;
  return make_call(Function::negate, make_expr(Extremum{!extremum->is_max, make_call(Function::negate, extremum->left),
                                                        make_call(Function::negate, extremum->right)}));
}

/// a/b is a*(1/b).
ExprPtr divide_by_multiplying(const ExprPtr& expr) {
  if (!is_pair<Product>(*expr, ArithmeticOp::divide)) return expr;
  const auto& product = as<Product>(*expr);
  return make_product(product.operands[0], ArithmeticOp::multiply,
                      make_product(integer_literal(1), ArithmeticOp::divide, product.operands[1]));
}

/// Applies the identity at one place where it changes something.
bool rewrite_somewhere(Program& program, Random& random, Rewrite identity) {
  const std::size_t at = random.below(program.nests.size());
  const std::uint64_t wanted = random.below(4);
  std::uint64_t seen = 0;
  bool changed = false;
  TreeHooks hooks;
  hooks.nest = [&](Nest& nest) {
    for (Item& item : nest.items) {
      const auto* equation = std::get_if<EquationPtr>(&item);
      if (!equation) continue;
      const Ref& left = *(*equation)->left;
      if (!is_float(left.dtype)) continue;
      TreeHooks inner;
      inner.expr = [&](const ExprPtr& expr) {
        // What an accumulation does with its own element stays as it is written.
        if (changed || is_condition(*expr) || reads(*expr, left.tensor) || !is_float_value(*expr)) return expr;
        ExprPtr other = identity(expr);
        if (other == expr || equal(*other, *expr) || seen++ < wanted) return expr;
        changed = true;
        return other;
      };
      item = make_equation((*equation)->left, edit((*equation)->right, inner));
    }
  };
  const NestPtr edited = edit(program.nests[at], hooks);
  if (changed) program.nests[at] = edited;
  return changed;
}

/// Where infinities meet zeros a distributed product has no value any more.
bool distribute_somewhere(Program& program, Random& random) {
  return !has_infinity(program) && rewrite_somewhere(program, random, distribute);
}
bool commute_somewhere(Program& program, Random& random) { return rewrite_somewhere(program, random, commute); }
bool subtract_somewhere(Program& program, Random& random) {
  return rewrite_somewhere(program, random, subtract_by_adding);
}
bool square_somewhere(Program& program, Random& random) {
  return rewrite_somewhere(program, random, random.chance(1, 2) ? square : unsquare);
}
bool mirror_somewhere(Program& program, Random& random) { return rewrite_somewhere(program, random, mirror); }
bool divide_somewhere(Program& program, Random& random) {
  return !has_infinity(program) && rewrite_somewhere(program, random, divide_by_multiplying);
}

}  // namespace

const std::vector<EqualStep>& algebra_steps() {
  static const std::vector<EqualStep> steps = {
      {"commuted", commute_somewhere},    {"distributed product", distribute_somewhere},
      {"difference", subtract_somewhere}, {"square", square_somewhere},
      {"max by min", mirror_somewhere},   {"quotient", divide_somewhere},
  };
  return steps;
}

}  // namespace steptp::testing
