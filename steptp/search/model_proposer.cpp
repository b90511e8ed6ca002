#include "steptp/search/model_proposer.h"

#include <chrono>
#include <thread>
#include <utility>

#include "steptp/answers/answer.h"
#include "steptp/base/duration.h"
#include "steptp/base/text.h"
#include "steptp/text/grammar.h"
#include "steptp/text/strategy_names.h"

namespace steptp::search {

namespace {

Candidate with_problem(std::string problem) {
  Candidate out;
  out.problem = std::move(problem);
  out.edge = "an answer without a program";
  return out;
}

bool is_about_this_question(ChatFailure::Kind kind) {
  return kind == ChatFailure::Kind::rejected || kind == ChatFailure::Kind::broken ||
         kind == ChatFailure::Kind::timed_out || kind == ChatFailure::Kind::too_long;
}

/// The grammar of the answer, where the server takes one.
void constrain(ServerKind server, std::size_t wanted, Json::Object& more) {
  if (server == ServerKind::plain) return;
  const GrammarTarget target = wanted == 1 ? GrammarTarget::answer : GrammarTarget::answers;
  const std::string grammar = gbnf(Profile::paper, target, strategy_names());
  switch (server) {
    case ServerKind::plain: break;
    case ServerKind::vllm: more.emplace_back("structured_outputs", Json(Json::Object{{"grammar", grammar}})); break;
    case ServerKind::sglang: more.emplace_back("ebnf", grammar); break;
    case ServerKind::llama: more.emplace_back("grammar", grammar); break;
  }
}

}  // namespace

Json to_json(const ModelSettings& settings) {
  Json out;
  out.set("endpoint", settings.endpoint).set("model", settings.model);
  out.set("api_key_variable", settings.api_key_variable).set("server", word_of(settings.server));
  out.set("temperature", settings.temperature).set("max_tokens", settings.max_tokens).set("stream", settings.stream);
  out.set("seconds", settings.seconds).set("retries", settings.retries);
  return out.set("retry_wait", settings.retry_wait);
}

Result<ModelSettings, std::string> model_from_json(const Json& json) {
  ModelSettings out;
  const auto text = [&](std::string_view key, std::string& to) {
    if (const Json* value = json.find(key); value && value->as_string()) to = *value->as_string();
  };
  const auto number = [&](std::string_view key, auto& to) {
    using Number = std::decay_t<decltype(to)>;
    if (const Json* value = json.find(key); value && value->is_number()) to = static_cast<Number>(value->number());
  };
  if (!json.as_object()) return concat("it is ", json.kind_name(), " and no object");
  text("endpoint", out.endpoint);
  text("model", out.model);
  text("api_key_variable", out.api_key_variable);
  std::string server(word_of(out.server));
  text("server", server);
  const auto kind = read_word<ServerKind>(server);
  if (!kind) return concat("\"server\" is to be one of ", list_of_words<ServerKind>());
  out.server = *kind;
  number("temperature", out.temperature);
  number("max_tokens", out.max_tokens);
  number("seconds", out.seconds);
  number("retries", out.retries);
  number("retry_wait", out.retry_wait);
  if (const Json* stream = json.find("stream"); stream && stream->as_bool()) out.stream = *stream->as_bool();
  return out;
}

ChatRequest ModelProposer::request_for(const Question& question) const {
  ChatRequest out;
  out.model = settings_.model;
  out.messages = {{"user", model_question(question, rates_)}};
  out.temperature = settings_.temperature;
  out.seed = question.seed >> 33;  // servers take 31 bits
  out.max_tokens = settings_.max_tokens;
  out.stream = settings_.stream;
  constrain(settings_.server, question.wanted, out.more);
  return out;
}

Json ModelProposer::question(const Question& question) {
  Json::Array messages;
  for (const ChatMessage& message : request_for(question).messages) {
    Json entry;
    messages.push_back(entry.set("role", message.role).set("content", message.content));
  }
  return messages;
}

std::vector<Candidate> candidates_of(const ChatReply& reply) {
  const Answer answer = read_answer(reply.content);
  std::vector<Candidate> out;
  for (const AnswerProgram& program : answer.programs) {
    Candidate candidate;
    if (program.problem.ok())
      candidate.leir = program.text;
    else
      candidate.problem = concat(program.problem.id, ": ", program.problem.message);
    for (const std::string& name : program.strategies)
      candidate.strategies.push_back(is_known_strategy(name) ? name : std::string("other"));
    candidate.edge = candidate.strategies.empty() ? "an unnamed step" : candidate.strategies.front();
    out.push_back(std::move(candidate));
  }
  if (out.empty()) out.push_back(with_problem(concat(answer.problem.id, ": ", answer.problem.message)));
  return out;
}

Result<Proposals, ProposerFailure> ModelProposer::propose(const Question& question) {
  RetryOptions again;
  again.retries = settings_.retries;
  again.wait = settings_.retry_wait;
  again.pause = [this](double seconds) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + span_of_seconds(seconds);
    while (Clock::now() < end && (!go_on_ || go_on_())) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return !go_on_ || go_on_();
  };
  const auto reply = ask_again(endpoint_, request_for(question), again);
  Proposals out;
  if (!reply) {
    const ChatFailure& why = reply.error();
    if (!is_about_this_question(why.kind))
      return ProposerFailure{why.message, why.kind == ChatFailure::Kind::cancelled};
    out.candidates.push_back(with_problem(concat(name_of(why.kind), ": ", why.message)));
    return out;
  }
  out.candidates = candidates_of(*reply);
  out.tokens = reply->prompt_tokens.value_or(0) + reply->completion_tokens.value_or(0);
  out.raw.set("content", reply->content).set("reasoning", reply->reasoning);
  out.raw.set("finish_reason", reply->finish_reason);
  return out;
}

}  // namespace steptp::search
