#include "testing/generator_context.h"

#include <algorithm>
#include <utility>

#include "steptp/text/expression_reader.h"

namespace steptp::testing {

namespace {

constexpr std::string_view kTensorLetters = "ACDEFGHIJKMNOQRSWXYZ";
constexpr std::string_view kTensorSecond = "acdefghijkmnoqrswxyz";
constexpr std::string_view kIndexLetters = "acdfghijklmnopqrsuw";

ExprPtr value_of(const IndexAtom& atom) {
  struct Visitor {
    ExprPtr operator()(const LoopVariable& variable) const { return make_expr(IndexValue{variable.name}); }
    ExprPtr operator()(const FloorQuotient& node) const {
      return make_product(testing::value_of(*node.dividend), ArithmeticOp::floor_divide,
                          testing::value_of(*node.divisor));
    }
    ExprPtr operator()(const FloorRemainder& node) const {
      return make_product(testing::value_of(*node.dividend), ArithmeticOp::modulo, testing::value_of(*node.divisor));
    }
    ExprPtr operator()(const IndirectRead& read) const { return read_expr(read.ref); }
  };
  return std::visit(Visitor{}, atom);
}

std::string random_index_name(Random& random) {
  std::string name;
  do {
    name.clear();
    for (std::uint64_t i = random.between(1, 3) > 1 ? 2 : 1; i > 0; --i) {
      name += kIndexLetters[random.below(kIndexLetters.size())];
    }
  } while (is_reserved_word(name));
  return name;
}

bool names_loop(const std::vector<Loop>& around, std::string_view name) {
  return std::any_of(around.begin(), around.end(), [name](const Loop& loop) { return loop.index == name; });
}

std::string bound_name(Random& random, Axis axis, bool random_names) {
  std::string name(name_of(axis));
  if (random.chance(1, 3)) name += random_names ? kIndexLetters[random.below(kIndexLetters.size())] : 'a';
  return name;
}

/// The axes that no loop around uses yet.
std::vector<Axis> free_axes(const std::vector<Loop>& around, Kinds kinds) {
  std::vector<Axis> axes;
  for (const Axis axis : {Axis::bx, Axis::by, Axis::bz, Axis::tx, Axis::ty, Axis::tz}) {
    if ((kinds == Kinds::block && is_thread_axis(axis)) || (kinds == Kinds::thread && !is_thread_axis(axis))) continue;
    const bool used = std::any_of(around.begin(), around.end(), [axis](const Loop& loop) {
      return loop.kind == LoopKind::bound && axis_of(loop.index) == axis;
    });
    if (!used) axes.push_back(axis);
  }
  return axes;
}

LoopKind draw_kind(Random& random, Kinds kinds) {
  switch (kinds) {
    case Kinds::sequential: return random.chance(1, 4) ? LoopKind::unrolled : LoopKind::serial;
    case Kinds::plain:
      return pick(random, std::vector{LoopKind::serial, LoopKind::serial, LoopKind::parallel, LoopKind::vectorized,
                                      LoopKind::unrolled});
    case Kinds::any:
      return pick(random, std::vector{LoopKind::serial, LoopKind::serial, LoopKind::bound, LoopKind::bound,
                                      LoopKind::parallel, LoopKind::vectorized, LoopKind::unrolled});
    case Kinds::private_state:
      return pick(random, std::vector{LoopKind::serial, LoopKind::bound, LoopKind::bound, LoopKind::unrolled});
    case Kinds::block:
    case Kinds::thread: return LoopKind::bound;
  }
  return LoopKind::serial;
}

}  // namespace

Target whole_target(const Tensor& tensor) {
  Target target{tensor, {}, {}};
  for (const std::int64_t size : tensor.shape) target.windows.push_back({0, size, 1});
  return target;
}

Index plus(const Index& left, const Index& right) { return Index::add(left, right).value(); }
Index minus(const Index& left, const Index& right) { return Index::subtract(left, right).value(); }
Index times(const Index& left, std::int64_t right) { return Index::multiply(left, Index::constant(right)).value(); }
Index quotient(const Index& left, std::int64_t right) {
  return Index::floor_divide(left, Index::constant(right)).value();
}
Index remainder(const Index& left, std::int64_t right) { return Index::modulo(left, Index::constant(right)).value(); }

ExprPtr value_of(const Index& index) {
  ExprPtr sum;
  for (const IndexTerm& term : index.terms()) {
    ExprPtr product;
    for (const IndexAtom& factor : term.factors) {
      ExprPtr atom = value_of(factor);
      product = product ? make_product(product, ArithmeticOp::multiply, atom) : atom;
    }
    const std::int64_t size = std::abs(term.coefficient);
    if (size != 1) product = make_product(product, ArithmeticOp::multiply, integer_literal(size));
    if (sum) {
      sum = make_sum(sum, term.coefficient > 0 ? ArithmeticOp::add : ArithmeticOp::subtract, product);
    } else {
      sum = term.coefficient > 0 ? product : make_call(Function::negate, product);
    }
  }
  const std::int64_t constant = index.constant_term();
  if (!sum) return constant >= 0 ? integer_literal(constant) : make_call(Function::negate, integer_literal(-constant));
  if (constant == 0) return sum;
  return make_sum(sum, constant > 0 ? ArithmeticOp::add : ArithmeticOp::subtract, integer_literal(std::abs(constant)));
}

ExprPtr compare_two(ExprPtr left, CompareOp op, ExprPtr right) {
  return make_expr(Compare{{std::move(left), std::move(right)}, {op}});
}

ExprPtr compare_chain(std::int64_t low, ExprPtr value, std::int64_t high) {
  return make_expr(Compare{{integer_literal(low), std::move(value), integer_literal(high)},
                           {CompareOp::less_equal, CompareOp::less}});
}

ExprPtr logic(LogicOp op, const std::vector<ExprPtr>& operands) {
  Logic node{op, {}};
  for (const ExprPtr& operand : operands) {
    const auto* inner = std::get_if<Logic>(&operand->node);
    if (inner && inner->op == op) {
      node.operands.insert(node.operands.end(), inner->operands.begin(), inner->operands.end());
    } else {
      node.operands.push_back(operand);
    }
  }
  return node.operands.size() == 1 ? node.operands[0] : make_expr(std::move(node));
}

ExprPtr select(ExprPtr condition, ExprPtr if_true, ExprPtr if_false) {
  return make_expr(Select{std::move(condition), std::move(if_true), std::move(if_false)});
}

std::string tensor_name(std::size_t number) {
  if (number < kTensorLetters.size()) return std::string(1, kTensorLetters[number]);
  number -= kTensorLetters.size();
  return {kTensorLetters[number / kTensorSecond.size() % kTensorLetters.size()],
          kTensorSecond[number % kTensorSecond.size()]};
}

std::string index_name(std::size_t number) {
  if (number < kIndexLetters.size()) return std::string(1, kIndexLetters[number]);
  number -= kIndexLetters.size();
  return {kIndexLetters[number / kIndexLetters.size() % kIndexLetters.size()],
          kIndexLetters[number % kIndexLetters.size()]};
}

Loop open_loop(Random& random, std::int64_t extent, const std::vector<Loop>& around, Kinds kinds, bool random_names) {
  Loop loop{draw_kind(random, kinds), extent, {}};
  if (loop.kind == LoopKind::bound) {
    const std::vector<Axis> axes = free_axes(around, kinds);
    if (!axes.empty()) {
      // The x axes are the common ones.
      const Axis axis = random.chance(1, 2) ? axes.front() : pick(random, axes);
      loop.index = bound_name(random, axis, random_names);
      return loop;
    }
    loop.kind = LoopKind::serial;
  }
  if (random_names) {
    do loop.index = random_index_name(random);
    while (names_loop(around, loop.index));
  } else {
    std::size_t number = 0;
    do loop.index = index_name(number++);
    while (names_loop(around, loop.index));
  }
  return loop;
}

Handle handle_of(const Loop& loop) { return {Index::variable(loop.index), 0, loop.extent - 1}; }

void enter(Context& context, const std::vector<Loop>& loops) {
  for (const Loop& loop : loops) {
    context.loops.push_back(loop);
    context.handles.push_back(handle_of(loop));
  }
}

}  // namespace steptp::testing
