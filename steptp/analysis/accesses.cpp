#include "steptp/analysis/accesses.h"

#include <array>
#include <utility>

namespace steptp {

namespace {

class Collector {
 public:
  explicit Collector(const Program& program) : program_(program) {
    for (const Variable& variable : program.signature.variables) {
      TensorFacts& facts = table_.tensors[variable.name];
      facts.dtype = variable.dtype;
      facts.rank = variable.shape.size();
      facts.known = &variable;
    }
  }

  AccessTable run() {
    for (std::uint32_t i = 0; i < program_.nests.size(); ++i) {
      items_ = {i};
      visit(*program_.nests[i], has_bound_loop(*program_.nests[i]));
    }
    for (auto& [name, facts] : table_.tensors) {
      facts.demoted = facts.scope != Scope::global && facts.kernels.size() > 1;
    }
    return std::move(table_);
  }

 private:
  static bool has_bound_loop(const Nest& nest) {
    for (const Loop& loop : nest.loops) {
      if (loop.kind == LoopKind::bound) return true;
    }
    for (const Item& item : nest.items) {
      const auto* inner = std::get_if<NestPtr>(&item);
      if (inner && has_bound_loop(**inner)) return true;
    }
    return false;
  }

  /// `bound_below`: a bound loop occurs in this nest, so that loops before it are host loops.
  void visit(const Nest& nest, bool bound_below) {
    const std::size_t loops_before = loops_.size();
    const std::optional<Kernel> kernel_before = kernel_;
    nests_.push_back(&nest);
    if (!kernel_ && !bound_below) kernel_ = Kernel{items_, loops_.size()};
    for (const Loop& loop : nest.loops) {
      if (!kernel_ && loop.kind == LoopKind::bound) kernel_ = Kernel{items_, loops_.size()};
      loops_.push_back(&loop);
    }
    if (nest.guard) guards_.push_back(nest.guard);
    for (std::uint32_t i = 0; i < nest.items.size(); ++i) {
      items_.push_back(i);
      if (const auto* equation = std::get_if<EquationPtr>(&nest.items[i])) {
        add_statement(**equation);
      } else {
        const Nest& inner = *std::get<NestPtr>(nest.items[i]);
        visit(inner, !kernel_ && has_bound_loop(inner));
      }
      items_.pop_back();
    }
    if (nest.guard) guards_.pop_back();
    nests_.pop_back();
    loops_.resize(loops_before);
    kernel_ = kernel_before;
  }

  void add_statement(const Equation& equation) {
    Statement statement;
    statement.equation = &equation;
    statement.items = items_;
    statement.nests = nests_;
    statement.loops = loops_;
    statement.guards = guards_;
    statement.accumulates = accumulation_operator(*equation.left, equation.right);
    // A bare item under host loops is a kernel of one thread of its own.
    statement.kernel = kernel_.value_or(Kernel{items_, loops_.size()});
    table_.statements.push_back(std::move(statement));

    Site site{items_, Site::Part::right, {}, {}};
    walk_reached(equation.right, {}, site,
                 [this](const ExprPtr& expr, const std::vector<PathCondition>& conditions, Site& place) {
                   const auto* read = std::get_if<Read>(&expr->node);
                   if (!read) return;
                   add_inner_reads(read->ref, place, conditions);
                   add(read->ref, place, false, conditions);
                 });
    site.part = Site::Part::left;
    add_inner_reads(equation.left, site, {});
    add(equation.left, site, true, {});
  }

  /// Reads inside subscripts; their address is that of the subscript they stand in.
  void add_inner_reads(const RefPtr& ref, const Site& site, const std::vector<PathCondition>& conditions) {
    for (std::uint32_t i = 0; i < ref->subscripts.size(); ++i) {
      Site inner = site;
      if (!inner.number) inner.number = i;
      for_each_read(ref->subscripts[i], [&](const RefPtr& read) {
        add_inner_reads(read, inner, conditions);
        add(read, inner, false, conditions);
      });
    }
  }

  void add(const RefPtr& ref, const Site& site, bool is_write, const std::vector<PathCondition>& conditions) {
    const std::size_t statement = table_.statements.size() - 1;
    const Statement& owner = table_.statements[statement];
    auto [at, fresh] = table_.tensors.try_emplace(ref->tensor);
    TensorFacts& facts = at->second;
    if (fresh) {
      facts.dtype = ref->dtype;
      facts.scope = ref->scope;
      facts.rank = ref->subscripts.size();
    }
    facts.kernels.insert(owner.kernel);
    (is_write ? facts.writes : facts.reads).push_back(table_.accesses.size());
    const bool accumulator = !is_write && owner.accumulates && equal(*ref, *owner.equation->left);
    table_.accesses.push_back({statement, ref, is_write, accumulator, conditions, site});
  }

  const Program& program_;
  AccessTable table_;
  std::vector<std::uint32_t> items_;
  std::vector<const Nest*> nests_;
  std::vector<const Loop*> loops_;
  std::vector<ExprPtr> guards_;
  std::optional<Kernel> kernel_;
};

}  // namespace

AccessTable collect_accesses(const Program& program) { return Collector(program).run(); }

std::vector<Index> hidden_subscripts(const AccessTable& table, const Access& access) {
  const Scope scope = table.tensors.at(access.ref->tensor).effective_scope();
  std::vector<Index> hidden;
  if (scope == Scope::global) return hidden;
  const Statement& statement = table.statements[access.statement];
  for (std::size_t i = 0; i < statement.kernel.host_loops; ++i) {
    hidden.push_back(Index::variable(statement.loops[i]->index));
  }
  for (std::size_t number = 0; number < kAxes; ++number) {
    const auto axis = static_cast<Axis>(number);
    if (is_thread_axis(axis) && scope == Scope::shared) break;
    Index value;
    for (std::size_t i = statement.kernel.host_loops; i < statement.loops.size(); ++i) {
      const Loop& loop = *statement.loops[i];
      if (loop.kind == LoopKind::bound && axis_of(loop.index) == axis) value = Index::variable(loop.index);
    }
    hidden.push_back(std::move(value));
  }
  return hidden;
}

}  // namespace steptp
