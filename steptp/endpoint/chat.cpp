#include "steptp/endpoint/chat.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "steptp/base/text.h"
#include "steptp/endpoint/event_stream.h"

namespace steptp {

namespace {

using Kind = ChatFailure::Kind;

constexpr double kLongestWait = 60;       // seconds between two tries
constexpr std::size_t kQuotedBody = 300;  // of a server's message

ChatFailure failure(Kind kind, std::string message) { return {kind, std::move(message), std::nullopt, false}; }

std::string text_at(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  return value && value->as_string() ? *value->as_string() : std::string();
}

/// A content is a text, nothing, or a list of parts.
std::string content_of(const Json& message) {
  const Json* content = message.find("content");
  if (!content || !content->as_array()) return text_at(message, "content");
  std::string out;
  for (const Json& part : *content->as_array()) out += text_at(part, "text");
  return out;
}

std::string reasoning_of(const Json& message) {
  const std::string content = text_at(message, "reasoning_content");
  return content.empty() ? text_at(message, "reasoning") : content;
}

void take_usage(const Json& json, ChatReply& reply) {
  const Json* usage = json.find("usage");
  if (!usage) return;
  const auto count = [&](std::string_view key) -> std::optional<std::int64_t> {
    const Json* value = usage->find(key);
    return value && value->as_integer() ? std::optional(*value->as_integer()) : std::nullopt;
  };
  if (const auto tokens = count("prompt_tokens")) reply.prompt_tokens = tokens;
  if (const auto tokens = count("completion_tokens")) reply.completion_tokens = tokens;
}

const Json* first_choice(const Json& json) {
  const Json* choices = json.find("choices");
  return choices && choices->as_array() && !choices->as_array()->empty() ? &choices->as_array()->front() : nullptr;
}

/// What the server says in `{"error":{"message":...}}`, or the beginning of whatever it says.
std::string server_message(const std::string& body) {
  if (const auto json = parse_json(body)) {
    if (const Json* error = json->find("error")) {
      const std::string message = error->as_string() ? *error->as_string() : text_at(*error, "message");
      if (!message.empty()) return message.substr(0, kQuotedBody);
    }
  }
  return body.substr(0, kQuotedBody);
}

ChatFailure failure_of(const HttpFailure& failed) {
  switch (failed.kind) {
    case HttpFailure::Kind::no_client: return {Kind::unusable, failed.message, std::nullopt, true};
    case HttpFailure::Kind::bad_url: return failure(Kind::unusable, failed.message);
    case HttpFailure::Kind::unreachable: return failure(Kind::unreachable, failed.message);
    case HttpFailure::Kind::timed_out: return failure(Kind::timed_out, failed.message);
    case HttpFailure::Kind::broken: return failure(Kind::broken, failed.message);
    case HttpFailure::Kind::too_long: return failure(Kind::too_long, failed.message);
    case HttpFailure::Kind::cancelled: return failure(Kind::cancelled, failed.message);
  }
  return failure(Kind::broken, failed.message);
}

ChatFailure failure_of(const HttpResponse& response, const std::string& body) {
  ChatFailure out = failure(Kind::busy, concat("the server answers ", response.status));
  if (const std::string said = server_message(body); !said.empty()) append(out.message, ": ", said);
  out.retry_after = response.retry_after;
  if (response.status == 401 || response.status == 403 || response.status == 404 || response.status == 405) {
    out.kind = Kind::unusable;
  } else if (response.status >= 300 && response.status < 500 && response.status != 429 && response.status != 408) {
    out.kind = response.status < 400 ? Kind::unusable : Kind::rejected;
  } else if (response.status >= 500 && response.status != 503) {
    out.kind = Kind::failing;
  }
  return out;
}

/// What comes in events, put together.
class StreamedReply {
 public:
  /// False once the stream is at its end.
  bool feed(std::string_view bytes) {
    events_.feed(bytes);
    return !is_done_;
  }

  Result<ChatReply, ChatFailure> take() {
    if (!error_.empty()) return failure(Kind::failing, error_);
    // Some servers end the stream without a last word; a reason to finish is as good.
    if (!is_done_ && reply_.finish_reason.empty())
      return failure(Kind::broken, "the stream of the answer ended in the middle");
    return std::move(reply_);
  }

