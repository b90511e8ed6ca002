// When an element of a tensor is still needed. Each question is about two or three executions of accesses in one set
// of integer points, with the order of execution as constraints; isl says whether the set is empty. Hidden
// subscripts count as subscripts (docs/language.md R6), and what is not known is a conflict.
#include "steptp/strategies/lifetimes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "steptp/analysis/index_map.h"
#include "steptp/analysis/instances.h"
#include "steptp/base/text.h"
#include "steptp/strategies/origins.h"
#include "steptp/strategies/rewrite.h"

namespace steptp {

namespace {

Conflict conflict_of(const Access& first, const Access& second, std::string_view why) {
  return {first.site, second.site, concat(first.ref->tensor, ": ", why)};
}

/// Several makings of accesses in one set.
class Together {
 public:
  explicit Together(View& view) : view_(view) {}

  /// False where it cannot be described.
  bool add(const Access& access) {
    auto instance = add_instance(set, view_.table(), view_.facts(), access, true);
    if (!instance) return false;
    instances.push_back(*std::move(instance));
    accesses_.push_back(&access);
    return true;
  }
  void require_order(std::size_t first, std::size_t second) {
    set.require(runs_before(view_.table(), *accesses_[first], instances[first], *accesses_[second], instances[second]));
  }
  [[nodiscard]] bool is_empty() {
    set.dimensions = set.variables();
    return view_.isl().least_point(set).kind == Presburger::Sample::Kind::empty;
  }

  IntegerSet set;
  std::vector<Instance> instances;

