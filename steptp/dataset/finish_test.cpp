#include "steptp/dataset/finish.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "steptp/base/file.h"
#include "steptp/base/process.h"
#include "steptp/columns/compression.h"
#include "steptp/dataset/store.h"

namespace steptp::dataset {
namespace {

/// A program of a split with entries that no program has; `state` stands for its canonical form.
ProgramRecord record_of(std::uint64_t number, Split split, Hash form, Hash pattern, Hash state, std::size_t entries) {
  ProgramRecord out;
  out.program.id = hash_name(form);
  out.program.number = number;
  out.program.name = "program" + std::to_string(number);
  out.program.type = "type";
  out.program.arguments = Json(Json::Object());
  out.program.origin = "zoo";
  out.program.split = split;
  out.program.structure = hash_name(pattern);
  for (std::size_t i = 0; i < entries; ++i) {
    Entry entry;
    entry.id = hash_name(combine(form, i));
    entry.program = out.program.id;
    entry.strategy = "loop_split";
    entry.before = out.program.name;
    entry.after = out.program.name + std::to_string(i);
    entry.before_hash = hash_name(state);
    entry.after_hash = hash_name(combine(state, i));
    entry.verdict.grade = "proved";
    out.entries.push_back(std::move(entry));
  }
  return out;
}

struct Made {
  TemporaryFolder folder;
  Configuration configuration;
  Plan plan;
};

Made store_of(const std::vector<ProgramRecord>& records) {
  Made out{TemporaryFolder::make().value(), {}, {}};
  out.configuration.compile = "none";
  std::filesystem::create_directories(out.folder.file("raw"));
  std::string text;
  for (const ProgramRecord& record : records) {
    text += to_json(record).dump() + "\n";
    out.plan.programs.emplace_back();
  }
  EXPECT_TRUE(write_file(part_path(out.folder.file("."), 0), part_bytes(text)).ok());
  return out;
}

Result<Json, Diagnostic> finish(const Made& made) {
  BuildLog log(made.folder.file("."));
  WorkerPool workers({{"none"}});
  const auto summary =
      finish_dataset(made.folder.file("."), made.configuration, made.plan, "python3", workers, log, {});
  if (!summary) return summary.error();
  return (*summary)->summary;
}

TEST(Finish, WritesRowsAndSummary) {
  const Made made = store_of({record_of(0, Split::train, 1, 10, 100, 4), record_of(1, Split::test_shape, 2, 10, 200, 3),
                              record_of(2, Split::test_type, 3, 30, 300, 2)});
  const auto summary = finish(made);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_EQ(summary->find("entries")->dump(), R"({"test_shape":3,"test_type":2,"train":4})");
  const auto rows = read_selection(made.folder.file("."));
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_FALSE(rows->empty());
  std::size_t records = 0;
  EXPECT_FALSE(for_each_record(made.folder.file("."), [&](ProgramRecord&&) { return ++records > 0; }));
  EXPECT_EQ(records, 3U);
}

TEST(Finish, ProgramsToSpareMakeUpForThoseThatCannotBeUsed) {
  std::vector<ProgramRecord> records;
  for (std::uint64_t i = 0; i < 6; ++i) records.push_back(record_of(i, Split::train, 1 + i, 10, 100 * (1 + i), 2));
  records.push_back(record_of(6, Split::test_shape, 20, 10, 2000, 2));
  records[1].entries.clear();
  records[1].excluded = "degenerate";
  Made made = store_of(records);
  made.plan.wanted = {{Split::train, 4}};
  const auto summary = finish(made);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_EQ(summary->find("programs")->dump(), R"({"test_shape":1,"train":4})");
  EXPECT_EQ(summary->find("entries")->dump(), R"({"test_shape":2,"train":8})");
  EXPECT_EQ(summary->find("excluded")->dump(), R"({"degenerate":1,"not needed":1})");
  std::vector<std::string> used;
  const auto problem = for_each_record(made.folder.file("."), [&](ProgramRecord&& record) {
    if (record.excluded.empty()) used.push_back(record.program.name);
    return true;
  });
  EXPECT_FALSE(problem);
  EXPECT_EQ(used, (std::vector<std::string>{"program0", "program2", "program3", "program4", "program6"}));
}

TEST(Finish, PlantedLeaksFailTheBuild) {
  const ProgramRecord trained = record_of(0, Split::train, 1, 10, 100, 4);
  const std::vector<ProgramRecord> leaks = {
      record_of(1, Split::test_shape, 1, 10, 200, 3),              // the same program
      record_of(1, Split::test_type, 2, 10, 200, 3),               // the pattern of a trained one
      record_of(1, Split::multi_step, 3, 30, 100, 3),              // a state of train
      record_of(1, Split::multi_step, 3, 30, combine(100, 2), 3),  // what a step of train leads to
  };
  for (const ProgramRecord& leak : leaks) {
    const auto summary = finish(store_of({trained, leak}));
    ASSERT_FALSE(summary.ok()) << to_json(leak).dump();
    EXPECT_EQ(summary.error().id, "leak");
    EXPECT_NE(summary.error().message.find("program1"), std::string::npos) << summary.error().message;
  }
}

TEST(Finish, DamagedPartsAreNamed) {
  const Made made = store_of({record_of(0, Split::train, 1, 10, 100, 4)});
  const std::string path = part_path(made.folder.file("."), 0);
  const std::string bytes = read_file(path).value();
  ASSERT_TRUE(write_file(path, bytes.substr(0, bytes.size() / 2)).ok());
  const auto summary = finish(made);
  ASSERT_FALSE(summary.ok());
  EXPECT_NE(summary.error().message.find("part-00000"), std::string::npos) << summary.error().message;
}

/// A part, or the rows, written anew by somebody else.
TEST(Finish, EditedPartsAndRowsAreNoticed) {
  const Made made = store_of({record_of(0, Split::train, 1, 10, 100, 4)});
  const std::string folder = made.folder.file(".");
  ASSERT_TRUE(finish(made).ok());
  const Json build = read_build(folder).value();
  EXPECT_FALSE(check_sums(folder, build));
  const std::string rows = read_file(selection_path(folder)).value();
  ASSERT_TRUE(write_file(selection_path(folder), rows.substr(rows.find('\n') + 1)).ok());
  ASSERT_TRUE(check_sums(folder, build));
  EXPECT_NE(check_sums(folder, build)->message.find("selection.jsonl"), std::string::npos);
  const std::string path = part_path(folder, 0);
  const std::string text = zstd_decompress(read_file(path).value(), 1 << 20).value();
  std::string other = text;
  other.replace(other.find("proved"), 6, "exact ");
  for (const std::string& edited : {other, text.substr(0, text.find('\n') + 1), std::string()}) {
    ASSERT_TRUE(write_file(path, zstd_compress(edited, {})).ok());
    const auto read = read_part(folder, 0);
    ASSERT_FALSE(read.ok());
    EXPECT_NE(read.error().message.find("checksum"), std::string::npos) << read.error().message;
  }
}

}  // namespace
}  // namespace steptp::dataset
