#include "steptp/evaluate/ask.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include "steptp/base/hash.h"

namespace steptp {

namespace {

using Kind = ChatFailure::Kind;

constexpr double kSlice = 0.1;           // seconds between two looks at whether to go on
constexpr unsigned kFailuresInARow = 8;  // and two for each place

/// Asks with several threads; what they share is behind the mutex.
class Asker {
 public:
  Asker(const std::vector<EvaluationCase>& cases, ChatEndpoint& endpoint, const AskOptions& options, AnswerLog& log,
        const std::function<void(std::size_t)>& progress)
      : cases_(cases), endpoint_(endpoint), options_(options), log_(log), progress_(progress) {
    const auto pause = options.retry.pause;
    options_.retry.pause = [this, pause](double seconds) { return pause ? pause(seconds) : wait(seconds); };
  }

  Asked run(const std::vector<ModelAnswer>& done) {
    std::set<std::pair<std::size_t, std::int64_t>> answered;
    for (const ModelAnswer& answer : done) answered.emplace(answer.of_case, answer.attempt);
    for (std::int64_t attempt = 1; attempt <= options_.attempts; ++attempt) {
      for (std::size_t i = 0; i < cases_.size(); ++i) {
        if (!answered.contains({i, attempt})) questions_.emplace_back(i, attempt);
      }
    }
    const std::size_t places = std::min<std::size_t>(std::max(1U, options_.concurrency), questions_.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < places; ++i) threads.emplace_back([this] { work(); });
    }
    std::sort(out_.unanswered.begin(), out_.unanswered.end(), [](const Unanswered& a, const Unanswered& b) {
      return std::tie(a.of_case, a.attempt) < std::tie(b.of_case, b.attempt);
    });
    return std::move(out_);
  }

 private:
  bool wait(double seconds) {
    for (double left = seconds; left > 0 && !stop_; left -= kSlice) {
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, kSlice)));
    }
    return !stop_;
  }

  void work() {
    while (!stop_) {
      const std::size_t number = next_++;
      if (number >= questions_.size()) return;
      const auto [of_case, attempt] = questions_[number];
      ChatRequest request;
      request.model = options_.model;
      request.messages = cases_[of_case].messages;
      request.temperature = options_.temperature;
      request.max_tokens = options_.max_tokens;
      request.stream = options_.stream;
      // Attempts are to differ, and to be the same when they are made again.
      if (options_.temperature > 0) request.seed = options_.seed + static_cast<std::uint64_t>(attempt) - 1;
      const auto reply = ask_again(endpoint_, request, options_.retry);
      finish(of_case, attempt, reply);
    }
  }

  void finish(std::size_t of_case, std::int64_t attempt, const Result<ChatReply, ChatFailure>& reply) {
    Json row;
    row.set("id", cases_[of_case].id).set("attempt", attempt);
    if (reply) {
      row.set("content", reply->content);
      if (!reply->reasoning.empty()) row.set("reasoning", reply->reasoning);
      row.set("finish_reason", reply->finish_reason);
      if (reply->prompt_tokens) row.set("prompt_tokens", *reply->prompt_tokens);
      if (reply->completion_tokens) row.set("completion_tokens", *reply->completion_tokens);
    } else {
      row.set("failure", name_of(reply.error().kind)).set("message", reply.error().message);
    }
    auto problem = log_.append(row);
    const std::lock_guard lock(mutex_);
    if (problem && !out_.log_problem) out_.log_problem = std::move(problem);
    if (out_.log_problem) stop_ = true;
    if (progress_) progress_(++finished_);
    if (reply) {
      failures_in_a_row_ = 0;
      return;
    }
    if (reply.error().kind != Kind::cancelled) note_failure({of_case, attempt, reply.error()});
  }

  void note_failure(Unanswered unanswered) {
    const Kind kind = unanswered.failure.kind;
    // What the server rejects or answers at too great a length is no sign that it is dead.
    if (kind != Kind::rejected && kind != Kind::too_long) ++failures_in_a_row_;
    const bool is_dead = failures_in_a_row_ >= kFailuresInARow + 2 * options_.concurrency;
    if ((kind == Kind::unusable || kind == Kind::unreachable || is_dead) && !out_.stopped) {
      out_.stopped = unanswered.failure;
      stop_ = true;
    }
    out_.unanswered.push_back(std::move(unanswered));
  }

  const std::vector<EvaluationCase>& cases_;
  ChatEndpoint& endpoint_;
  AskOptions options_;
  AnswerLog& log_;
  const std::function<void(std::size_t)>& progress_;
  std::vector<std::pair<std::size_t, std::int64_t>> questions_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::size_t finished_ = 0;
  unsigned failures_in_a_row_ = 0;
  Asked out_;
};

}  // namespace

Json log_header(const std::vector<EvaluationCase>& cases, const AskOptions& options) {
  Hash questions = 0;
  for (const EvaluationCase& one : cases) {
    questions = combine(questions, hash_text(one.id));
    for (const ChatMessage& message : one.messages) questions = combine(questions, hash_text(message.content));
  }
  Json out;
  out.set("format", kLogFormat).set("model", options.model).set("temperature", options.temperature);
  out.set("seed", options.seed).set("max_tokens", options.max_tokens).set("questions", std::to_string(questions));
  return out;
}

Asked ask_all(const std::vector<EvaluationCase>& cases, const std::vector<ModelAnswer>& done, ChatEndpoint& endpoint,
              const AskOptions& options, AnswerLog& log, const std::function<void(std::size_t)>& progress) {
  return Asker(cases, endpoint, options, log, progress).run(done);
}

}  // namespace steptp
