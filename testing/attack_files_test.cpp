// Replays the files of testing/attacks: pairs that the judge may not accept, and commands, with the allowed answers.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "built_files.h"
#include "source_dir.h"
#include "steptp/base/process.h"
#include "steptp/base/text.h"
#include "steptp/verify/verify_pair.h"
#include "testing/meaning.h"

namespace steptp::testing {
namespace {

std::vector<std::filesystem::path> attack_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(STEPTP_SOURCE_DIR) + "/testing/attacks")) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool allowed(const Json& list, const Json* answer) {
  const std::string given = answer ? answer->dump() : "null";
  return std::any_of(list.as_array()->begin(), list.as_array()->end(),
                     [&](const Json& one) { return one.dump() == given; });
}

/// What an answer that is not allowed says; empty where all is well.
std::string objection(const Json& expect, const Json& answer) {
  if (expect.as_array()) return allowed(expect, answer.find("verdict")) ? "" : answer.dump();
  for (const auto& [key, list] : *expect.as_object()) {
    if (!allowed(list, answer.find(key))) return concat(key, ": ", answer.dump());
  }
  return {};
}

void replay_pair(const std::string& name, const std::string& line, const Json& record) {
  const Pair pair = read_pair(name, line);
  ASSERT_EQ(pair.problem, "") << name;
  VerifyOptions options;
  options.budget = 20'000'000;
  const Json answer = to_json(pair.id, verify_pair(pair, options));
  EXPECT_EQ(objection(*record.find("expect"), answer), "") << name << "\n" << line;
  const Json* inputs = record.find("inputs");
  if (!inputs) return;
  std::vector<OutputElement> elements;
  if (const Json* where = record.find("difference")) {
    OutputElement element{*where->find("output")->as_string(), {}};
    for (const Json& one : *where->find("index")->as_array()) element.second.push_back(*one.as_integer());
    if (!element.first.empty()) elements.push_back(std::move(element));
  }
  const MeaningInputs given = inputs_from_json(*inputs, pair.before.program.signature);
  EXPECT_TRUE(first_difference(pair.before.program, pair.after.program, given, elements))
      << name << ": the witness shows no difference\n"
      << line;
}

/// Puts the files of a command into a folder and their paths, for {name}, into its words.
std::vector<std::string> words_of(const Json& record, const TemporaryFolder& folder) {
  std::vector<std::string> words = {STEPTP_BINARY};
  for (const Json& word : *record.find("command")->as_array()) words.push_back(*word.as_string());
  const Json* files = record.find("files");
  if (!files) return words;
  for (const auto& [name, content] : *files->as_object()) {
    std::ofstream(folder.file(name)) << *content.as_string();
    for (std::string& word : words) {
      if (word == concat("{", name, "}")) word = folder.file(name);
    }
  }
  return words;
}

void replay_command(const std::string& name, const Json& record) {
  auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder) << name;
  const auto result = run_process(words_of(record, *folder), 120);
  ASSERT_TRUE(result) << name;
  const Json& expect = *record.find("expect");
  if (const Json* status = expect.find("status")) {
    EXPECT_TRUE(allowed(*status, std::make_unique<Json>(result->status).get()))
        << name << " ended with " << result->status << "\n"
        << result->output;
  }
  for (const bool has : {true, false}) {
    const Json* list = expect.find(has ? "output_has" : "output_lacks");
    for (std::size_t i = 0; list && i < list->as_array()->size(); ++i) {
      const std::string& part = *(*list->as_array())[i].as_string();
      EXPECT_EQ(result->output.find(part) != std::string::npos, has) << name << ": " << part << "\n" << result->output;
    }
  }
}

TEST(AttackFiles, NoneSucceeds) {
  std::size_t pairs = 0;
  for (const auto& path : attack_files()) {
    std::ifstream file(path);
    std::size_t lines = 0;
    for (std::string line; std::getline(file, line);) {
      ++lines;
      if (line.empty()) continue;
      ++pairs;
      const auto record = parse_json(line);
      const std::string name = concat(path.filename().string(), ":", lines);
      ASSERT_TRUE(record) << name;
      ASSERT_TRUE(record->find("expect")) << name;
      if (record->find("command")) {
        replay_command(name, *record);
      } else {
        replay_pair(name, line, *record);
      }
    }
  }
  EXPECT_GT(pairs, 0u);
}

}  // namespace
}  // namespace steptp::testing
