// Takes a program apart: statements with their loops and guards as limits on indices, subscripts as exact sums, and
// which storage a name means, with launch, block and thread as further subscripts (docs/language.md R6).
#include "replay/place.h"

#include <algorithm>
#include <set>

namespace steptp::replayer {

namespace {

bool has_bound_loop(const Nest& nest) {
  const auto bound = [](const Loop& loop) { return loop.kind == LoopKind::bound; };
  if (std::any_of(nest.loops.begin(), nest.loops.end(), bound)) return true;
  return std::any_of(nest.items.begin(), nest.items.end(), [](const Item& item) {
    const auto* inner = std::get_if<NestPtr>(&item);
    return inner && has_bound_loop(**inner);
  });
}

constexpr std::int64_t kFar = std::int64_t{1} << 60;

}  // namespace

Layout::Layout(const Program& program) : program_(program) {
  for (const Variable& variable : program.signature.variables) {
    Tensor& tensor = tensors_[variable.name];
    tensor.dtype = variable.dtype;
    tensor.known = &variable;
  }
  for (std::uint32_t i = 0; i < program.nests.size(); ++i) {
    Statement around;
    around.address = {i};
    visit(*program.nests[i], std::move(around));
  }
  std::map<std::string, std::set<std::vector<std::uint32_t>>> kernels;
  for (const Statement& statement : statements_) {
    const auto touch = [&](const RefPtr& ref) {
      const auto [at, is_new] = tensors_.try_emplace(ref->tensor);
      if (is_new) {
        at->second.dtype = ref->dtype;
        at->second.scope = ref->scope;
      }
      kernels[ref->tensor].insert(statement.kernel);
    };
    for_each_ref(*statement.equation->right, touch);
    for_each_ref(statement.equation->left, touch);
  }
  for (auto& [name, tensor] : tensors_) {
    if (kernels[name].size() > 1) tensor.scope = Scope::global;
  }
  for (std::size_t i = 0; i < statements_.size(); ++i) {
    Statement& statement = statements_[i];
    tensors_.at(statement.equation->left->tensor).writers.push_back(i);
    statement.left = storage(*statement.equation->left, statement);
    for (const ExprPtr& guard : statement.guards) add_limits(*guard, statement);
  }
}

const Tensor& Layout::tensor(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) throw Undefined{"there is no tensor " + name};
  return found->second;
}

/// `around` is the statement that stands here as far as it is known: its address ends at this nest.
void Layout::visit(const Nest& nest, Statement around) {
  // A kernel begins at the outermost bound loop; a nest without one is a kernel as a whole.
  if (around.kernel.empty() && !has_bound_loop(nest)) {
    around.kernel = around.address;
    around.host_loops = around.loops.size();
  }
  for (const Loop& loop : nest.loops) {
    if (around.kernel.empty() && loop.kind == LoopKind::bound) {
      around.kernel = around.address;
      around.host_loops = around.loops.size();
    }
    around.loops.push_back(&loop);
  }
  if (nest.guard) around.guards.push_back(nest.guard);
  around.loops_at.push_back(around.loops.size());
  for (std::uint32_t i = 0; i < nest.items.size(); ++i) {
    Statement inner = around;
    inner.address.push_back(i);
    if (const auto* equation = std::get_if<EquationPtr>(&nest.items[i])) {
      inner.equation = equation->get();
      inner.accumulates = accumulation_operator(*(*equation)->left, (*equation)->right);
      if (inner.kernel.empty()) {
        // A bare item under host loops is launched alone.
        inner.kernel = inner.address;
        inner.host_loops = inner.loops.size();
      }
      statements_.push_back(std::move(inner));
    } else {
      visit(*std::get<NestPtr>(nest.items[i]), std::move(inner));
    }
  }
}

std::size_t Layout::slot_of(const Statement& statement, const std::string& name) {
  for (std::size_t i = statement.loops.size(); i-- > 0;) {
    if (statement.loops[i]->index == name) return i;
  }
  throw Undefined{"no loop binds " + name};
}

