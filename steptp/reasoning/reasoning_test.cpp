// What is promised of traces, on steps of all strategies: quotations are pieces of the programs, words hold no LEIR,
// everything that changed is mentioned, no two strategies read alike.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "steptp/base/hash.h"
#include "steptp/base/text.h"
#include "steptp/reasoning/teller.h"
#include "steptp/reasoning/trace.h"
#include "steptp/recipe/registry.h"
#include "steptp/text/printer.h"
#include "testing/soak.h"
#include "testing/trace_rows.h"

namespace steptp::testing {
namespace {

constexpr std::array<std::string_view, 12> kOrdinals = {"first",   "second", "third", "fourth", "fifth",    "sixth",
                                                        "seventh", "eighth", "ninth", "tenth",  "eleventh", "twelfth"};

/// How many texts a phrase stands for: a product over its choices.
std::size_t texts_of(std::string_view phrase) {
  std::size_t all = 1;
  for (std::size_t i = 0; i < phrase.size(); ++i) {
    if (phrase[i] != '<') continue;
    std::size_t options = 0;
    std::size_t begin = i + 1;
    int depth = 0;
    for (; i < phrase.size(); ++i) {
      if (phrase[i] == '<') ++depth;
      if (phrase[i] == '>') --depth;
      if (depth == 0 || (depth == 1 && phrase[i] == '|')) {
        options += texts_of(phrase.substr(begin, i - begin));
        begin = i + 1;
      }
      if (depth == 0) break;
    }
    all *= options;
  }
  return all;
}

bool holds_leir(std::string_view words) { return words.find_first_of("^_{}[]=*`+\\") != std::string_view::npos; }

std::string without_places(std::string_view phrase) {
  std::string out;
  bool inside = false;
  for (const char c : phrase) {
    if (c == '{') inside = true;
    if (!inside) out += c;
    if (c == '}') inside = false;
  }
  return out;
}

TEST(Words, EveryStrategyHasFiveOfEach) {
  for (const Strategy* strategy : all_strategies()) {
    const Words* words = words_of(strategy->name);
    ASSERT_NE(words, nullptr) << strategy->name;
    EXPECT_GE(words->general.size(), 5U) << strategy->name;
    EXPECT_EQ(std::set<std::string_view>(words->general.begin(), words->general.end()).size(), words->general.size());
    std::map<std::string_view, std::size_t> slots;
    for (const Phrase& phrase : words->phrases) slots[phrase.slot] += texts_of(phrase.text);
    for (const auto& [slot, texts] : slots) EXPECT_GE(texts, 5U) << strategy->name << ", " << slot;
  }
  std::map<std::string_view, std::size_t> slots;
  for (const Phrase& phrase : shared_words().phrases) slots[phrase.slot] += texts_of(phrase.text);
  for (const auto& [slot, texts] : slots) EXPECT_GE(texts, 5U) << slot;
}

TEST(Words, FilesAreOfStrategies) {
  std::set<std::string_view> names = {""};
  for (const Strategy* strategy : all_strategies()) names.insert(strategy->name);
  for (const WordsFile& file : words_files()) EXPECT_TRUE(names.contains(file.strategy)) << file.strategy;
}

TEST(Words, WhatCannotBeReadIsNamed) {
  const auto words = parse_words("# note\n\ngeneral\n  One text.\n\n  Another.\ntake\n  {a} <x|y>\n\tb\nwhy\n  c");
  ASSERT_TRUE(words.ok()) << words.error();
  EXPECT_EQ(words->general, (std::vector<std::string_view>{"One text.", "Another."}));
  ASSERT_EQ(words->phrases.size(), 3U);
  EXPECT_EQ(words->phrases[1].slot, "take");
  EXPECT_EQ(words->phrases[1].text, "b");
  for (const auto& [text, problem] : {std::pair("  early", "line 1: a phrase before the first slot"),
                                      std::pair("take\nNot indented", "line 2: 'Not indented' is not a slot"),
                                      std::pair("take\n  {a", "line 2: a '{' without its '}'"),
                                      std::pair("take\n  a}", "line 2: a '}' without its '{'"),
                                      std::pair("take\n\n  {a{b}}", "line 3: a '{' inside another")}) {
    const auto wrong = parse_words(text);
    ASSERT_FALSE(wrong.ok()) << text;
    EXPECT_TRUE(wrong.error().starts_with(problem)) << wrong.error();
  }
}

TEST(Words, NoTwoStrategiesReadAlike) {
  std::map<std::string_view, std::string_view> general;
  std::map<std::string_view, std::pair<std::string_view, std::string_view>> phrases;
  for (const Strategy* strategy : all_strategies()) {
    const Words* words = words_of(strategy->name);
    for (const std::string_view text : words->general) {
      const auto [known, is_new] = general.emplace(text, strategy->name);
      EXPECT_TRUE(is_new) << known->second << " and " << strategy->name << ": " << text;
      EXPECT_FALSE(holds_leir(text)) << text;
    }
    for (const Phrase& phrase : words->phrases) {
      EXPECT_FALSE(holds_leir(without_places(phrase.text))) << phrase.text;
      // What is done and how it ends may be said in few words that others use too; what is taken and why may not.
      if (phrase.slot != "take" && phrase.slot != "why") continue;
      const auto [known, is_new] = phrases.emplace(phrase.text, std::pair(strategy->name, phrase.slot));
      EXPECT_TRUE(is_new) << known->second.first << " and " << strategy->name << ": " << phrase.text;
    }
  }
}

std::vector<std::string> quotations(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t open = text.find('`'); open != std::string::npos;) {
    const std::size_t close = text.find('`', open + 1);
    EXPECT_NE(close, std::string::npos) << text;
    if (close == std::string::npos) break;
    out.push_back(text.substr(open + 1, close - open - 1));
    open = text.find('`', close + 1);
  }
  return out;
}

std::string words_of(const Trace& trace) {
  std::string out;
  for (const TracePiece& piece : trace.pieces) {
    if (piece.kind == TracePiece::Kind::words) append(out, piece.words, "\n");
  }
  return out;
}

std::size_t count_words(const std::string& text) {
  std::size_t count = 0;
  bool inside = false;
  bool quoted = false;
  for (const char c : text) {
    if (c == '`') quoted = !quoted;
    const bool blank = (c == ' ' || c == '\n') && !quoted;
    if (!blank && !inside) ++count;
    inside = !blank;
  }
  return count;
}

/// Expressions of one program whose text the other does not have.
std::vector<std::uint32_t> only_here(const Program& here, const Program& there) {
  std::multiset<std::string> texts;
  const auto text_of = [](const NestPtr& nest) {
    Program one;
    one.nests = {nest};
    return print(one);
  };
  for (const NestPtr& nest : there.nests) texts.insert(text_of(nest));
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < here.nests.size(); ++i) {
    const auto known = texts.find(text_of(here.nests[i]));
    if (known == texts.end())
      out.push_back(i);
    else
      texts.erase(known);
  }
  return out;
}