 private:
  View& view_;
  std::vector<const Access*> accesses_;
};

/// Is every making of the read preceded by a write of the same element, in the same iteration of the first loops?
bool is_written_before(View& view, const Access& read, const std::vector<const Access*>& writes, std::size_t loops) {
  const AccessTable& table = view.table();
  IntegerSet whole;
  if (!add_instance(whole, table, view.facts(), read, true)) return false;
  whole.dimensions = whole.variables();
  std::vector<IntegerSet> parts;
  for (const Access* write : writes) {
    IntegerSet part;
    const auto a = add_instance(part, table, view.facts(), read, true);
    part.dimensions = part.variables();
    const auto b = a ? add_instance(part, table, view.facts(), *write, true) : std::nullopt;
    if (!b || !b->certain) continue;
    require_same_element(part, *a, *b);
    for (std::size_t i = 0; i < loops; ++i) {
      part.require(equals(Linear::variable(a->variables[i]), Linear::variable(b->variables[i])));
    }
    part.require(runs_before(table, *write, *b, read, *a));
    parts.push_back(std::move(part));
  }
  return !parts.empty() && view.isl().covered(whole, parts).kind == Presburger::Answer::Kind::covered;
}

std::vector<const Access*> writes_of(View& view, const std::string& tensor) {
  std::vector<const Access*> out;
  for (const std::size_t number : view.table().tensors.at(tensor).writes) out.push_back(&view.table().accesses[number]);
  return out;
}

/// One write takes all elements of the box: the common case, and no question to a solver.
bool writes_box(View& view, const Access& write, const std::vector<std::int64_t>& shape) {
  const Statement& statement = view.table().statements[write.statement];
  if (!statement.guards.empty()) return false;
  const auto map = index_map_of(statement, write.ref->subscripts);
  const auto image = map ? dense_image(*map) : std::nullopt;
  if (!image) return false;
  return std::equal(image->begin(), image->end(), shape.begin(), shape.end(),
                    [](const Interval& values, Wide extent) { return values.low <= 0 && values.high >= extent - 1; });
}

/// What an undefined accumulator reads as; null where no literal says it.
ExprPtr identity_expr(ArithmeticOp op, DType dtype) {
  if (op == ArithmeticOp::add) return integer_literal(0);
  if (op == ArithmeticOp::multiply) return integer_literal(1);
  const bool is_max = op == ArithmeticOp::max;
  if (is_float(dtype)) {
    const ExprPtr infinity = make_expr(Infinity{});
    return is_max ? make_call(Function::negate, infinity) : infinity;
  }
  if (!is_integer(dtype)) return nullptr;
  const std::int64_t value = is_max ? info(dtype).least : info(dtype).greatest;
  if (value >= 0) return integer_literal(value);
  if (value == INT64_MIN) return nullptr;
  return make_call(Function::negate, integer_literal(-value));
}

/// Iterations of the loop have elements of their own.
bool is_followed(const Ref& left, const Loop& loop) {
  const auto axis = axis_of(loop.index);
  if (axis && (is_private(left.scope) || (left.scope == Scope::shared && !is_thread_axis(*axis)))) return true;
  bool found = loop.extent == 1;
  for (const Index& subscript : left.subscripts) {
    for_each_variable(subscript, [&](const std::string& name) { found = found || name == loop.index; });
  }
  return found;
}

}  // namespace

std::vector<std::size_t> accesses_of(View& view, const std::string& tensor) {
  const TensorFacts& facts = view.table().tensors.at(tensor);
  std::vector<std::size_t> all = facts.writes;
  all.insert(all.end(), facts.reads.begin(), facts.reads.end());
  std::sort(all.begin(), all.end());
  return all;
}

std::optional<Program> with_subscripts(View& view, const std::string& tensor, const Resubscript& subscripts) {
  std::set<std::size_t> statements;
  for (const std::size_t number : accesses_of(view, tensor)) statements.insert(view.table().accesses[number].statement);
  Program program = view.program();
  for (const std::size_t number : statements) {
    const Statement& statement = view.table().statements[number];
    std::vector<BoxVariable> box;
    for (const Loop* loop : statement.loops) box.push_back({loop->index, loop->extent});
    Rewriter rewriter;
    rewriter.ref = [&](const RefPtr& ref) -> RefPtr {
      if (ref->tensor != tensor) return ref;
      auto changed = subscripts(statement, ref->subscripts);
      if (!changed) return nullptr;
      for (Index& subscript : *changed) subscript = simplified(subscript, box);
      return make_ref(ref->tensor, ref->dtype, ref->scope, *std::move(changed));
    };
    const Equation& old = *statement.equation;
    const Item equation = stands_for(make_equation(old.left, old.right), old);
    auto changed = rewrite(equation, rewriter);
    if (!changed) return std::nullopt;
    program = with_items(program, statement.items, {*std::move(changed)});
  }
  return program;
}

std::optional<Conflict> overlap_conflict(View& view, const std::string& tensor, std::size_t dimension) {
  const AccessTable& table = view.table();
  const std::vector<const Access*> writes = writes_of(view, tensor);
  for (const std::size_t number : table.tensors.at(tensor).reads) {
    const Access& read = table.accesses[number];
    for (const Access* first : writes) {
      for (const Access* other : writes) {
        Together three(view);
        if (!three.add(*first) || !three.add(*other) || !three.add(read)) {
          return conflict_of(*other, read, "subscripts that are not known");
        }
        const std::vector<Linear>& a = three.instances[0].subscripts;
        const std::vector<Linear>& b = three.instances[1].subscripts;
        const std::size_t at = a.size() - read.ref->subscripts.size() + dimension;
        require_same_element(three.set, three.instances[0], three.instances[2]);
        for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
          if (i == at)
            three.set.require(Formula{{less(a[i], b[i])}, {less(b[i], a[i])}});
          else
            three.set.require(equals(a[i], b[i]));
        }
        three.require_order(0, 1);
        three.require_order(1, 2);
        if (three.is_empty()) continue;
        return conflict_of(*other, read, "an element is written while another along the dimension is needed");
      }
    }
  }
  return std::nullopt;
}

std::optional<Conflict> flow_conflict(View& view, const std::string& tensor, std::size_t loops) {
  const std::vector<const Access*> writes = writes_of(view, tensor);
  for (const std::size_t number : view.table().tensors.at(tensor).reads) {
    const Access& read = view.table().accesses[number];
    if (is_written_before(view, read, writes, loops)) continue;
    return conflict_of(*writes[0], read, "a value may come from another iteration");
  }
  return std::nullopt;
}

bool relies_on_identity(View& view, const std::string& tensor, std::size_t statement) {
  const AccessTable& table = view.table();
  std::vector<const Access*> others = writes_of(view, tensor);
  std::erase_if(others, [&](const Access* write) { return write->statement == statement; });
  const std::vector<std::size_t>& reads = table.tensors.at(tensor).reads;
  return std::any_of(reads.begin(), reads.end(), [&](std::size_t number) {
    const Access& read = table.accesses[number];
    return read.statement == statement && read.is_accumulator && !is_written_before(view, read, others, 0);
  });
}

