// Exports of a small build: the same bytes whoever makes them, every row found good by `validate`, and everything that
// can be wrong with one found.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "steptp/base/file.h"
#include "steptp/base/json.h"
#include "steptp/base/text.h"
#include "steptp/dataset/build.h"
#include "steptp/dataset/configuration.h"
#include "steptp/exports/card.h"
#include "steptp/exports/export.h"
#include "steptp/exports/show.h"
#include "steptp/exports/statistics.h"
#include "steptp/exports/tables.h"
#include "steptp/exports/validate.h"
#include "testing/small_dataset.h"

namespace steptp::dataset {
namespace {

using testing::tamper;
using testing::with_column;

class DatasetExports : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    base_ = std::filesystem::temp_directory_path() / concat("steptp_exports_", ::getpid());
    std::filesystem::remove_all(base_);
    testing::build_small_dataset(path("build"), 10);
    ExportOptions options;
    options.near_misses = 12;
    manifest_ = exported("build", options);
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(base_); }

  static std::string path(const std::string& name) { return (base_ / name).string(); }
  static Manifest exported(const std::string& out, ExportOptions options) {
    options.out = out == "build" ? "" : path(out);
    auto manifest = export_dataset(path("build"), options);
    EXPECT_TRUE(manifest.ok()) << manifest.error().message;
    return manifest.value().value();
  }
  static Validation validated(const std::string& folder, std::uint64_t judged = UINT64_MAX) {
    ValidateOptions options;
    options.judged = judged;
    auto found = validate_dataset(folder, options);
    EXPECT_TRUE(found.ok());
    return std::move(found).value();
  }

  /// A copy of the export in which something is wrong, and what `validate` must say about it.
  void expect_found(const std::function<void(const std::string& folder)>& spoil, const std::string& file,
                    const std::string& what, bool names_row = true, std::uint64_t judged = 0) {
    const std::string copy = path("copy");
    std::filesystem::remove_all(copy);
    std::filesystem::copy(path("build"), copy, std::filesystem::copy_options::recursive);
    spoil(copy);
    const Validation found = validated(copy, judged);
    bool is_found = false;
    std::string all;
    for (const ValidationProblem& problem : found.problems) {
      append(all, to_text(problem), "\n");
      is_found = is_found || (problem.file.find(file) != problem.file.npos &&
                              problem.what.find(what) != problem.what.npos && problem.row.empty() != names_row);
    }
    EXPECT_TRUE(is_found) << "wanted: " << file << ": " << what << "\nfound:\n" << all;
  }
  /// The same, with the second row of a table changed in one column, and all else made to fit.
  void expect_column_found(const std::string& table, const std::string& column, const Json& value,
                           const std::string& what) {
    expect_found(
        [&](const std::string& folder) {
          tamper(folder, table, Split::train,
                 [&](std::vector<Json>& rows) { rows[1] = with_column(rows[1], column, value); });
        },
        concat("data/", table, "/train"), what);
  }

  static std::filesystem::path base_;
  static Manifest manifest_;
};
std::filesystem::path DatasetExports::base_;
Manifest DatasetExports::manifest_;

TEST_F(DatasetExports, AllIsWell) {
  const Validation found = validated(path("build"));
  for (const ValidationProblem& problem : found.problems) ADD_FAILURE() << to_text(problem);
  EXPECT_GT(found.replayed, 20U);
  EXPECT_GT(found.judged, found.replayed) << "near misses are replayed as well";
  EXPECT_EQ(manifest_.configs.size(), all_configs().size());
  EXPECT_GT(manifest_.near_misses_found, 0U);
}

/// Every row of a table, all splits.
std::vector<Json> all_rows(const std::string& folder, const Manifest& manifest, const std::string& table) {
  std::vector<Json> out;
  const ExportedTable* exported = manifest.find(table);
  if (exported == nullptr) return out;
  for (const SplitFile& file : exported->splits) {
    for (Json& row : testing::read_rows(folder, table, file.split)) out.push_back(std::move(row));
  }
  return out;
}