 private:
  void take_event(const std::string& data) {
    if (data == "[DONE]") {
      is_done_ = true;
      return;
    }
    const auto json = parse_json(data);
    if (!json) return;
    if (json->find("error")) error_ = concat("the server ends its answer: ", server_message(data));
    take_usage(*json, reply_);
    const Json* choice = first_choice(*json);
    if (!choice) return;
    if (const Json* delta = choice->find("delta")) {
      reply_.content += content_of(*delta);
      reply_.reasoning += reasoning_of(*delta);
    }
    if (const std::string reason = text_at(*choice, "finish_reason"); !reason.empty()) reply_.finish_reason = reason;
  }

  EventStream events_{[this](const std::string& data) { take_event(data); }};
  ChatReply reply_;
  std::string error_;
  bool is_done_ = false;
};

}  // namespace

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::unusable: return "unusable";
    case Kind::unreachable: return "unreachable";
    case Kind::rejected: return "rejected";
    case Kind::busy: return "busy";
    case Kind::failing: return "failing";
    case Kind::broken: return "broken";
    case Kind::timed_out: return "timed-out";
    case Kind::too_long: return "too-long";
    case Kind::cancelled: return "cancelled";
  }
  return "";
}

bool is_worth_retrying(Kind kind) {
  return kind == Kind::unreachable || kind == Kind::busy || kind == Kind::failing || kind == Kind::broken ||
         kind == Kind::timed_out;
}

Json to_json(const ChatRequest& request) {
  Json messages{Json::Array{}};
  for (const ChatMessage& message : request.messages) {
    Json one;
    messages.push(std::move(one.set("role", message.role).set("content", message.content)));
  }
  Json out;
  out.set("model", request.model).set("messages", std::move(messages)).set("temperature", request.temperature);
  if (request.seed) out.set("seed", *request.seed);
  if (request.max_tokens > 0) out.set("max_tokens", request.max_tokens);
  out.set("stream", request.stream);
  for (const auto& [key, value] : request.more) out.set(key, value);
  return out;
}

Result<ChatReply, ChatFailure> reply_from_json(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return failure(Kind::broken, concat("the server's answer is not JSON: ", json.error().message));
  const Json* choice = first_choice(*json);
  const Json* message = choice ? choice->find("message") : nullptr;
  if (!message || !message->as_object()) {
    return failure(json->find("error") ? Kind::failing : Kind::broken,
                   concat("the server's answer holds no message: ", server_message(std::string(text))));
  }
  ChatReply reply;
  reply.content = content_of(*message);
  reply.reasoning = reasoning_of(*message);
  reply.finish_reason = text_at(*choice, "finish_reason");
  take_usage(*json, reply);
  return reply;
}

Result<ChatReply, ChatFailure> ChatServer::ask(const ChatRequest& request) {
  HttpRequest http;
  http.url = concat(options_.base_url, options_.base_url.ends_with('/') ? "" : "/", "chat/completions");
  http.headers = {"Content-Type: application/json", concat("Accept: ", request.stream ? "text/event-stream" : "*/*")};
  if (!options_.api_key.empty()) http.headers.push_back(concat("Authorization: Bearer ", options_.api_key));
  http.body = to_json(request).dump();
  http.seconds = options_.seconds;
  http.longest = options_.longest;
  http.go_on = options_.go_on;
  StreamedReply streamed;
  std::string body;
  if (request.stream) {
    // What it is becomes known at the end: a server may answer in one piece though a stream was asked for.
    http.on_bytes = [&](std::string_view bytes) {
      body += bytes;
      return streamed.feed(bytes);
    };
  }
  auto response = client_.post(http);
  if (!response) return failure_of(response.error());
  if (!request.stream) body = std::move(response->body);
  if (response->status != 200) return failure_of(*response, body);
  return response->content_type.starts_with("text/event-stream") ? streamed.take() : reply_from_json(body);
}

Result<ChatReply, ChatFailure> ask_again(ChatEndpoint& endpoint, const ChatRequest& request,
                                         const RetryOptions& options) {
  double wait = options.wait;
  for (int tries = 0;; ++tries) {
    auto reply = endpoint.ask(request);
    if (reply || tries >= options.retries || !is_worth_retrying(reply.error().kind)) return reply;
    const double seconds = std::min(kLongestWait, std::max(wait, reply.error().retry_after.value_or(0)));
    if (options.pause) {
      if (!options.pause(seconds)) return failure(Kind::cancelled, "cancelled");
    } else {
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    }
    wait *= 2;
  }
}

}  // namespace steptp
