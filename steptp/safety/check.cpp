#include "steptp/safety/check.h"

#include <algorithm>

#include "steptp/analysis/accesses.h"
#include "steptp/analysis/shapes.h"
#include "steptp/analysis/tables.h"
#include "steptp/analysis/value_facts.h"
#include "steptp/safety/ambiguity.h"
#include "steptp/safety/bounds.h"
#include "steptp/safety/definedness.h"
#include "steptp/safety/depths.h"
#include "steptp/safety/divisors.h"
#include "steptp/safety/index_sizes.h"
#include "steptp/safety/launches.h"
#include "steptp/safety/matrix_nests.h"
#include "steptp/safety/races.h"
#include "steptp/safety/scopes.h"
#include "steptp/structure/structure.h"

namespace steptp {

namespace {

CheckReport::Verdict verdict_of(const Diagnostics& diagnostics) {
  if (has_errors(diagnostics)) return CheckReport::Verdict::errors;
  const bool unknown = std::any_of(diagnostics.begin(), diagnostics.end(),
                                   [](const Diagnostic& d) { return d.severity == Severity::unknown; });
  return unknown ? CheckReport::Verdict::unknown : CheckReport::Verdict::ok;
}

}  // namespace

CheckReport check_program(const Program& program, const CheckOptions& options) {
  CheckReport report;
  report.extended = is_extended(program);
  report.diagnostics = check_structure(program);
  // Sets of elements mean nothing where names and ranks do not fit.
  if (!has_errors(report.diagnostics)) {
    Findings findings;
    const AccessTable table = collect_accesses(program);
    check_matrix_nests(table, findings);
    check_index_sizes(table, findings);
    check_scopes(program, table, findings);
    const bool scopes_fit = !has_errors(findings.diagnostics);
    ValueFacts facts = derive_value_facts(table);
    const auto shapes = infer_shapes(table);
    assume_from_use(table, shapes, facts);
    check_divisors(table, facts, findings);
    report.assumes = facts.assumes;
    check_bounds(table, facts, findings);
    // Whose copy of an element is meant must be clear before one can ask who wrote it.
    if (scopes_fit) {
      const AccessTable known = with_known_indices(table);
      check_ambiguity(known, facts, findings);
      check_definedness(known, facts, findings);
      check_depths(program, table, findings);
      check_races(known, facts, findings);
    }
    check_launches(table, shapes, options.device, findings);
    report.diagnostics.insert(report.diagnostics.end(), findings.diagnostics.begin(), findings.diagnostics.end());
  }
  report.verdict = verdict_of(report.diagnostics);
  return report;
}

}  // namespace steptp
