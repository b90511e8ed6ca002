#include "testing/enumerate.h"

#include <stdexcept>

namespace steptp::testing {

namespace {

struct Atom {
  const Environment& at;
  std::int64_t operator()(const LoopVariable& node) const { return at.at(node.name); }
  std::int64_t operator()(const FloorQuotient& node) const {
    const std::int64_t a = evaluate(*node.dividend, at);
    const std::int64_t b = evaluate(*node.divisor, at);
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
  }
  std::int64_t operator()(const FloorRemainder& node) const {
    const std::int64_t b = evaluate(*node.divisor, at);
    const std::int64_t rest = evaluate(*node.dividend, at) % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  std::int64_t operator()(const IndirectRead&) const { throw std::logic_error("an indirect read"); }
};

bool compared(CompareOp op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case CompareOp::less: return a < b;
    case CompareOp::less_equal: return a <= b;
    case CompareOp::greater: return a > b;
    case CompareOp::greater_equal: return a >= b;
    case CompareOp::equal: return a == b;
    case CompareOp::not_equal: return a != b;
  }
  return false;
}

class Walk {
 public:
  explicit Walk(const InstanceVisitor& visit) : visit_(visit) {}

  void nest(const Nest& nest, std::size_t number) {
    if (number < nest.loops.size()) {
      const Loop& loop = nest.loops[number];
      for (std::int64_t i = 0; i < loop.extent; ++i) {
        values_.push_back(i);
        at_[loop.index] = i;
        this->nest(nest, number + 1);
        values_.pop_back();
      }
      at_.erase(loop.index);
      return;
    }
    if (nest.guard && !holds(*nest.guard, at_)) return;
    for (std::uint32_t i = 0; i < nest.items.size(); ++i) {
      address_.push_back(i);
      if (const auto* inner = std::get_if<NestPtr>(&nest.items[i])) {
        this->nest(**inner, 0);
      } else {
        visit_(address_, values_, at_);
      }
      address_.pop_back();
    }
  }
  std::vector<std::uint32_t> address_;

 private:
  const InstanceVisitor& visit_;
  std::vector<std::int64_t> values_;
  Environment at_;
};

}  // namespace

std::int64_t evaluate(const Index& index, const Environment& at) {
  std::int64_t sum = index.constant_term();
  for (const IndexTerm& term : index.terms()) {
    std::int64_t product = term.coefficient;
    for (const IndexAtom& atom : term.factors) product *= std::visit(Atom{at}, atom);
    sum += product;
  }
  return sum;
}

bool holds(const Expr& condition, const Environment& at) {
  if (const auto* logic = std::get_if<Logic>(&condition.node)) {
    const bool both = logic->op == LogicOp::conjunction;
    for (const ExprPtr& part : logic->operands) {
      if (holds(*part, at) != both) return !both;
    }
    return both;
  }
  const auto number = [&](const Expr& expr) { return evaluate(to_index(expr).value(), at); };
  if (const auto* comparison = std::get_if<Compare>(&condition.node)) {
    for (std::size_t i = 0; i < comparison->operators.size(); ++i) {
      if (!compared(comparison->operators[i], number(*comparison->operands[i]), number(*comparison->operands[i + 1])))
        return false;
    }
    return true;
  }
  return number(condition) != 0;
}

void for_each_instance(const Program& program, const InstanceVisitor& visit) {
  Walk walk(visit);
  for (std::uint32_t i = 0; i < program.nests.size(); ++i) {
    walk.address_ = {i};
    walk.nest(*program.nests[i], 0);
  }
}

}  // namespace steptp::testing
