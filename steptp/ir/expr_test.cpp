#include "steptp/ir/expr.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace steptp {
namespace {

RefPtr ref(const char* name, std::vector<Index> subscripts = {Index::variable("a")}, DType dtype = DType::f32) {
  return make_ref(name, dtype, Scope::global, std::move(subscripts));
}
ExprPtr read(const char* name) { return read_expr(ref(name)); }
ExprPtr operator+(const ExprPtr& a, const ExprPtr& b) { return make_sum(a, ArithmeticOp::add, b); }
ExprPtr operator-(const ExprPtr& a, const ExprPtr& b) { return make_sum(a, ArithmeticOp::subtract, b); }
ExprPtr operator*(const ExprPtr& a, const ExprPtr& b) { return make_product(a, ArithmeticOp::multiply, b); }
ExprPtr operator/(const ExprPtr& a, const ExprPtr& b) { return make_product(a, ArithmeticOp::divide, b); }
ExprPtr operator-(const ExprPtr& a) { return make_call(Function::negate, a); }
ExprPtr max_of(const ExprPtr& a, const ExprPtr& b) { return make_expr(Extremum{true, a, b}); }
ExprPtr min_of(const ExprPtr& a, const ExprPtr& b) { return make_expr(Extremum{false, a, b}); }
ExprPtr less(const ExprPtr& a, const ExprPtr& b) { return make_expr(Compare{{a, b}, {CompareOp::less}}); }
ExprPtr index_value(const char* name) { return make_expr(IndexValue{name}); }

TEST(Expr, ChainsAreFlatOnTheLeftOnly) {
  const ExprPtr a = read("A");
  const ExprPtr b = read("C");
  const ExprPtr c = read("D");
  const auto operands = [](const ExprPtr& expr) { return std::get<Sum>(expr->node).operands.size(); };
  EXPECT_EQ(operands((a + b) - c), 3u);
  EXPECT_EQ(operands(a + (b - c)), 2u);
  EXPECT_FALSE(equal(*((a + b) + c), *(a + (b + c))));
  EXPECT_TRUE(equal(*((a + b) - c), *make_expr(Sum{{a, b, c}, {ArithmeticOp::add, ArithmeticOp::subtract}})));
  EXPECT_EQ(std::get<Product>(((a * b) / c)->node).operands.size(), 3u);
  EXPECT_EQ(std::get<Product>((a * (b / c))->node).operands.size(), 2u);
  const ExprPtr both = make_expr(Logic{LogicOp::conjunction, {less(a, b), less(b, c)}});
  const ExprPtr three = make_expr(Logic{LogicOp::conjunction, {less(a, c), both}});
  EXPECT_EQ(std::get<Logic>(three->node).operands.size(), 3u);
  const ExprPtr mixed = make_expr(Logic{LogicOp::disjunction, {less(a, c), both}});
  EXPECT_EQ(std::get<Logic>(mixed->node).operands.size(), 2u);
}

TEST(Expr, EqualMeansSameTree) {
  const ExprPtr all[] = {
      integer_literal(2),
      real_literal(2.0),
      integer_literal(-2),
      real_literal(-0.0),
      real_literal(0.0),
      make_expr(Infinity{}),
      index_value("a"),
      index_value("c"),
      read("A"),
      read_expr(ref("A", {})),
      read_expr(ref("A", {Index::variable("a")}, DType::f64)),
      read_expr(make_ref("A", DType::f32, Scope::shared, {Index::variable("a")})),
      read("A") + read("C"),
      read("A") - read("C"),
      read("C") + read("A"),
      read("A") * read("C"),
      read("A") / read("C"),
      make_product(read("A"), ArithmeticOp::floor_divide, read("C")),
      make_product(read("A"), ArithmeticOp::modulo, read("C")),
      make_expr(Power{read("A"), read("C")}),
      max_of(read("A"), read("C")),
      min_of(read("A"), read("C")),
      make_call(Function::exp, read("A")),
      make_call(Function::tanh, read("A")),
      -read("A"),
      make_expr(Select{less(read("A"), read("C")), read("A"), read("C")}),
      make_expr(Select{less(read("A"), read("C")), read("C"), read("A")}),
      less(read("A"), read("C")),
      make_expr(Compare{{read("A"), read("C")}, {CompareOp::less_equal}}),
      make_expr(Logic{LogicOp::conjunction, {less(read("A"), read("C")), index_value("a")}}),
      make_expr(Logic{LogicOp::disjunction, {less(read("A"), read("C")), index_value("a")}}),
  };
  for (const ExprPtr& left : all) {
    for (const ExprPtr& right : all) {
      EXPECT_EQ(equal(*left, *right), left == right) << (&left - all) << " " << (&right - all);
      if (left == right) continue;
      EXPECT_NE(left->hash, right->hash) << (&left - all) << " " << (&right - all);
    }
    // Rebuilt from its own node, it is equal and hashes alike.
    const ExprPtr copy = make_expr(left->node);
    EXPECT_TRUE(equal(*copy, *left));
    EXPECT_EQ(copy->hash, left->hash);
  }
}

TEST(Expr, NegativeNumbersAreNegatedOnes) {
  EXPECT_TRUE(equal(*integer_literal(-3), *-integer_literal(3)));
  EXPECT_TRUE(equal(*real_literal(-0.5), *-real_literal(0.5)));
  EXPECT_TRUE(std::holds_alternative<Call>(real_literal(-0.0)->node));
}

TEST(Expr, ChildrenAreInTextualOrderAndReplaceable) {
  const ExprPtr select = make_expr(Select{less(read("A"), read("C")), read("D"), read("E")});
  ASSERT_EQ(child_count(*select), 3u);
  EXPECT_TRUE(equal(*child(*select, 2), *read("E")));
  EXPECT_THROW((void)child(*select, 3), std::out_of_range);
  EXPECT_EQ(child_count(*read("A")), 0u);
  for (const ExprPtr& expr : {select, read("A"), read("A") + read("C"), make_expr(Power{read("A"), read("C")}),
                              -read("A"), max_of(read("A"), read("C")), less(read("A"), read("C"))}) {
    std::vector<ExprPtr> same;
    for (const ExprPtr* place : children(*expr)) same.push_back(*place);
    EXPECT_EQ(with_children(expr, same), expr) << "unchanged: the same object";
    if (same.empty()) continue;
    same[0] = read("Z");
    const ExprPtr changed = with_children(expr, same);
    EXPECT_NE(changed, expr);
    EXPECT_FALSE(equal(*changed, *expr));
    EXPECT_TRUE(equal(*child(*changed, 0), *read("Z")));
    EXPECT_NE(changed->hash, expr->hash);
  }
  // A replaced first operand that is a sum is spliced like any other.
  const ExprPtr sum = read("A") + read("C");
  EXPECT_EQ(child_count(*with_children(sum, {read("D") - read("E"), read("C")})), 3u);
}

TEST(Expr, RefsAndVariablesInOrder) {
  const RefPtr inner = ref("C", {Index::variable("c")}, DType::i32);
  const ExprPtr expr = read_expr(ref("A", {Index::read(inner), Index::variable("d")})) + index_value("f") * read("E");
  std::string tensors;
  for_each_ref(*expr, [&tensors](const RefPtr& r) { tensors += r->tensor; });
  EXPECT_EQ(tensors, "ACE");
  std::string variables;
  for_each_variable(*expr, [&variables](const std::string& name) { variables += name; });
  EXPECT_EQ(variables, "cdfa");
}

TEST(Expr, ToIndexIsForIntegersOnly) {
  const ExprPtr a = index_value("a");
  const auto quotient = [&](ArithmeticOp op, std::int64_t by) { return make_product(a, op, integer_literal(by)); };
  EXPECT_EQ(to_index(*(a * integer_literal(4) - integer_literal(-1))),
            Index::add(*Index::multiply(Index::variable("a"), Index::constant(4)), Index::constant(1)));
  EXPECT_EQ(to_index(*quotient(ArithmeticOp::floor_divide, 3)),
            Index::floor_divide(Index::variable("a"), Index::constant(3)));
  EXPECT_EQ(to_index(*quotient(ArithmeticOp::modulo, -3)), Index::modulo(Index::variable("a"), Index::constant(-3)));
  for (const ExprPtr& no :
       {quotient(ArithmeticOp::divide, 2), quotient(ArithmeticOp::modulo, 0), real_literal(2), read("A"),
        make_expr(Infinity{}), max_of(a, a), make_expr(Power{a, integer_literal(2)}), less(a, a),
        a + integer_literal(INT64_MAX) + integer_literal(1), make_call(Function::abs, a)}) {
    EXPECT_FALSE(to_index(*no)) << no->node.index();
  }
}

/// Implicit initialisation: docs/language.md R4.
TEST(Expr, AccumulationOperator) {
  const ExprPtr x = read("X");
  const ExprPtr a = read("A");
  const ExprPtr b = read("C");
  const ExprPtr x_before = read_expr(ref("X", {*Index::subtract(Index::variable("a"), Index::constant(1))}));
  const ExprPtr through_x = read_expr(ref("A", {Index::read(ref("X", {Index::variable("a")}, DType::i32))}));
  using Op = ArithmeticOp;
  const std::pair<ExprPtr, std::optional<Op>> cases[] = {
      {x + a, Op::add},
      {a + x, Op::add},
      {a + x + b, Op::add},
      {a - b + x, Op::add},
      {x - b, Op::add},
      {a + (b + x), Op::add},
      {a + (x - b), Op::add},
      {b - x, {}},
      {a - (b - x), {}},
      {-x + a, {}},
      {a + -x, {}},
      {-(-x) + a, {}},
      {x * a, Op::multiply},
      {a * x, Op::multiply},
      {a / b * x, Op::multiply},
      {x * a / b, {}},
      {x / b, {}},
      {a / x, {}},
      {a * (b * x), Op::multiply},
      {a * (x / b), {}},
      {a * (b / x), {}},
      {x * a * b, Op::multiply},
      {make_product(x * a, Op::modulo, b), {}},
      {make_product(a, Op::floor_divide, b) * x, Op::multiply},
      {x * a + b, {}},
      {(x + a) * b, {}},
      {a * b + x, Op::add},
      {-(x + a), {}},
      {max_of(x, a), Op::max},
      {max_of(a, x), Op::max},
      {max_of(a, max_of(b, x)), Op::max},
      {min_of(min_of(x, a), b), Op::min},
      {max_of(a, min_of(b, x)), {}},
      {max_of(-x, a), {}},
      {max_of(x, a) + b, {}},
      {make_call(Function::exp, x + a), {}},
      {x, {}},
      {a + b, {}},
      {x + x, {}},
      {max_of(x, x), {}},
      {x + a * x, {}},
      {x + x_before, {}},
      {x_before + a, {}},
      {x + through_x, {}},
      {x + make_expr(Select{less(x, a), a, b}), {}},
      {make_expr(Select{less(a, b), x, a + x}), {}},
      {x + make_expr(Select{less(a, b), a, b}), Op::add},
      {make_expr(Power{x, a}), {}},
      {less(x, a), {}},
      {read_expr(ref("X", {Index::variable("a")}, DType::f64)) + a, {}},
  };
  for (const auto& [right, expected] : cases) {
    EXPECT_EQ(accumulation_operator(*ref("X"), right), expected) << "case " << (&right - &cases[0].first);
  }
  // Same subscripts after normalisation; and not where the left subscript reads X itself.
  const Index one = *Index::add(Index::variable("a"), Index::variable("c"));
  const Index other = *Index::add(Index::variable("c"), Index::variable("a"));
  EXPECT_EQ(accumulation_operator(*ref("X", {one}), read_expr(ref("X", {other})) + a), Op::add);
  const RefPtr self = ref("X", {Index::read(ref("X", {Index::variable("a")}, DType::i32))}, DType::i32);
  EXPECT_FALSE(accumulation_operator(*self, read_expr(self) + a));
  EXPECT_EQ(accumulation_operator(*ref("X", {}), read_expr(ref("X", {})) + a), Op::add);
}

}  // namespace
}  // namespace steptp
