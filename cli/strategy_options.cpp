#include "cli/strategy_options.h"

#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/documents/usable.h"
#include "steptp/recipe/recipe.h"
#include "steptp/recipe/registry.h"
#include "steptp/text/printer.h"

namespace steptp::cli {

std::vector<const Strategy*> strategies_named(const std::vector<std::string>& names) {
  if (names.empty()) return all_strategies();
  std::vector<const Strategy*> out;
  for (const std::string& name : names) {
    const Strategy* strategy = find_strategy(name);
    if (!strategy) {
      print_error(make_error("usage", unknown_strategy(name), "steptp strategies lists them"));
      return {};
    }
    out.push_back(strategy);
  }
  return out;
}

Answer unusable(const Document& document, bool json) {
  if (!document.ok) return unreadable(document, json);
  Answer answer;
  const Diagnostics found = find_unusable(document);
  if (found.empty()) return answer;
  answer.status = Status::bad_input;
  answer.err = render(found, *document.source);
  if (json) {
    Json out;
    answer.out = out.set("diagnostics", to_json(found)).dump() + "\n";
  }
  return answer;
}

std::string program_text(const Document& document, const Program& program) {
  return document.record.is_null() ? print_document(program, Profile::paper) : print(program) + "\n";
}

Result<Json, Diagnostic> read_json_option(const std::string& option, const std::string& text) {
  std::string content = text;
  if (text.starts_with('@')) {
    auto file = read_file(text.substr(1));
    if (!file) return file.error();
    content = std::move(file).value();
  }
  auto json = parse_json(content);
  if (json) return std::move(json).value();
  return make_error("json", concat(option, ": ", json.error().message, " at byte ", json.error().offset));
}

Status status_of(const Refusal& refusal) {
  return refusal.precondition->check == Check::choice ? Status::bad_input : Status::no;
}

}  // namespace steptp::cli