TEST_F(DatasetExports, WhatIsEqualAndNotSafeIsInItsOwnConfigAndInNoOther) {
  std::set<std::string> unsafe_ids;
  std::set<std::string> unsafe_programs;
  for (const Json& row : all_rows(path("build"), manifest_, "equal_unsafe")) {
    const Json& safe = *row.find("safe");
    EXPECT_TRUE(safe.is_null() || !*safe.as_bool());
    const std::string grade = *row.find("grade")->as_string();
    EXPECT_TRUE(grade == "proved" || grade == "exact") << grade;
    unsafe_ids.insert(*row.find("id")->as_string());
    unsafe_programs.insert(quote_json(*row.find("transformed_leir")->as_string()));
  }
  ASSERT_GT(unsafe_ids.size(), 2U) << "the build must have some for this to show anything";
  for (const Json& row : all_rows(path("build"), manifest_, "archive")) EXPECT_TRUE(*row.find("safe")->as_bool());
  for (const ExportedTable& table : manifest_.tables) {
    if (table.name == "equal_unsafe") continue;
    for (const Json& row : all_rows(path("build"), manifest_, table.name)) {
      const std::string text = row.dump();
      for (const std::string& id : unsafe_ids) EXPECT_EQ(text.find(id), text.npos) << table.name << " has " << id;
      for (const std::string& program : unsafe_programs) EXPECT_EQ(text.find(program), text.npos) << table.name;
    }
  }
  for (const ExportConfig& config : all_configs()) {
    const bool has_them = std::find(config.tables.begin(), config.tables.end(), "equal_unsafe") != config.tables.end();
    EXPECT_EQ(has_them, config.name == "equal_unsafe") << config.name;
  }
}

TEST_F(DatasetExports, TheCardListsStrategiesWithFewSafeRows) {
  std::map<std::string, StrategyRows> counted;
  for (const Json& row : all_rows(path("build"), manifest_, "archive"))
    ++counted[*row.find("strategy")->as_string()].safe;
  for (const Json& row : all_rows(path("build"), manifest_, "equal_unsafe")) {
    ++counted[*row.find("strategy")->as_string()].unsafe;
  }
  EXPECT_EQ(manifest_.strategies.size(), 43U);
  for (const auto& [name, rows] : manifest_.strategies) EXPECT_EQ(rows, counted[name]) << name;
  const auto line = [](const char* name, std::uint64_t safe, std::uint64_t unsafe) {
    return concat("| `", std::string_view(name), "` | ", safe, " | ", unsafe, " |\n");
  };
  Manifest manifest = manifest_;
  manifest.strategies = {{"loop_split", {100, 3}}, {"loop_fusion", {99, 5}}, {"collect", {0, 0}}};
  const std::string text = card(manifest);
  EXPECT_EQ(text.find(line("loop_split", 100, 3)), text.npos);
  EXPECT_NE(text.find(line("loop_fusion", 99, 5)), text.npos);
  EXPECT_NE(text.find(line("collect", 0, 0)), text.npos);
  manifest.strategies = {{"loop_split", {100, 3}}};
  EXPECT_NE(card(manifest).find("Every strategy has at least 100 safe rows"), text.npos);
}

TEST_F(DatasetExports, RowsOnTheWrongSideOfSafeAreFound) {
  expect_column_found("equal_unsafe", "safe", Json(true), "a safe row in equal_unsafe");
  expect_column_found("archive", "safe", Json(), "safe");
  expect_found(
      [&](const std::string& folder) {
        const Json taken = testing::read_rows(folder, "equal_unsafe", Split::train).front();
        tamper(folder, "archive", Split::train,
               [&](std::vector<Json>& rows) { rows.push_back(with_column(taken, "safe", Json(true))); });
      },
      "data/equal_unsafe/train", "a duplicate");
  // Somebody drops a safe row and makes everything fit but the counts by strategy.
  expect_found(
      [&](const std::string& folder) {
        tamper(folder, "equal_unsafe", Split::train, [](std::vector<Json>& rows) { rows.pop_back(); });
      },
      "manifest.json", "safe rows and", false);
}

