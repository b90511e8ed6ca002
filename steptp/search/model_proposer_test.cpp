#include "steptp/search/model_proposer.h"

#include <gtest/gtest.h>

#include <functional>

#include "steptp/answers/prompt.h"
#include "steptp/search/materialise.h"
#include "steptp/search/program_judge.h"
#include "testing/search_fakes.h"

namespace steptp::testing {
namespace {

using search::Algorithm;
using search::Outcome;

constexpr std::string_view kDoubled = "L^{8}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}*2+1;];";

Document doubled_root() {
  return read_document("root.leir", concat("@program Doubled\n@input A f32[8]\n@output D f32[8]\n", kDoubled));
}

std::string answered(const std::string& leir, std::string_view strategy = "loop_split") {
  return chat_completion("", answer_json({leir, std::string(strategy)}));
}

/// Two loops for one: equal, and of another shape for every number from 0 to 2.
std::string split_text(int number) {
  const int inner = 1 << (number % 3);
  return concat("L^{", 8 / inner, "}_{a=0}L^{", inner, "}_{c=0}[D^{f32,g}_{a*", inner, "+c}=A^{f32,g}_{a*", inner,
                "+c}*2+1;];");
}

/// One way in which a server answers, and what has to become of it.
struct Kind {
  std::string name;
  Outcome wanted;
  std::function<Result<ChatReply, ChatFailure>(int number)> answer;
};

Kind text(std::string name, Outcome wanted, std::function<std::string(int)> content) {
  return {std::move(name), wanted, [content](int number) -> Result<ChatReply, ChatFailure> {
            ChatReply out;
            out.content = content(number);
            return out;
          }};
}

Kind failure(std::string name, ChatFailure::Kind kind) {
  return {std::move(name), Outcome::unreadable, [kind](int) -> Result<ChatReply, ChatFailure> {
            ChatFailure out;
            out.kind = kind;
            out.message = "no";
            return out;
          }};
}

std::string body(const std::string& right) { return concat("L^{8}_{a=0}[D^{f32,g}_{a}=", right, ";];"); }

std::vector<Kind> hostile_kinds() {
  const Outcome none = Outcome::unreadable;
  return {
      text("nothing", none, [](int) { return ""; }),
      text("an excuse", none, [](int n) { return concat("I am sorry, I cannot do that ", n, " times."); }),
      text("a thought without an end", none,
           [](int n) { return "<think>" + std::string(static_cast<std::size_t>(n), 'x'); }),
      text("an empty answer", none, [](int) { return "<answer></answer>"; }),
      text("an empty object", none, [](int) { return "<answer>{}</answer>"; }),
      text("an empty list", none, [](int) { return "<answer>[]</answer>"; }),
      text("a list of other things", none, [](int n) { return concat("<answer>[", n, ", null, \"x\"]</answer>"); }),
      text("half a program", none,
           [](int n) { return answered(std::string(kDoubled).substr(0, 5 + static_cast<std::size_t>(n) % 30)); }),
      text("another language", none, [](int) { return answered("for i in range(8): D[i] = A[i] * 2 + 1"); }),
      text("an object for a program", none,
           [](int) { return "<answer>{\"transformed_IR\":{\"a\":1},\"applied_strategy\":\"x\"}</answer>"; }),
      text("control characters", none,
           [](int n) { return answered(std::string(1 + static_cast<std::size_t>(n), '\x1b')); }),
      text("bytes that are no UTF-8", none, [](int) { return answered("L^{8}\xff\xfe_{a=0}"); }),
      text("deep brackets", none,
           [](int n) { return "<answer>" + std::string(5000 + static_cast<std::size_t>(n), '[') + "</answer>"; }),
      text("a megabyte", none, [](int) { return answered(std::string(std::size_t{1} << 20, 'A')); }),
      text("two different answers", none,
           [](int n) { return answered(split_text(0)) + answered(body(concat("A^{f32,g}_{a}*2+", n + 2))); }),
      text("a number beyond 64 bits", none,
           [](int) { return answered("L^{99999999999999999999}_{a=0}[D^{f32,g}_{a}=0;];"); }),
      text("an index without a loop", none, [](int) { return answered("L^{8}_{a=0}[D^{f32,g}_{b}=A^{f32,g}_{a};];"); }),
      text("another dtype of a known variable", Outcome::invalid,
           [](int) { return answered("L^{8}_{a=0}[D^{f64,g}_{a}=A^{f32,g}_{a}*2+1;];"); }),
      text("the same program", Outcome::same, [](int) { return answered(std::string(kDoubled)); }),
      text("the same with another index", Outcome::same,
           [](int) { return answered("L^{8}_{c=0}[D^{f32,g}_{c}=A^{f32,g}_{c}*2+1;];"); }),
      text("another function", Outcome::differs,
           [](int n) { return answered(body(concat("A^{f32,g}_{a}*2+", n + 2))); }),
      text("a read beyond the end", Outcome::invalid,
           [](int n) { return answered(body(concat("A^{f32,g}_{a+", n + 1, "}*2+1"))); }),
      text("a race", Outcome::invalid,
           [](int n) { return answered(concat("B^{8}_{tx=0}[D^{f32,g}_{0}=A^{f32,g}_{tx}*", n, ";];")); }),
      text("elements that nothing writes", Outcome::invalid,
           [](int n) { return answered(concat("L^{", 1 + n % 7, "}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}*2+1;];")); }),
      text("right, in a fence with words around", Outcome::fresh,
           [](int n) {
             return "Here it is:\n```json\n" + answer_json({split_text(1 + n % 2), "my own"}) + "\n```\nDone.";
           }),
      text("right", Outcome::fresh, [](int n) { return answered(split_text(1 + n % 2)); }),
      failure("a connection that breaks", ChatFailure::Kind::broken),
      failure("a question that is refused", ChatFailure::Kind::rejected),
      failure("an answer that takes too long", ChatFailure::Kind::timed_out),
      failure("an answer without an end", ChatFailure::Kind::too_long),
  };
}

class ScriptedEndpoint : public ChatEndpoint {
 public:
  explicit ScriptedEndpoint(std::function<Result<ChatReply, ChatFailure>(const ChatRequest&)> script)
      : script_(std::move(script)) {}
  Result<ChatReply, ChatFailure> ask(const ChatRequest& request) override {
    requests.push_back(request);
    return script_(request);
  }
  std::vector<ChatRequest> requests;

