#include "replay/replay.h"

#include <pthread.h>

#include <functional>

#include "replay/chain.h"
#include "replay/check.h"
#include "steptp/base/text.h"

namespace steptp::replayer {

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kStackBytes = std::size_t{1} << 30;
#else
constexpr std::size_t kStackBytes = std::size_t{512} << 20;
#endif

/// Definitions of definitions run deep.
bool run_on_big_stack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  pthread_t thread{};
  if (pthread_attr_init(&attributes) != 0) return false;
  const auto start = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  const bool started = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
                       pthread_create(&thread, &attributes, start, const_cast<std::function<void()>*>(&work)) == 0;
  pthread_attr_destroy(&attributes);
  if (started) pthread_join(thread, nullptr);
  return started;
}

void believe(Report& report, const Certificate& certificate) {
  report.believed.emplace_back("that both programs are in range, defined and free of races (check)");
  for (const Assumption& assumption : certificate.assumes) {
    report.believed.push_back(concat("assumed: ", assumption.text));
  }
}

void check(const Certificate& certificate, const Options& options, Report& report) {
  const Layout before(certificate.before);
  const Layout after(certificate.after);
  Context context{certificate, before, after, report, options.seed, options.budget};
  if (certificate.verdict == "proved") {
    check_proof(context);
  } else if (certificate.verdict == "exact") {
    check_exact(context);
  } else if (certificate.verdict == "differs") {
    check_counterexample(context);
  } else {
    throw Undecided{concat("the verdict ", certificate.verdict, " has nothing to replay")};
  }
  believe(report, certificate);
  report.outcome = Report::Outcome::confirmed;
}

void replay_one(std::string_view text, const Options& options, Report& report) {
  const auto set = [&](Report::Outcome outcome, std::string reason) {
    report.outcome = outcome;
    report.reason = std::move(reason);
  };
  try {
    auto certificate = read_certificate(text);
    if (!certificate) return set(Report::Outcome::unusable, certificate.error());
    report.id = certificate->id;
    report.verdict = certificate->verdict;
    check(*certificate, options, report);
  } catch (const Refused& refused) {
    set(Report::Outcome::refused, refused.reason);
  } catch (const Undecided& undecided) {
    set(Report::Outcome::undecided, undecided.reason);
  } catch (const Beyond& beyond) {
    set(Report::Outcome::undecided, beyond.reason);
  } catch (const Undefined& undefined) {
    set(Report::Outcome::refused, undefined.reason);
  } catch (const std::bad_alloc&) {
    set(Report::Outcome::undecided, "out of memory");
  }
}

}  // namespace

std::string_view name_of(Report::Outcome outcome) {
  switch (outcome) {
    case Report::Outcome::confirmed: return "confirmed";
    case Report::Outcome::refused: return "refused";
    case Report::Outcome::unusable: return "unusable";
    case Report::Outcome::undecided: return "undecided";
  }
  return "undecided";
}

namespace {

Report replay_pair(std::string_view text, const Options& options) {
  Report report;
  if (!run_on_big_stack([&] { replay_one(text, options, report); })) report.reason = "no stack for the evaluation";
  return report;
}

}  // namespace

Report replay_certificate(std::string_view text, const Options& options) {
  return is_chain(text) ? replay_chain(text, options, replay_pair) : replay_pair(text, options);
}

}  // namespace steptp::replayer
