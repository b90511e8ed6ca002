// Which known variables the outputs of a program can depend on: those that occur in their normal forms, or, where these
// are too large to be written down, those from which something flows into an output by names alone.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "steptp/prove/flow.h"
#include "steptp/prove/give_up.h"
#include "steptp/prove/prove.h"
#include "steptp/prove/vacuous.h"

namespace steptp {

namespace {

using namespace forms;  // NOLINT(google-build-using-namespace): this file is a face of the layer

/// Programs that are constant by accident are small; of large ones it is enough to know what is read.
constexpr std::uint64_t kDependenceWork = 20'000;

/// Every tensor from which something flows into an output, by names alone.
std::set<std::string> reached_tensors(const Program& program) {
  const AccessTable table = collect_accesses(program);
  std::set<std::string> reached;
  for (const Variable& variable : program.signature.variables) {
    if (variable.role == Role::output) reached.insert(variable.name);
  }
  std::map<std::string_view, std::set<std::string_view>> sources;
  for (const Access& access : table.accesses) {
    sources[table.statements[access.statement].equation->left->tensor].insert(access.ref->tensor);
  }
  std::vector<std::string_view> open(reached.begin(), reached.end());
  while (!open.empty()) {
    const std::string_view tensor = open.back();
    open.pop_back();
    for (const std::string_view source : sources[tensor]) {
      if (reached.emplace(source).second) open.push_back(source);
    }
  }
  return reached;
}

/// Nothing where it takes too long to find out.
void add_vacuous(Shared& shared, Flow& flow, std::vector<std::string>& out) {
  try {
    for (const Variable& variable : shared.signature.variables) {
      if (variable.role != Role::output) continue;
      std::vector<Affine> element;
      for (const VariableId id : shared.element(variable.shape)) element.push_back(shared.arena.affines.variable(id));
      const Value value = flow.output(variable.name, element);
      for (std::string& text : vacuous_texts(shared, variable, value)) out.push_back(std::move(text));
    }
  } catch (const GiveUp&) {
    out.clear();
  }
}

}  // namespace

Dependence depends_on(const Program& program, const ProofOptions& options) {
  Dependence result;
  Arena arena(std::min(options.work, kDependenceWork));
  std::set<std::uint32_t> found;
  try {
    Shared shared(arena, program.signature);
    Flow flow(shared, program);
    for (const Variable& variable : program.signature.variables) {
      if (variable.role != Role::output) continue;
      const std::vector<Affine> element = shared.subscripts(variable.shape);
      const Value value = flow.output(variable.name, element);
      arena.occurrences.for_each_input(Conversions(arena).to_real(value), found);
    }
    result.is_known = true;
    result.is_constant = true;
    for (const Variable& variable : program.signature.variables) {
      if (variable.role == Role::output) continue;
      if (!found.contains(*shared.known(variable.name))) {
        result.independent_of.push_back(variable.name);
      } else if (variable.role == Role::input) {
        result.is_constant = false;
      }
    }
    add_vacuous(shared, flow, result.vacuous);
  } catch (const GiveUp&) {
    // Too large to write down: what no output is computed from is still told apart.
    result = {};
    const std::set<std::string> reached = reached_tensors(program);
    for (const Variable& variable : program.signature.variables) {
      if (variable.role != Role::output && !reached.contains(variable.name)) {
        result.independent_of.push_back(variable.name);
      }
    }
  }
  result.work = arena.budget.work();
  return result;
}

}  // namespace steptp