bool is_below(const Site& site, const Site& part) {
  return site.items.size() >= part.items.size() && std::equal(part.items.begin(), part.items.end(), site.items.begin());
}

/// Everything that is asked of one trace in one profile.
class Checks {
 public:
  explicit Checks(const TraceRow& row) : row_(row), before_(&row.before), after_(&row.applied.program) {
    trace_ = make_trace(*row.strategy, row.before, row.choice, row.applied, row.seed);
    words_ = words_of(trace_);
    text_ = render(trace_, row.before, row.applied.program, Profile::paper);
    quotes_ = quotations(text_);
  }

  void check() {
    SCOPED_TRACE(concat(row_.type, " ", row_.strategy->name, " ", row_.choice.to_json().dump(), "\n", text_));
    check_text();
    for (const Profile profile : {Profile::paper, Profile::compact}) check_quotations(profile);
    check_json();
    for (const Part& part : row_.applied.facts.removed) check_part(part, *before_, TracePiece::Kind::before);
    for (const Part& part : row_.applied.facts.added) check_part(part, *after_, TracePiece::Kind::after);
    check_names();
    check_values();
    check_expressions(*before_, *after_, TracePiece::Kind::before);
    check_expressions(*after_, *before_, TracePiece::Kind::after);
  }

  [[nodiscard]] std::size_t word_count() const { return count_words(text_); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void check_text() {
    for (const TracePiece& piece : trace_.pieces) {
      const bool leir = piece.kind == TracePiece::Kind::words && holds_leir(piece.words);
      EXPECT_FALSE(leir) << piece.words;
    }
    for (const char* bad : {"<think>", "</think>", "<answer>", "``", "  ", " .", " ,", "..", ",.", ",,", "<", ">"}) {
      EXPECT_EQ(words_.find(bad), std::string::npos) << bad;
    }
    EXPECT_NE(text_.find("\n\n"), std::string::npos);
    EXPECT_TRUE(text_.ends_with('.')) << text_;
    EXPECT_GE(word_count(), 60U);
    EXPECT_LE(word_count(), 800U);
  }

  void check_quotations(Profile profile) {
    const std::string before = print(*before_, profile);
    const std::string after = print(*after_, profile);
    for (const std::string& quote : quotations(render(trace_, *before_, *after_, profile))) {
      EXPECT_FALSE(quote.empty());
      const bool found = before.find(quote) != std::string::npos || after.find(quote) != std::string::npos;
      EXPECT_TRUE(found) << quote << " in the " << name_of(profile) << " profile";
    }
  }

  void check_json() {
    const auto json = parse_json(to_json(trace_).dump());
    ASSERT_TRUE(json.ok());
    const auto back = trace_from_json(*json);
    ASSERT_TRUE(back.ok()) << back.error();
    EXPECT_EQ(*back, trace_);
    EXPECT_EQ(render(*back, *before_, *after_, Profile::paper), text_);
    EXPECT_EQ(make_trace(*row_.strategy, row_.before, row_.choice, row_.applied, row_.seed), trace_);
  }

  /// "expression number 26", "expressions number 3, 26 and 27"
  [[nodiscard]] bool is_numbered(std::uint32_t expression) const {
    const std::regex list("expressions? number ((\\d+(, | and )?)+)");
    const std::regex number(concat("\\b", expression + 1, "\\b"));
    for (std::sregex_iterator at(words_.begin(), words_.end(), list), end; at != end; ++at) {
      if (std::regex_search((*at)[1].str(), number)) return true;
    }
    return false;
  }

  [[nodiscard]] bool is_named(std::uint32_t expression) const {
    if (is_numbered(expression)) return true;
    if (expression >= kOrdinals.size()) return false;
    const std::string ordinal(kOrdinals[expression]);
    for (std::size_t at = words_.find(ordinal); at != std::string::npos; at = words_.find(ordinal, at + 1)) {
      if (words_.find("expression", at) < words_.find('.', at)) return true;
    }
    return before_->nests.size() == 1 && words_.find("only expression") != std::string::npos;
  }

  [[nodiscard]] bool quotes_below(const Site& part, TracePiece::Kind kind) const {
    return std::any_of(trace_.pieces.begin(), trace_.pieces.end(),
                       [&](const TracePiece& piece) { return piece.kind == kind && is_below(piece.range.from, part); });
  }

  /// A nest is shown by something in it; another part by its text.
  void check_part(const Part& part, const Program& program, TracePiece::Kind kind) {
    const SitePart found = resolve(program.nests, part.site);
    if (std::holds_alternative<const Nest*>(found)) {
      EXPECT_TRUE(quotes_below(part.site, kind)) << part.role << " " << to_text(part.site);
      return;
    }
    const PrintedProgram printed(program, Profile::paper);
    const auto text = printed.quote({part.site, {}});
    ASSERT_TRUE(text) << part.role << " " << to_text(part.site);
    const bool quoted = std::any_of(quotes_.begin(), quotes_.end(),
                                    [&](const std::string& quote) { return quote.find(*text) != std::string::npos; });
    EXPECT_TRUE(quoted || is_named(part.site.items[0])) << part.role << " " << *text;
  }

  void check_names() {
    const auto is_quoted = [&](const std::string& name) {
      return std::any_of(quotes_.begin(), quotes_.end(),
                         [&](const std::string& quote) { return quote.find(name) != std::string::npos; });
    };
    for (const Renaming& one : row_.applied.facts.renamings) {
      EXPECT_TRUE(is_quoted(one.from) && is_quoted(one.to)) << one.from << " " << one.to;
    }
    for (const Substitution& one : row_.applied.facts.substitutions) EXPECT_TRUE(is_quoted(one.index)) << one.index;
  }

  /// The numbers of the preconditions are in the text; 1 may be written as a word.
  void check_values() {
    for (const Holds& holds : row_.applied.facts.holds) {
      for (const auto& [key, value] : holds.values) {
        const auto* number = value.as_integer();
        const bool needs_no_number = key == "items" || key == "multiple" || key == "term" || key == "dimension";
        if (!number || needs_no_number) continue;
        const bool said = text_.find(std::to_string(*number)) != std::string::npos ||
                          (*number == 1 && text_.find("one") != std::string::npos);
        EXPECT_TRUE(said || *number == 0) << holds.precondition->id << " " << key << " " << *number;
      }
    }
  }

  void check_expressions(const Program& here, const Program& there, TracePiece::Kind kind) {
    for (const std::uint32_t number : only_here(here, there)) {
      const Site site{{number}, Site::Part::item, {}, {}};
      const bool named = here.nests.size() == there.nests.size() || kind == TracePiece::Kind::before;
      EXPECT_TRUE(quotes_below(site, kind) || (named && is_named(number)))
          << "expression " << number << (kind == TracePiece::Kind::before ? " before" : " after")
          << " is not mentioned";
    }
  }

  const TraceRow& row_;
  const Program* before_;
  const Program* after_;
  Trace trace_;
  std::string words_;
  std::string text_;
  std::vector<std::string> quotes_;
};

TEST(Traces, OfEveryExample) {
  std::size_t seen = 0;
  for_each_example([&](const TraceRow& row) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      TraceRow other = row;
      other.seed = seed;
      Checks(other).check();
    }
    ++seen;
  });
  EXPECT_EQ(seen, all_strategies().size());
}