TEST_F(DatasetExports, AnUnsafeRowThatIsCalledSafeIsFoundByTheJudge) {
  const std::string copy = path("called_safe");
  std::filesystem::copy(path("build"), copy, std::filesystem::copy_options::recursive);
  std::string id;
  for (const Json& row : testing::read_rows(copy, "equal_unsafe", Split::train)) {
    if (!id.empty()) break;
    id = *row.find("id")->as_string();
    tamper(copy, "archive", Split::train,
           [&](std::vector<Json>& rows) { rows.push_back(with_column(row, "safe", Json(true))); });
  }
  ASSERT_FALSE(id.empty());
  bool is_found = false;
  for (const ValidationProblem& problem : validated(copy).problems) {
    is_found = is_found || (problem.row.find(id) != problem.row.npos &&
                            problem.what == "the judge does not find it numerically safe");
  }
  EXPECT_TRUE(is_found);
}

TEST_F(DatasetExports, TheSameBytesForAnyNumberOfJobs) {
  ExportOptions options;
  options.near_misses = 12;
  exported("one", options);
  options.jobs = 3;
  exported("three", options);
  EXPECT_EQ(*read_file(path("one/checksums.sha256")), *read_file(path("three/checksums.sha256")));
  // The build's own folder lists its raw parts too.
  EXPECT_NE(*read_file(path("one/checksums.sha256")), *read_file(path("build/checksums.sha256")));
}

TEST_F(DatasetExports, RowsThatAreTooLongAreLeftOutAndCounted) {
  ExportOptions options;
  options.configs = {"chat_full", "archive"};
  options.max_tokens = 2500;
  const Manifest manifest = exported("short", options);
  EXPECT_EQ(manifest.configs, (std::vector<std::string>{"chat_full", "archive"}));
  EXPECT_EQ(manifest.max_tokens, 2500U);
  EXPECT_NE(read_file(path("short/README.md"))->find("Rows of more than 2500 tokens"), std::string::npos);
  std::uint64_t dropped = 0;
  for (const char* table : {"chat/full/single", "chat/full/multi"}) {
    for (const SplitFile& all : manifest_.find(table)->splits) {
      const ExportedTable* shorter = manifest.find(table);
      std::uint64_t kept = 0;
      if (shorter != nullptr) {
        for (const SplitFile& file : shorter->splits) kept += file.split == all.split ? file.rows : 0;
      }
      dropped += all.rows - kept;
    }
  }
  std::uint64_t counted = 0;
  for (const auto& [table, count] : manifest.rows_too_long) counted += count;
  EXPECT_GT(dropped, 0U);
  EXPECT_EQ(dropped, counted);
  for (const Json& row : testing::read_rows(path("short"), "chat/full/single", Split::train)) {
    EXPECT_LE(*row.find("prompt_tokens")->as_integer() + *row.find("completion_tokens")->as_integer(), 2500);
  }
  EXPECT_TRUE(validated(path("short"), 0).ok());
}

TEST_F(DatasetExports, AnUnknownConfigIsRefused) {
  ExportOptions options;
  options.configs = {"chat_ful"};
  const auto manifest = export_dataset(path("build"), options);
  ASSERT_FALSE(manifest.ok());
  EXPECT_EQ(manifest.error().id, "usage");
  EXPECT_NE(manifest.error().hint.find("chat_full"), std::string::npos);
}

TEST_F(DatasetExports, ADamagedFileIsFound) {
  expect_found(
      [](const std::string& folder) {
        const std::string name = folder + "/data/archive/train.parquet";
        std::string bytes = *read_file(name);
        bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
        ASSERT_TRUE(write_file(name, bytes).ok());
      },
      "data/archive/train.parquet", "not what its checksum says", false);
  expect_found([](const std::string& folder) { std::filesystem::remove(folder + "/data/rl/train.jsonl.zst"); },
               "data/rl/train.jsonl.zst", "missing", false);
  expect_found([](const std::string& folder) { ASSERT_TRUE(write_file(folder + "/data/rl/more.parquet", "x").ok()); },
               "data/rl/more.parquet", "no checksum", false);
  expect_found([](const std::string& folder) { ASSERT_TRUE(write_file(folder + "/README.md", "nothing").ok()); },
               "README.md", "not that of manifest.json", false);
}

