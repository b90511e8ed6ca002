#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "steptp/endpoint/chat.h"
#include "steptp/estimate/rates.h"
#include "steptp/search/roles.h"

namespace steptp::search {

/// Which server answers: they differ in how a grammar for the answer is handed over. A plain one gets none.
enum class ServerKind : std::uint8_t { plain, vllm, sglang, llama };

struct ModelSettings {
  std::string endpoint;  ///< "http://host:port/v1"
  std::string model;
  std::string api_key_variable;  ///< of the environment; empty: no key
  ServerKind server = ServerKind::plain;
  double temperature = 0.3;
  std::int64_t max_tokens = 0;
  bool stream = false;
  double seconds = 600;  ///< for one answer
  int retries = 4;
  double retry_wait = 1;
};
[[nodiscard]] Json to_json(const ModelSettings& settings);
[[nodiscard]] Result<ModelSettings, std::string> model_from_json(const Json& json);

/// A language model. Its question has the program, where the search stands, what failed and why, the limits of the
/// device, and the strategies; whatever it answers becomes candidates, those that cannot be read with their problem.
class ModelProposer : public Proposer {
 public:
  /// The endpoint outlives it.
  ModelProposer(ChatEndpoint& endpoint, ModelSettings settings, DeviceRates rates, std::function<bool()> go_on)
      : endpoint_(endpoint), settings_(std::move(settings)), rates_(std::move(rates)), go_on_(std::move(go_on)) {}

  [[nodiscard]] Json question(const Question& question) override;
  [[nodiscard]] Result<Proposals, ProposerFailure> propose(const Question& question) override;

 private:
  [[nodiscard]] ChatRequest request_for(const Question& question) const;

  ChatEndpoint& endpoint_;
  ModelSettings settings_;
  DeviceRates rates_;
  std::function<bool()> go_on_;
};

/// The text of the question.
[[nodiscard]] std::string model_question(const Question& question, const DeviceRates& rates);
/// Candidates of what a model wrote.
[[nodiscard]] std::vector<Candidate> candidates_of(const ChatReply& reply);

}  // namespace steptp::search

namespace steptp {

template <>
inline constexpr auto kWords<search::ServerKind> = std::to_array<std::string_view>({"plain", "vllm", "sglang",
                                                                                    "llama.cpp"});

}  // namespace steptp
