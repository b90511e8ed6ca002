#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>

#include "python/src/bindings.h"
#include "steptp/verbs/check_document.h"
#include "steptp/base/file.h"
#include "steptp/verify/certificate.h"
#include "steptp/verify/verify_pair.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

/// `before` is the caller's own program: what is wrong with it is raised, as `check` reports it.
[[noreturn]] void throw_unusable(const Document& before, const std::string& reason) {
  const CheckReport report = check_document(before);
  if (report.verdict == CheckReport::Verdict::errors) throw_diagnostics(report.diagnostics, *before.source);
  throw_one(make_error("no-signature", reason), before.source->name());
}

/// The JSON answer of the verb.
nb::object verify_verb(const Document& before, const Document& after, std::uint64_t seed,
                       std::optional<std::uint64_t> budget, const std::optional<std::string>& certificate_path) {
  std::string answer;
  {
    const nb::gil_scoped_release release;
    VerifyOptions options;
    options.seed = seed;
    if (budget) options.budget = *budget;
    options.keep_record = certificate_path.has_value();
    const Pair pair = make_pair(before, after);
    const Judgement judgement = verify_pair(pair, options);
    if (judgement.unusable) throw_unusable(pair.before, judgement.reason);
    if (certificate_path && problem_of(pair).empty()) {
      const auto written = write_file(*certificate_path, certificate(pair, judgement).dump() + "\n");
      if (!written) throw_one(written.error(), *certificate_path);
    }
    answer = to_json(pair.id, judgement).dump();
  }
  return text_object(answer);
}

}  // namespace

void bind_verify(nb::module_& module) {
  module.def("verify", &verify_verb, nb::arg("before"), nb::arg("after"), nb::arg("seed"), nb::arg("budget").none(),
             nb::arg("certificate").none());
}

}  // namespace steptp::python