TEST_F(DatasetExports, AChangedRowOfTheArchiveIsFound) {
  const std::vector<Json> rows = testing::read_rows(path("build"), "archive", Split::train);
  const auto other = [&rows](const char* column) { return *rows[0].find(column)->as_string(); };
  expect_column_found("archive", "transformed_leir", other("transformed_leir"), "does not lead to transformed_leir");
  expect_column_found("archive", "transformed_leir", "B^{", "cannot be read");
  const std::string target = *rows[1].find("transformed_tir_target")->as_string();
  expect_column_found("archive", "transformed_tir_target", target == "cuda" ? "cpu" : "cuda", "that of the text");
  expect_column_found("chat/f_tir_nocot/single", "tir_targets", Json(Json::Array{"cuda"}), "that of its texts");
  expect_column_found("archive", "recipe", "[]", "has no step");
  expect_column_found("archive", "recipe", R"([{"strategy":"loop_split","choice":{"at":"9:loop[9]"}}])", "recipe");
  expect_column_found("archive", "difficulty", "impossible", "is not the strategy's");
  expect_column_found("archive", "reasoning", "Because.", "is not the trace in words");
  expect_column_found("archive", "answer", "{}", "is not transformed_leir and strategy");
  expect_column_found("archive", "original_hash", "0", "is not that of original_leir");
  expect_column_found("archive", "program_id", "0", "is not the hash of root_leir");
  expect_column_found("archive", "split", "test_type", "says split test_type");
}

TEST_F(DatasetExports, AChangedRowOfAnyOtherTableIsFound) {
  const auto text = [](const std::string& table, const char* column) {
    return *testing::read_rows(path("build"), table, Split::train)[0].find(column)->as_string();
  };
  expect_column_found("near_miss", "transformed_leir", "x", "is not that of its entry");
  expect_column_found("dpo_swift", "rejected_response", text("dpo_swift", "rejected_response"), "");
  expect_column_found("rl", "before", text("rl", "before"), "is not its program");
  expect_column_found("stepwise", "prompt", "What?", "the question is not that of its program");
  const auto steps = testing::read_rows(path("build"), "stepwise", Split::train);
  ASSERT_GE(steps.size(), 2U);
  Json::Array labels = *steps[1].find("labels")->as_array();
  labels[0] = Json(!*labels[0].as_bool());
  expect_column_found("stepwise", "labels", Json(labels), "a wrong step is not the last");
  Json::Array completions = *steps[1].find("completions")->as_array();
  completions[0] = completions[1];
  expect_column_found("stepwise", "completions", Json(completions), "step 1 is not its recipe's");
  // The right thought is never that of a wrong answer.
  const auto asked = testing::read_rows(path("build"), "dpo_swift", Split::train);
  const auto right = [](const Json& row) {
    return *(*row.find("messages")->as_array())[1].find("content")->as_string();
  };
  const std::string wrong = *asked[1].find("rejected_response")->as_string();
  const std::string answered =
      right(asked[1]).substr(0, right(asked[1]).rfind("<answer>")) + wrong.substr(wrong.rfind("<answer>"));
  expect_column_found("dpo_swift", "rejected_response", answered, "the wrong answer has the right thought");
  for (const char* table : {"chat/full/single", "chat/f_tir_nocot/multi", "sft_trl", "kto_trl", "dpo_trl"}) {
    expect_found(
        [&](const std::string& folder) {
          // The answers of two rows change places.
          tamper(folder, table, Split::train, [](std::vector<Json>& rows) {
            const char* column = rows[0].find("messages") != nullptr     ? "messages"
                                 : rows[0].find("completion") != nullptr ? "completion"
                                                                         : "chosen";
            const Json first = *rows[0].find(column);
            const Json last = *rows.back().find(column);
            rows[0] = with_column(rows[0], column, last);
            rows.back() = with_column(rows.back(), column, first);
          });
        },
        concat("data/", table, "/train"), "");
  }
}

TEST_F(DatasetExports, AWrongVerdictIsFoundByJudging) {
  // A near miss that is none: the right program in its place.
  const std::string copy = path("judged");
  std::filesystem::copy(path("build"), copy, std::filesystem::copy_options::recursive);
  tamper(copy, "near_miss", Split::train, [](std::vector<Json>& rows) {
    rows[0] = with_column(rows[0], "wrong_leir", *rows[0].find("transformed_leir"));
  });
  bool is_found = false;
  for (const ValidationProblem& problem : validated(copy).problems) {
    is_found = is_found || problem.what.find("shows no difference") != problem.what.npos ||
               problem.what.find("`wrong_leir` is valid") != problem.what.npos;
  }
  EXPECT_TRUE(is_found);
}

