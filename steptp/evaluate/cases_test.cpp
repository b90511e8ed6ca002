#include "steptp/evaluate/cases.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "source_dir.h"
#include "steptp/base/text.h"
#include "steptp/evaluate/row_reader.h"

namespace steptp {
namespace {

constexpr const char* kSignature =
    R"([{"name":"A","role":"input","dtype":"f32","shape":[8]},{"name":"D","role":"output","dtype":"f32","shape":[8]}])";
constexpr const char* kProgram = "L^{8}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}*2;];";

class Files : public ::testing::Test {
 protected:
  std::string write(const std::string& content) {
    const auto path = std::filesystem::temp_directory_path() /
                      concat("steptp_cases_", ::testing::UnitTest::GetInstance()->current_test_info()->name(), "_",
                             std::to_string(paths_.size()), "_", std::to_string(::getpid()));
    std::ofstream(path) << content;
    paths_.push_back(path);
    return path;
  }
  void TearDown() override {
    for (const auto& path : paths_) std::filesystem::remove(path);
  }
  std::string problem_of(const std::string& content) {
    const auto cases = read_cases(write(content), {});
    return cases ? "" : cases.error().message;
  }
  std::vector<EvaluationCase> cases(const std::string& content) {
    auto read = read_cases(write(content), {});
    EXPECT_TRUE(read.ok()) << (read ? "" : read.error().message);
    return read ? std::move(read).value() : std::vector<EvaluationCase>();
  }
  static std::string row(const std::string& more) {
    return concat(R"({"signature":)", kSignature, R"(,"leir":")", kProgram, R"(")", more, "}\n");
  }

 private:
  std::vector<std::filesystem::path> paths_;
};

TEST_F(Files, PlainProgramsGetOurQuestionAndAName) {
  const auto read = cases(row(R"(,"program":"Twice")") + "\n" + row(R"(,"program":"Twice")") + row(""));
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].id, "Twice");
  EXPECT_EQ(read[1].id, "Twice#2");
  EXPECT_EQ(read[2].id, "case#3");
  EXPECT_TRUE(read[0].messages[0].content.starts_with("Program Twice in LEIR:\n")) << read[0].messages[0].content;
  const auto one = cases(concat("# a file\n@program One\n@input A f32[8]\n@output D f32[8]\n", kProgram, "\n"));
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].id, "One");
}

TEST_F(Files, RowsOfADatasetKeepTheirQuestion) {
  const auto read = cases(
      concat(R"({"id":"r1","signature":)", quote_json(kSignature), R"(,"before":")", kProgram,
             R"(","programs":3,"messages":[{"role":"user","content":"Q?"},{"role":"assistant","content":"A."}]})", "\n",
             row(R"(,"id":"r2","prompt":"P?")"), row(R"(,"id":"r3","prompt":[{"role":"user","content":"M?"}])")));
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].programs, 3);
  ASSERT_EQ(read[0].messages.size(), 1U);
  EXPECT_EQ(read[0].messages[0].content, "Q?");
  EXPECT_EQ(read[1].messages[0].content, "P?");
  EXPECT_EQ(read[2].messages[0].content, "M?");
  // What is written for asking elsewhere is read as the same.
  const auto again = cases(to_json(read[0]).dump());
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(to_json(again[0]).dump(), to_json(read[0]).dump());
}

TEST_F(Files, RowsThatCannotBeJudgedAreNamed) {
  EXPECT_NE(problem_of("{\"a\":1").find(":1: not a JSON object"), std::string::npos);
  EXPECT_NE(problem_of(R"({"prompt":"Q?"})").find("there is no program"), std::string::npos);
  EXPECT_NE(problem_of(R"({"prompt":"Q?","leir":"x"})").find("there is no signature"), std::string::npos);
  EXPECT_NE(problem_of(row(R"(,"messages":[])")).find("messages holds no question"), std::string::npos);
  EXPECT_NE(problem_of(row(R"(,"id":"x")") + row(R"(,"id":"x")")).find(":2: the id 'x'"), std::string::npos);
  EXPECT_NE(problem_of(concat(R"({"signature":)", kSignature, R"(,"leir":"L^{"})")), "");
  EXPECT_NE(problem_of(""), "");
}

TEST_F(Files, AnswersComeInManyForms) {
  const auto read = cases(row(R"(,"id":"r1")") + row(R"(,"id":"r2")"));
  const auto answers =
      read_answers(write(R"({"id":"r1","content":"a"})"
                         "\n"
                         R"({"id":"r1","completion":[{"role":"assistant","content":"b"}]})"
                         "\n"
                         R"({"id":"r2","answers":["c","d"]})"
                         "\n"
                         R"({"custom_id":"r2","response":{"body":{"choices":[{"message":{"content":"e"}}]}}})"
                         "\n"
                         R"({"id":"r1","messages":[{"role":"user","content":"Q"},{"role":"assistant","content":"f"}]})"
                         "\n"
                         R"({"id":"r2","content":null})"),
                   read);
  ASSERT_TRUE(answers.ok()) << answers.error().message;
  std::string all;
  for (const ModelAnswer& answer : *answers) {
    append(all, answer.of_case + 1, ".", answer.attempt, "=", answer.content, " ");
  }
  EXPECT_EQ(all, "1.1=a 1.2=b 2.1=c 2.2=d 2.3=e 1.3=f 2.4= ");
  const auto in_order = read_answers(write("{\"text\":\"a\"}\n{\"text\":\"b\"}\n"), read);
  ASSERT_TRUE(in_order.ok());
  EXPECT_EQ((*in_order)[1].of_case, 1U);
}

TEST_F(Files, ASystemPromptStandsBeforeTheQuestion) {
  QuestionOptions options;
  options.system = "This is LEIR.";
  const std::string own = R"(,"messages":[{"role":"system","content":"Mine."},{"role":"user","content":"Q"}])";
  const auto read = read_cases(write(row("") + row(own)), options);
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->front().messages.size(), 2U);
  EXPECT_EQ(read->front().messages[0].role, "system");
  EXPECT_EQ(read->front().messages[0].content, "This is LEIR.");
  EXPECT_EQ(read->back().messages[0].content, "Mine.");
}

