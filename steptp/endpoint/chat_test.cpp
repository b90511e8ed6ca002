#include "steptp/endpoint/chat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

namespace steptp {
namespace {

using Kind = ChatFailure::Kind;

/// Answers what it is given, in pieces of a few bytes, and keeps what it was asked.
class ScriptedClient : public HttpClient {
 public:
  struct Line {
    HttpResponse response;
    std::optional<HttpFailure> failure = {};
  };
  std::deque<Line> script;
  std::vector<HttpRequest> asked;

  Result<HttpResponse, HttpFailure> post(const HttpRequest& request) override {
    asked.push_back(request);
    Line line = script.front();
    script.pop_front();
    if (request.on_bytes) {
      for (std::size_t at = 0; at < line.response.body.size(); at += 3) {
        if (!request.on_bytes(std::string_view(line.response.body).substr(at, 3))) break;
      }
      line.response.body.clear();
    }
    if (line.failure) return *line.failure;
    return line.response;
  }

  void say(int status, std::string body, std::string type = "application/json") {
    script.push_back({HttpResponse{status, std::move(type), std::nullopt, std::move(body)}});
  }
};

ChatRequest question(bool stream = false) {
  ChatRequest request;
  request.model = "tiny";
  request.messages = {{"user", "Why?"}};
  request.stream = stream;
  return request;
}

constexpr const char* kReply =
    R"({"choices":[{"message":{"role":"assistant","content":"So.","reasoning_content":"Hm."},"finish_reason":"stop"}],)"
    R"("usage":{"prompt_tokens":3,"completion_tokens":2}})";

TEST(Chat, AsksAndReadsAnAnswerInOnePiece) {
  ScriptedClient client;
  client.say(200, kReply);
  ServerOptions options;
  options.base_url = "http://host:1/v1/";
  options.api_key = "secret";
  ChatServer server(client, options);
  ChatRequest request = question();
  request.seed = 7;
  request.more = {{"grammar", "root ::= x"}};
  const auto reply = server.ask(request);
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(reply->content, "So.");
  EXPECT_EQ(reply->reasoning, "Hm.");
  EXPECT_EQ(reply->finish_reason, "stop");
  EXPECT_EQ(reply->completion_tokens, 2);
  EXPECT_EQ(client.asked[0].url, "http://host:1/v1/chat/completions");
  EXPECT_EQ(client.asked[0].body, R"({"model":"tiny","messages":[{"role":"user","content":"Why?"}],"temperature":0,)"
                                  R"("seed":7,"stream":false,"grammar":"root ::= x"})");
  EXPECT_NE(std::find(client.asked[0].headers.begin(), client.asked[0].headers.end(), "Authorization: Bearer secret"),
            client.asked[0].headers.end());
}

Result<ChatReply, ChatFailure> streamed(const std::string& body) {
  ScriptedClient client;
  client.say(200, body, "text/event-stream; charset=utf-8");
  ChatServer server(client, {});
  return server.ask(question(true));
}

TEST(Chat, PutsAStreamTogether) {
  const auto reply = streamed(
      "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":null,\"reasoning\":\"H\"}}]}\n\n"
      "data: {\"choices\":[{\"delta\":{\"content\":\"S\",\"reasoning\":\"m\"}}]}\n\n"
      "data: {\"choices\":[{\"delta\":{\"content\":\"o.\"},\"finish_reason\":\"length\"}]}\n\n"
      "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":9}}\n\ndata: [DONE]\n\nmore");
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(reply->content, "So.");
  EXPECT_EQ(reply->reasoning, "Hm");
  EXPECT_EQ(reply->finish_reason, "length");
  EXPECT_EQ(reply->completion_tokens, 9);
}

TEST(Chat, AStreamThatEndsInTheMiddleIsNoAnswer) {
  const auto cut = streamed("data: {\"choices\":[{\"delta\":{\"content\":\"S\"}}]}\n\ndata: {\"cho");
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().kind, Kind::broken);
  const auto error = streamed("data: {\"error\":{\"message\":\"out of memory\"}}\n\ndata: [DONE]\n\n");
  ASSERT_FALSE(error.ok());
  EXPECT_EQ(error.error().message, "the server ends its answer: out of memory");
}

TEST(Chat, AServerMayAnswerInOnePieceThoughAStreamWasAskedFor) {
  ScriptedClient client;
  client.say(200, kReply);
  ChatServer server(client, {});
  const auto reply = server.ask(question(true));
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(reply->content, "So.");
}

TEST(Chat, ContentMayBeNothingOrParts) {
  const auto null = reply_from_json(R"({"choices":[{"message":{"content":null}}]})");
  ASSERT_TRUE(null.ok());
  EXPECT_EQ(null->content, "");
  const auto parts = reply_from_json(R"({"choices":[{"message":{"content":[{"text":"a"},{"text":"b"}]}}]})");
  ASSERT_TRUE(parts.ok());
  EXPECT_EQ(parts->content, "ab");
}

TEST(Chat, FailuresHaveTheirKinds) {
  const auto kind = [](int status, const std::string& body) {
    ScriptedClient client;
    client.say(status, body);
    ChatServer server(client, {});
    const auto reply = server.ask(question());
    return reply.ok() ? std::string("ok") : std::string(name_of(reply.error().kind));
  };
  EXPECT_EQ(kind(401, "{}"), "unusable");
  EXPECT_EQ(kind(404, R"({"error":{"message":"no such model"}})"), "unusable");
  EXPECT_EQ(kind(302, ""), "unusable");
  EXPECT_EQ(kind(400, "too many tokens"), "rejected");
  EXPECT_EQ(kind(429, ""), "busy");
  EXPECT_EQ(kind(500, "<html>"), "failing");
  EXPECT_EQ(kind(503, "{}"), "busy");
  EXPECT_EQ(kind(200, "<html>"), "broken");
  EXPECT_EQ(kind(200, "[]"), "broken");
  EXPECT_EQ(kind(200, R"({"choices":[]})"), "broken");
  EXPECT_EQ(kind(200, kReply), "ok");
}

TEST(Chat, AsksAgainWhatIsWorthItAndWaitsLonger) {
  ScriptedClient client;
  client.script.push_back({HttpResponse{429, "", 5.0, ""}});
  client.script.push_back({{}, HttpFailure{HttpFailure::Kind::broken, "gone"}});
  client.say(200, kReply);
  ChatServer server(client, {});
  std::vector<double> waits;
  RetryOptions options;
  options.pause = [&](double seconds) {
    waits.push_back(seconds);
    return true;
  };
  EXPECT_TRUE(ask_again(server, question(), options).ok());
  EXPECT_EQ(waits, (std::vector<double>{5, 2}));

  waits.clear();
  client.say(400, "");
  EXPECT_FALSE(ask_again(server, question(), options).ok());
  EXPECT_TRUE(waits.empty());

  for (int i = 0; i < 5; ++i) client.say(500, "");
  const auto given_up = ask_again(server, question(), options);
  ASSERT_FALSE(given_up.ok());
  EXPECT_EQ(given_up.error().kind, Kind::failing);
  EXPECT_EQ(waits, (std::vector<double>{1, 2, 4, 8}));
}

TEST(Chat, OnlyHttpIsSpoken) {
  CurlClient client;
  HttpRequest request;
  request.url = "file:///etc/hostname";
  const auto response = client.post(request);
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().kind, HttpFailure::Kind::bad_url);
}

}  // namespace
}  // namespace steptp