TEST_F(DatasetExports, ADamagedExportIsMadeAgainAndADamagedPartIsNamed) {
  const std::string copy = path("damaged");
  std::filesystem::copy(path("build"), copy, std::filesystem::copy_options::recursive);
  const std::string file = copy + "/data/rl/train.parquet";
  const auto good = read_file(file);
  ASSERT_TRUE(good.ok());
  ASSERT_TRUE(write_file(file, good->substr(0, good->size() / 2)).ok());
  ExportOptions options;
  options.near_misses = 12;
  const auto again = export_where_missing(copy, options);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(read_file(file).value(), *good);
  const std::string part = copy + "/raw/part-00000.jsonl.zst";
  const auto bytes = read_file(part);
  ASSERT_TRUE(bytes.ok());
  ASSERT_TRUE(write_file(part, *bytes + "x").ok());
  const auto refused = export_where_missing(copy, options);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("raw/part-00000.jsonl.zst"), std::string::npos) << refused.error().message;
}

TEST_F(DatasetExports, OnlyUsefulRowsAreFaster) {
  ExportOptions options;
  options.near_misses = 12;
  options.only_useful = true;
  const Manifest useful = exported("useful", options);
  const auto rows = all_rows(path("useful"), useful, "chat/full/single");
  EXPECT_GE(rows.size(), 3U);
  EXPECT_LT(rows.size(), all_rows(path("build"), manifest_, "chat/full/single").size());
  for (const Json& row : rows) EXPECT_GE(row.find("usefulness")->number(), 0.01);
}

TEST_F(DatasetExports, ABuildIsNotPutIntoAFolderOfOthers) {
  const std::string folder = path("others");
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(write_file(folder + "/notes.txt", "mine").ok());
  BuildOptions options;
  options.folder = folder;
  const auto refused = build_dataset(Configuration(), options);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("is not empty and holds no dataset"), std::string::npos);
  EXPECT_EQ(read_file(folder + "/notes.txt").value(), "mine");
}

TEST_F(DatasetExports, AnExportIsNotPutIntoAFolderOfOthers) {
  for (const char* name : {"notes.txt", "README.md", "data/photo.jpg"}) {
    const std::string folder = path(concat("foreign_", std::string(name).substr(0, 4)));
    std::filesystem::create_directories(folder + "/data");
    ASSERT_TRUE(write_file(concat(folder, "/", name), "mine").ok());
    ExportOptions options;
    options.out = folder;
    const auto refused = export_dataset(path("build"), options);
    ASSERT_FALSE(refused.ok()) << name;
    EXPECT_NE(refused.error().message.find("holds no export"), std::string::npos) << refused.error().message;
    EXPECT_EQ(read_file(concat(folder, "/", name)).value(), "mine");
  }
}

TEST_F(DatasetExports, ValidateNamesWhatIsNoPart) {
  expect_found([&](const std::string& folder) { (void)write_file(folder + "/notes.txt", "mine"); }, "notes.txt",
               "no part of the dataset", false);
}

TEST_F(DatasetExports, OtherVerdictsAndWordsAreNoticed) {
  const auto changed = [&](const char* column, const char* value) {
    return [this, column, value](const std::string& folder) {
      tamper(folder, "archive", Split::train, [&](std::vector<Json>& rows) {
        for (Json& row : rows) {
          if (row.find(column)->dump() != concat("\"", value, "\"")) row = with_column(row, column, value);
        }
      });
    };
  };
  expect_found(changed("grade", "exact"), "data/archive/train", "column 'grade' is not what the judge says", true,
               UINT64_MAX);
  expect_found(changed("safe_by", "search"), "data/archive/train", "column 'safe_by' is not what the judge says", true,
               UINT64_MAX);
  expect_found(changed("trace", "[\"Trust me.\"]"), "data/archive/train", "is not what the step is told with", true,
               UINT64_MAX);
}