TEST(Traces, SeedsChooseThePhrasing) {
  for_each_example([&](const TraceRow& row) {
    std::set<std::string> general;
    std::set<std::string> instance;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const std::string text = render(make_trace(*row.strategy, row.before, row.choice, row.applied, seed), row.before,
                                      row.applied.program, Profile::compact);
      general.insert(text.substr(0, text.find("\n\n")));
      instance.insert(text.substr(text.find("\n\n")));
    }
    EXPECT_GE(general.size(), 5U) << row.strategy->name;
    EXPECT_GE(instance.size(), 20U) << row.strategy->name;
  });
}

TEST(Traces, OnTheZoo) {
  std::map<std::string_view, std::size_t> told;
  std::vector<std::size_t> counts;
  TraceRows rows;
  rows.seed = soak_seed(3);
  rows.stride = soaked(1) > 1 ? 1 : 8;
  rows.draws = soaked(1) > 1 ? 6 : 4;
  for (std::uint64_t round = 0; round < std::max<std::uint64_t>(1, soaked(1) / 4) && !HasFailure(); ++round) {
    rows.seed += round;
    rows.first = rows.stride > 1 ? rows.seed % rows.stride : 0;
    for_each_row(rows, [&](const TraceRow& row) {
      if (HasFailure()) return;
      Checks checks(row);
      checks.check();
      ++told[row.strategy->name];
      counts.push_back(checks.word_count());
    });
  }
  std::sort(counts.begin(), counts.end());
  ASSERT_GE(counts.size(), 200U);
  EXPECT_GE(told.size(), 25U);
  std::cout << counts.size() << " traces of " << told.size() << " strategies; words: median "
            << counts[counts.size() / 2] << ", 5 % below " << counts[counts.size() / 20] << ", 95 % below "
            << counts[counts.size() * 19 / 20] << ", most " << counts.back() << "\n";
  const auto usual = std::count_if(counts.begin(), counts.end(), [](std::size_t n) { return n >= 110 && n <= 400; });
  EXPECT_GE(static_cast<double>(usual), 0.8 * static_cast<double>(counts.size()));
}

TEST(Traces, BadJsonIsRefused) {
  const auto error_of = [](const char* text) {
    const auto trace = trace_from_json(*parse_json(text));
    return trace.ok() ? std::string("none") : trace.error();
  };
  EXPECT_EQ(error_of(R"({})"), "a trace is an array, this is an object");
  EXPECT_EQ(error_of(R"(["a",{"before":"0:loop[1"}])"), "piece 1: \"0:loop[1\" is not an address");
  EXPECT_EQ(error_of(R"([{"before":"0:loop[1]","to":-1}])"), "piece 0: \"to\" is not a natural number");
  EXPECT_EQ(error_of(R"([7])").substr(0, 9), "piece 0: ");
  EXPECT_EQ(error_of(R"(["a",{"name":"D"},{"after":"0/1:right.0","to":2}])"), "none");
}

TEST(Traces, SeveralAnswersAreNumbered) {
  const std::vector<std::string> two = {"one\n\nmore", "other"};
  EXPECT_EQ(render_answers(two), "Here are 2 different answers.\n\n1. one\n\nmore\n\n2. other");
  EXPECT_EQ(render_answers(std::vector<std::string>{"one"}), "Here is 1 answer.\n\n1. one");
}

}  // namespace
}  // namespace steptp::testing
