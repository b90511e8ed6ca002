// The changes that near misses are made of: mistakes that people and models make when they rewrite a program by hand.
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "steptp/exports/near_miss.h"
#include "steptp/strategies/rewrite.h"

namespace steptp::dataset {

namespace {

ExprPtr other_operator(const ExprPtr& expr, Random& random) {
  ExprNode node = expr->node;
  if (auto* sum = std::get_if<Sum>(&node)) {
    ArithmeticOp& op = sum->operators[random.below(sum->operators.size())];
    op = op == ArithmeticOp::add ? ArithmeticOp::subtract : ArithmeticOp::add;
  } else if (auto* product = std::get_if<Product>(&node)) {
    ArithmeticOp& op = product->operators[random.below(product->operators.size())];
    if (op != ArithmeticOp::multiply && op != ArithmeticOp::divide) return expr;
    op = op == ArithmeticOp::multiply ? ArithmeticOp::divide : ArithmeticOp::multiply;
  } else if (auto* extremum = std::get_if<Extremum>(&node)) {
    extremum->is_max = !extremum->is_max;
  } else {
    return expr;
  }
  return make_expr(std::move(node));
}

ExprPtr other_constant(const ExprPtr& expr, Random& random) {
  const auto* literal = std::get_if<Literal>(&expr->node);
  if (literal == nullptr) return expr;
  if (!literal->is_integer) return real_literal(literal->real * 2 + 1);
  return integer_literal(literal->integer > 1 && random.chance(1, 2) ? literal->integer - 1 : literal->integer + 1);
}

template <typename Chain>
ExprPtr without_operand(const Chain& chain, Random& random) {
  const std::size_t dropped = random.below(chain.operands.size());
  Chain rest = chain;
  rest.operands.erase(rest.operands.begin() + static_cast<std::ptrdiff_t>(dropped));
  rest.operators.erase(rest.operators.begin() + static_cast<std::ptrdiff_t>(dropped > 0 ? dropped - 1 : 0));
  return rest.operands.size() == 1 ? rest.operands[0] : make_expr(std::move(rest));
}

ExprPtr missing_term(const ExprPtr& expr, Random& random) {
  if (const auto* sum = std::get_if<Sum>(&expr->node)) return without_operand(*sum, random);
  if (const auto* product = std::get_if<Product>(&expr->node)) return without_operand(*product, random);
  return expr;
}

ExprPtr missing_function(const ExprPtr& expr, Random& /*random*/) {
  const auto* call = std::get_if<Call>(&expr->node);
  return call == nullptr ? expr : call->argument;
}

RefPtr with_subscripts(const RefPtr& ref, std::vector<Index> subscripts) {
  return make_ref(ref->tensor, ref->dtype, ref->scope, std::move(subscripts));
}

RefPtr shifted_subscript(const RefPtr& ref, Random& random) {
  if (ref->subscripts.empty()) return ref;
  std::vector<Index> subscripts = ref->subscripts;
  Index& subscript = subscripts[random.below(subscripts.size())];
  // Most subscripts run from 0 to the last element, so that only one that is cut in parts or halved stays inside.
  const auto other = random.chance(1, 2) ? Index::floor_divide(subscript, Index::constant(2))
                                         : Index::add(subscript, Index::constant(random.chance(1, 2) ? 1 : -1));
  if (!other) return ref;
  subscript = *other;
  return with_subscripts(ref, std::move(subscripts));
}

RefPtr swapped_subscripts(const RefPtr& ref, Random& random) {
  if (ref->subscripts.size() < 2) return ref;
  std::vector<Index> subscripts = ref->subscripts;
  const std::size_t at = random.below(subscripts.size() - 1);
  std::swap(subscripts[at], subscripts[at + 1]);
  return with_subscripts(ref, std::move(subscripts));
}

/// A product by a coefficient: the stride of a tile.
RefPtr other_stride(const RefPtr& ref, Random& random) {
  std::vector<Index> subscripts = ref->subscripts;
  for (Index& subscript : subscripts) {
    for (const IndexTerm& term : subscript.terms()) {
      if (term.coefficient < 2 || term.factors.size() != 1) continue;
      const auto* variable = std::get_if<LoopVariable>(&term.factors.front());
      if (variable == nullptr || random.chance(1, 3)) continue;
      const auto less = Index::subtract(subscript, Index::variable(variable->name));
      if (!less) return ref;
      subscript = *less;
      return with_subscripts(ref, std::move(subscripts));
    }
  }
  return ref;
}

/// One kind of change; a function gives back what it was given where the change does not apply.
struct Change {
  std::string_view words;
  ExprPtr (*expr)(const ExprPtr&, Random&) = nullptr;
  RefPtr (*ref)(const RefPtr&, Random&) = nullptr;
  bool shortens_loop = false;
};

constexpr std::array<Change, 8> kChanges = {{
    {"another operator", other_operator, nullptr, false},
    {"another constant", other_constant, nullptr, false},
    {"a term is missing", missing_term, nullptr, false},
    {"a function is missing", missing_function, nullptr, false},
    {"a subscript is off", nullptr, shifted_subscript, false},
    {"two subscripts are swapped", nullptr, swapped_subscripts, false},
    {"a stride is one too small", nullptr, other_stride, false},
    {"a loop ends one too early", nullptr, nullptr, true},
}};

/// Makes the change at the place with that number, among those where it applies; counts them all.
struct Editor {
  const Change& change;
  Random& random;
  std::uint64_t wanted = UINT64_MAX;
  std::uint64_t seen = 0;