std::optional<WithIdentity> with_identity(View& view, std::size_t number) {
  const Statement& statement = view.table().statements[number];
  const RefPtr& left = statement.equation->left;
  const ExprPtr identity = statement.accumulates ? identity_expr(*statement.accumulates, left->dtype) : nullptr;
  if (!identity) return std::nullopt;
  // The nest and the place in its header of the outermost loop that the left side does not follow.
  std::size_t depth = 0;
  std::size_t place = 0;
  bool found = false;
  std::vector<Loop> loops;  // those behind it that the left side follows
  for (std::size_t i = 0; i < statement.nests.size(); ++i) {
    for (std::size_t k = 0; k < statement.nests[i]->loops.size(); ++k) {
      const Loop& loop = statement.nests[i]->loops[k];
      const bool followed = is_followed(*left, loop);
      if (found && followed) loops.push_back(loop);
      if (found || followed) continue;
      found = true;
      depth = i;
      place = k;
    }
  }
  Item definition = make_equation(left, identity);
  std::vector<std::uint32_t> address(
      statement.items.begin(),
      found ? statement.items.begin() + static_cast<std::ptrdiff_t>(depth) + 1 : statement.items.end());
  WithIdentity out;
  if (address.size() == 1 && place == 0 && loops.empty()) loops.push_back({LoopKind::bound, 1, "tx"});
  const bool nested = !loops.empty();
  if (nested) definition = make_nest(std::move(loops), nullptr, {definition});
  const Item old = item_at(view.program(), address);
  if (!found || place == 0) {
    out.program = with_items(view.program(), address, {definition, old});
    out.definition = address;
  } else {
    const Nest& nest = *std::get<NestPtr>(old);
    const auto cut = nest.loops.begin() + static_cast<std::ptrdiff_t>(place);
    const Item inner = stands_for(make_nest({cut, nest.loops.end()}, nest.guard, nest.items), nest);
    const Item outer = stands_for(make_nest({nest.loops.begin(), cut}, nullptr, {definition, inner}), nest);
    out.program = with_items(view.program(), address, {outer});
    out.definition = address;
    out.definition.push_back(0);
  }
  if (nested) out.definition.push_back(0);
  return out;
}

bool is_complete(View& view, const std::string& tensor, std::uint32_t expression) {
  const TensorFacts& facts = view.table().tensors.at(tensor);
  if (facts.scope != Scope::global) return false;
  if (facts.known && facts.known->role != Role::output) return true;
  const InferredShape& shape = view.shape_of(tensor);
  const std::vector<const Access*> writes = writes_of(view, tensor);
  const auto earlier = [&](const Access* write) {
    return view.table().statements[write->statement].items[0] < expression;
  };
  if (!shape.exact || !std::all_of(writes.begin(), writes.end(), earlier)) return false;
  for (const Access* write : writes) {
    if (writes_box(view, *write, shape.dimensions)) return true;
  }
  IntegerSet whole;
  std::vector<IntegerSet> parts;
  for (const Access* write : writes) {
    IntegerSet part;
    for (std::size_t i = 0; i < facts.rank; ++i) (void)part.add_variable();
    part.dimensions = facts.rank;
    const auto instance = add_instance(part, view.table(), view.facts(), *write, true);
    if (!instance || !instance->certain) continue;
    for (std::size_t i = 0; i < facts.rank; ++i) {
      part.require(equals(Linear::variable(i), instance->subscripts[i]));
    }
    parts.push_back(std::move(part));
  }
  for (std::size_t i = 0; i < facts.rank; ++i) {
    const Linear at = Linear::variable(whole.add_variable());
    whole.require(at_most(Linear::number(0), at));
    whole.require(less(at, Linear::number(shape.dimensions[i])));
  }
  whole.dimensions = facts.rank;
  return !parts.empty() && view.isl().covered(whole, parts).kind == Presburger::Answer::Kind::covered;
}

std::optional<Conflict> first_write_conflict(View& view, const std::vector<std::uint32_t>& equation) {
  const Statement* statement = view.find_statement(equation);
  const std::vector<const Access*> writes = writes_of(view, statement->equation->left->tensor);
  const auto number = static_cast<std::size_t>(statement - view.table().statements.data());
  const auto own =
      std::find_if(writes.begin(), writes.end(), [&](const Access* write) { return write->statement == number; });
  for (const Access* write : writes) {
    Together two(view);
    if (!two.add(*write) || !two.add(**own)) return conflict_of(*write, **own, "subscripts that are not known");
    require_same_element(two.set, two.instances[0], two.instances[1]);
    two.require_order(0, 1);
    if (!two.is_empty()) return conflict_of(*write, **own, "it would be set back after a write");
  }
  return std::nullopt;
}

}  // namespace steptp
