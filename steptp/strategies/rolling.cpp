// A recurrence that only needs its previous value loses the dimension of its loop: X_{k} becomes X, and a second
// tensor holds X_{k-1}. That is allowed if each element is written once, is read at k and k-1 only inside the loop,
// and behind the loop at its last value. Decision 0034.
#include "steptp/strategies/rolling.h"

#include <algorithm>
#include <set>
#include <utility>

#include "steptp/analysis/index_map.h"
#include "steptp/analysis/instances.h"
#include "steptp/base/text.h"
#include "steptp/strategies/lifetimes.h"
#include "steptp/strategies/origins.h"
#include "steptp/strategies/rewrite.h"

namespace steptp {

namespace {

bool uses(const Index& index, const std::string& name) {
  bool found = false;
  for_each_variable(index, [&](const std::string& other) { found = found || other == name; });
  return found;
}

struct Recurrence {
  std::string tensor;
  std::size_t dimension = 0;
  const Access* write = nullptr;
  const Statement* writer = nullptr;
  std::size_t position = 0;  ///< of the loop, around the writer

  [[nodiscard]] const Loop& loop() const { return *writer->loops[position]; }
  [[nodiscard]] bool encloses(const Statement& statement) const {
    return position < statement.loops.size() && statement.loops[position] == writer->loops[position];
  }
  [[nodiscard]] bool is_previous(const Index& subscript) const {
    const auto before = Index::subtract(Index::variable(loop().index), Index::constant(1));
    return before && subscript == *before;
  }
};

std::vector<Index> without(std::vector<Index> subscripts, std::size_t dimension) {
  subscripts.erase(subscripts.begin() + static_cast<std::ptrdiff_t>(dimension));
  return subscripts;
}

/// Each element is written once, by an iteration that its subscripts determine.
bool writes_once(View& view, const Recurrence& recurrence) {
  const auto map = index_map_of(*recurrence.writer, full_subscripts(view.table(), *recurrence.write));
  if (!map) return false;
  for (const Loop* loop : recurrence.writer->loops) {
    const auto same = [loop](const BoxVariable& variable) { return variable.name == loop->index; };
    if (loop->extent > 1 && std::none_of(map->box.begin(), map->box.end(), same)) return false;
  }
  return is_injective(*map, view.isl()) == Truth::yes;
}

Result<Recurrence, std::string> find(View& view, const std::string& tensor, std::size_t dimension) {
  const AccessTable& table = view.table();
  const TensorFacts& facts = table.tensors.at(tensor);
  if (facts.writes.size() != 1) return concat(tensor, " is written by several equations");
  Recurrence out{tensor, dimension, &table.accesses[facts.writes[0]], nullptr, 0};
  out.writer = &table.statements[out.write->statement];
  const std::vector<Index>& left = out.write->ref->subscripts;
  const std::string* name = left[dimension].as_variable();
  if (!name) return concat("dimension ", dimension, " of ", tensor, " is not the index of a loop");
  while (out.writer->loops[out.position]->index != *name) ++out.position;
  const Loop& loop = out.loop();
  if (loop.kind != LoopKind::serial && loop.kind != LoopKind::unrolled) return concat(*name, " is not a serial loop");
  if (!out.writer->guards.empty()) return concat(tensor, " is written under a guard");
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (i != dimension && uses(left[i], *name)) return concat(*name, " stands in two subscripts of ", tensor);
  }
  return out;
}

/// Is what the read reads written in the same iteration of the loops outside the recurrence?
bool stays_inside(View& view, const Recurrence& recurrence, const Access& read) {
  for (std::size_t i = 0; i < recurrence.position; ++i) {
    IntegerSet set;
    const auto w = add_instance(set, view.table(), view.facts(), *recurrence.write, true);
    const auto r = w ? add_instance(set, view.table(), view.facts(), read, true) : std::nullopt;
    if (!r) return false;
    set.dimensions = set.variables();
    require_same_element(set, *w, *r);
    const Linear a = Linear::variable(w->variables[i]);
    const Linear b = Linear::variable(r->variables[i]);
    set.require(Formula{{less(a, b)}, {less(b, a)}});
    if (view.isl().least_point(set).kind != Presburger::Sample::Kind::empty) return false;
  }
  return true;
}

/// Why reads of the tensor do not fit; empty where they do.
std::string problem_with_reads(View& view, const Recurrence& recurrence) {
  const AccessTable& table = view.table();
  std::vector<const Access*> inside;
  bool goes_back = false;
  for (const std::size_t number : table.tensors.at(recurrence.tensor).reads) {
    const Access& read = table.accesses[number];
    const Index& subscript = read.ref->subscripts[recurrence.dimension];
    if (!recurrence.encloses(table.statements[read.statement])) {
      if (subscript == Index::constant(recurrence.loop().extent - 1)) continue;
      return concat(to_text(read.site), " reads another than the last value behind the loop");
    }
    const bool previous = recurrence.is_previous(subscript);
    if (!previous && !(subscript == Index::variable(recurrence.loop().index))) {
      return concat(to_text(read.site), " reads neither this nor the previous value");
    }
    goes_back = goes_back || previous;
    inside.push_back(&read);
  }
  if (!goes_back) return concat(recurrence.tensor, " is not read at ", recurrence.loop().index, "-1");
  if (!writes_once(view, recurrence)) return concat("elements of ", recurrence.tensor, " may be written several times");
  for (const Access* read : inside) {
    if (!stays_inside(view, recurrence, *read)) return concat(to_text(read->site), " may read what another run wrote");
  }
  return {};
}

/// A number that storing in the dtype does not change.
bool is_exact_number(const ExprPtr& expr, DType dtype) {
  const auto* call = std::get_if<Call>(&expr->node);
  const bool negative = call && call->function == Function::negate;
  const ExprPtr& magnitude = negative ? call->argument : expr;
  if (std::holds_alternative<Infinity>(magnitude->node)) return is_float(dtype);
  const auto* literal = std::get_if<Literal>(&magnitude->node);
  if (!literal || !literal->is_integer || literal->integer > 100) return false;
  return is_float(dtype) || (is_integer(dtype) && !negative);
}

/// if_then_else(k-1<0,v,Y) with v a number: v. Null where the expression is something else.
ExprPtr guarded_first(const Recurrence& recurrence, const Expr& expr, const std::string& previous) {
  const auto* select = std::get_if<Select>(&expr.node);
  const auto* read = select ? std::get_if<Read>(&select->if_false->node) : nullptr;
  if (!read || read->ref->tensor != previous || !is_index_condition(*select->condition)) return nullptr;
  if (!is_exact_number(select->if_true, read->ref->dtype)) return nullptr;
  const std::string& name = recurrence.loop().index;
  bool known = true;
  for_each_variable(*select->condition, [&](const std::string& other) { known = known && other == name; });
  Ranges at_first;
  at_first.variables[name] = {0, 0};
  Ranges later;
  later.variables[name] = {1, static_cast<Wide>(recurrence.loop().extent) - 1};
  const bool first_only = known && truth_of(*select->condition, at_first) == Truth::yes &&
                          (recurrence.loop().extent == 1 || truth_of(*select->condition, later) == Truth::no);
  return first_only ? select->if_true : nullptr;
}

/// The statements that touch the tensor, with X_{k-1} as Y, and the dimension gone.
std::optional<Program> rewritten(View& view, const Recurrence& recurrence, Rolled& out) {
  std::set<std::size_t> statements;
  for (const std::size_t number : accesses_of(view, recurrence.tensor)) {
    statements.insert(view.table().accesses[number].statement);
  }
  Program program = view.program();
  for (const std::size_t number : statements) {
    const Statement& statement = view.table().statements[number];
    Rewriter rewriter;
    rewriter.ref = [&](const RefPtr& ref) {
      if (ref->tensor != recurrence.tensor) return ref;
      const bool back = recurrence.encloses(statement) && recurrence.is_previous(ref->subscripts[recurrence.dimension]);
      return make_ref(back ? out.previous : ref->tensor, ref->dtype, ref->scope,
                      without(ref->subscripts, recurrence.dimension));
    };
    rewriter.expr = [&](const ExprPtr& expr) {
      const ExprPtr first = guarded_first(recurrence, *expr, out.previous);
      if (!first || (out.first && !equal(*out.first, *first))) return expr;
      out.first = first;
      return std::get<Select>(expr->node).if_false;
    };
    const Equation& old = *statement.equation;
    const Item equation = stands_for(make_equation(old.left, old.right), old);
    auto changed = rewrite(equation, rewriter);
    if (!changed) return std::nullopt;
    program = with_items(program, statement.items, {*std::move(changed)});
  }
  if (!out.first) out.first = integer_literal(0);
  return program;
}

Item under(std::vector<Loop> loops, EquationPtr equation) {
  if (loops.empty()) return equation;
  return make_nest(std::move(loops), nullptr, {std::move(equation)});
}

/// Sets X before the loop and opens its body with Y=X.
Program framed(const Program& program, const Recurrence& recurrence, const Rolled& rolled) {
  const Statement& writer = *recurrence.writer;
  std::size_t depth = 0;
  std::size_t place = recurrence.position;
  while (place >= writer.nests[depth]->loops.size()) place -= writer.nests[depth++]->loops.size();
  std::vector<Loop> inner;  // the loops inside that have elements of their own
  for (std::size_t i = recurrence.position + 1; i < writer.loops.size(); ++i) {
    const Loop& loop = *writer.loops[i];
    const std::vector<Index>& left = writer.equation->left->subscripts;
    const bool follows =
        std::any_of(left.begin(), left.end(), [&](const Index& index) { return uses(index, loop.index); });
    if (follows || loop.kind == LoopKind::bound) inner.push_back(loop);
  }
  const Ref& left = *writer.equation->left;
  const std::vector<Index> subscripts = without(left.subscripts, recurrence.dimension);
  const RefPtr now = make_ref(left.tensor, left.dtype, left.scope, subscripts);
  const RefPtr before = make_ref(rolled.previous, left.dtype, left.scope, subscripts);
  const std::vector<std::uint32_t> address(writer.items.begin(),
                                           writer.items.begin() + static_cast<std::ptrdiff_t>(depth) + 1);
  const Nest& nest = *std::get<NestPtr>(item_at(program, address));
  const auto at = nest.loops.begin() + static_cast<std::ptrdiff_t>(place);
  std::vector<Item> body = {under(inner, make_equation(before, read_expr(now)))};
  if (at + 1 == nest.loops.end())
    body.insert(body.end(), nest.items.begin(), nest.items.end());
  else
    body.emplace_back(stands_for(make_nest({at + 1, nest.loops.end()}, nullptr, nest.items), nest));
  const Item loop = stands_for(make_nest({*at}, nullptr, std::move(body)), nest);
  if (place == 0 && depth == 0 && inner.empty()) inner.push_back({LoopKind::bound, 1, "tx"});
  const Item start = under(inner, make_equation(now, rolled.first));
  if (place == 0) return with_items(program, address, {start, loop});
  return with_items(program, address, {stands_for(make_nest({nest.loops.begin(), at}, nullptr, {start, loop}), nest)});
}

}  // namespace

Result<Rolled, std::string> rolled(View& view, const std::string& tensor, std::size_t dimension) {
  const auto recurrence = find(view, tensor, dimension);
  if (!recurrence) return recurrence.error();
  if (recurrence->write->ref->scope != Scope::global &&
      (recurrence->position < recurrence->writer->kernel.host_loops || recurrence->position == 0)) {
    return concat(tensor, " is in ", code(recurrence->write->ref->scope), " and does not outlive a launch");
  }
  std::string problem = problem_with_reads(view, *recurrence);
  if (!problem.empty()) return problem;
  Rolled out;
  out.loop = recurrence->loop().index;
  out.previous = view.fresh_tensors().next();
  const auto program = rewritten(view, *recurrence, out);
  if (!program) return std::string("a subscript would not fit in 64 bits");
  out.program = framed(*program, *recurrence, out);
  return out;
}

}  // namespace steptp
