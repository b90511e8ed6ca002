#include "steptp/safety/matrix_nests.h"

#include <algorithm>
#include <set>

#include "steptp/analysis/kernels.h"
#include "steptp/analysis/matrix_nests.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

std::set<Axis> axes_of(const Statement& statement) {
  std::set<Axis> axes;
  for (const Loop* loop : statement.loops) {
    const auto axis = loop->kind == LoopKind::bound ? axis_of(loop->index) : std::nullopt;
    if (axis && is_thread_axis(*axis)) axes.insert(*axis);
  }
  return axes;
}

bool has_units(const std::set<Axis>& axes) { return std::any_of(axes.begin(), axes.end(), is_unit_axis); }

class MatrixChecker {
 public:
  MatrixChecker(const AccessTable& table, Findings& findings) : table_(table), findings_(findings) {}

  void run() {
    for (const Statement& statement : table_.statements) {
      if (!has_matrix_loops(statement)) continue;
      if (const auto nest = matrix_nest(statement); !nest) report(nest.error());
    }
    const bool nests_fit = !has_errors(findings_.diagnostics);
    for (const KernelFacts& kernel : collect_kernels(table_)) {
      check_units(kernel);
      if (!nests_fit) continue;
      if (const auto rows = fragment_rows(table_, kernel.statements); !rows) report(rows.error());
    }
    for (const auto& [name, tensor] : table_.tensors) {
      if (tensor.scope == Scope::fragment) check_fragment(name, tensor);
    }
  }

 private:
  void report(const MatrixProblem& problem) { error(problem.id, problem.site, problem.message, problem.hint); }
  void error(std::string_view id, const Site& site, std::string message, std::string hint) {
    findings_.report(id, Severity::error, &site, std::move(message), std::move(hint));
  }

  void check_units(const KernelFacts& kernel) {
    std::set<Axis> all;
    for (const std::size_t number : kernel.statements) {
      const std::set<Axis> own = axes_of(table_.statements[number]);
      all.insert(own.begin(), own.end());
    }
    if (!has_units(all)) return;
    for (const std::size_t number : kernel.statements) {
      const Statement& statement = table_.statements[number];
      if (!check_axes(statement, axes_of(statement), all)) return;
    }
  }

  /// False where something was reported: once for a kernel is enough.
  bool check_axes(const Statement& statement, const std::set<Axis>& own, const std::set<Axis>& all) {
    const Site site{statement.items, Site::Part::item, {}, {}};
    const auto fail = [&](std::string message, std::string hint) {
      error("unit-axes", site, std::move(message), std::move(hint));
      return false;
    };
    const bool by_threads = std::any_of(own.begin(), own.end(), [](Axis axis) { return !is_unit_axis(axis); });
    for (const Axis axis : {Axis::ty, Axis::tz}) {
      if (!own.contains(axis)) continue;
      return fail(concat("a loop over ", name_of(axis), " stands in a kernel with units"),
                  "beside wx, wy and wz the threads of a kernel are counted by tx alone");
    }
    if (!has_units(own)) return true;
    if (by_threads)
      return fail("loops over units and over threads are around one equation",
                  "a unit is all of its threads: take the loop over tx away");
    if (!has_matrix_loops(statement)) {
      return fail("an equation without T loops stands in a loop over units",
                  "write its innermost loops as T loops, or run it by threads, in a loop over tx");
    }
    for (const Axis axis : all) {
      if (!is_unit_axis(axis) || own.contains(axis)) continue;
      return fail(concat("no loop over ", name_of(axis), ", which the kernel has, is around these T loops"),
                  "every matrix nest is run by all units of its kernel");
    }
    for (const Access& access : table_.accesses) {
      if (&table_.statements[access.statement] != &statement || access.ref->scope != Scope::local) continue;
      return fail(concat(access.ref->tensor, " is in scope l, which a unit does not have"), "keep it in f, s or g");
    }
    return true;
  }

  void check_fragment(const std::string& name, const TensorFacts& tensor) {
    for (const auto* numbers : {&tensor.writes, &tensor.reads}) {
      for (const std::size_t number : *numbers) {
        const Access& access = table_.accesses[number];
        if (has_matrix_loops(table_.statements[access.statement])) continue;
        return error("fragment", access.site, concat(name, " is in scope f and is used without T loops"),
                     "store it in s or g by a matrix nest, and read it from there");
      }
    }
    if (tensor.kernels.size() < 2) return;
    const Access& first = table_.accesses[tensor.writes.empty() ? tensor.reads[0] : tensor.writes[0]];
    error("fragment", first.site, concat(name, " is in scope f, and ", tensor.kernels.size(), " kernels touch it"),
          "store it in g at the end of the kernel");
  }

  const AccessTable& table_;
  Findings& findings_;
};

}  // namespace

void check_matrix_nests(const AccessTable& table, Findings& findings) { MatrixChecker(table, findings).run(); }

}  // namespace steptp
