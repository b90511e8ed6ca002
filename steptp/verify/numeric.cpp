#include "steptp/verify/numeric.h"

#include <algorithm>
#include <set>

#include "steptp/certify/numeric.h"
#include "steptp/prove/prove.h"
#include "steptp/verify/literals.h"

namespace steptp {

namespace {

/// Operations of the runs in the declared types.
constexpr std::uint64_t kNumericBudget = 20'000'000;

void collect_literals(const Expr& expr, std::multiset<double>& out) {
  if (const auto* literal = std::get_if<Literal>(&expr.node); literal && !literal->is_integer)
    out.insert(literal->real);
  for (const ExprPtr* child : children(expr)) collect_literals(**child, out);
}

std::multiset<double> literals_of(const Program& program) {
  std::multiset<double> out;
  for_each_equation(program, [&](const Equation& equation, const std::vector<const Nest*>&) {
    collect_literals(*equation.right, out);
  });
  return out;
}

/// Whether the programs are equal with every decimal as its type holds it, where that changes anything between them.
bool equal_in_literals(const Program& before, const Program& after, const certify::CertifyOptions& evaluation,
                       Judgement& judgement) {
  // Decimals for decimals: one that is 1 or 0 in its type and was not there before is no moved one.
  const std::multiset<double> old_literals = literals_of(before);
  const std::multiset<double> new_literals = literals_of(after);
  if (old_literals == new_literals || old_literals.size() != new_literals.size()) return false;
  const Program old_program = with_rounded_literals(before);
  const Program new_program = with_rounded_literals(after);
  if (equal_nests(before, old_program) && equal_nests(after, new_program)) return false;
  const Proof proof = prove(old_program, new_program, {.stop = evaluation.stop});
  judgement.work += proof.work;
  if (proof.proved) return true;
  certify::CertifyOptions options = evaluation;
  options.keep_record = false;
  const certify::CertifiedAnswer answer = certify::certify(old_program, new_program, options);
  judgement.work += answer.work;
  return answer.verdict == certify::CertifiedAnswer::Verdict::equal;
}

}  // namespace

void try_numeric(const Program& before, const Program& after, const certify::CertifyOptions& evaluation,
                 Judgement& judgement) {
  if (judgement.verdict != Grade::differs || !equal_in_literals(before, after, evaluation, judgement)) return;
  certify::CertifyOptions options = evaluation;
  options.budget_operations = std::min(options.budget_operations, kNumericBudget);
  const certify::NumericAnswer answer = certify::compare_numerically(before, after, options);
  judgement.work += answer.work;
  if (!answer.is_equal) return;
  judgement.verdict = Grade::numeric;
  judgement.points = answer.points;
  judgement.bound_log2.reset();
  judgement.agree_bits.reset();
  judgement.counterexample.reset();
  judgement.reason = "equal once each decimal may move by half a unit in the last place of its type";
}

}  // namespace steptp
