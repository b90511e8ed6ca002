#include "steptp/text/grammar.h"
#include "source_dir.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "steptp/base/json.h"
#include "steptp/base/text.h"
#include "steptp/text/printer.h"
#include "steptp/text/reader.h"
#include "steptp/text/strategy_names.h"
#include "testing/gbnf_matcher.h"

namespace steptp {
namespace {

using gbnf_test::Grammar;
using gbnf_test::Matcher;
using gbnf_test::Sampler;

constexpr std::array kProfiles = {Profile::paper, Profile::compact};
constexpr std::array kTargets = {GrammarTarget::program, GrammarTarget::answer, GrammarTarget::answers};

template <typename Visit>
void for_each_grammar(const Visit& visit) {
  for (const Profile profile : kProfiles) {
    for (const GrammarTarget target : kTargets) {
      for (const bool extended : {true, false}) visit(gbnf(profile, target, strategy_names(), extended));
    }
  }
}

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  }
  return lines;
}

struct Case {
  Profile profile;
  GrammarTarget target;
  std::string text;
};

std::vector<Case> cases_of(const std::string& file) {
  std::vector<Case> cases;
  for (const std::string& line : lines_of(std::filesystem::path(STEPTP_SOURCE_DIR) / "testing" / file)) {
    const std::size_t first = line.find('\t');
    const std::size_t second = line.find('\t', first + 1);
    std::string text;
    for (std::size_t at = second + 1; at < line.size(); ++at) {
      const bool feed = line.compare(at, 2, "\\n") == 0;
      text += feed ? '\n' : line[at];
      if (feed) ++at;
    }
    cases.push_back({parse_profile(line.substr(0, first)).value(),
                     parse_grammar_target(line.substr(first + 1, second - first - 1)).value(), std::move(text)});
  }
  return cases;
}

/// The texts of the shared corpora in both profiles; empty where the corpora are not there.
std::vector<std::pair<std::string, std::string>> corpus() {
  const char* given = std::getenv("STEPTP_SHARED");
  const std::filesystem::path folder = given ? given : std::filesystem::path(STEPTP_SOURCE_DIR) / ".." / "shared";
  std::vector<std::pair<std::string, std::string>> texts;
  for (const char* name : {"leir_corpus.jsonl", "derivation_targets.jsonl", "strategy_examples.jsonl"}) {
    if (!std::filesystem::exists(folder / "data" / name)) return {};
    for (const std::string& line : lines_of(folder / "data" / name)) {
      const auto record = parse_json(line);
      for (const char* key : {"leir", "before", "after"}) {
        const Json* text = record.value().find(key);
        if (!text) continue;
        ReadText read = read_text(*text->as_string());
        EXPECT_TRUE(read.ok) << *text->as_string();
        Program program;
        program.nests = std::move(read.nests);
        texts.emplace_back(print(program, Profile::paper), print(program, Profile::compact));
      }
    }
  }
  return texts;
}

TEST(Grammar, EveryRuleIsDefinedAndUsed) {
  for_each_grammar([](const std::string& text) {
    const Grammar grammar(text);
    std::set<std::string> used = {"root"};
    for (const auto& [name, node] : grammar.rules()) {
      Grammar::for_each_rule_name(*node, [&](const std::string& other) {
        EXPECT_TRUE(grammar.rules().contains(other)) << other;
        used.insert(other);
      });
    }
    for (const auto& [name, node] : grammar.rules()) EXPECT_TRUE(used.contains(name)) << name;
  });
}

TEST(Grammar, HasNoLeftRecursion) {
  for_each_grammar([](const std::string& text) {
    const Grammar grammar(text);
    std::set<std::string> nullables;
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [name, node] : grammar.rules()) {
        if (Grammar::nullable(*node, nullables)) changed = nullables.insert(name).second || changed;
      }
    }
    for (const auto& [name, node] : grammar.rules()) {
      std::set<std::string> reached;
      std::vector<std::string> open = {name};
      while (!open.empty()) {
        std::set<std::string> next;
        Grammar::leftmost(grammar.rule(open.back()), nullables, next);
        open.pop_back();
        for (const std::string& other : next) {
          if (reached.insert(other).second) open.push_back(other);
        }
      }
      EXPECT_FALSE(reached.contains(name)) << name;
    }
  });
}

TEST(Grammar, IsTheSameTwice) {
  std::vector<std::string> first;
  for_each_grammar([&first](const std::string& text) { first.push_back(text); });
  std::size_t at = 0;
  for_each_grammar([&](const std::string& text) { EXPECT_EQ(text, first[at++]); });
}

TEST(Grammar, NamesTheStrategies) {
  EXPECT_EQ(strategy_names().size(), 43U);
  EXPECT_EQ(std::set<std::string>(strategy_names().begin(), strategy_names().end()).size(), 43U);
  const Grammar grammar(gbnf(Profile::compact, GrammarTarget::answer, {"one", "two"}));
  bool complete = false;
  Matcher::accepted(grammar, R"(<answer>{"transformed_IR":"tx4 D=0;","applied_strategy":"two"}</answer>)", complete);
  EXPECT_TRUE(complete);
}