 private:
  std::function<Result<ChatReply, ChatFailure>(const ChatRequest&)> script_;
};

search::ModelSettings quick() {
  search::ModelSettings out;
  out.model = "scripted";
  out.retries = 0;
  out.retry_wait = 0.001;
  return out;
}

search::Tree tree_of(const Document& root) {
  search::Tree tree;
  search::Node node;
  node.program = root.program;
  node.key = search::program_key(root.program);
  node.seconds = 1;
  tree.add(std::move(node));
  return tree;
}

TEST(ModelProposer, AThousandHostileAnswersEndAsTheyShould) {
  const Document root = doubled_root();
  ASSERT_TRUE(root.ok);
  const std::vector<Kind> kinds = hostile_kinds();
  EXPECT_GE(kinds.size(), 25U);
  search::ProgramJudging judging;
  judging.device = find_device("cpu");
  search::ProgramJudge judge(root, judging);
  const search::Tree tree = tree_of(root);
  for (int number = 0; number < 1000 / static_cast<int>(kinds.size()) + 1; ++number) {
    for (const Kind& kind : kinds) {
      ScriptedEndpoint endpoint([&](const ChatRequest&) { return kind.answer(number); });
      search::ModelProposer proposer(endpoint, quick(), find_rates("plain-cpu").value(), nullptr);
      search::Question question{&tree};
      const auto proposals = proposer.propose(question);
      ASSERT_TRUE(proposals.ok()) << kind.name;
      ASSERT_EQ(proposals->candidates.size(), 1U) << kind.name;
      // As the journal keeps it.
      const auto kept = search::proposals_from_json(search::to_json(*proposals));
      ASSERT_TRUE(kept.ok()) << kind.name << ": " << kept.error();
      search::Node node = search::materialise(root, "plain-cpu", tree, 0, kept->candidates[0]);
      if (node.is_fresh()) node.outcome = judge.judge(tree, node).outcome;
      EXPECT_EQ(word_of(node.outcome), word_of(kind.wanted))
          << kind.name << ", number " << number << ": " << node.reason;
    }
  }
}

TEST(ModelProposer, AServerThatIsGoneEndsTheSearchAndOneThatIsBusyIsAskedAgain) {
  const Document root = doubled_root();
  const search::Tree tree = tree_of(root);
  search::ModelSettings settings = quick();
  settings.retries = 3;
  int asked = 0;
  ScriptedEndpoint busy([&](const ChatRequest&) -> Result<ChatReply, ChatFailure> {
    ChatFailure failure;
    failure.kind = ChatFailure::Kind::busy;
    ChatReply reply;
    reply.content = answered(split_text(1));
    if (++asked < 3) return failure;
    return reply;
  });
  search::ModelProposer patient(busy, settings, find_rates("plain-cpu").value(), nullptr);
  EXPECT_TRUE(patient.propose({&tree}).ok());
  EXPECT_EQ(asked, 3);
  ScriptedEndpoint gone([](const ChatRequest&) -> Result<ChatReply, ChatFailure> {
    return ChatFailure{ChatFailure::Kind::unusable, "no such model", std::nullopt, false};
  });
  search::ModelProposer proposer(gone, settings, find_rates("plain-cpu").value(), nullptr);
  const auto answer = proposer.propose({&tree});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().message, "no such model");
}

TEST(ModelProposer, EachServerGetsTheGrammarInItsDialect) {
  const Document root = doubled_root();
  const search::Tree tree = tree_of(root);
  const std::pair<search::ServerKind, std::string_view> keys[] = {{search::ServerKind::vllm, "structured_outputs"},
                                                                  {search::ServerKind::sglang, "ebnf"},
                                                                  {search::ServerKind::llama, "grammar"}};
  for (const auto& [server, key] : keys) {
    ScriptedEndpoint endpoint([](const ChatRequest&) -> Result<ChatReply, ChatFailure> { return ChatReply{}; });
    search::ModelSettings settings = quick();
    settings.server = server;
    search::ModelProposer proposer(endpoint, settings, find_rates("plain-cpu").value(), nullptr);
    EXPECT_TRUE(proposer.propose({&tree}).ok());
    const Json sent = to_json(endpoint.requests.at(0));
    const Json* value = sent.find(key);
    ASSERT_NE(value, nullptr) << key;
    if (server == search::ServerKind::vllm) value = value->find("grammar");
    ASSERT_NE(value, nullptr);
    EXPECT_EQ(value->as_string()->find("root ::="), 0U) << value->as_string()->substr(0, 40);
  }
}

TEST(ModelProposer, ANameThatIsNoStrategyOfOursIsOther) {
  ChatReply reply;
  reply.content = answered(split_text(1), "my own trick");
  EXPECT_EQ(search::candidates_of(reply).at(0).strategies, std::vector<std::string>{"other"});
  reply.content = answered(split_text(1), "Loop Split");
  EXPECT_EQ(search::candidates_of(reply).at(0).strategies, std::vector<std::string>{"loop_split"});
}

TEST(ModelProposer, AQuestionSaysWhereTheSearchStandsAndWhatFailed) {
  const Document root = doubled_root();
  search::Tree tree = tree_of(root);
  search::Candidate good;
  good.leir = split_text(1);
  good.strategies = {"loop_split"};
  search::Node child = search::materialise(root, "plain-cpu", tree, 0, good);
  child.seconds = 0.25;
  tree.add(std::move(child));
  search::Candidate bad;
  bad.leir = body("A^{f32,g}_{a}*2+3");
  bad.strategies = {"hoist"};
  search::Node wrong = search::materialise(root, "plain-cpu", tree, 1, bad);
  wrong.outcome = Outcome::differs;
  wrong.reason = "D_{0} is 3 and not 1";
  tree.add(std::move(wrong));
  search::Question question{&tree, 1, 2};
  question.algorithm = Algorithm::greedy;
  const std::string text = search::model_question(question, find_rates("nvidia-h200").value());
  for (const std::string_view part : {"greedy, depth 1", "4 times as fast", "made by loop_split", "Do not go back",
                                      "hoist: differs, D_{0} is 3", "nvidia-h200", "at least 2 different programs",
                                      "A: input, torch.float32, shape [8]", "shared memory", "flashattention"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  question.shows_parent = false;
  EXPECT_EQ(search::model_question(question, find_rates("nvidia-h200").value()).find("Do not go back"),
            std::string::npos);
}

}  // namespace
}  // namespace steptp::testing