  [[nodiscard]] Rewriter hooks() {
    Rewriter out;
    if (change.expr != nullptr) {
      out.expr = [this](const ExprPtr& expr) { return choose(expr, change.expr(expr, random)); };
    }
    if (change.ref != nullptr) {
      out.ref = [this](const RefPtr& ref) { return choose(ref, change.ref(ref, random)); };
    }
    return out;
  }

  template <typename Pointer>
  Pointer choose(const Pointer& old, Pointer made) {
    if (made == old) return old;
    return seen++ == wanted ? made : old;
  }

  NestPtr shortened(const NestPtr& nest) {
    std::vector<Loop> loops = nest->loops;
    for (Loop& loop : loops) {
      if (loop.extent > 1 && seen++ == wanted) --loop.extent;
    }
    std::vector<Item> items;
    for (const Item& item : nest->items) {
      const auto* inner = std::get_if<NestPtr>(&item);
      items.push_back(inner == nullptr ? item : Item(shortened(*inner)));
    }
    return make_nest(std::move(loops), nest->guard, std::move(items));
  }

  [[nodiscard]] std::optional<Program> edit(const Program& program) {
    Program out = program;
    if (change.shortens_loop) {
      for (NestPtr& nest : out.nests) nest = shortened(nest);
      return out;
    }
    const std::vector<Item> items(program.nests.begin(), program.nests.end());
    const auto rewritten = rewrite(items, hooks());
    if (!rewritten) return std::nullopt;
    for (std::size_t i = 0; i < out.nests.size(); ++i) out.nests[i] = std::get<NestPtr>((*rewritten)[i]);
    return out;
  }
};

}  // namespace

std::optional<ChangedProgram> change_slightly(const Program& program, Random& random) {
  const Change& change = kChanges[random.below(kChanges.size())];
  // The same draws in both passes, so that the places found are the places met again.
  const std::uint64_t draws = random.next();
  Random first(draws);
  Editor counting{change, first};
  if (!counting.edit(program) || counting.seen == 0) return std::nullopt;
  Random second(draws);
  Editor making{change, second, random.below(counting.seen)};
  auto changed = making.edit(program);
  if (!changed || equal_nests(*changed, program)) return std::nullopt;
  return ChangedProgram{*std::move(changed), std::string(change.words)};
}

}  // namespace steptp::dataset
