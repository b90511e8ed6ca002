// The judge, step by step, as docs/verification.md ("The road") describes it: check both programs, compare them up
// to names, apply the precision rule, try to prove them equal, then compare cell by cell, then evaluate at certified
// points, and ask last whether `after` is safe. Each step either answers or hands on; a failure of a step never
// becomes an answer.
#include "steptp/verify/verify.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/certify/elements.h"
#include "steptp/certify/safe.h"
#include "steptp/ir/canonical.h"
#include "steptp/machine/big_stack.h"
#include "steptp/prove/prove.h"
#include "steptp/safety/check.h"
#include "steptp/text/signature_text.h"
#include "steptp/verify/index_uses.h"
#include "steptp/verify/numeric.h"
#include "steptp/verify/precision.h"
#include "steptp/verify/vacuous.h"

namespace steptp {

std::string_view name_of(Grade grade) {
  switch (grade) {
    case Grade::proved: return "proved";
    case Grade::exact: return "exact";
    case Grade::numeric: return "numeric";
    case Grade::differs: return "differs";
    case Grade::undecided: return "undecided";
    case Grade::invalid: return "invalid";
  }
  return "undecided";
}

namespace {

std::string first_finding(const CheckReport& report) {
  for (const Severity severity : {Severity::error, Severity::unknown}) {
    for (const Diagnostic& diagnostic : report.diagnostics) {
      if (diagnostic.severity == severity) return concat(diagnostic.id, ": ", diagnostic.message);
    }
  }
  return "check does not call it ok";
}

/// Step 1 of the road: each program on its own. True where both may be compared.
bool pass_checks(const CheckReport& old_report, const Program& before, const Program& after,
                 const ProofOptions& options, Judgement& judgement) {
  if (old_report.verdict == CheckReport::Verdict::errors) {
    judgement.verdict = Grade::invalid;
    judgement.unusable = true;
    judgement.reason = concat("before: ", first_finding(old_report));
    return false;
  }
  const CheckReport new_report = check_program(after);
  if (new_report.verdict == CheckReport::Verdict::errors) {
    judgement.verdict = Grade::invalid;
    judgement.reason = concat("after: ", first_finding(new_report));
    return false;
  }
  if (old_report.verdict == CheckReport::Verdict::unknown) {
    judgement.reason = concat("before: ", first_finding(old_report));
    return false;
  }
  if (new_report.verdict == CheckReport::Verdict::unknown) {
    judgement.reason = concat("after: ", first_finding(new_report));
    return false;
  }
  judgement.assumes = old_report.assumes;
  // What an element of `after` needs of its inputs and the same element of `before` does not need is not given.
  const auto is_new = [&](const std::string& assumption) {
    return std::find(old_report.assumes.begin(), old_report.assumes.end(), assumption) == old_report.assumes.end();
  };
  // Dead code counts here: it is executed, and an access outside of a tensor harms the machine.
  const auto asked = std::find_if(new_report.assumes.begin(), new_report.assumes.end(), is_new);
  const bool asks_more = asked != new_report.assumes.end() && !same_up_to_renaming(before, after);
  if (!asks_more && (new_report.assumes.empty() || same_up_to_renaming(before, after) ||
                     make_same_index_uses(before, after, options))) {
    return true;
  }
  judgement.reason =
      concat("after is right only if ", asks_more ? *asked : new_report.assumes.front(),
             ", and it is not shown that before needs it for the same elements; a domain would state it");
  return false;
}

/// The chance of an error as it is stated: nothing where no chance played a part, whose logarithm would be -inf.
std::optional<double> stated_bound(std::optional<double> bound_log2) {
  return bound_log2 && std::isfinite(*bound_log2) ? bound_log2 : std::nullopt;
}

void take(const certify::CertifiedAnswer& answer, Judgement& judgement) {
  using Verdict = certify::CertifiedAnswer::Verdict;
  switch (answer.verdict) {
    // Agreement at what was drawn is evidence and no more.
    case Verdict::equal: judgement.verdict = Grade::numeric; break;
    case Verdict::differs: judgement.verdict = Grade::differs; break;
    case Verdict::undecided: judgement.verdict = Grade::undecided; break;
  }
  judgement.agree_bits = answer.agree_bits;
  judgement.points = answer.points;
  judgement.reason = answer.verdict == Verdict::equal
                         ? "certified values agree at the elements and inputs that were drawn; not shown for all"
                         : answer.reason;
  judgement.counterexample = answer.counterexample;
  judgement.work += answer.work;
  // What inputs were drawn from limits evidence; a counterexample needs none of it.
  if (answer.verdict != Verdict::equal) return;
  for (const std::string& assumption : answer.assumes) {
    if (std::find(judgement.assumes.begin(), judgement.assumes.end(), assumption) == judgement.assumes.end()) {
      judgement.assumes.push_back(assumption);
    }
  }
}

Shown shown(const std::optional<bool>& answer) {
  if (!answer) return Shown::unknown;
  return *answer ? Shown::yes : Shown::no;
}

certify::CertifyOptions evaluation_of(const VerifyOptions& options, std::uint64_t seed) {
  certify::CertifyOptions evaluation;
  evaluation.seed = seed;
  evaluation.budget_operations = options.budget;
  evaluation.keep_record = options.keep_record;
  evaluation.stop = options.stop;
  return evaluation;
}

/// Both programs do the same operations: every rule of `safe` holds at every input.
void set_safe_by_proof(Judgement& judgement) {
  judgement.safe = judgement.stable = Shown::yes;
  judgement.safe_by = SafeBy::proof;
}

/// Step 5: equal as real functions, but is it as good in the declared types?
void judge_safety(const Program& before, const Program& after, certify::CertifyOptions evaluation,
                  const VerifyOptions& options, Judgement& judgement) {
  const auto add_reason = [&](std::string_view what, const std::string& reason) {
    append(judgement.reason, judgement.reason.empty() ? "" : "; ", what, reason);
  };
  if (options.safety_budget == 0) return;
  evaluation.budget_operations = std::min(evaluation.budget_operations, options.safety_budget);
  judgement.seed = evaluation.seed;
  const certify::SafetyAnswer answer = certify::compare_safety(before, after, evaluation, options.safe_range);
  judgement.safe = shown(answer.is_safe);
  judgement.stable = shown(answer.is_stable);
  judgement.safe_by = answer.is_safe ? SafeBy::search : SafeBy::nothing;
  judgement.work += answer.work;
  judgement.unsafe = answer.example;
  if (judgement.safe == Shown::no) add_reason("not safe: ", answer.reason);
  if (judgement.safe == Shown::unknown) {
    const bool is_spent = answer.reason.find("the budget of operations") != std::string::npos;
    const bool is_fixed = is_spent && options.budget >= options.safety_budget;
    add_reason("safety not decided: ",
               answer.reason + (is_fixed ? " (this budget is fixed: raising that of the pair does not help)" : ""));
  }
}

}  // namespace

KnownBefore look_at(const Program& before) {
  KnownBefore out;
  out.check = check_program(before);
  if (out.check.verdict == CheckReport::Verdict::ok) out.dependence = depends_on(before);
  return out;
}

Judgement verify(const Program& before, const Program& after, const VerifyOptions& options) {
  return std::move(verify_trials(before, after, options, {options.seed}).front());
}

namespace {

/// What is asked before values are; true where it decides. `options`: of proofs that are made on the way.
bool judge_structure(const Program& before, const Program& after, const KnownBefore& known, const ProofOptions& options,
                     Judgement& judgement) {
  const bool is_before_usable = known.check.verdict != CheckReport::Verdict::errors;
  if (is_before_usable && !(before.signature == after.signature)) {
    judgement.verdict = Grade::invalid;
    judgement.reason = concat("the signature of after is not that of before: ",
                              signature_difference(before.signature, after.signature));
    return true;
  }
  if (!pass_checks(known.check, before, after, options, judgement)) return true;

  judgement.degenerate = known.dependence.is_known && known.dependence.is_constant;
  judgement.independent_of = known.dependence.independent_of;
  judgement.work += known.dependence.work;
  judgement.vacuous = known.dependence.vacuous;

  if (same_up_to_renaming(before, after)) {
    judgement.verdict = Grade::proved;
    judgement.same = true;
    set_safe_by_proof(judgement);
    return true;
  }
  return false;
}

/// The precision rule; true where it decides.
bool judge_precision(const Program& before, const Program& after, const ProofOptions& options, Judgement& judgement) {
  const Precision precision = compare_precision(before, after, options);
  if (precision.verdict == Precision::Verdict::kept) return false;
  // Where the rule finds a loss between a program and itself, its ways are too coarse to tell.
  const auto is_lost = [&](const Program& one, const Program& other) {
    return compare_precision(one, other, options).verdict == Precision::Verdict::lost;
  };
  const bool is_told =
      precision.verdict == Precision::Verdict::lost && !is_lost(before, before) && !is_lost(after, after);
  judgement.verdict = is_told ? Grade::differs : Grade::undecided;
  judgement.reason = concat("precision: ", precision.reason);
  if (is_told) judgement.precision = precision.loss;
  return true;
}

/// Draws that `before` can bear hide what differs elsewhere: at inputs that some other element or dead code could not.
void look_without_guesses(const Program& before, const Program& after, certify::CertifyOptions evaluation,
                          Judgement& judgement) {
  constexpr std::uint64_t kMostOperations = 40'000'000;
  evaluation.budget_operations = std::min(evaluation.budget_operations / 4, kMostOperations);
  evaluation.guesses_domains = false;
  certify::CertifiedAnswer answer = certify::certify(before, after, evaluation);
  judgement.work += answer.work;
  if (answer.verdict != certify::CertifiedAnswer::Verdict::differs) return;
  if (evaluation.keep_record) judgement.evaluation = std::move(answer.record);
  take(answer, judgement);
}

/// The theorem of the grade `exact`: cell by cell, which the prover has tried, or every element by itself.
bool show_exactly(const Program& before, const Program& after, const Proof& proof, certify::CertifyOptions evaluation,
                  Judgement& judgement) {
  if (proof.shown) {
    judgement.verdict = Grade::exact;
    judgement.points = proof.cells;
    judgement.bound_log2 = stated_bound(proof.bound_log2);
    return true;
  }
  constexpr std::uint64_t kMostOperations = 40'000'000;
  evaluation.budget_operations = std::min(evaluation.budget_operations / 4, kMostOperations);
  const certify::ElementsAnswer answer = certify::show_every_element(before, after, evaluation);
  judgement.work += answer.work;
  if (!answer.agrees) return false;
  judgement.verdict = Grade::exact;
  judgement.points = answer.elements;
  judgement.bound_log2 = stated_bound(answer.bound_log2);
  return true;
}

/// One trial, after a proof was tried.
void judge_values(const Program& before, const Program& after, const Proof& proof, const VerifyOptions& options,
                  Judgement& judgement) {
  certify::CertifyOptions evaluation = evaluation_of(options, options.seed);
  if (proof.proved) {
    judgement.verdict = Grade::proved;
    if (proof.is_as_written) set_safe_by_proof(judgement);
    if (options.keep_record) judgement.proof = proof.record;
  } else if (show_exactly(before, after, proof, evaluation, judgement)) {
    judgement.seed = options.seed;
    // The cells are written down; elements are shown one by one, and looked at again at points that are written down.
    if (options.keep_record && proof.shown) judgement.proof = proof.record;
    if (options.keep_record && !proof.shown) {
      judgement.evaluation = certify::certify(before, after, evaluation).record;
    }
  } else {
    evaluation.same_tensors = proof.same_tensors;
    judgement.seed = options.seed;
    certify::CertifiedAnswer answer = certify::certify(before, after, evaluation);
    if (options.keep_record) judgement.evaluation = std::move(answer.record);
    take(answer, judgement);
    if (judgement.verdict != Grade::differs) look_without_guesses(before, after, evaluation, judgement);
    if (!is_equal(judgement.verdict)) try_numeric(before, after, evaluation, judgement);
  }
  const bool is_shown = is_equal(judgement.verdict) || (options.equal_by_steps && judgement.verdict != Grade::differs);
  if (is_shown && !judgement.is_safe()) judge_safety(before, after, evaluation, options, judgement);
}

/// All trials, on a stack that bears it.
std::vector<Judgement> judge_trials(const Program& before, const Program& after, const VerifyOptions& options,
                                    const std::vector<std::uint64_t>& seeds) {
  std::optional<KnownBefore> looked_at;
  const bool has_one_signature = before.signature == after.signature;
  if (!options.known) looked_at = has_one_signature ? look_at(before) : KnownBefore{check_program(before), {}};
  Judgement common;
  common.safe_range = options.safe_range;
  const ProofOptions on_the_way{.seed = seeds.front(), .stop = options.stop};
  if (judge_structure(before, after, options.known ? *options.known : *looked_at, on_the_way, common)) return {common};
  if (judge_precision(before, after, on_the_way, common)) {
    if (options.equal_by_steps && common.verdict == Grade::undecided) {
      judge_safety(before, after, evaluation_of(options, seeds.front()), options, common);
    }
    return {common};
  }
  if (!common.vacuous.empty()) common.fills_vacuous = fills_vacuous_elements(before, after);
  const Proof proof = prove(
      before, after,
      {.seed = seeds.front(), .work = options.proof_work, .stop = options.stop, .keep_record = options.keep_record});
  common.work += proof.work;
  std::vector<Judgement> out;
  VerifyOptions one = options;
  for (const std::uint64_t seed : seeds) {
    one.seed = seed;
    out.push_back(common);
    judge_values(before, after, proof, one, out.back());
    if (proof.proved || !is_equal(out.back().verdict) || !out.back().is_safe()) break;
  }
  return out;
}

}  // namespace

std::vector<Judgement> verify_trials(const Program& before, const Program& after, const VerifyOptions& options,
                                     const std::vector<std::uint64_t>& seeds) {
  std::vector<Judgement> out;
  const bool ran = certify::run_on_big_stack([&] { out = judge_trials(before, after, options, seeds); });
  if (ran) return out;
  Judgement judgement;
  judgement.reason = "no stack for the judgement";
  return {judgement};
}

}  // namespace steptp
