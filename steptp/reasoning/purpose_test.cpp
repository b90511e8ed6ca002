// What a step is said to be for, where that is a claim: decided by the programs before and after (decision 0222).
#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/json.h"
#include "steptp/base/text.h"
#include "steptp/reasoning/trace.h"
#include "steptp/recipe/registry.h"
#include "steptp/strategies/strategy.h"
#include "steptp/strategies/view.h"
#include "steptp/text/document.h"

namespace steptp {
namespace {

constexpr std::uint64_t kSeeds = 24;

/// One step in many phrasings.
std::vector<std::string> told(const std::string& text, std::string_view strategy, const std::string& choice_text) {
  const Document document = read_document("program", text);
  EXPECT_TRUE(document.ok) << text;
  const Choice choice = choice_from_json(parse_json(choice_text).value()).value();
  View view(document.program);
  const auto applied = apply(*find_strategy(strategy), view, choice);
  std::vector<std::string> out;
  EXPECT_TRUE(applied.ok()) << (applied ? "" : to_text(strategy, applied.error()));
  for (std::uint64_t seed = 0; applied && seed < kSeeds; ++seed) {
    const Trace trace = make_trace(*find_strategy(strategy), document.program, choice, *applied, seed);
    out.push_back(render(trace, document.program, applied->program, Profile::compact));
  }
  return out;
}

/// Each phrasing has one of these.
void expect_one_of(const std::vector<std::string>& traces, const std::vector<std::string>& ways) {
  ASSERT_EQ(traces.size(), kSeeds);
  for (const std::string& trace : traces) {
    bool is_said = false;
    for (const std::string& way : ways) is_said = is_said || trace.find(way) != trace.npos;
    EXPECT_TRUE(is_said) << "not said: " << ways.front() << "\n" << trace;
  }
}

/// No phrasing has any of these behind its general part.
void expect_none_of(const std::vector<std::string>& traces, const std::vector<std::string>& ways) {
  ASSERT_EQ(traces.size(), kSeeds);
  for (const std::string& trace : traces) {
    const std::string instance = trace.substr(trace.find("\n\n"));
    for (const std::string& way : ways) EXPECT_EQ(instance.find(way), instance.npos) << way << "\n" << trace;
  }
}

const std::string kProduct =
    "@input A f32[8,32]\n@input C f32[32,16]\n@output D f32[8,16]\ntx8 a16 c32 D(tx,a)+=A(tx,c)*C(c,a);";
const std::string kCopy = "@input A f32[8,16,32]\n@output D f32[8,16,32]\ntx8 a16 c32 D(tx,a,c)=A(tx,a,c);";

TEST(Purposes, ACacheIsPraisedForReadsThatItServesTwice) {
  // A round of tx reads 32 elements of A for each of 16 values of a.
  const auto reused = told(kProduct, "cache_read_write",
                           R"({"at":"0:loop[0]","direction":"read","of":"A","scope":"l","form":"plain"})");
  // That is counted among what a step saves.
  expect_one_of(reused, {"global tensors"});
  // A round of a reads each element of a column of C once.
  const auto once = told(kProduct, "cache_read_write",
                         R"({"at":"0:loop[1]","direction":"read","of":"C","scope":"l","form":"plain"})");
  expect_none_of(once, {"he gain is reuse", "read more than once: ", " reads are served"});
  expect_one_of(once, {"once each", "no element twice", "is read twice"});
}

TEST(Purposes, ATileSharesOnlyWhatAnAccessSaysSo) {
  expect_none_of(told(kCopy, "loop_tiling", R"({"at":"0:loop[1]","first":4,"second":8})"),
                 {"share is", "share elements close", "share elements together", "gain is reuse"});
  expect_none_of(told(kProduct, "loop_tiling", R"({"at":"0:loop[1]","first":4,"second":8})"),
                 {"no two points read", "share no elements"});
}

TEST(Purposes, AReorderCountsNeighbours) {
  expect_one_of(told(kCopy, "loop_reorder", R"({"at":"0:loop[1]","with":2})"), {"neither access can"});
  const std::string turned = "@input A f32[8,16,32]\n@output D f32[8,16,32]\ntx8 c32 a16 D(tx,a,c)=A(tx,a,c);";
  expect_one_of(told(turned, "loop_reorder", R"({"at":"0:loop[1]","with":2})"), {"both accesses can"});
  // The iterations of a bound loop have no order.
  expect_none_of(told(kCopy, "loop_reorder", R"({"at":"0:loop[0]","with":1})"), {"neighbour", "contiguous"});
}

TEST(Purposes, ConditionsThatCannotFailAreNotTalkedUp) {
  const std::string sum =
      "@input A f32[8] positive\n@input C f32[8] positive\n@output D f32[8]\na8 D(a)=log(A(a))+log(C(a));";
  const auto logs = told(sum, "logsimp", R"({"at":"0/0:right"})");
  expect_one_of(logs, {"no exponential", "No exponential", "has an exponential"});
  expect_one_of(logs, {"`A(a)` is positive", "makes `A(a)` positive", "`A(a)` is above zero", "with it `A(a)`"});
  const std::string two = "@input A f32[8]\n@output D f32[8]\ntx8 D(tx)=A(tx)*3;";
  const auto halves = told(two, "multiplicative_split", R"({"at":"0/0:right.0","with":"two"})");
  expect_none_of(halves,
                 {"matching indices", "has been computed", "brought in", "already computed", "already complete"});
  const std::string items = "@input A f32[8]\n@output D f32[8]\n@output E f32[8]\ntx8{D(tx)=A(tx);E(tx)=A(tx)*2;}";
  expect_none_of(told(items, "operator_fission", R"({"at":"0","cut":1})"),
                 {"keeps the data it had", "same owners as before"});
}

TEST(Purposes, HalvingAnExponentIsNoRebasing) {
  const std::string power = "@input A f32[8]\n@output D f32[8]\ntx8 D(tx)=exp(A(tx));";
  const auto halves = told(power, "exponential_split", R"({"at":"0/0:right","term":0,"with":"half","form":"product"})");
  ASSERT_EQ(halves.size(), kSeeds);
  for (const std::string& trace : halves) {
    for (const char* other : {"ebase", "running", "online", "telescop"})
      EXPECT_EQ(trace.find(other), trace.npos) << trace;
  }
}

/// Sentences that readers found false or empty, with the steps that they were said of: they are said no more. Where
/// something was left unsaid, one of the ways to say it is `needs`.
TEST(Purposes, FalseSentencesThatWereFoundAreGone) {
  const auto content = read_file(concat(STEPTP_SOURCE_DIR, "/testing/data/false_sentences.jsonl"));
  ASSERT_TRUE(content.ok());
  std::istringstream lines(*content);
  int rows = 0;
  for (std::string line; std::getline(lines, line); ++rows) {
    const Json row = parse_json(line).value();
    std::vector<std::string> never;
    for (const Json& fragment : *row.find("never")->as_array()) never.push_back(*fragment.as_string());
    const auto traces = told(line, *row.find("strategy")->as_string(), row.find("choice")->dump());
    expect_none_of(traces, never);
    std::vector<std::string> needs;
    const Json* needed = row.find("needs");
    for (const Json& fragment : needed ? *needed->as_array() : Json::Array()) needs.push_back(*fragment.as_string());
    if (needed) expect_one_of(traces, needs);
  }
  EXPECT_GE(rows, 60);
}

}  // namespace
}  // namespace steptp
