#include "cli/strategy_options.h"

#include <algorithm>
#include <utility>

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

std::string program_text(const Document& document, const Program& program, Profile profile) {
  return document.record.is_null() ? print_document(program, profile) : print(program, profile) + "\n";
}

std::string as_comments(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    append(out, line.empty() ? "#" : "# ", line, "\n");
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return out;
}

Status bad_input(const Diagnostic& diagnostic) {
  print_error(diagnostic);
  return Status::bad_input;
}

namespace {

/// The text itself, or the content of a file after @.
Result<std::string, Diagnostic> read_option(const std::string& text) {
  if (!text.starts_with('@')) return text;
  auto file = read_file(text.substr(1));
  if (!file) return file.error();
  return std::move(file).value();
}

Result<Json, Diagnostic> json_of(const std::string& option, std::string_view text, std::size_t skipped = 0) {
  auto json = parse_json(text.substr(skipped));
  if (json) return std::move(json).value();
  return make_error("json", concat(option, ": ", json.error().message, " at byte ", json.error().offset + skipped));
}

}  // namespace

Result<Json, Diagnostic> read_json_option(const std::string& option, const std::string& text) {
  const auto content = read_option(text);
  if (!content) return content.error();
  return json_of(option, *content);
}

Result<NamedChoice, Diagnostic> read_choice(const std::string& text) {
  constexpr std::string_view kOption = "--choice";
  const auto content = read_option(text);
  if (!content) return content.error();
  NamedChoice out;
  std::size_t word = 0;
  const auto is_of_name = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  while (word < content->size() && is_of_name((*content)[word])) ++word;
  const bool has_name = word > 0 && content->find('{', word) != std::string::npos;
  if (has_name) out.name = content->substr(0, word);
  const bool is_name_alone = word > 0 && word == content->size();
  if (is_name_alone) {
    return make_error("usage", concat("--choice: '", *content, "' is a name without a place and parameters"),
                      "steptp choices FILE --limit 10 prints lines that --choice takes");
  }
  const auto json = json_of(std::string(kOption), *content, has_name ? word : 0);
  if (!json) return json.error();
  const Json* inner = json->find("choice");
  if (inner && inner->as_object()) {
    for (const char* key : {"strategy", "move"}) {
      const Json* name = json->find(key);
      if (name && name->as_string()) out.name = *name->as_string();
    }
  }
  out.choice = inner && inner->as_object() ? *inner : *json;
  return out;
}

Status status_of(const Refusal& refusal) {
  return refusal.precondition->check == Check::choice ? Status::bad_input : Status::no;
}

}  // namespace steptp::cli
