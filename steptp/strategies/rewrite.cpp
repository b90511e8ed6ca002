// Trees never change: a rewrite builds new nodes on the way to a change and keeps the old objects everywhere else,
// so that a program that did not change is the same object. A subscript that would no longer fit in 64 bits gives
// nothing, and the step refuses.
#include "steptp/strategies/rewrite.h"
#include "steptp/strategies/origins.h"

#include <utility>

namespace steptp {

namespace {

ExprPtr atom_expr(const IndexAtom& atom) {
  struct Visitor {
    ExprPtr operator()(const LoopVariable& node) const { return make_expr(IndexValue{node.name}); }
    ExprPtr operator()(const FloorQuotient& node) const {
      return make_product(to_expr(*node.dividend), ArithmeticOp::floor_divide, to_expr(*node.divisor));
    }
    ExprPtr operator()(const FloorRemainder& node) const {
      return make_product(to_expr(*node.dividend), ArithmeticOp::modulo, to_expr(*node.divisor));
    }
    ExprPtr operator()(const IndirectRead& node) const { return read_expr(node.ref); }
  };
  return std::visit(Visitor{}, atom);
}

/// |coefficient| * factors, in the order in which subscripts are printed: a*4, and 1*a is a.
ExprPtr term_expr(const IndexTerm& term) {
  ExprPtr product = atom_expr(term.factors[0]);
  for (std::size_t i = 1; i < term.factors.size(); ++i) {
    product = make_product(std::move(product), ArithmeticOp::multiply, atom_expr(term.factors[i]));
  }
  const std::int64_t magnitude = term.coefficient < 0 ? -term.coefficient : term.coefficient;
  if (magnitude == 1) return product;
  return make_product(std::move(product), ArithmeticOp::multiply, integer_literal(magnitude));
}

/// A sum whose first operands are indices only, a+c+X: what the first `length` operands add up to.
std::optional<Index> prefix_index(const Sum& sum, std::size_t length) {
  Sum prefix{{sum.operands.begin(), sum.operands.begin() + static_cast<std::ptrdiff_t>(length)},
             {sum.operators.begin(), sum.operators.begin() + static_cast<std::ptrdiff_t>(length) - 1}};
  return to_index(*make_expr(std::move(prefix)));
}

std::size_t index_operands(const Sum& sum) {
  std::size_t length = 0;
  while (length < sum.operands.size() && to_index(*sum.operands[length])) ++length;
  return length;
}

bool uses_variable(const Index& index) {
  bool found = false;
  for_each_variable(index, [&found](const std::string&) { found = true; });
  return found;
}

/// Indices used as values, as a whole where a hook wants to see them: P*4+p is found before P and p are.
ExprPtr rewrite_index_value(const ExprPtr& expr, const Rewriter& rewriter) {
  if (!rewriter.value) return nullptr;
  if (const auto whole = to_index(*expr); whole && uses_variable(*whole)) {
    const auto changed = rewriter.value(*whole);
    return changed ? to_expr(*changed) : nullptr;
  }
  const auto* sum = std::get_if<Sum>(&expr->node);
  const std::size_t length = sum ? index_operands(*sum) : 0;
  if (length < 2 || length == sum->operands.size()) return nullptr;
  const auto prefix = prefix_index(*sum, length);
  const auto changed = prefix ? rewriter.value(*prefix) : std::nullopt;
  if (!changed) return nullptr;
  Sum out{{to_expr(*changed)}, {}};
  for (std::size_t i = length; i < sum->operands.size(); ++i) {
    ExprPtr operand = rewrite(sum->operands[i], rewriter);
    if (!operand) return nullptr;
    out.operands.push_back(std::move(operand));
    out.operators.push_back(sum->operators[i - 1]);
  }
  return make_expr(std::move(out));
}

Item replace_in(const Item& item, std::span<const std::uint32_t> address, std::vector<Item>& replacement) {
  const Nest& nest = *std::get<NestPtr>(item);
  std::vector<Item> items = nest.items;
  const auto at = items.begin() + static_cast<std::ptrdiff_t>(address[0]);
  if (address.size() == 1) {
    items.insert(items.erase(at), replacement.begin(), replacement.end());
  } else {
    *at = replace_in(*at, address.subspan(1), replacement);
  }
  return stands_for(make_nest(nest.loops, nest.guard, std::move(items)), nest);
}

/// The index put together again from its parts, so that a read can become another index.
std::optional<Index> rebuilt(const Index& index, const Rewriter& rewriter);

std::optional<Index> rebuilt(const IndexAtom& atom, const Rewriter& rewriter) {
  if (const auto* variable = std::get_if<LoopVariable>(&atom)) {
    const auto found = rewriter.variables.find(variable->name);
    return found == rewriter.variables.end() ? Index::variable(variable->name) : found->second;
  }
  if (const auto* read = std::get_if<IndirectRead>(&atom)) {
    if (auto value = rewriter.read(read->ref)) return value;
    RefPtr ref = rewrite(read->ref, rewriter);
    return ref ? std::optional(Index::read(std::move(ref))) : std::nullopt;
  }
  const auto* quotient = std::get_if<FloorQuotient>(&atom);
  const auto* remainder = std::get_if<FloorRemainder>(&atom);
  const auto dividend = rebuilt(quotient ? *quotient->dividend : *remainder->dividend, rewriter);
  const auto divisor = rebuilt(quotient ? *quotient->divisor : *remainder->divisor, rewriter);
  if (!dividend || !divisor) return std::nullopt;
  return quotient ? Index::floor_divide(*dividend, *divisor) : Index::modulo(*dividend, *divisor);
}

std::optional<Index> rebuilt(const Index& index, const Rewriter& rewriter) {
  std::optional<Index> sum = Index();
  for (const IndexTerm& term : index.terms()) {
    std::optional<Index> product = Index::constant(term.coefficient);
    for (const IndexAtom& factor : term.factors) {
      const auto value = rebuilt(factor, rewriter);
      product = value && product ? Index::multiply(*product, *value) : std::nullopt;
    }
    sum = product && sum ? Index::add(*sum, *product) : std::nullopt;
  }
  return sum ? Index::add(*sum, Index::constant(index.constant_term())) : std::nullopt;
}

}  // namespace

ExprPtr to_expr(const Index& index) {
  ExprPtr sum;
  for (const IndexTerm& term : index.terms()) {
    ExprPtr next = term_expr(term);
    if (!sum) {
      sum = term.coefficient < 0 ? make_call(Function::negate, std::move(next)) : std::move(next);
    } else {
      const ArithmeticOp op = term.coefficient < 0 ? ArithmeticOp::subtract : ArithmeticOp::add;
      sum = make_sum(std::move(sum), op, std::move(next));
    }
  }
  const std::int64_t constant = index.constant_term();
  if (!sum && constant < 0) return make_call(Function::negate, integer_literal(-constant));
  if (!sum) return integer_literal(constant);
  if (constant == 0) return sum;
  const ArithmeticOp op = constant < 0 ? ArithmeticOp::subtract : ArithmeticOp::add;
  return make_sum(std::move(sum), op, integer_literal(constant < 0 ? -constant : constant));
}

std::optional<Index> rewrite(const Index& index, const Rewriter& rewriter) {
  if (rewriter.index) {
    if (auto changed = rewriter.index(index)) return changed;
  }
  if (rewriter.read) return rebuilt(index, rewriter);
  IndexRewriter inner;
  inner.variable = [&rewriter](const std::string& name) -> std::optional<Index> {
    const auto found = rewriter.variables.find(name);
    return found == rewriter.variables.end() ? std::nullopt : std::optional(found->second);
  };
  inner.read = [&rewriter](const RefPtr& ref) { return rewrite(ref, rewriter); };
  return rewrite(index, inner);
}

RefPtr rewrite(const RefPtr& ref, const Rewriter& rewriter) {
  std::vector<Index> subscripts;
  bool changed = false;
  for (const Index& subscript : ref->subscripts) {
    auto next = rewrite(subscript, rewriter);
    if (!next) return nullptr;
    changed = changed || !(*next == subscript);
    subscripts.push_back(*std::move(next));
  }
  RefPtr same = ref;
  if (changed) same = stands_for(make_ref(ref->tensor, ref->dtype, ref->scope, std::move(subscripts)), *ref);
  if (!rewriter.ref) return same;
  RefPtr other = rewriter.ref(same);
  return other == same ? same : stands_for(std::move(other), *ref);
}

ExprPtr rewrite(const ExprPtr& expr, const Rewriter& rewriter) {
  ExprPtr rebuilt = rewrite_index_value(expr, rewriter);
  if (!rebuilt) {
    rebuilt = expr;
    if (const auto* value = std::get_if<IndexValue>(&expr->node)) {
      const auto found = rewriter.variables.find(value->index);
      if (found != rewriter.variables.end()) rebuilt = to_expr(found->second);
    }
    if (const auto* read = std::get_if<Read>(&expr->node)) {
      RefPtr ref = rewrite(read->ref, rewriter);
      if (!ref) return nullptr;
      if (ref != read->ref) rebuilt = read_expr(std::move(ref));
    }
    std::vector<ExprPtr> parts;
    for (std::size_t i = 0; i < child_count(*expr); ++i) {
      parts.push_back(rewrite(child(*expr, i), rewriter));
      if (!parts.back()) return nullptr;
    }
    if (!parts.empty()) rebuilt = with_children(rebuilt, parts);
  }
  return rewriter.expr ? rewriter.expr(rebuilt) : rebuilt;
}

std::optional<Item> rewrite(const Item& item, const Rewriter& rewriter) {
  if (const auto* equation = std::get_if<EquationPtr>(&item)) {
    RefPtr left = rewrite((*equation)->left, rewriter);
    ExprPtr right = left ? rewrite((*equation)->right, rewriter) : nullptr;
    if (!right) return std::nullopt;
    if (left == (*equation)->left && right == (*equation)->right) return item;
    return stands_for(make_equation(std::move(left), std::move(right)), **equation);
  }
  const Nest& nest = *std::get<NestPtr>(item);
  ExprPtr guard = nest.guard ? rewrite(nest.guard, rewriter) : nullptr;
  if (nest.guard && !guard) return std::nullopt;
  auto items = rewrite(nest.items, rewriter);
  if (!items) return std::nullopt;
  std::vector<Loop> loops = nest.loops;
  for (Loop& loop : loops) {
    const auto renamed = rewriter.loops.find(loop.index);
    if (renamed != rewriter.loops.end()) loop.index = renamed->second;
  }
  if (guard == nest.guard && *items == nest.items && loops == nest.loops) return item;
  return stands_for(make_nest(std::move(loops), std::move(guard), *std::move(items)), nest);
}

std::optional<std::vector<Item>> rewrite(const std::vector<Item>& items, const Rewriter& rewriter) {
  std::vector<Item> out;
  for (const Item& item : items) {
    auto next = rewrite(item, rewriter);
    if (!next) return std::nullopt;
    out.push_back(*std::move(next));
  }
  return out;
}

ExprPtr conjunction(const ExprPtr& left, const ExprPtr& right) {
  if (!left || !right) return left ? left : right;
  return make_expr(Logic{LogicOp::conjunction, {left, right}});
}

ExprPtr less_than(const Index& index, std::int64_t limit) {
  return make_expr(Compare{{to_expr(index), integer_literal(limit)}, {CompareOp::less}});
}

std::optional<Index> scaled_plus(const Index& index, std::int64_t factor, const Index& rest) {
  const auto product = Index::multiply(index, Index::constant(factor));
  return product ? Index::add(*product, rest) : std::nullopt;
}

Program with_items(const Program& program, std::span<const std::uint32_t> address, std::vector<Item> replacement) {
  Program out = program;
  const auto at = out.nests.begin() + static_cast<std::ptrdiff_t>(address[0]);
  if (address.size() > 1) {
    *at = std::get<NestPtr>(replace_in(*at, address.subspan(1), replacement));
    return out;
  }
  auto next = out.nests.erase(at);
  for (const Item& item : replacement) next = std::next(out.nests.insert(next, std::get<NestPtr>(item)));
  return out;
}

std::optional<Program> without_item(const Program& program, std::vector<std::uint32_t> items) {
  while (items.size() > 1) {
    const std::vector<std::uint32_t> around(items.begin(), items.end() - 1);
    const Item outer = item_at(program, around);
    if (std::get<NestPtr>(outer)->items.size() > 1) break;
    items = around;
  }
  if (items.size() == 1 && program.nests.size() == 1) return std::nullopt;
  return with_items(program, items, {});
}

std::vector<std::uint32_t> sibling(std::vector<std::uint32_t> address, std::uint32_t places) {
  address.back() += places;
  return address;
}

std::optional<Item> find_item(const Program& program, std::span<const std::uint32_t> address) {
  if (address.empty() || address[0] >= program.nests.size()) return std::nullopt;
  Item item = program.nests[address[0]];
  for (const std::uint32_t number : address.subspan(1)) {
    const auto* nest = std::get_if<NestPtr>(&item);
    if (!nest || number >= (*nest)->items.size()) return std::nullopt;
    item = Item((*nest)->items[number]);
  }
  return item;
}

Item item_at(const Program& program, std::span<const std::uint32_t> address) {
  Item item = program.nests[address[0]];
  for (const std::uint32_t number : address.subspan(1)) item = std::get<NestPtr>(item)->items[number];
  return item;
}

}  // namespace steptp
