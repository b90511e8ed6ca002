#include "steptp/documents/check_document.h"

namespace steptp {

CheckReport check_document(const Document& document, const CheckOptions& options) {
  CheckReport report;
  if (!document.has_signature) {
    report.verdict = CheckReport::Verdict::errors;
    report.diagnostics = document.diagnostics;
    report.diagnostics.push_back(
        make_error("no-signature", "the program has no signature, so nothing says what is given and what is wanted",
                   "add lines such as '@input A f32[16]' and '@output D f32[16]' before the program"));
    return report;
  }
  report = check_program(document.program, options);
  place(document, report.diagnostics);
  report.diagnostics.insert(report.diagnostics.begin(), document.diagnostics.begin(), document.diagnostics.end());
  return report;
}

}  // namespace steptp
