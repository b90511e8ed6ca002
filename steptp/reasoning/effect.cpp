#include "steptp/reasoning/effect.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "steptp/analysis/accesses.h"
#include "steptp/analysis/kernels.h"
#include "steptp/analysis/shapes.h"
#include "steptp/base/text.h"
#include "steptp/ir/dtype_facts.h"
#include "steptp/reasoning/guarded_rounds.h"
#include "steptp/text/printer.h"

namespace steptp {

namespace {

using Count = std::optional<std::int64_t>;

constexpr std::int64_t kWarp = 32;  ///< threads of a unit

Count times(Count a, Count b) {
  std::int64_t out = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &out)) return std::nullopt;
  return out;
}
Count plus(Count a, Count b) {
  std::int64_t out = 0;
  if (!a || !b || __builtin_add_overflow(*a, *b, &out)) return std::nullopt;
  return out;
}

/// One launch for each iteration of the loops that stand outside of a kernel.
Count launches_of(const AccessTable& table, const std::vector<KernelFacts>& kernels) {
  Count sum = 0;
  for (const KernelFacts& kernel : kernels) {
    const Statement& statement = table.statements[kernel.statements.front()];
    Count launches = 1;
    for (std::size_t i = 0; i < kernel.kernel.host_loops; ++i) launches = times(launches, statement.loops[i]->extent);
    sum = plus(sum, launches);
  }
  return sum;
}

/// Blocks times threads. With units a block has whole ones, whose lanes are its threads along tx.
Count threads_of(const KernelFacts& kernel) {
  Count lanes = kWarp;
  Count threads = 1;
  bool has_units = false;
  for (std::size_t i = 0; i < kernel.extents.size(); ++i) {
    const auto axis = static_cast<Axis>(i);
    has_units = has_units || (is_unit_axis(axis) && kernel.widest[i]);
    Count& product = is_unit_axis(axis) ? lanes : threads;
    product = times(product, kernel.extents[i]);
  }
  if (!has_units || !threads || !lanes) return threads;
  const std::int64_t by_thread = kernel.extents[static_cast<std::size_t>(Axis::tx)];
  const Count block = std::max(*lanes, (by_thread + kWarp - 1) / kWarp * kWarp);
  return times(*threads / by_thread, *block);
}

/// Of the kernel that has most of them.
Count threads_of(const std::vector<KernelFacts>& kernels) {
  Count most = 1;
  for (const KernelFacts& kernel : kernels) {
    const Count threads = threads_of(kernel);
    if (!threads || !most) return std::nullopt;
    most = std::max(*most, *threads);
  }
  return most;
}

Count bytes_of(const AccessTable& table) {
  Count sum = 0;
  for (const auto& [name, tensor] : table.tensors) {
    if (tensor.known || tensor.effective_scope() != Scope::global) continue;
    const InferredShape shape = infer_shape(table, tensor);
    if (!shape.exact) return std::nullopt;
    const auto elements = element_count(shape.dimensions);
    sum = plus(sum, times(elements ? Count(*elements) : std::nullopt, info(tensor.dtype).bytes));
  }
  return sum;
}

bool reads_something(const Expr& expr) {
  bool found = false;
  for_each_ref(expr, [&found](const RefPtr&) { found = true; });
  return found;
}

/// Additions, products, powers, comparisons and functions of a value, in both branches of a condition. What a condition
/// on indices takes is not counted, as that of a subscript or a guard is not.
std::int64_t operations_of(const Expr& expr) {
  if (is_condition(expr) && !reads_something(expr)) return 0;
  struct Own {
    std::size_t operator()(const Literal&) const { return 0; }
    std::size_t operator()(const Infinity&) const { return 0; }
    std::size_t operator()(const IndexValue&) const { return 0; }
    std::size_t operator()(const Read&) const { return 0; }
    std::size_t operator()(const Sum& node) const { return node.operators.size(); }
    std::size_t operator()(const Product& node) const { return node.operators.size(); }
    std::size_t operator()(const Power&) const { return 1; }
    std::size_t operator()(const Extremum&) const { return 1; }
    std::size_t operator()(const Call&) const { return 1; }
    std::size_t operator()(const Select&) const { return 0; }
    std::size_t operator()(const Compare& node) const { return node.operators.size(); }
    std::size_t operator()(const Logic& node) const { return node.operands.size() - 1; }
  };
  auto sum = static_cast<std::int64_t>(std::visit(Own{}, expr.node));
  for (const ExprPtr* part : children(expr)) sum += operations_of(**part);
  return sum;
}

bool has_branches(const Expr& expr) {
  if (std::holds_alternative<Select>(expr.node)) return true;
  const std::vector<const ExprPtr*> parts = children(expr);
  return std::any_of(parts.begin(), parts.end(), [](const ExprPtr* part) { return has_branches(**part); });
}

/// What one equation does in one iteration.
struct Work {
  std::string key;  ///< equal for equations that do the same as often
  const Statement* statement = nullptr;
  std::int64_t accesses = 0;
};

