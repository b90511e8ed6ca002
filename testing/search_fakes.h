#pragma once

// Whoever a search is made of, scripted: a proposer that answers with numbered programs, a judge that finds all equal,
// and a device whose times are a function of the program.

#include <functional>
#include <string>
#include <vector>

#include "steptp/base/hash.h"
#include "steptp/base/text.h"
#include "steptp/search/search.h"

namespace steptp::testing {

/// A program that adds a number: another one for every number, all of one signature.
inline std::string numbered_text(std::uint64_t number) {
  return concat("L^{8}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}+", number, ";];");
}

inline Document numbered_root() {
  return read_document("root.leir", concat("@program Numbered\n@input A f32[8]\n@output D f32[8]\n", numbered_text(0)));
}

/// The number in a program of numbered_text.
inline std::uint64_t number_of(const Program& program) {
  const std::string text = print_document(program, Profile::paper);
  const std::size_t plus = text.rfind('+');
  return std::stoull(text.substr(plus + 1));
}

/// Answers by a function of the question.
class ScriptedProposer : public search::Proposer {
 public:
  using Script = std::function<std::vector<search::Candidate>(const search::Question&)>;
  explicit ScriptedProposer(Script script) : script_(std::move(script)) {}

  Result<search::Proposals, search::ProposerFailure> propose(const search::Question& question) override {
    ++asked;
    search::Proposals out;
    out.candidates = script_(question);
    out.tokens = 10;
    return out;
  }

  int asked = 0;

 private:
  Script script_;
};

inline search::Candidate numbered(std::uint64_t number) {
  search::Candidate out;
  out.leir = numbered_text(number);
  out.edge = concat("to ", number);
  return out;
}

/// Another number for every node and candidate, which follows from nothing else.
inline std::vector<search::Candidate> always_new(const search::Question& question) {
  std::vector<search::Candidate> out;
  for (std::size_t i = 0; i < question.wanted; ++i) {
    out.push_back(numbered(question.tree->nodes().size() + i + 1));
  }
  return out;
}

class ScriptedJudge : public search::CandidateJudge {
 public:
  using Script = std::function<search::Outcome(std::uint64_t number)>;
  explicit ScriptedJudge(Script script = [](std::uint64_t) { return search::Outcome::fresh; })
      : script_(std::move(script)) {}

  search::Verdict judge(const search::Tree&, const search::Node& node) override {
    search::Verdict out;
    out.outcome = script_(number_of(*node.program));
    out.verdict = out.outcome == search::Outcome::fresh ? "proved" : "undecided";
    out.safe = Json(true);
    return out;
  }
  search::Verdict judge_winner(const search::Tree& tree, const search::Node& node) override {
    return judge(tree, node);
  }

 private:
  Script script_;
};

/// Seconds by a function of the number; counts how often each program is measured.
class ScriptedDevice : public search::SearchDevice {
 public:
  using Script = std::function<double(std::uint64_t number)>;
  explicit ScriptedDevice(Script script) : script_(std::move(script)) {}

  search::Measured measure(const Program& program) override {
    search::Measured out;
    const std::uint64_t number = number_of(program);
    numbers.push_back(number);
    out.seconds = out.p10 = out.p90 = script_(number);
    out.device_seconds = 0.5;
    return out;
  }

  std::vector<std::uint64_t> numbers;

 private:
  Script script_;
};

}  // namespace steptp::testing