TEST(Configuration, HugeNumbersAreRefused) {
  Configuration configuration;
  configuration.depth = 1'000'000;
  EXPECT_NE(problem_of(configuration).find("depth is at most 64"), std::string::npos) << problem_of(configuration);
  configuration.depth = 2;
  configuration.trials = 1'000'000;
  EXPECT_NE(problem_of(configuration).find("trials is at most"), std::string::npos) << problem_of(configuration);
}

TEST(Configuration, TheMixIsPercentOfAll) {
  Configuration configuration;
  EXPECT_EQ(problem_of(configuration), "");
  configuration.mix = {80, 10, 5};
  EXPECT_NE(problem_of(configuration).find("95 instead of 100"), std::string::npos) << problem_of(configuration);
  configuration.mix = {0, 0, 0};
  EXPECT_EQ(problem_of(configuration), "");
}

TEST_F(DatasetExports, ARowIsShownByStrategyAndDifficulty) {
  const auto row = read_row(path("build"), "chat/full/single", "train", 0, {"", "difficult"});
  ASSERT_TRUE(row.ok()) << row.error().message;
  EXPECT_NE(row->find("\"difficult\""), std::string::npos);
  const std::string strategy = *parse_json(*row)->find("strategies")->as_array()->front().as_string();
  const auto named = read_row(path("build"), "chat/full/single", "train", 0, {strategy, ""});
  ASSERT_TRUE(named.ok());
  EXPECT_NE(named->find(strategy), std::string::npos);
  EXPECT_FALSE(read_row(path("build"), "chat/full/single", "train", 0, {"no_such_strategy", ""}).ok());
}

TEST_F(DatasetExports, DuplicatesAreFound) {
  for (const char* table : {"archive", "chat/full/single", "rl"}) {
    expect_found(
        [&](const std::string& folder) {
          tamper(folder, table, Split::train, [](std::vector<Json>& rows) { rows.push_back(rows.front()); });
        },
        concat("data/", table, "/train"), "a duplicate");
  }
}

TEST_F(DatasetExports, LeaksAreFound) {
  const std::vector<Json> trained = testing::read_rows(path("build"), "archive", Split::train);
  const auto leak = [&](const std::string& folder) {
    tamper(folder, "archive", Split::test_shape,
           [&](std::vector<Json>& rows) { rows.push_back(with_column(trained.front(), "split", "test_shape")); });
  };
  expect_found(leak, "data/archive", "a leak", false);
  expect_found(leak, "data/archive/test_shape", "its program is a state of entry");
  // A row of training among the rows of a test.
  const std::vector<Json> asked = testing::read_rows(path("build"), "chat/full/single", Split::train);
  expect_found(
      [&](const std::string& folder) {
        tamper(folder, "chat/full/single", Split::test_shape,
               [&](std::vector<Json>& rows) { rows.push_back(asked.front()); });
      },
      "data/chat/full/single/test_shape", "belongs to split train");
}

TEST_F(DatasetExports, StatisticsCountWhatIsThere) {
  const auto statistics = collect_statistics(path("build"), {});
  ASSERT_TRUE(statistics.ok());
  std::uint64_t raw = 0;
  for (const auto& [name, strategy] : statistics->strategies) raw += strategy.count.raw;
  const SplitCounts& train = statistics->of(Split::train);
  EXPECT_EQ(raw, train.entries);
  EXPECT_EQ(train.entries + train.deep_entries, manifest_.find("archive")->splits.front().rows);
  EXPECT_EQ(train.single, manifest_.find("chat/full/single")->splits.front().rows);
  EXPECT_EQ(train.multi, manifest_.find("chat/full/multi")->splits.front().rows);
  EXPECT_EQ(train.programs, 10U);
  for (const TokenCounts& form : statistics->program_tokens) {
    std::uint64_t all = 0;
    for (const std::uint64_t count : form.histogram()) all += count;
    EXPECT_EQ(all, form.counts.size());
    EXPECT_GE(form.summary().max, form.summary().p99);
    EXPECT_GE(form.summary().p99, form.summary().median);
  }
  const std::string page = html_report(*statistics);
  EXPECT_NE(page.find("<svg"), std::string::npos);
  for (const char* outside : {"http", "src=", "<script", "@import", "url("}) {
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
  EXPECT_NE(to_text(*statistics).find("Difficulty before and after"), std::string::npos);
}

}  // namespace
}  // namespace steptp::dataset
