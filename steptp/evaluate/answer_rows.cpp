#include <set>

#include "steptp/base/text.h"
#include "steptp/evaluate/answer_log.h"
#include "steptp/evaluate/cases.h"
#include "steptp/evaluate/row_reader.h"

namespace steptp {

namespace {

constexpr std::string_view kTextKeys[] = {"content", "answer", "completion", "response", "output", "text", "messages"};
constexpr std::string_view kListKeys[] = {"answers", "completions"};

Diagnostic bad_row(const std::string& place, std::string_view what, std::string hint = {}) {
  return make_error("answers", concat(place, ": ", what), std::move(hint));
}

/// A string, or what the assistant says last in a list of messages.
std::optional<std::string> text_of(const Json& value) {
  if (value.as_string()) return *value.as_string();
  if (!value.as_array()) return std::nullopt;
  std::optional<std::string> out;
  for (const Json& message : *value.as_array()) {
    const Json* role = message.find("role");
    const Json* content = message.find("content");
    const bool is_assistant = role && role->as_string() && *role->as_string() == "assistant";
    if (is_assistant && content) out = content->as_string() ? *content->as_string() : std::string();
  }
  return out;
}

/// Every text of a row; none where it holds nothing that could be an answer.
std::vector<std::string> texts_in(const Json& row) {
  std::vector<std::string> out;
  for (const std::string_view key : kListKeys) {
    const Json* list = row.find(key);
    if (!list || !list->as_array()) continue;
    for (const Json& one : *list->as_array()) {
      if (auto text = text_of(one)) out.push_back(*std::move(text));
    }
    return out;
  }
  if (const Json* choices = row.find("choices"); choices && choices->as_array()) {
    for (const Json& choice : *choices->as_array()) {
      const Json* message = choice.find("message");
      const Json* content = message ? message->find("content") : choice.find("text");
      if (content) out.push_back(content->as_string() ? *content->as_string() : std::string());
    }
    return out;
  }
  // A line of a batch: {"custom_id":...,"response":{"body":{"choices":[...]}}}
  if (const Json* response = row.find("response"); response && response->find("body")) {
    return texts_in(*response->find("body"));
  }
  for (const std::string_view key : kTextKeys) {
    const Json* value = row.find(key);
    if (!value) continue;
    if (value->is_null()) return {""};
    if (auto text = text_of(*value)) return {*std::move(text)};
  }
  return out;
}

/// The id of a row; nothing where it has none. Numbers are ids too.
std::optional<std::string> id_of(const Json& row) {
  for (const std::string_view key : {"custom_id", "case", "id"}) {
    const Json* id = row.find(key);
    if (id && id->as_string()) return *id->as_string();
    if (id && id->as_integer()) return std::to_string(*id->as_integer());
  }
  return std::nullopt;
}

std::optional<std::int64_t> integer_at(const Json& row, std::string_view key) {
  const Json* value = row.find(key);
  return value && value->as_integer() ? std::optional(*value->as_integer()) : std::nullopt;
}

/// Gives every answer its case and its attempt.
class AnswerReader {
 public:
  AnswerReader(const std::vector<EvaluationCase>& cases, bool may_have_others)
      : cases_(cases), places_(places_of(cases)), may_have_others_(may_have_others) {}

  std::optional<Diagnostic> add(const std::string& place, const Json& row) {
    if (is_log_header(row) || row.find("failure")) return std::nullopt;
    const std::vector<std::string> texts = texts_in(row);
    if (texts.empty()) {
      return bad_row(
          place, "there is no answer in it",
          "an answer is the text in \"content\", \"answer\", \"completion\", \"response\", \"output\" or \"text\"");
    }
    const auto id = id_of(row);
    if (rows_ > 0 && id.has_value() != has_ids_) return bad_row(place, "some rows have an id, and others none");
    has_ids_ = id.has_value();
    const auto found = id ? places_.find(*id) : places_.end();
    const bool is_other = id ? found == places_.end() : rows_ >= cases_.size();
    if (is_other && may_have_others_) return std::nullopt;
    if (id && found == places_.end()) return bad_row(place, concat("no question has the id '", *id, "'"));
    if (!id && rows_ >= cases_.size()) {
      return bad_row(place, "there are more answers than questions", "give each the \"id\" of its question");
    }
    const std::size_t of_case = id ? found->second : rows_;
    ++rows_;
    for (const std::string& text : texts) {
      ModelAnswer answer;
      answer.of_case = of_case;
      answer.content = text;
      std::set<std::int64_t>& taken = attempts_[of_case];
      answer.attempt = taken.empty() ? 1 : *taken.rbegin() + 1;
      if (const auto attempt = integer_at(row, "attempt"); attempt && texts.size() == 1) answer.attempt = *attempt;
      if (!taken.insert(answer.attempt).second) {
        return bad_row(place, concat("attempt ", answer.attempt, " of '", cases_[of_case].id, "' is there twice"));
      }
      if (const Json* reason = row.find("finish_reason"); reason && reason->as_string())
        answer.finish_reason = *reason->as_string();
      answer.prompt_tokens = integer_at(row, "prompt_tokens");
      answer.completion_tokens = integer_at(row, "completion_tokens");
      out_.push_back(std::move(answer));
    }
    return std::nullopt;
  }

  std::vector<ModelAnswer> take() { return std::move(out_); }

 private:
  const std::vector<EvaluationCase>& cases_;
  std::map<std::string, std::size_t, std::less<>> places_;
  std::map<std::size_t, std::set<std::int64_t>> attempts_;
  std::vector<ModelAnswer> out_;
  bool may_have_others_;
  std::size_t rows_ = 0;
  bool has_ids_ = false;
};

}  // namespace

Result<std::vector<ModelAnswer>, Diagnostic> read_answers(const std::string& path,
                                                          const std::vector<EvaluationCase>& cases,
                                                          bool may_have_others) {
  auto reader = RowReader::open(path);
  if (!reader) return reader.error();
  AnswerReader answers(cases, may_have_others);
  for (std::size_t number = 1;; ++number) {
    auto line = reader->next();
    if (!line) return line.error();
    if (!line->has_value()) break;
    if ((*line)->find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string place = concat(path, ":", number);
    const auto row = parse_json(**line);
    if (!row || !row->as_object()) {
      return bad_row(place, concat("not a JSON object", row ? "" : ": ", row ? "" : row.error().message));
    }
    if (auto problem = answers.add(place, *row)) return *std::move(problem);
  }
  std::vector<ModelAnswer> out = answers.take();
  if (out.empty()) return make_error("answers", concat(path, " holds no answer"));
  return out;
}

}  // namespace steptp
