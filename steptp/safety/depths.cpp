#include "steptp/safety/depths.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "steptp/analysis/rounds.h"
#include "steptp/analysis/tables.h"
#include "steptp/analysis/value_facts.h"
#include "steptp/base/text.h"
#include "steptp/ir/site.h"
#include "steptp/safety/definedness.h"

namespace steptp {

namespace {

/// By the name of a tensor: the indices of the loops that tell its rounds apart, outermost first.
using Rounds = std::map<std::string, std::vector<std::string>>;

/// The program in which such a tensor has the round as further subscripts: an element that no equation wrote in this
/// round is an element that nothing wrote.
class RoundsAsSubscripts {
 public:
  explicit RoundsAsSubscripts(const Rounds& rounds) : rounds_(rounds) {}

  [[nodiscard]] Program program(const Program& source) const {
    Program out = source;
    for (NestPtr& nest : out.nests) nest = rewritten(*nest);
    return out;
  }

 private:
  [[nodiscard]] NestPtr rewritten(const Nest& nest) const {
    std::vector<Item> items;
    for (const Item& item : nest.items) {
      if (const auto* equation = std::get_if<EquationPtr>(&item)) {
        items.emplace_back(make_equation(rewritten((*equation)->left), rewritten((*equation)->right)));
      } else {
        items.emplace_back(rewritten(*std::get<NestPtr>(item)));
      }
    }
    return make_nest(nest.loops, nest.guard, std::move(items));
  }

  [[nodiscard]] ExprPtr rewritten(const ExprPtr& expr) const {
    if (const auto* read = std::get_if<Read>(&expr->node)) return read_expr(rewritten(read->ref));
    std::vector<ExprPtr> inner;
    for (const ExprPtr* child : children(*expr)) inner.push_back(rewritten(*child));
    return with_children(expr, inner);
  }

  [[nodiscard]] RefPtr rewritten(const RefPtr& ref) const {
    const IndexRewriter rewriter{nullptr, [this](const RefPtr& read) { return rewritten(read); }};
    std::vector<Index> subscripts;
    // Only names change in subscripts of subscripts, so that nothing can overflow.
    for (const Index& subscript : ref->subscripts) {
      subscripts.push_back(rewrite(subscript, rewriter).value_or(subscript));
    }
    if (const auto known = rounds_.find(ref->tensor); known != rounds_.end()) {
      for (const std::string& index : known->second) subscripts.push_back(Index::variable(index));
    }
    return make_ref(ref->tensor, ref->dtype, ref->scope, std::move(subscripts));
  }

  const Rounds& rounds_;
};

const Access* accumulating_write(const AccessTable& table, const TensorFacts& tensor) {
  for (const std::size_t number : tensor.writes) {
    const Access& write = table.accesses[number];
    if (table.statements[write.statement].accumulates) return &write;
  }
  return nullptr;
}

/// The loops that tell rounds apart; empty where something was reported.
std::vector<std::string> rounds_of(const AccessTable& table, const std::string& name, const TensorFacts& tensor,
                                   Findings& findings) {
  const Access& first = table.accesses[tensor.writes.empty() ? tensor.reads[0] : tensor.writes[0]];
  const auto loop = round_loop(table, tensor);
  if (!loop) {
    findings.report("depth-loop", Severity::error, &first.site,
                    concat(name, " has a depth (", code(tensor.scope),
                           "), but no L loop of its kernel is around all of "
                           "its accesses"),
                    "write s, or put the copy and what reads it into one L loop");
    return {};
  }
  if (const Access* const sum = accumulating_write(table, tensor)) {
    findings.report("depth-carried", Severity::error, &sum->site,
                    concat(name, " has a depth (", code(tensor.scope),
                           "), but this equation accumulates into it, which "
                           "reads what an earlier round may have left"),
                    "accumulate into a tensor in l or s");
    return {};
  }
  std::vector<std::string> out;
  const Statement& statement = table.statements[first.statement];
  for (std::size_t i = statement.kernel.host_loops; i <= *loop; ++i) {
    if (statement.loops[i]->kind != LoopKind::bound) out.push_back(statement.loops[i]->index);
  }
  return out;
}

void report_carried(const AccessTable& table, const Rounds& rounds, const Diagnostic& found, Findings& findings) {
  const bool is_error = found.id == "undefined-read";
  if (!is_error && found.id != "undefined-read-unknown") return;
  for (const Access& access : table.accesses) {
    const auto known = rounds.find(access.ref->tensor);
    if (access.is_write || known == rounds.end() || to_text(access.site) != found.site) continue;
    const std::string& index = known->second.back();
    const auto at = found.message.rfind(", at ");
    findings.report(is_error ? "depth-carried" : "depth-carried-unknown",
                    is_error ? Severity::error : Severity::unknown, &access.site,
                    is_error ? concat(access.ref->tensor, " has a depth (", code(access.ref->scope),
                                      "), but this element was not written in this round of ", index,
                                      at == std::string::npos ? "" : found.message.substr(at))
                             : concat("cannot show that every element of ", access.ref->tensor,
                                      " read here was written in the same round of ", index),
                    "write s, or write the element in the round that reads it");
    return;
  }
}

}  // namespace

void check_depths(const Program& program, const AccessTable& table, Findings& findings) {
  Rounds rounds;
  for (const auto& [name, tensor] : table.tensors) {
    if (tensor.scope.depth == 1 || tensor.demoted || (tensor.writes.empty() && tensor.reads.empty())) continue;
    std::vector<std::string> indices = rounds_of(table, name, tensor, findings);
    if (!indices.empty()) rounds.emplace(name, std::move(indices));
  }
  if (rounds.empty()) return;
  const Program anew = RoundsAsSubscripts(rounds).program(program);
  const AccessTable anew_table = collect_accesses(anew);
  ValueFacts facts = derive_value_facts(anew_table);
  assume_from_use(anew_table, infer_shapes(anew_table), facts);
  Findings found;
  check_definedness(with_known_indices(anew_table), facts, found);
  for (const Diagnostic& diagnostic : found.diagnostics) report_carried(table, rounds, diagnostic, findings);
}

}  // namespace steptp
