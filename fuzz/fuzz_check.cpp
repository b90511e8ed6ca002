// Any bytes as a document: checking a program that was read comes to an end, and one that it calls safe runs on the
// oracle without the traps that the check rules out.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/round_trip.h"
#include "steptp/documents/check_document.h"
#include "steptp/documents/run_document.h"
#include "steptp/oracle/machine.h"

namespace {

using namespace steptp;

constexpr double kMaxOperations = 20'000;
constexpr double kMaxBytes = 1 << 24;

bool is_ruled_out(TrapKind kind) {
  return kind == TrapKind::invalid || kind == TrapKind::scope_axes || kind == TrapKind::scope_ambiguous ||
         kind == TrapKind::out_of_range || kind == TrapKind::undefined_read || kind == TrapKind::not_written;
}

void expect_runs(const Document& document) {
  const auto work = estimate_work(document.program);
  if (!work) fuzz::fail("a safe program is a valid one", document.source->text(), "");
  if (work->operations > kMaxOperations || work->bytes > kMaxBytes) return;
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    const auto inputs = seeded_inputs(document.program, seed);
    if (!inputs) return;  // a domain without a value of the dtype
    const auto result = run(document.program, *inputs);
    if (!result && is_ruled_out(result.error().kind)) {
      fuzz::fail("what check calls safe runs", print_document(document.program, Profile::paper),
                 result.error().message);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Document document = read_document("fuzz", std::string(reinterpret_cast<const char*>(data), size));
  if (!document.ok || !document.has_signature) return 0;
  const CheckReport report = check_document(document);
  const std::string messages = render(report.diagnostics, *document.source);
  if ((report.verdict == CheckReport::Verdict::errors) != has_errors(report.diagnostics)) {
    fuzz::fail("the verdict says what the findings say", document.source->text(), messages);
  }
  if (report.verdict == CheckReport::Verdict::ok) expect_runs(document);
  return 0;
}
