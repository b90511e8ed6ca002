// A guard around an accumulation can go if what it kept out adds nothing. That is so if, at every point that the
// guard excluded, each factor of the term was filled with the neutral value of the operator (each, because 0*inf is
// not 0), or if nobody reads the element that would be accumulated. Both are questions to isl about the excluded
// points. Decision 0018.
#include "steptp/strategies/fill.h"

#include <algorithm>

#include "steptp/analysis/instances.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/origins.h"
#include "steptp/strategies/rewrite.h"
#include "steptp/strategies/storage.h"

namespace steptp {

namespace {

bool reads(const Expr& expr, const std::string& tensor) {
  bool found = false;
  for_each_ref(expr, [&](const RefPtr& ref) { found = found || ref->tensor == tensor; });
  return found;
}

/// The tensors that a term is the product of; nothing where it is anything else. Numbers count for nothing: they are
/// finite.
bool collect_factors(const ExprPtr& term, std::vector<RefPtr>& out) {
  if (const auto* read = std::get_if<Read>(&term->node)) {
    out.push_back(read->ref);
    return true;
  }
  if (std::holds_alternative<Literal>(term->node)) return true;
  if (const auto* call = std::get_if<Call>(&term->node)) {
    return call->function == Function::negate && collect_factors(call->argument, out);
  }
  const auto* product = std::get_if<Product>(&term->node);
  if (!product) return false;
  const bool only_times = std::all_of(product->operators.begin(), product->operators.end(),
                                      [](ArithmeticOp op) { return op == ArithmeticOp::multiply; });
  return only_times && std::all_of(product->operands.begin(), product->operands.end(),
                                   [&](const ExprPtr& operand) { return collect_factors(operand, out); });
}

/// For each operand beside the accumulator the references that have to be neutral, all of them: 0*inf is no zero. For
/// max and min the operand itself.
std::optional<std::vector<std::vector<RefPtr>>> terms_of(const Statement& statement) {
  const Ref& left = *statement.equation->left;
  const auto is_accumulator = [&](const Expr& expr) {
    const auto* read = std::get_if<Read>(&expr.node);
    return read && equal(*read->ref, left);
  };
  std::vector<std::vector<RefPtr>> out;
  const Expr& right = *statement.equation->right;
  if (const auto* sum = std::get_if<Sum>(&right.node)) {
    for (const ExprPtr& operand : sum->operands) {
      if (is_accumulator(*operand)) continue;
      out.emplace_back();
      if (!collect_factors(operand, out.back()) || out.back().empty()) return std::nullopt;
    }
    return out;
  }
  const auto* extremum = std::get_if<Extremum>(&right.node);
  if (!extremum) return std::nullopt;
  for (const ExprPtr& operand : {extremum->left, extremum->right}) {
    if (is_accumulator(*operand)) continue;
    const auto* read = std::get_if<Read>(&operand->node);
    if (!read) return std::nullopt;
    out.push_back({read->ref});
  }
  return out;
}

VariableNumbers names_of(const Statement& statement, const Instance& instance) {
  VariableNumbers names;
  for (std::size_t i = 0; i < statement.loops.size(); ++i) names[statement.loops[i]->index] = instance.variables[i];
  return names;
}

/// Whether one condition of a guard can go. The view is of the program without it.
class Question {
 public:
  Question(View& view, std::size_t statement, const ExprPtr& condition, std::int64_t lanes)
      : view_(view),
        number_(statement),
        statement_(view.table().statements[statement]),
        condition_(condition),
        lanes_(lanes) {}

  bool may_drop() {
    for (const Access& access : view_.table().accesses) {
      if (access.statement != number_) continue;
      if (access.is_write ? !is_in_range(view_, access) : !access.is_accumulator && !is_defined(view_, access)) {
        return false;
      }
    }
    const std::string& target = statement_.equation->left->tensor;
    const TensorFacts& tensor = view_.table().tensors.at(target);
    for (const std::size_t write : tensor.writes) {
      const Statement& other = view_.table().statements[view_.table().accesses[write].statement];
      if (other.accumulates && (other.accumulates != statement_.accumulates || !is_free_accumulation(other))) {
        return false;
      }
    }
    if (oversize_of(view_, target, lanes_)) return false;
    if (tensor.known && !is_neutral_where(nullptr)) return false;
    return std::all_of(tensor.reads.begin(), tensor.reads.end(), [&](std::size_t number) {
      const Access& read = view_.table().accesses[number];
      return read.is_accumulator || (read.statement != number_ && is_neutral_where(&read));
    });
  }

 private:
  struct Excluded {
    IntegerSet set;
    Instance instance;  ///< of the write
  };

