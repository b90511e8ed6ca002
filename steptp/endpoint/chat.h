#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/endpoint/http.h"

namespace steptp {

struct ChatMessage {
  std::string role;
  std::string content;
};

/// One question to a model.
struct ChatRequest {
  std::string model;
  std::vector<ChatMessage> messages;
  double temperature = 0;
  std::optional<std::uint64_t> seed;
  std::int64_t max_tokens = 0;  ///< 0: as the server wants
  bool stream = false;
  Json::Object more;  ///< further keys, such as a grammar in the server's dialect
};

struct ChatReply {
  std::string content;
  std::string reasoning;  ///< where the server gives the thought apart from the answer
  std::string finish_reason;
  std::optional<std::int64_t> prompt_tokens;
  std::optional<std::int64_t> completion_tokens;
};

/// Why a question has no answer.
struct ChatFailure {
  enum class Kind : std::uint8_t {
    unusable,     ///< wrong address, key or model, or no client: no question will be answered
    unreachable,  ///< nobody is there
    rejected,     ///< this question, as too long for the model
    busy,         ///< too many requests
    failing,      ///< the server failed
    broken,       ///< the answer ended in the middle, or is none
    timed_out,
    too_long,
    cancelled,
  };
  Kind kind = Kind::unreachable;
  std::string message;
  std::optional<double> retry_after;  ///< seconds that the server asks to wait
  bool is_our_machine = false;        ///< unusable: for want of a library, and not for what was given
};
[[nodiscard]] std::string_view name_of(ChatFailure::Kind kind);
/// Whether the same question may be answered later.
[[nodiscard]] bool is_worth_retrying(ChatFailure::Kind kind);

/// Whoever answers questions. Searches and tests have their own.
class ChatEndpoint {
 public:
  ChatEndpoint() = default;
  ChatEndpoint(const ChatEndpoint&) = delete;
  ChatEndpoint& operator=(const ChatEndpoint&) = delete;
  virtual ~ChatEndpoint() = default;

  /// From many threads at a time.
  [[nodiscard]] virtual Result<ChatReply, ChatFailure> ask(const ChatRequest& request) = 0;
};

/// A server that speaks OpenAI's protocol: POST {base}/chat/completions, streaming or not.
struct ServerOptions {
  std::string base_url;                         ///< "http://host:port/v1"
  std::string api_key;                          ///< empty: none
  double seconds = 600;                         ///< for one answer
  std::size_t longest = std::size_t{64} << 20;  ///< bytes of one answer on the line
  std::function<bool()> go_on;
};
class ChatServer : public ChatEndpoint {
 public:
  /// The client must outlive it.
  ChatServer(HttpClient& client, ServerOptions options) : client_(client), options_(std::move(options)) {}

  [[nodiscard]] Result<ChatReply, ChatFailure> ask(const ChatRequest& request) override;

 private:
  HttpClient& client_;
  ServerOptions options_;
};

/// Asks again, up to `retries` times, what is worth it: after `wait`, twice that, and so on up to a minute, or after
/// what the server asks for. `pause` waits and says whether to go on.
struct RetryOptions {
  int retries = 4;
  double wait = 1;  ///< seconds
  std::function<bool(double seconds)> pause;
};
[[nodiscard]] Result<ChatReply, ChatFailure> ask_again(ChatEndpoint& endpoint, const ChatRequest& request,
                                                       const RetryOptions& options);

/// The body of a request, and what an answer in one piece says.
[[nodiscard]] Json to_json(const ChatRequest& request);
[[nodiscard]] Result<ChatReply, ChatFailure> reply_from_json(std::string_view text);

}  // namespace steptp
