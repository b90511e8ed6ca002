#include "steptp/verify/replay.h"

#include "steptp/base/text.h"
#include "steptp/certify/replay.h"
#include "steptp/safety/check.h"
#include "steptp/text/signature_text.h"

namespace steptp {

namespace {

std::string problem_of(const Program& before, const Program& after) {
  if (!(before.signature == after.signature)) {
    return concat("the signature of after is not that of before: ",
                  signature_difference(before.signature, after.signature));
  }
  if (check_program(before).verdict == CheckReport::Verdict::errors) return "before: it does not pass check";
  if (check_program(after).verdict == CheckReport::Verdict::errors) return "after: it does not pass check";
  return {};
}

}  // namespace

ReplayAnswer replay(const Program& before, const Program& after, const certify::Counterexample& example) {
  ReplayAnswer answer;
  answer.reason = problem_of(before, after);
  answer.unusable = !answer.reason.empty();
  if (answer.unusable) return answer;
  certify::Replayed found = certify::replay(before, after, example);
  answer.before = std::move(found.before);
  answer.after = std::move(found.after);
  if (!found.differs) {
    answer.reason = found.reason.empty() ? "the programs agree there" : found.reason;
  } else if (answer.before != example.before || answer.after != example.after) {
    answer.reason = concat("the values are not those of the counterexample, ", example.before, " and ", example.after);
  } else {
    answer.reproduced = true;
  }
  return answer;
}

ReplayAnswer replay(const Program& before, const Program& after, const certify::UnsafeExample& example) {
  ReplayAnswer answer;
  const certify::UnsafeRun run = certify::run_unsafe(before, after, example);
  answer.what = run.what.value_or("");
  answer.reason = run.reason;
  answer.reproduced = run.is_good && run.what == example.what;
  if (!answer.reproduced && answer.reason.empty()) {
    answer.reason = run.what ? concat("the record says: ", example.what) : std::string("nothing goes wrong there");
  }
  return answer;
}

}  // namespace steptp
