#include "steptp/documents/check_document.h"

#include <string_view>
#include <vector>

namespace steptp {

namespace {

/// Hints in the words of the profile that the program is written in.
void reword(Profile profile, std::vector<Diagnostic>& diagnostics) {
  constexpr std::string_view kPaper = "if_then_else";
  if (profile != Profile::compact) return;
  for (Diagnostic& item : diagnostics) {
    const std::size_t at = item.hint.find(kPaper);
    if (at != std::string::npos) item.hint.replace(at, kPaper.size(), "where");
  }
}

}  // namespace

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
  reword(document.profile, report.diagnostics);
  report.diagnostics.insert(report.diagnostics.begin(), document.diagnostics.begin(), document.diagnostics.end());
  return report;
}

}  // namespace steptp
