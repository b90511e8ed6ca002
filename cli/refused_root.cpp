#include "cli/refused_root.h"

#include "cli/strategy_options.h"
#include "steptp/base/text.h"
#include "steptp/documents/check_document.h"

namespace steptp::cli {

std::optional<Answer> refused_root(const Document& document, bool json, std::string_view wanted) {
  Answer answer = unusable(document, json);
  if (answer.status != Status::yes) return answer;
  const CheckReport report = check_document(document);
  if (report.verdict == CheckReport::Verdict::ok) return std::nullopt;
  const bool is_unknown = report.verdict == CheckReport::Verdict::unknown;
  answer.status = is_unknown ? Status::undecided : Status::bad_input;
  answer.err = concat(render(report.diagnostics, *document.source), document.source->name(),
                      is_unknown ? ": check cannot decide whether the program is safe, so it is left as it is\n"
                                 : concat(": the program has errors, so there is nothing to ", wanted, "\n"));
  if (json) {
    Json out;
    answer.out = out.set("diagnostics", to_json(report.diagnostics)).dump() + "\n";
  }
  return answer;
}

}  // namespace steptp::cli
