#include "steptp/documents/rivals.h"

#include <string_view>
#include <utility>

#include "steptp/base/json.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

std::string text_at(const Json& entry, std::string_view key) {
  const Json* value = entry.find(key);
  return value && value->as_string() ? *value->as_string() : std::string();
}

Diagnostic no_answer(std::string_view why) {
  return make_error("rival", concat("what was to be compared gave no times: ", why));
}

}  // namespace

class RivalSession::Column : public Rival {
 public:
  Column(RivalSession& session, std::size_t number, std::string error)
      : session_(session), number_(number), error_(std::move(error)) {}

  Result<std::vector<double>, Diagnostic> measure(double seconds, std::int64_t most) override {
    if (!error_.empty()) return make_error("rival", error_);
    const auto said =
        session_.other_.ask(concat(number_, " ", std::to_string(seconds), " ", most), session_.timeout_seconds_);
    if (!said) return no_answer(said.error().message);
    const auto json = parse_json(*said);
    if (!json) return no_answer("an answer that is not JSON");
    if (const std::string error = text_at(*json, "error"); !error.empty()) return make_error("rival", error);
    std::vector<double> out;
    if (const Json* samples = json->find("samples"); samples && samples->as_array()) {
      for (const Json& sample : *samples->as_array()) out.push_back(sample.number());
    }
    if (out.empty()) return no_answer("an answer without samples");
    return out;
  }

 private:
  RivalSession& session_;
  std::size_t number_;
  std::string error_;
};

RivalSession::RivalSession(Conversation other, double timeout_seconds, std::optional<TemporaryFolder> folder)
    : folder_(std::move(folder)), other_(std::move(other)), timeout_seconds_(timeout_seconds) {}
RivalSession::~RivalSession() = default;

Result<std::unique_ptr<RivalSession>, Diagnostic> RivalSession::start(const std::vector<std::string>& command,
                                                                      double timeout_seconds,
                                                                      std::optional<TemporaryFolder> folder) {
  auto other = Conversation::start(command);
  if (!other) return make_error("rival", other.error().message);
  std::unique_ptr<RivalSession> out(new RivalSession(std::move(other).value(), timeout_seconds, std::move(folder)));
  const auto ready = out->other_.ask("", timeout_seconds);
  if (!ready) return no_answer(ready.error().message);
  const auto json = parse_json(*ready);
  if (!json) return no_answer("an answer that is not JSON");
  if (const std::string error = text_at(*json, "error"); !error.empty()) return no_answer(error);
  if (const Json* columns = json->find("columns"); columns && columns->as_array()) {
    for (const Json& entry : *columns->as_array()) {
      out->names_.push_back(text_at(entry, "name"));
      out->columns_.push_back(std::make_unique<Column>(*out, out->columns_.size(), text_at(entry, "error")));
    }
  }
  return out;
}

std::vector<Rival*> RivalSession::rivals() const {
  std::vector<Rival*> out;
  for (const auto& column : columns_) out.push_back(column.get());
  return out;
}

}  // namespace steptp
