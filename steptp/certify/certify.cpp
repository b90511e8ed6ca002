#include "steptp/certify/certify.h"

#include "steptp/arithmetic/failure.h"
#include "steptp/certify/judge.h"
#include "steptp/machine/big_stack.h"

namespace steptp::certify {

CertifiedAnswer certify(const Program& before, const Program& after, const CertifyOptions& options) {
  CertifiedAnswer answer;
  const bool ran = run_on_big_stack([&] {
    try {
      answer = Judge(before, after, options).run();
    } catch (const Failure& failure) {
      answer.verdict = CertifiedAnswer::Verdict::undecided;
      answer.reason = failure.message;
    }
  });
  if (!ran) answer.reason = "no stack for the evaluation";
  return answer;
}

}  // namespace steptp::certify