TEST_F(Files, SomeOfTheQuestionsTakeTheirAnswersOutOfAFileOfAll) {
  const auto read = cases(row(R"(,"id":"r1")"));
  const std::string all = write("{\"id\":\"r1\",\"text\":\"a\"}\n{\"id\":\"r2\",\"text\":\"b\"}\n");
  EXPECT_FALSE(read_answers(all, read).ok());
  const auto some = read_answers(all, read, true);
  ASSERT_TRUE(some.ok()) << some.error().message;
  ASSERT_EQ(some->size(), 1U);
  EXPECT_EQ((*some)[0].content, "a");
}

TEST(RowsFile, DatasetsAreNamedByTheirFolder) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / concat("steptp_rows_", ::getpid());
  fs::create_directories(folder / "data" / "rl");
  const std::string rows = (folder / "data" / "rl" / "test_shape.jsonl.zst").string();
  std::ofstream(rows) << "";
  EXPECT_EQ(rows_file(folder.string()).value(), rows);
  EXPECT_EQ(rows_file(folder.string() + ":rl").value(), rows);
  EXPECT_EQ(rows_file(folder.string() + ":rl:test_shape").value(), rows);
  EXPECT_FALSE(rows_file(folder.string() + ":rl:train").ok());
  EXPECT_FALSE(rows_file(folder.string() + ":sft_trl").ok());
  fs::rename(rows, folder / "data" / "rl" / "test_shape.parquet");
  EXPECT_EQ(rows_file(folder.string() + ":rl:test_shape").value(), (folder / "data" / "rl" / "test_shape.parquet"));
  fs::remove_all(folder);
}

TEST(RowsFile, DatasetsOfTheHubAreFoundWhereItsToolsPutThem) {
  namespace fs = std::filesystem;
  const fs::path cache = fs::temp_directory_path() / concat("steptp_hub_", ::getpid());
  ::setenv("HF_HUB_CACHE", cache.c_str(), 1);
  const auto missing = rows_file("someone/steps");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().hint.find("huggingface-cli download someone/steps"), std::string::npos);
  const fs::path place = cache / "datasets--someone--steps";
  const fs::path snapshot = place / "snapshots" / "0123abcd";
  fs::create_directories(snapshot / "data" / "rl");
  fs::create_directories(place / "refs");
  std::ofstream(place / "refs" / "main") << "0123abcd\n";
  std::ofstream(snapshot / "data" / "rl" / "train.parquet") << "";
  EXPECT_EQ(rows_file("someone/steps").value(), (snapshot / "data" / "rl" / "train.parquet").string());
  ::unsetenv("HF_HUB_CACHE");
  fs::remove_all(cache);
}

TEST_F(Files, QuestionsOfAParquetFileOfAnotherWriter) {
  const std::string file = concat(STEPTP_SOURCE_DIR, "/steptp/evaluate/golden/questions.parquet");
  const auto read = read_cases(file, {});
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[0].id, "first");
  EXPECT_EQ((*read)[0].messages[0].content, "Make it faster.");
  EXPECT_EQ((*read)[1].before.program.nests.size(), 1U);
}

TEST_F(Files, AnswersWithoutAQuestionAreNamed) {
  const auto read = cases(row(R"(,"id":"r1")"));
  const auto problem = [&](const std::string& content) {
    const auto answers = read_answers(write(content), read);
    return answers ? std::string() : answers.error().message;
  };
  EXPECT_NE(problem(R"({"id":"r9","content":"a"})").find("no question has the id 'r9'"), std::string::npos);
  EXPECT_NE(problem("{\"text\":\"a\"}\n{\"text\":\"b\"}\n").find("more answers than questions"), std::string::npos);
  EXPECT_NE(problem("{\"text\":\"a\"}\n{\"id\":\"r1\",\"text\":\"b\"}\n").find("others none"), std::string::npos);
  EXPECT_NE(problem(R"({"id":"r1","attempt":1,"text":"a"})"
                    "\n"
                    R"({"id":"r1","attempt":1,"text":"b"})")
                .find("twice"),
            std::string::npos);
  EXPECT_NE(problem(R"({"id":"r1"})").find("no answer in it"), std::string::npos);
  EXPECT_NE(problem("[]"), "");
  EXPECT_NE(problem(""), "");
}

}  // namespace
}  // namespace steptp
