#include "steptp/search/command_proposer.h"

#include <utility>

#include "steptp/base/text.h"
#include "steptp/text/printer.h"

namespace steptp::search {

namespace {

constexpr double kSecondsForAnAnswer = 600;
/// Of the failures below a node the last ones are told.
constexpr std::size_t kToldFailures = 8;

Candidate with_problem(std::string problem) {
  Candidate out;
  out.problem = std::move(problem);
  return out;
}

Json failures_of(const Question& question) {
  Json::Array out;
  const auto& children = question.about().children;
  for (std::size_t i = children.size() > kToldFailures ? children.size() - kToldFailures : 0; i < children.size();
       ++i) {
    const Node& child = question.tree->at(children[i]);
    if (child.is_fresh()) continue;
    Json entry;
    entry.set("outcome", word_of(child.outcome)).set("reason", child.reason);
    out.push_back(std::move(entry));
  }
  return out;
}

double speedup_of(const Question& question, const Node& node) {
  return node.seconds > 0 ? question.tree->at(0).seconds / node.seconds : 0;
}

}  // namespace

Json question_json(const Question& question, const Document& root) {
  const Node& node = question.about();
  Json out = steptp::to_json(root.program, Profile::paper);
  Json told;
  for (const auto& [key, value] : *out.as_object()) {
    if (key != "leir") told.set(key, value);
  }
  told.set("leir", print(*node.program)).set("wanted", static_cast<std::int64_t>(question.wanted));
  told.set("attempt", static_cast<std::int64_t>(question.attempt)).set("seed", concat(question.seed));
  told.set("depth", static_cast<std::int64_t>(node.depth)).set("seconds", node.seconds);
  told.set("root_seconds", question.tree->at(0).seconds).set("speedup", speedup_of(question, node));
  Json::Array strategies;
  for (const std::string& name : node.candidate.strategies) strategies.emplace_back(name);
  told.set("strategies", std::move(strategies));
  Json parent;
  if (question.shows_parent && node.parent) {
    const Node& before = question.tree->at(*node.parent);
    parent.set("leir", print(*before.program)).set("speedup", speedup_of(question, before));
  }
  return told.set("parent", std::move(parent)).set("failures", failures_of(question));
}

Proposals foreign_proposals(std::string_view text) {
  Proposals out;
  const auto json = parse_json(text);
  if (!json) {
    out.candidates.push_back(with_problem(concat("the answer is no JSON: ", json.error().message)));
    return out;
  }
  const Json* candidates = json->find("candidates");
  if (!candidates || !candidates->as_array()) {
    out.candidates.push_back(with_problem("the answer has no list \"candidates\""));
    return out;
  }
  for (const Json& entry : *candidates->as_array()) {
    auto candidate = candidate_from_json(entry);
    out.candidates.push_back(candidate ? std::move(candidate).value() : with_problem(candidate.error()));
  }
  if (const Json* tokens = json->find("tokens"); tokens && tokens->as_integer() && *tokens->as_integer() > 0)
    out.tokens = *tokens->as_integer();
  return out;
}

Result<std::unique_ptr<CommandProposer>, Diagnostic> CommandProposer::start(const std::string& command,
                                                                            const Document& root) {
  auto conversation = Conversation::start({"sh", "-c", command});
  if (!conversation) return conversation.error();
  return std::unique_ptr<CommandProposer>(new CommandProposer(std::move(conversation).value(), root));
}

Result<Proposals, ProposerFailure> CommandProposer::propose(const Question& question) {
  const auto answer = conversation_.ask(question_json(question, root_).dump(), kSecondsForAnAnswer);
  if (!answer) return ProposerFailure{answer.error().message};
  return foreign_proposals(*answer);
}

}  // namespace steptp::search
