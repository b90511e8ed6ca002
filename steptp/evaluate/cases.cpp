#include "steptp/evaluate/cases.h"

#include <set>

#include "steptp/answers/prompt.h"
#include "steptp/base/text.h"
#include "steptp/evaluate/row_reader.h"
#include "steptp/text/printer.h"

namespace steptp {

namespace {

constexpr std::string_view kProgramKeys[] = {"before", "leir", "original_leir", "original"};

std::string text_at(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  return value && value->as_string() ? *value->as_string() : std::string();
}

Diagnostic bad_row(const std::string& place, std::string_view what, std::string hint = {}) {
  return make_error("prompts", concat(place, ": ", what), std::move(hint));
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

/// Messages up to where the assistant begins to speak.
std::vector<ChatMessage> question_in(const Json& value) {
  std::vector<ChatMessage> out;
  if (value.as_string()) return {{"user", *value.as_string()}};
  if (!value.as_array()) return out;
  for (const Json& message : *value.as_array()) {
    ChatMessage one{text_at(message, "role"), text_at(message, "content")};
    if (one.role == "assistant") break;
    if (one.role.empty() || one.content.empty()) return {};
    out.push_back(std::move(one));
  }
  return out;
}

/// Collects cases and gives them names that are no one else's.
class CaseReader {
 public:
  explicit CaseReader(const QuestionOptions& options) : options_(options) {}

  std::optional<Diagnostic> add_row(const std::string& place, const std::string& text) {
    auto row = parse_json(text);
    if (!row || !row->as_object()) {
      return bad_row(place, concat("not a JSON object", row ? "" : ": ", row ? "" : row.error().message));
    }
    std::string leir;
    for (const std::string_view key : kProgramKeys) {
      if (leir.empty()) leir = text_at(*row, key);
    }
    Json signature = row->find("signature") ? *row->find("signature") : Json();
    if (signature.as_string()) {
      auto parsed = parse_json(*signature.as_string());
      if (!parsed) return bad_row(place, concat("the signature is not JSON: ", parsed.error().message));
      signature = std::move(parsed).value();
    }
    if (leir.empty() || !signature.as_array()) {
      return bad_row(
          place, leir.empty() ? "there is no program in it" : "there is no signature in it",
          "a row has \"signature\" and the program in \"before\" or \"leir\", so that answers can be judged");
    }
    Json record;
    record.set("program", text_at(*row, "program")).set("signature", std::move(signature)).set("leir", leir);
    EvaluationCase one;
    one.text = leir;
    one.before = read_document(place, record.dump());
    one.programs = options_.programs;
    if (const Json* programs = row->find("programs"); programs && !programs->is_null()) {
      constexpr std::int64_t kMost = 999;
      const auto* wanted = programs->as_integer();
      if (!wanted || *wanted < 1 || *wanted > kMost) {
        return bad_row(place, concat("\"programs\" is ", programs->dump(), ", and not a number from 1 to ", kMost));
      }
      one.programs = static_cast<int>(*wanted);
    }
    for (const std::string_view key : {"messages", "prompt"}) {
      const Json* value = row->find(key);
      if (!value || value->is_null() || !one.messages.empty()) continue;
      one.messages = question_in(*value);
      if (one.messages.empty()) return bad_row(place, concat(key, " holds no question"));
    }
    return add(place, std::move(one), text_at(*row, "id"));
  }

  std::optional<Diagnostic> add_document(const std::string& place, const std::string& text) {
    EvaluationCase one;
    one.before = read_document(place, text);
    one.programs = options_.programs;
    return add(place, std::move(one), "");
  }

  std::vector<EvaluationCase> take() { return std::move(cases_); }
  [[nodiscard]] bool is_enough() const { return options_.limit > 0 && cases_.size() >= options_.limit; }

 private:
  std::optional<Diagnostic> add(const std::string& place, EvaluationCase one, const std::string& id) {
    if (!one.before.ok || !one.before.has_signature) {
      const auto& found = one.before.diagnostics;
      return bad_row(place, found.empty() ? "the program has no signature" : found.front().message);
    }
    if (one.messages.empty()) {
      one.text = print(one.before.program, options_.profile);
      one.messages = {{"user", prompt_for(one.before.program, options_.profile, one.programs)}};
    }
    const bool has_system = one.messages.front().role == "system";
    if (!options_.system.empty() && !has_system) one.messages.insert(one.messages.begin(), {"system", options_.system});
    if (!id.empty() && ids_.contains(id))
      return bad_row(place, concat("the id '", id, "' is not the first of its name"));
    one.id = id.empty() ? free_name(one.before.program.name) : id;
    ids_.insert(one.id);
    cases_.push_back(std::move(one));
    return std::nullopt;
  }

  [[nodiscard]] std::string free_name(const std::string& program) const {
    const std::string base = program.empty() ? "case" : program;
    if (!program.empty() && !ids_.contains(base)) return base;
    for (std::size_t number = program.empty() ? cases_.size() + 1 : 2;; ++number) {
      std::string name = concat(base, "#", number);
      if (!ids_.contains(name)) return name;
    }
  }

  QuestionOptions options_;
  std::set<std::string, std::less<>> ids_;
  std::vector<EvaluationCase> cases_;
};

}  // namespace

Result<std::vector<EvaluationCase>, Diagnostic> read_cases(const std::string& given, const QuestionOptions& options) {
  const auto found = rows_file(given);
  if (!found) return found.error();
  const std::string& path = *found;
  auto reader = RowReader::open(path);
  if (!reader) return reader.error();
  CaseReader cases(options);
  for (std::size_t number = 1; !cases.is_enough(); ++number) {
    auto line = reader->next();
    if (!line) return line.error();
    if (!line->has_value()) break;
    const std::string& text = **line;
    if (is_blank(text)) continue;
    const std::string place = concat(path, ":", number);
    std::optional<Diagnostic> problem;
    if (number == 1 && text.find_first_not_of(" \t") != text.find('{')) {
      auto rest = reader->rest();
      if (!rest) return rest.error();
      problem = cases.add_document(path, concat(text, "\n", *rest));
    } else {
      problem = cases.add_row(place, text);
    }
    if (problem) return *std::move(problem);
  }
  std::vector<EvaluationCase> out = cases.take();
  if (out.empty()) return make_error("prompts", concat(path, " holds no question"));
  return out;
}

Json to_json(const EvaluationCase& one) {
  Json messages{Json::Array{}};
  for (const ChatMessage& message : one.messages) {
    Json entry;
    messages.push(std::move(entry.set("role", message.role).set("content", message.content)));
  }
  const Json record = to_json(one.before.program, Profile::paper);
  Json out;
  out.set("id", one.id).set("program", one.before.program.name).set("signature", *record.find("signature"));
  out.set("leir", one.text).set("programs", one.programs).set("messages", std::move(messages));
  return out;
}

std::map<std::string, std::size_t, std::less<>> places_of(const std::vector<EvaluationCase>& cases) {
  std::map<std::string, std::size_t, std::less<>> out;
  for (std::size_t i = 0; i < cases.size(); ++i) out.emplace(cases[i].id, i);
  return out;
}

}  // namespace steptp