  /// The points that the condition kept out, of elements that `reader` reads. Nothing where that is not known.
  std::optional<Excluded> excluded(const Access* reader) {
    Excluded out;
    const auto write = std::find_if(view_.table().accesses.begin(), view_.table().accesses.end(),
                                    [&](const Access& a) { return a.statement == number_ && a.is_write; });
    auto instance = add_instance(out.set, view_.table(), view_.facts(), *write, true);
    if (!instance || !instance->certain) return std::nullopt;
    auto outside = out.set.formula(*condition_, false, names_of(statement_, *instance));
    if (!outside) return std::nullopt;
    out.set.require(*std::move(outside));
    if (reader) {
      const auto reading = add_instance(out.set, view_.table(), view_.facts(), *reader, true);
      if (!reading || reading->subscripts.size() != instance->subscripts.size()) return std::nullopt;
      require_same_element(out.set, *instance, *reading);
    }
    out.instance = *std::move(instance);
    return out;
  }

  bool is_empty(IntegerSet set) {
    set.dimensions = set.variables();
    return view_.isl().least_point(set).kind == Presburger::Sample::Kind::empty;
  }

  /// At the points kept out whose element this access reads, or any access, each factor is neutral.
  bool is_neutral_where(const Access* reader) {
    const auto points = excluded(reader);
    if (!points) return false;
    if (is_empty(points->set)) return true;
    const auto terms = terms_of(statement_);
    if (!terms) return false;
    for (const auto& factors : *terms) {
      for (const RefPtr& factor : factors) {
        if (!is_filled(*points, factor)) return false;
      }
    }
    return true;
  }

  /// What is read there was written, in the same round of the loops around both, where the copy was filled.
  bool is_filled(const Excluded& points, const RefPtr& factor) {
    const AccessTable& table = view_.table();
    const TensorFacts& tensor = table.tensors.at(factor->tensor);
    if (tensor.known || tensor.writes.size() != 1) return false;
    const Access& write = table.accesses[tensor.writes[0]];
    const Statement& writer = table.statements[write.statement];
    const auto* select = std::get_if<Select>(&writer.equation->right->node);
    if (!select || !is_index_condition(*select->condition) || !is_neutral(*select->if_false, *statement_.accumulates)) {
      return false;
    }
    const Relation relation = relate(writer, statement_);
    const auto read = std::find_if(table.accesses.begin(), table.accesses.end(), [&](const Access& access) {
      return access.statement == number_ && !access.is_write && equal(*access.ref, *factor);
    });
    if (!relation.before || !is_defined(view_, *read, relation.shared_loops)) return false;
    IntegerSet set = points.set;
    const auto reading = add_instance(set, table, view_.facts(), *read, true);
    const auto writing = reading ? add_instance(set, table, view_.facts(), write, true) : std::nullopt;
    if (!writing || reading->subscripts.size() != writing->subscripts.size()) return false;
    for (std::size_t i = 0; i < statement_.loops.size(); ++i) {
      set.require(equals(Linear::variable(points.instance.variables[i]), Linear::variable(reading->variables[i])));
    }
    for (std::size_t i = 0; i < relation.shared_loops; ++i) {
      set.require(equals(Linear::variable(writing->variables[i]), Linear::variable(reading->variables[i])));
    }
    require_same_element(set, *reading, *writing);
    auto copied = set.formula(*select->condition, true, names_of(writer, *writing));
    if (!copied) return false;
    set.require(*std::move(copied));
    return is_empty(std::move(set));
  }

  View& view_;
  std::size_t number_;
  const Statement& statement_;
  ExprPtr condition_;
  std::int64_t lanes_ = 1;
};

}  // namespace

bool is_neutral(const Expr& expr, ArithmeticOp op) {
  const auto* literal = std::get_if<Literal>(&expr.node);
  if (op == ArithmeticOp::add) return literal && literal->real == 0;
  if (op == ArithmeticOp::multiply) return literal && literal->real == 1;
  if (op == ArithmeticOp::min) return std::holds_alternative<Infinity>(expr.node);
  const auto* call = std::get_if<Call>(&expr.node);
  return op == ArithmeticOp::max && call && call->function == Function::negate &&
         std::holds_alternative<Infinity>(call->argument->node);
}

std::optional<Unguarded> without_needless_guards(View& view, const std::string& filled, std::int64_t lanes) {
  Unguarded out{view.program(), 0};
  for (std::size_t number = 0; number < view.table().statements.size(); ++number) {
    const Statement& statement = view.table().statements[number];
    const Nest& nest = *statement.nests.back();
    if (!nest.guard || nest.items.size() != 1 || !is_free_accumulation(statement)) continue;
    if (!reads(*statement.equation->right, filled)) continue;
    const std::vector<std::uint32_t> address(statement.items.begin(), statement.items.end() - 1);
    std::vector<ExprPtr> conditions = conjuncts(nest.guard);
    for (std::size_t i = conditions.size(); i-- > 0;) {
      std::vector<ExprPtr> fewer = conditions;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      NestPtr bare = stands_for(make_nest(nest.loops, conjunction_of(fewer), nest.items), nest);
      Program next = with_items(out.program, address, {std::move(bare)});
      View without(next);
      if (!Question(without, number, conditions[i], lanes).may_drop()) continue;
      conditions = std::move(fewer);
      out.program = std::move(next);
      ++out.conditions;
    }
  }
  return out.conditions > 0 ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace steptp
