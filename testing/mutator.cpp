#include "testing/mutator.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "testing/tree_editor.h"

namespace steptp::testing {

namespace {

template <typename T>
const T& pick(Random& random, const std::vector<T>& list) {
  return list[random.below(list.size())];
}

/// One kind of change. A hook returns the same part where the change does not apply.
struct Mutation {
  std::string_view label;
  ExprPtr (*expr)(const ExprPtr&, Random&) = nullptr;
  RefPtr (*ref)(const RefPtr&, bool, Random&) = nullptr;
  bool (*nest)(Nest&, Random&) = nullptr;
  bool (*program)(Program&, Random&) = nullptr;
};

ExprPtr change_operator(const ExprPtr& expr, Random& random) {
  ExprNode node = expr->node;
  if (auto* sum = std::get_if<Sum>(&node)) {
    ArithmeticOp& op = sum->operators[random.below(sum->operators.size())];
    op = op == ArithmeticOp::add ? ArithmeticOp::subtract : ArithmeticOp::add;
  } else if (auto* product = std::get_if<Product>(&node)) {
    static constexpr std::array kOps = {ArithmeticOp::multiply, ArithmeticOp::divide, ArithmeticOp::floor_divide,
                                        ArithmeticOp::modulo};
    product->operators[random.below(product->operators.size())] = kOps[random.below(4)];
  } else if (auto* extremum = std::get_if<Extremum>(&node)) {
    extremum->is_max = !extremum->is_max;
  } else if (auto* compare = std::get_if<Compare>(&node)) {
    compare->operators[random.below(compare->operators.size())] = static_cast<CompareOp>(random.below(6));
  } else if (auto* logic = std::get_if<Logic>(&node)) {
    logic->op = logic->op == LogicOp::conjunction ? LogicOp::disjunction : LogicOp::conjunction;
  } else {
    return expr;
  }
  return make_expr(std::move(node));
}

ExprPtr change_literal(const ExprPtr& expr, Random& random) {
  const auto* literal = std::get_if<Literal>(&expr->node);
  if (!literal) return expr;
  if (!literal->is_integer)
    return random.chance(1, 2) ? real_literal(literal->real + 1)
                               : integer_literal(static_cast<std::int64_t>(random.below(9)));
  if (random.chance(1, 6)) return real_literal(literal->real);
  return integer_literal(literal->integer > 0 && random.chance(1, 2) ? literal->integer - 1 : literal->integer + 1);
}

ExprPtr remove_select(const ExprPtr& expr, Random& random) {
  const auto* select = std::get_if<Select>(&expr->node);
  if (!select) return expr;
  if (random.chance(1, 3)) return make_expr(Select{select->condition, select->if_false, select->if_true});
  return random.chance(2, 3) ? select->if_true : select->if_false;
}

template <typename Chain>
ExprPtr without_operand(const Chain& chain, Random& random) {
  const std::size_t dropped = random.below(chain.operands.size());
  Chain rest = chain;
  rest.operands.erase(rest.operands.begin() + static_cast<std::ptrdiff_t>(dropped));
  rest.operators.erase(rest.operators.begin() + static_cast<std::ptrdiff_t>(dropped > 0 ? dropped - 1 : 0));
  return rest.operands.size() == 1 ? rest.operands[0] : make_expr(std::move(rest));
}

ExprPtr drop_operand(const ExprPtr& expr, Random& random) {
  if (const auto* sum = std::get_if<Sum>(&expr->node)) return without_operand(*sum, random);
  if (const auto* product = std::get_if<Product>(&expr->node)) return without_operand(*product, random);
  if (const auto* extremum = std::get_if<Extremum>(&expr->node))
    return random.chance(1, 2) ? extremum->left : extremum->right;
  if (const auto* power = std::get_if<Power>(&expr->node)) return power->base;
  if (const auto* logic = std::get_if<Logic>(&expr->node)) return logic->operands[random.below(logic->operands.size())];
  return expr;
}

ExprPtr change_function(const ExprPtr& expr, Random& random) {
  const auto* call = std::get_if<Call>(&expr->node);
  if (!call) return expr;
  if (random.chance(1, 3)) return call->argument;
  return make_call(kAllFunctions[random.below(kAllFunctions.size())], call->argument);
}

/// A bound of a comparison moves by one.
ExprPtr move_bound(const ExprPtr& expr, Random& random) {
  const auto* compare = std::get_if<Compare>(&expr->node);
  if (!compare) return expr;
  Compare moved = *compare;
  ExprPtr& operand = moved.operands[random.below(moved.operands.size())];
  operand = make_sum(operand, random.chance(1, 2) ? ArithmeticOp::add : ArithmeticOp::subtract, integer_literal(1));
  return make_expr(std::move(moved));
}

ExprPtr add_infinity(const ExprPtr& expr, Random& random) {
  if (!std::holds_alternative<Read>(expr->node)) return expr;
  return make_expr(Extremum{random.chance(1, 2), expr, make_expr(Infinity{})});
}

RefPtr with_subscripts(const RefPtr& ref, std::vector<Index> subscripts) {
  return make_ref(ref->tensor, ref->dtype, ref->scope, std::move(subscripts));
}

RefPtr shift_subscript(const RefPtr& ref, bool, Random& random) {
  if (ref->subscripts.empty()) return ref;
  std::vector<Index> subscripts = ref->subscripts;
  Index& subscript = subscripts[random.below(subscripts.size())];
  const auto moved = Index::add(subscript, Index::constant(random.chance(1, 2) ? 1 : -1));
  if (!moved) return ref;
  subscript = *moved;
  return with_subscripts(ref, std::move(subscripts));
}

RefPtr swap_subscripts(const RefPtr& ref, bool, Random& random) {
  if (ref->subscripts.size() < 2) return ref;
  std::vector<Index> subscripts = ref->subscripts;
  const std::size_t at = random.below(subscripts.size() - 1);
  std::swap(subscripts[at], subscripts[at + 1]);
  return with_subscripts(ref, std::move(subscripts));
}

RefPtr replace_subscript(const RefPtr& ref, bool, Random& random) {
  if (ref->subscripts.empty()) return ref;
  std::vector<Index> subscripts = ref->subscripts;
  Index& subscript = subscripts[random.below(subscripts.size())];
  const auto doubled = Index::multiply(subscript, Index::constant(2));
  const auto halved = Index::floor_divide(subscript, Index::constant(2));
  switch (random.below(3)) {
    case 0: subscript = Index::constant(random.between(0, 3)); break;
    case 1: subscript = doubled.value_or(subscript); break;
    default: subscript = halved.value_or(subscript); break;
  }
  return with_subscripts(ref, std::move(subscripts));
}

RefPtr change_rank(const RefPtr& ref, bool, Random& random) {
  std::vector<Index> subscripts = ref->subscripts;
  if (!subscripts.empty() && random.chance(1, 2)) {
    subscripts.erase(subscripts.begin() + static_cast<std::ptrdiff_t>(random.below(subscripts.size())));
  } else {
    subscripts.push_back(Index());
  }
  return with_subscripts(ref, std::move(subscripts));
}

RefPtr change_dtype(const RefPtr& ref, bool indexes, Random& random) {
  const DType dtype = kAllDTypes[random.below(kAllDTypes.size())];
  if (indexes && !is_integer(dtype)) return ref;
  return make_ref(ref->tensor, dtype, ref->scope, ref->subscripts);
}

RefPtr change_scope(const RefPtr& ref, bool, Random& random) {
  static constexpr Placement kPlacements[] = {Scope::global,   Scope::shared,      Scope::local,
                                              Scope::fragment, {Scope::shared, 2}, {Scope::shared, 5}};
  return make_ref(ref->tensor, ref->dtype, kPlacements[random.below(std::size(kPlacements))], ref->subscripts);
}

RefPtr rename_tensor(const RefPtr& ref, bool, Random& random) {
  static constexpr std::string_view kNames = "ACDEFGHIJKMNOQRSWXYZ";
  return make_ref(std::string(1, kNames[random.below(kNames.size())]), ref->dtype, ref->scope, ref->subscripts);
}

bool change_extent(Nest& nest, Random& random) {
  Loop& loop = nest.loops[random.below(nest.loops.size())];
  loop.extent += loop.extent > 1 && random.chance(1, 2) ? -1 : 1;
  return true;
}

bool change_kind(Nest& nest, Random& random) {
  Loop& loop = nest.loops[random.below(nest.loops.size())];
  if (loop.kind == LoopKind::bound) return false;
  static constexpr LoopKind kKinds[] = {LoopKind::serial, LoopKind::parallel, LoopKind::vectorized, LoopKind::unrolled,
                                        LoopKind::tensorized};
  loop.kind = kKinds[random.below(std::size(kKinds))];
  return true;
}

bool swap_loops(Nest& nest, Random& random) {
  if (nest.loops.size() < 2) return false;
  const std::size_t at = random.below(nest.loops.size() - 1);
  std::swap(nest.loops[at], nest.loops[at + 1]);
  return true;
}

bool drop_loop(Nest& nest, Random& random) {
  if (nest.loops.size() < 2) return false;
  nest.loops.erase(nest.loops.begin() + static_cast<std::ptrdiff_t>(random.below(nest.loops.size())));
  return true;
}

bool duplicate_index(Nest& nest, Random& random) {
  nest.loops.push_back(nest.loops[random.below(nest.loops.size())]);
  return true;
}

/// A plain loop becomes a bound one, a bound loop gets another axis; the body follows.
bool rebind(Nest& nest, Random& random) {
  Loop& loop = nest.loops[random.below(nest.loops.size())];
  const std::string name(name_of(static_cast<Axis>(random.below(kAxes))));
  for (Item& item : nest.items) item = rename_index(item, loop.index, name);
  if (nest.guard) {
    TreeHooks hooks;
    hooks.expr = [&](const ExprPtr& expr) {
      const auto* value = std::get_if<IndexValue>(&expr->node);
      return value && value->index == loop.index ? make_expr(IndexValue{name}) : expr;
    };
    nest.guard = edit(nest.guard, hooks);
  }
  loop.index = name;
  loop.kind = LoopKind::bound;
  return true;
}

bool drop_item(Nest& nest, Random& random) {
  if (nest.items.size() < 2) return false;
  nest.items.erase(nest.items.begin() + static_cast<std::ptrdiff_t>(random.below(nest.items.size())));
  return true;
}

bool swap_items(Nest& nest, Random& random) {
  if (nest.items.size() < 2) return false;
  const std::size_t at = random.below(nest.items.size() - 1);
  std::swap(nest.items[at], nest.items[at + 1]);
  return true;
}

bool repeat_item(Nest& nest, Random& random) {
  nest.items.push_back(nest.items[random.below(nest.items.size())]);
  return true;
}

bool drop_guard(Nest& nest, Random&) {
  if (!nest.guard) return false;
  nest.guard = nullptr;
  return true;
}

bool add_guard(Nest& nest, Random& random) {
  if (nest.guard) return false;
  const Loop& loop = nest.loops[random.below(nest.loops.size())];
  nest.guard = make_expr(Compare{{make_expr(IndexValue{loop.index}), integer_literal(loop.extent - 1)},
                                 {random.chance(1, 2) ? CompareOp::less : CompareOp::less_equal}});
  return true;
}

/// An explicit start value goes, and with it the definition of whatever is not an accumulation.
bool drop_initialisation(Nest& nest, Random&) {
  for (std::size_t i = 0; i + 1 < nest.items.size(); ++i) {
    const auto* equation = std::get_if<EquationPtr>(&nest.items[i]);
    if (!equation || !std::holds_alternative<Literal>((*equation)->right->node)) continue;
    nest.items.erase(nest.items.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;
}

bool split_body(Nest& nest, Random&) {
  if (nest.loops.size() < 2) return false;
  const Loop inner = nest.loops.back();
  nest.loops.pop_back();
  nest.items = {make_nest({inner}, nest.guard, nest.items)};
  nest.guard = nullptr;
  return true;
}

bool drop_nest(Program& program, Random& random) {
  if (program.nests.size() < 2) return false;
  program.nests.erase(program.nests.begin() + static_cast<std::ptrdiff_t>(random.below(program.nests.size())));
  return true;
}

bool swap_nests(Program& program, Random& random) {
  if (program.nests.size() < 2) return false;
  const std::size_t at = random.below(program.nests.size() - 1);
  std::swap(program.nests[at], program.nests[at + 1]);
  return true;
}

bool repeat_nest(Program& program, Random& random) {
  program.nests.push_back(pick(random, program.nests));
  return true;
}

bool change_shape(Program& program, Random& random) {
  Variable& variable = program.signature.variables[random.below(program.signature.variables.size())];
  if (variable.shape.empty() || !variable.values.empty()) return false;
  std::int64_t& size = variable.shape[random.below(variable.shape.size())];
  size += size > 1 && random.chance(1, 2) ? -1 : 1;
  return true;
}

constexpr Mutation kMutations[] = {
    {.label = "operator changed", .expr = change_operator},
    {.label = "literal changed", .expr = change_literal},
    {.label = "if_then_else removed", .expr = remove_select},
    {.label = "operand dropped", .expr = drop_operand},
    {.label = "function changed", .expr = change_function},
    {.label = "bound off by one", .expr = move_bound},
    {.label = "inf added", .expr = add_infinity},
    {.label = "subscript off by one", .ref = shift_subscript},
    {.label = "subscripts swapped", .ref = swap_subscripts},
    {.label = "subscript replaced", .ref = replace_subscript},
    {.label = "rank changed", .ref = change_rank},
    {.label = "dtype of one occurrence changed", .ref = change_dtype},
    {.label = "scope of one occurrence changed", .ref = change_scope},
    {.label = "tensor renamed", .ref = rename_tensor},
    {.label = "extent off by one", .nest = change_extent},
    {.label = "loop kind changed", .nest = change_kind},
    {.label = "loops swapped", .nest = swap_loops},
    {.label = "loop dropped", .nest = drop_loop},
    {.label = "index duplicated", .nest = duplicate_index},
    {.label = "axis rebound", .nest = rebind},
    {.label = "item dropped", .nest = drop_item},
    {.label = "items swapped", .nest = swap_items},
    {.label = "item repeated", .nest = repeat_item},
    {.label = "guard dropped", .nest = drop_guard},
    {.label = "guard added", .nest = add_guard},
    {.label = "initialisation dropped", .nest = drop_initialisation},
    {.label = "body split", .nest = split_body},
    {.label = "expression dropped", .program = drop_nest},
    {.label = "expressions swapped", .program = swap_nests},
    {.label = "expression repeated", .program = repeat_nest},
    {.label = "shape changed", .program = change_shape},
};

/// Visits the parts in a fixed order and changes the one with the number `wanted`; counts the parts it could change.
/// Each part draws from a stream of its own, so that counting and changing see the same draws.
class OneChange {
 public:
  OneChange(const Mutation& mutation, Random random, std::size_t wanted)
      : mutation_(mutation), random_(random), wanted_(wanted) {}

  Program apply(const Program& program) {
    TreeHooks hooks;
    if (mutation_.expr) {
      hooks.expr = [this](const ExprPtr& expr) {
        Random own = random_.fork(part_++);
        ExprPtr changed = mutation_.expr(expr, own);
        return changed != expr && !equal(*changed, *expr) && chosen() ? changed : expr;
      };
    }
    if (mutation_.ref) {
      hooks.ref = [this](const RefPtr& ref, bool indexes) {
        Random own = random_.fork(part_++);
        RefPtr changed = mutation_.ref(ref, indexes, own);
        return !equal(*changed, *ref) && chosen() ? changed : ref;
      };
    }
    if (mutation_.nest) {
      hooks.nest = [this](Nest& nest) {
        Random own = random_.fork(part_++);
        Nest changed = nest;
        if (mutation_.nest(changed, own) && !equal(changed, nest) && chosen()) nest = std::move(changed);
      };
    }
    return edit(program, hooks);
  }
  [[nodiscard]] std::size_t candidates() const { return candidates_; }

 private:
  bool chosen() { return candidates_++ == wanted_; }

  const Mutation& mutation_;
  Random random_;
  std::size_t wanted_;
  std::size_t candidates_ = 0;
  std::uint64_t part_ = 0;
};

}  // namespace

std::optional<Mutant> mutate(const Program& program, Random& random) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    const Mutation& mutation = kMutations[random.below(std::size(kMutations))];
    const Random stream(random.next());
    Mutant mutant{program, std::string(mutation.label)};
    if (mutation.program) {
      Random own = stream;
      if (!mutation.program(mutant.program, own)) continue;
    } else {
      OneChange counting(mutation, stream, SIZE_MAX);
      (void)counting.apply(program);
      if (counting.candidates() == 0) continue;
      mutant.program = OneChange(mutation, stream, random.below(counting.candidates())).apply(program);
    }
    if (!equal(mutant.program, program)) return mutant;
  }
  return std::nullopt;
}

}  // namespace steptp::testing