std::vector<Work> works_of(const AccessTable& table) {
  std::vector<Work> out;
  for (const Statement& statement : table.statements) {
    Count iterations = 1;
    for (const Loop* loop : statement.loops) iterations = times(iterations, loop->extent);
    Work work;
    std::string guards;
    for (const ExprPtr& guard : statement.guards) append(guards, print(*guard), ";");
    work.key = concat(print(*statement.equation), " ", iterations.value_or(-1), " ", guards);
    work.statement = &statement;
    out.push_back(std::move(work));
  }
  for (const Access& access : table.accesses) {
    const TensorFacts& tensor = table.tensors.at(access.ref->tensor);
    if (tensor.effective_scope() != Scope::global) continue;
    Work& work = out[access.statement];
    work.key += " g";  // the same equation touches other memory where a tensor has moved
    ++work.accesses;
  }
  std::sort(out.begin(), out.end(), [](const Work& a, const Work& b) { return a.key < b.key; });
  return out;
}

/// The sums over the equations that only one of both has.
void compare_works(const AccessTable& before, const AccessTable& after, Effect& effect) {
  const std::vector<Work> was = works_of(before);
  const std::vector<Work> is = works_of(after);
  std::array<Count, 2> operations = {0, 0};
  std::array<Count, 2> accesses = {0, 0};
  bool branches = false;
  const auto take = [&](const Work& work, std::size_t side) {
    const Expr& right = *work.statement->equation->right;
    const Count iterations = iterations_that_pass(work.statement->loops, work.statement->guards);
    operations[side] = plus(operations[side], times(operations_of(right), iterations));
    accesses[side] = plus(accesses[side], times(work.accesses, iterations));
    branches = branches || has_branches(right);
  };
  auto left = was.begin();
  auto right = is.begin();
  while (left != was.end() || right != is.end()) {
    if (right == is.end() || (left != was.end() && left->key < right->key)) {
      take(*left++, 0);
    } else if (left == was.end() || right->key < left->key) {
      take(*right++, 1);
    } else {
      ++left;
      ++right;
    }
  }
  if (operations[0] && operations[1]) effect.counts[Effect::kOperations] = {*operations[0], *operations[1]};
  if (accesses[0] && accesses[1]) effect.counts[Effect::kAccesses] = {*accesses[0], *accesses[1]};
  effect.has_branches = branches;
}

/// Whether a guard looks at a block or a thread, so that not all of those that are launched may have work.
bool asks_for_threads(const AccessTable& table) {
  bool found = false;
  for (const Statement& statement : table.statements) {
    for (const ExprPtr& guard : statement.guards) {
      for_each_variable(*guard, [&](const std::string& index) { found = found || axis_of(index).has_value(); });
    }
  }
  return found;
}

}  // namespace

Effect effect_of(const Program& before, const Program& after) {
  Effect out;
  const AccessTable was = collect_accesses(before);
  const AccessTable is = collect_accesses(after);
  const auto set = [&](std::size_t kind, Count a, Count b) {
    if (a && b) out.counts[kind] = {*a, *b};
  };
  const std::vector<KernelFacts> kernels_before = collect_kernels(was);
  const std::vector<KernelFacts> kernels_after = collect_kernels(is);
  set(Effect::kLaunches, launches_of(was, kernels_before), launches_of(is, kernels_after));
  set(Effect::kBytes, bytes_of(was), bytes_of(is));
  // A kernel that was not there before would be compared with another one.
  if (kernels_before.size() == kernels_after.size()) {
    set(Effect::kThreads, threads_of(kernels_before), threads_of(kernels_after));
  }
  out.has_idle_threads = asks_for_threads(was) || asks_for_threads(is);
  compare_works(was, is, out);
  return out;
}

std::string grouped(std::int64_t number) {
  std::string out = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = out.size(); at > first + 3;) out.insert(at -= 3, ",");
  return out;
}

std::string bytes_words(std::int64_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes == 1) return "one byte";
  std::size_t unit = 0;
  double size = static_cast<double>(bytes);
  while (size >= 1024 && unit + 1 < std::size(kUnits)) {
    size /= 1024;
    ++unit;
  }
  if (size == std::floor(size)) return concat(static_cast<std::int64_t>(size), " ", kUnits[unit]);
  // Three digits, in integers, so that every machine writes the same.
  const int decimals = size < 10 ? 2 : size < 100 ? 1 : 0;
  const std::int64_t scale = decimals == 2 ? 100 : decimals == 1 ? 10 : 1;
  const auto scaled = static_cast<std::int64_t>(std::llround(size * static_cast<double>(scale)));
  std::string text = std::to_string(scaled / scale);
  if (scale > 1) {
    std::string rest = std::to_string(scaled % scale);
    rest.insert(0, static_cast<std::size_t>(decimals) - rest.size(), '0');
    append(text, ".", rest);
  }
  return concat("about ", text, " ", kUnits[unit]);
}

}  // namespace steptp