TEST(Grammar, AcceptsByHand) {
  for (const Case& item : cases_of("grammar_accepted.txt")) {
    const Grammar grammar(gbnf(item.profile, item.target, strategy_names()));
    bool complete = false;
    const std::size_t count = Matcher::accepted(grammar, item.text, complete);
    EXPECT_TRUE(complete) << item.text.substr(0, count) << "¦" << item.text.substr(count);
    EXPECT_TRUE(item.target != GrammarTarget::program || read_text(item.text).ok) << item.text;
  }
}

TEST(Grammar, RefusesByHandAtTheFirstBadByte) {
  const std::string mark = "¦";
  const std::vector<Case> cases = cases_of("grammar_refused.txt");
  EXPECT_GE(cases.size(), 40U);
  for (Case item : cases) {
    const std::size_t expected = item.text.find(mark);
    ASSERT_NE(expected, std::string::npos) << item.text;
    item.text.erase(expected, mark.size());
    const Grammar grammar(gbnf(item.profile, item.target, strategy_names()));
    bool complete = false;
    const std::size_t count = Matcher::accepted(grammar, item.text, complete);
    EXPECT_FALSE(complete) << item.text;
    EXPECT_EQ(count, expected) << item.text.substr(0, count) << mark << item.text.substr(count);
  }
}

TEST(Grammar, ThePublishedLanguageHasNoExtensions) {
  const Grammar paper(gbnf(Profile::paper, GrammarTarget::program, {}, false));
  const Grammar compact(gbnf(Profile::compact, GrammarTarget::program, {}, false));
  const auto accepted = [](const Grammar& grammar, std::string_view text) {
    bool complete = false;
    return text.substr(0, Matcher::accepted(grammar, text, complete));
  };
  EXPECT_EQ(accepted(paper, "B^{4}_{tx=0}?{tx<3}[D^{f32,g}=0;];"), "B^{4}_{tx=0}");
  EXPECT_EQ(accepted(paper, "B^{4}_{tx=0}[D^{f32,g}=tanh(1);];"), "B^{4}_{tx=0}[D^{f32,g}=t");
  EXPECT_EQ(accepted(paper, "B^{4}_{tx=0}[D^{f32,g}=sin(1);];"), "B^{4}_{tx=0}[D^{f32,g}=sin");
  EXPECT_EQ(accepted(compact, "tx4 ?(tx<3) D=0;"), "tx4 ");
  EXPECT_EQ(accepted(compact, "tx4 D=exp(1);"), "tx4 D=exp(1);");
}

TEST(Grammar, AcceptsTheCorpus) {
  const auto texts = corpus();
  if (texts.empty()) GTEST_SKIP() << "the shared corpora are not there (../shared/data, or STEPTP_SHARED)";
  const Grammar paper(gbnf(Profile::paper, GrammarTarget::program, {}));
  const Grammar compact(gbnf(Profile::compact, GrammarTarget::program, {}));
  for (const auto& [paper_text, compact_text] : texts) {
    if (paper_text.size() > 1000) continue;  // this matcher is slow; python/tests/test_grammar.py feeds all of them
    bool complete = false;
    Matcher::accepted(paper, paper_text, complete);
    EXPECT_TRUE(complete) << paper_text;
    Matcher::accepted(compact, compact_text, complete);
    EXPECT_TRUE(complete) << compact_text;
  }
}

/// Refusals that no context-free rule can foresee.
bool beyond_grammar(const ReadText& read) {
  for (const ReadText::Finding& finding : read.findings) {
    const Diagnostic& diagnostic = finding.diagnostic;
    if (diagnostic.severity == Severity::error && diagnostic.id != "number" && diagnostic.id != "subscript" &&
        diagnostic.id != "too-deep" && diagnostic.message.find("is not an integer") == std::string::npos) {
      return false;
    }
  }
  return true;
}

TEST(Grammar, WhatItDrawsIsReadAndItsCanonicalTextIsAccepted) {
  for (const Profile profile : kProfiles) {
    for (const bool extended : {true, false}) {
      const Grammar grammar(gbnf(profile, GrammarTarget::program, {}, extended));
      Sampler sampler(grammar, 7);
      int read_count = 0;
      for (int i = 0; i < 250; ++i) {
        const std::string text = sampler.draw();
        ReadText read = read_text(text);
        EXPECT_EQ(read.profile, profile) << text;
        if (!read.ok) {
          EXPECT_TRUE(beyond_grammar(read)) << text << '\n' << read.findings[0].diagnostic.message;
          continue;
        }
        ++read_count;
        EXPECT_TRUE(read.findings.empty()) << text;
        Program program;
        program.nests = std::move(read.nests);
        EXPECT_TRUE(extended || !is_extended(program)) << text;
        bool complete = false;
        const std::string canonical = print(program, profile);
        const std::size_t count = Matcher::accepted(grammar, canonical, complete);
        EXPECT_TRUE(complete) << canonical.substr(0, count) << "¦" << canonical.substr(count);
      }
      EXPECT_GT(read_count, 60);
    }
  }
}

}  // namespace
}  // namespace steptp
