// The last write before a moment, found by searching the iterations of each writer backwards (search.h). An
// accumulation that is alone in its nest is added up as a whole, block by block where its terms read nothing but
// inputs.
#include <algorithm>
#include <utility>

#include "replay/evaluate.h"

namespace steptp::replayer {

namespace {

/// Reads that wait for reads; some kilobytes of stack each.
constexpr int kDeepest = 40'000;

}  // namespace

Value Evaluator::read(const Ref& ref, const Frame& frame) {
  spend();
  if (frame.accumulator && ref.tensor == frame.statement.equation->left->tensor) return *frame.accumulator;
  const Tensor& tensor = layout_.tensor(ref.tensor);
  const Cell cell = cell_of(ref, frame);
  if (tensor.known && tensor.known->role != Role::output) {
    for (std::size_t d = 0; d < cell.size(); ++d) {
      if (cell[d] < 0 || cell[d] >= tensor.known->shape[d]) throw Undefined{"a read out of range of " + ref.tensor};
    }
    return sources_.input(*tensor.known, cell);
  }
  // Writers in other top-level nests have finished or not begun.
  const std::uint32_t nest = frame.statement.address[0];
  std::vector<std::size_t> visible;
  bool in_own_nest = false;
  for (const std::size_t writer : tensor.writers) {
    const std::uint32_t other = layout_.statements()[writer].address[0];
    in_own_nest |= other == nest;
    if (other <= nest) visible.push_back(writer);
  }
  const std::vector<Subscript>& subscripts = storage_.at({&ref, &frame.statement});
  const bool is_selected = sources_.met && std::any_of(subscripts.begin(), subscripts.end(),
                                                       [](const Subscript& one) { return one.reads_data; });
  if (is_selected) {
    note_writers(visible, cell, in_own_nest ? &frame.statement : nullptr, in_own_nest ? frame.iteration : Iteration());
    enter_selected(1);
  }
  const auto value = [&]() -> Value {
    if (!in_own_nest) {
      const VersionName name{ref.tensor, visible.size()};
      if (const auto cut = sources_.cuts.find(name); cut != sources_.cuts.end())
        return {false, 0, sources_.cut(cut->second, cell)};
      return at_end(ref.tensor, visible.size(), cell);
    }
    const auto found = last_write(visible, cell, &frame.statement, frame.iteration);
    if (!found) throw Undefined{"a read of an element of " + ref.tensor + " that nothing wrote", true};
    return after(*found, visible, cell);
  }();
  if (is_selected) enter_selected(-1);
  return value;
}

Value Evaluator::version(const VersionName& name, const std::vector<std::int64_t>& element) {
  if (name.second > layout_.tensor(name.first).writers.size()) throw Undefined{"there is no such version"};
  return at_end(name.first, name.second, element);
}

Value Evaluator::output(const std::string& name, const std::vector<std::int64_t>& element) {
  const VersionName last{name, layout_.tensor(name).writers.size()};
  if (const auto cut = sources_.cuts.find(last); cut != sources_.cuts.end()) {
    return {false, 0, sources_.cut(cut->second, element)};
  }
  return version(last, element);
}

std::optional<Cell> Evaluator::target(const Statement& statement, const Iteration& iteration) {
  const Frame frame{statement, iteration};
  if (!guards_hold(statement, frame)) return std::nullopt;
  Cell cell;
  for (const Subscript& subscript : statement.left) cell.push_back(index(subscript, frame));
  return cell;
}

bool Evaluator::writes(const Statement& statement, const Iteration& iteration, const Cell& cell) {
  const Frame frame{statement, iteration};
  for (std::size_t d = 0; d < cell.size(); ++d) {
    if (index(statement.left[d], frame) != cell[d]) return false;
  }
  return guards_hold(statement, frame);
}

std::optional<Evaluator::Instance> Evaluator::last_write_of(std::size_t writer, const Cell& cell,
                                                            const Statement* reader, const Iteration& moment) {
  const Statement& statement = layout_.statements()[writer];
  if (statement.left.size() != cell.size()) return std::nullopt;
  Before before;
  if (reader) {
    const Relation relation = relation_of(statement, *reader);
    before = {moment.data(), relation.shared_loops, relation.first_is_earlier};
  }
  std::optional<Instance> out;
  Search search(budget_);
  search.run(
      statement, cell, before, [&](const Iteration& iteration) { return writes(statement, iteration, cell); },
      [&](const Iteration& iteration) {
        out = Instance{writer, iteration};
        return false;
      });
  return out;
}

bool Evaluator::is_later(const Instance& one, const Instance& other) const {
  const Relation relation = relation_of(layout_.statements()[one.statement], layout_.statements()[other.statement]);
  for (std::size_t i = 0; i < relation.shared_loops; ++i) {
    if (one.iteration[i] != other.iteration[i]) return one.iteration[i] > other.iteration[i];
  }
  return !relation.first_is_earlier;
}

std::optional<Evaluator::Instance> Evaluator::last_write(const std::vector<std::size_t>& writers, const Cell& cell,
                                                         const Statement* reader, const Iteration& moment) {
  std::optional<Instance> latest;
  for (const std::size_t writer : writers) {
    auto found = last_write_of(writer, cell, reader, moment);
    if (found && (!latest || is_later(*found, *latest))) latest = std::move(found);
  }
  return latest;
}

Value Evaluator::identity(const Statement& statement) const {
  const DType dtype = statement.equation->left->dtype;
  const DTypeInfo& type = info(dtype);
  switch (*statement.accumulates) {
    case ArithmeticOp::multiply: return is_float(dtype) ? Value{false, 0, numbers_.of_integer(1)} : Value{true, 1, {}};
    case ArithmeticOp::max:
      return is_float(dtype) ? Value{false, 0, Numbers::of_class(Class::minus_infinity)} : Value{true, type.least, {}};
    case ArithmeticOp::min:
      return is_float(dtype) ? Value{false, 0, Numbers::of_class(Class::plus_infinity)}
                             : Value{true, type.greatest, {}};
    default: return is_float(dtype) ? Value{false, 0, numbers_.of_integer(0)} : Value{true, 0, {}};
  }
}

Value Evaluator::execute(const Instance& instance, const Value* accumulator) {
  const Statement& statement = layout_.statements()[instance.statement];
  if (++depth_ > kDeepest) throw Beyond{"a chain of definitions that is too long"};
  const Frame frame{statement, instance.iteration, accumulator};
  const Expr& right = *statement.equation->right;
  // What is stored is remembered, whoever reads it first.
  const Guards outer = std::exchange(guards_, {});
  const Quotients quotients = std::exchange(quotients_, {});
  const Value result = stored(right, evaluate(right, frame), statement.equation->left->dtype);
  guards_ = outer;
  quotients_ = quotients;
  --depth_;
  if (!result.is_integer) numbers_.note(result.real);
  return result;
}

Value Evaluator::after(const Instance& instance, const std::vector<std::size_t>& writers, const Cell& cell) {
  // Back to a write that does not accumulate, or is known; then forward again.
  std::vector<Instance> chain = {instance};
  std::optional<Value> value;
  while (true) {
    const Instance& last = chain.back();
    if (const auto known = done_.find(last); known != done_.end()) {
      value = known->second;
      chain.pop_back();
      break;
    }
    const Statement& statement = layout_.statements()[last.statement];
    if (!statement.accumulates) break;
    auto previous = last_write(writers, cell, &statement, last.iteration);
    if (!previous) {
      value = identity(statement);
      break;
    }
    chain.push_back(std::move(*previous));
  }
  while (!chain.empty()) {
    const bool accumulates = layout_.statements()[chain.back().statement].accumulates.has_value();
    value = execute(chain.back(), accumulates ? &*value : nullptr);
    done_.emplace(chain.back(), *value);
    chain.pop_back();
  }
  return *value;
}

Value Evaluator::start_of_fold(const Statement& statement) const {
  const bool is_order = *statement.accumulates == ArithmeticOp::max || *statement.accumulates == ArithmeticOp::min;
  return is_order ? Value{false, 0, Numbers::of_class(Class::nan)} : identity(statement);
}

std::optional<Value> Evaluator::whole_fold(std::size_t writer, const Cell& cell) {
  if (sources_.uniform && leaves_of(layout_.statements()[writer])) return fold_in_blocks(writer, cell);
  const Statement& statement = layout_.statements()[writer];
  const Value start = start_of_fold(statement);
  std::optional<Value> total;
  Search search(budget_);
  search.run(
      statement, cell, Before{}, [&](const Iteration& iteration) { return writes(statement, iteration, cell); },
      [&](const Iteration& iteration) {
        const Value term = execute({writer, iteration}, &start);
        total =
            total ? Value{false, 0, arithmetic(*statement.accumulates, total->real, term.real, accumulated(statement))}
                  : term;
        return true;
      });
  return total;
}

std::optional<std::vector<Evaluator::Leaf>> Evaluator::leaves_of(const Statement& statement) const {
  const std::string& own = statement.equation->left->tensor;
  const auto reads_data = [](const Subscript& subscript) { return subscript.reads_data; };
  bool is_plain = statement.limits_are_all && std::none_of(statement.left.begin(), statement.left.end(), reads_data);
  std::vector<Leaf> out;
  const std::function<void(const Expr&)> walk = [&](const Expr& expr) {
    is_plain = is_plain && !std::holds_alternative<IndexValue>(expr.node);
    if (const auto* read = std::get_if<Read>(&expr.node); read && read->ref->tensor != own) {
      const Tensor& tensor = layout_.tensor(read->ref->tensor);
      Leaf leaf;
      if (tensor.known && tensor.known->role != Role::output) leaf.name = read->ref->tensor;
      const std::uint32_t nest = statement.address[0];
      std::size_t visible = 0;
      for (const std::size_t writer : tensor.writers) {
        const std::uint32_t other = layout_.statements()[writer].address[0];
        is_plain = is_plain && other != nest;
        visible += other < nest ? 1 : 0;
      }
      const auto cut = sources_.cuts.find({read->ref->tensor, visible});
      is_plain = is_plain && (!leaf.name.empty() || cut != sources_.cuts.end());
      if (leaf.name.empty() && is_plain) leaf.cut = cut->second;
      leaf.subscripts = layout_.storage(*read->ref, statement);
      is_plain = is_plain && std::none_of(leaf.subscripts.begin(), leaf.subscripts.end(), reads_data);
      out.push_back(std::move(leaf));
    }
    for (const ExprPtr* part : children(expr)) walk(**part);
  };
  walk(*statement.equation->right);
  return is_plain ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<Value> Evaluator::fold_in_blocks(std::size_t writer, const Cell& cell) {
  const Statement& statement = layout_.statements()[writer];
  const Value start = start_of_fold(statement);
  const ArithmeticOp op = *statement.accumulates;
  const std::vector<Leaf> leaves = *leaves_of(statement);
  const auto is_block = [&](const Search::Box& box) {
    return std::all_of(leaves.begin(), leaves.end(), [&](const Leaf& leaf) {
      IndexBox elements;
      for (const Subscript& subscript : leaf.subscripts) {
        const Search::Range range = Search::range_of(subscript, box);
        elements.emplace_back(static_cast<std::int64_t>(range.low), static_cast<std::int64_t>(range.high));
      }
      return leaf.name.empty() ? sources_.uniform->value(leaf.cut, elements)
                               : sources_.uniform->input(leaf.name, elements);
    });
  };
  std::optional<Value> total;
  Search(budget_).run_blocks(statement, cell, is_block, [&](const Iteration& first, std::int64_t count) {
    Real term = execute({writer, first}, &start).real;
    if (op == ArithmeticOp::add) term = numbers_.multiply(numbers_.of_integer(count), term);
    if (op == ArithmeticOp::multiply) term = numbers_.integer_power(term, count);
    total = Value{false, 0, total ? arithmetic(op, total->real, term, accumulated(statement)) : term};
  });
  return total;
}

Value Evaluator::at_end(const std::string& tensor, std::size_t writers, const Cell& cell) {
  const std::pair<VersionName, Cell> key{{tensor, writers}, cell};
  if (const auto known = versions_.find(key); known != versions_.end()) return known->second;
  const Tensor& facts = layout_.tensor(tensor);
  std::vector<std::size_t> visible(facts.writers.begin(), facts.writers.begin() + static_cast<std::ptrdiff_t>(writers));
  // Sums of reals that are alone in their nests are folded from the last nest to the first; what is left is stepped
  // through write by write.
  struct Fold {
    const Statement& statement;
    Value terms;
  };
  std::vector<Fold> folds;
  std::optional<Value> value;
  while (!value && !visible.empty()) {
    const Statement& last = layout_.statements()[visible.back()];
    const auto in_nest = std::count_if(visible.begin(), visible.end(), [&](std::size_t writer) {
      return layout_.statements()[writer].address[0] == last.address[0];
    });
    if (in_nest == 1 && last.accumulates && is_float(facts.dtype)) {
      if (const auto term = whole_fold(visible.back(), cell)) {
        folds.push_back({last, *term});
      }
      visible.pop_back();
      continue;
    }
    const auto found = last_write(visible, cell, nullptr, {});
    if (found) value = after(*found, visible, cell);
    break;
  }
  if (!value && folds.empty()) throw Undefined{"a read of an element of " + tensor + " that nothing wrote", true};
  for (std::size_t i = folds.size(); i-- > 0;) {
    // An undefined element reads as the identity.
    if (!value) value = identity(folds[i].statement);
    const Statement& fold = folds[i].statement;
    value = Value{false, 0, arithmetic(*fold.accumulates, value->real, folds[i].terms.real, accumulated(fold))};
  }
  versions_.emplace(key, *value);
  return *value;
}

}  // namespace steptp::replayer