Subscript Layout::subscript(const Index& index, const Statement& statement) const {
  Subscript out;
  out.constant = index.constant_term();
  const auto shared = [&](const Index& inner) {
    auto made = std::make_shared<const Subscript>(subscript(inner, statement));
    out.reads_data |= made->reads_data;
    return made;
  };
  for (const IndexTerm& term : index.terms()) {
    Subscript::Term made;
    made.coefficient = term.coefficient;
    for (const IndexAtom& factor : term.factors) {
      SubscriptAtom atom;
      if (const auto* variable = std::get_if<LoopVariable>(&factor)) {
        atom.slot = slot_of(statement, variable->name);
      } else if (const auto* quotient = std::get_if<FloorQuotient>(&factor)) {
        atom.kind = SubscriptAtom::Kind::quotient;
        atom.dividend = shared(*quotient->dividend);
        atom.divisor = shared(*quotient->divisor);
      } else if (const auto* remainder = std::get_if<FloorRemainder>(&factor)) {
        atom.kind = SubscriptAtom::Kind::remainder;
        atom.dividend = shared(*remainder->dividend);
        atom.divisor = shared(*remainder->divisor);
      } else {
        atom.kind = SubscriptAtom::Kind::read;
        atom.ref = std::get<IndirectRead>(factor).ref;
        out.reads_data = true;
      }
      made.factors.push_back(std::move(atom));
    }
    out.terms.push_back(std::move(made));
  }
  return out;
}

std::vector<Subscript> Layout::storage(const Ref& ref, const Statement& statement) const {
  std::vector<Subscript> out;
  for (const Index& index : ref.subscripts) out.push_back(subscript(index, statement));
  const Scope scope = tensor(ref.tensor).scope;
  if (scope == Scope::global) return out;
  const auto slot = [&](std::size_t number) {
    Subscript made;
    made.terms.push_back({1, {SubscriptAtom{SubscriptAtom::Kind::slot, number, nullptr, nullptr, nullptr}}});
    return made;
  };
  for (std::size_t i = 0; i < statement.host_loops; ++i) out.push_back(slot(i));
  for (std::size_t number = 0; number < kAxes; ++number) {
    const auto axis = static_cast<Axis>(number);
    if (is_thread_axis(axis) && scope == Scope::shared) break;
    Subscript owner;  // zero where no loop runs over the axis
    for (std::size_t i = statement.host_loops; i < statement.loops.size(); ++i) {
      const Loop& loop = *statement.loops[i];
      if (loop.kind == LoopKind::bound && axis_of(loop.index) == axis) owner = slot(i);
    }
    out.push_back(std::move(owner));
  }
  return out;
}

void Layout::add_limits(const Expr& guard, Statement& statement) const {
  if (const auto* logic = std::get_if<Logic>(&guard.node)) {
    if (logic->op != LogicOp::conjunction) {
      statement.limits_are_all = false;
      return;
    }
    for (const ExprPtr& operand : logic->operands) add_limits(*operand, statement);
    return;
  }
  const auto* compare = std::get_if<Compare>(&guard.node);
  if (!compare) {
    statement.limits_are_all = false;
    return;
  }
  for (std::size_t i = 0; i < compare->operators.size(); ++i) {
    const auto left = to_index(*compare->operands[i]);
    const auto right = to_index(*compare->operands[i + 1]);
    const auto gap = left && right ? Index::subtract(*left, *right) : std::nullopt;
    const std::size_t known = statement.limits.size();
    if (gap) add_limit(*gap, compare->operators[i], statement);
    if (statement.limits.size() == known) statement.limits_are_all = false;
  }
}

void Layout::add_limit(const Index& gap, CompareOp op, Statement& statement) const {
  Limit limit{subscript(gap, statement), -kFar, kFar};
  switch (op) {
    case CompareOp::less: limit.high = -1; break;
    case CompareOp::less_equal: limit.high = 0; break;
    case CompareOp::greater: limit.low = 1; break;
    case CompareOp::greater_equal: limit.low = 0; break;
    case CompareOp::equal: limit.low = limit.high = 0; break;
    case CompareOp::not_equal: return;
  }
  if (!limit.of.reads_data) statement.limits.push_back(std::move(limit));
}

Relation relation_of(const Statement& first, const Statement& second) {
  Relation out;
  const std::size_t levels = std::min(first.address.size(), second.address.size());
  std::size_t level = 0;
  while (level < levels && first.address[level] == second.address[level]) {
    if (level < first.loops_at.size() && level < second.loops_at.size()) out.shared_loops = first.loops_at[level];
    ++level;
  }
  // Of a statement with itself: it is not earlier in its own round.
  out.first_is_earlier = level < levels && first.address[level] < second.address[level];
  return out;
}

}  // namespace steptp::replayer
