#include "steptp/documents/lower_document.h"

#include <algorithm>

#include "steptp/cuda/lower.h"
#include "steptp/documents/check_document.h"
#include "steptp/llvm/lower.h"

namespace steptp {

namespace {

LowerFailure refused(const Document& document, Diagnostic diagnostic) {
  LowerFailure out{LowerFailure::Kind::refused, {std::move(diagnostic)}};
  place(document, out.diagnostics);
  return out;
}

}  // namespace

std::optional<LowerFailure> find_unlowerable(const Document& document) {
  CheckReport report = check_document(document);
  if (report.verdict == CheckReport::Verdict::ok) return std::nullopt;
  LowerFailure out;
  const bool errors = report.verdict == CheckReport::Verdict::errors;
  out.kind = errors ? LowerFailure::Kind::errors : LowerFailure::Kind::undecided;
  const Severity wanted = errors ? Severity::error : Severity::unknown;
  for (Diagnostic& diagnostic : report.diagnostics) {
    if (diagnostic.severity == wanted) out.diagnostics.push_back(std::move(diagnostic));
  }
  return out;
}

Result<LowerAnswer, LowerFailure> lower_document(const Document& document, const LowerRequest& request) {
  if (auto failure = find_unlowerable(document)) return *std::move(failure);
  switch (request.to) {
    case Backend::llvm: {
      auto made = llvm_ir::lower(document.program);
      if (!made) return refused(document, made.error());
      return LowerAnswer{std::move(made->text), {}};
    }
    case Backend::tir: {
      auto text = tir::lower(document.program, request.dialect, request.target);
      if (!text) return refused(document, text.error());
      return LowerAnswer{std::move(text).value(), {}};
    }
    case Backend::cuda: break;
  }
  auto made = cuda::lower(document.program, {request.device, request.main});
  if (!made) return refused(document, made.error());
  return LowerAnswer{std::move(made->text), std::move(made->launches)};
}

}  // namespace steptp
