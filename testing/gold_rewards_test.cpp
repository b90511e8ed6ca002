// Answers of the dataset are worth what an answer can be worth: a model that learns from rows is paid for what it has
// learned.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "steptp/base/json.h"
#include "steptp/base/text.h"
#include "steptp/evaluate/rewards.h"
#include "steptp/exports/export.h"
#include "testing/small_dataset.h"

namespace steptp::dataset {
namespace {

const std::string& text_of(const Json& row, std::string_view column) { return *row.find(column)->as_string(); }

TEST(GoldRewards, NearlyEveryAnswerOfTheDatasetPays) {
  const std::string folder =
      (std::filesystem::temp_directory_path() / concat("steptp_gold_rewards_", ::getpid())).string();
  std::filesystem::remove_all(folder);
  testing::build_small_dataset(folder, 10);
  ExportOptions options;
  options.configs = {"archive"};
  const auto manifest = export_dataset(folder, options);
  ASSERT_TRUE(manifest.ok()) << manifest.error().message;
  std::size_t rows = 0;
  std::size_t paid = 0;
  std::string unpaid;
  for (const Json& row : testing::read_rows(folder, "archive", Split::train)) {
    Json before;
    before.set("program", "").set("signature", parse_json(text_of(row, "signature")).value());
    before.set("leir", text_of(row, "original_leir"));
    const RewardRequest request{before.dump(), concat("<answer>", text_of(row, "answer"), "</answer>"), 1};
    EXPECT_EQ(reward_of(Reward::format, request, {}).value, 1) << text_of(row, "id");
    const Rewarded step = reward_of(Reward::step, request, {});
    EXPECT_EQ(step.problem, "");
    ++rows;
    if (step.value == 1) {
      ++paid;
    } else {
      append(unpaid, text_of(row, "strategy"), " ", row.find("choice")->dump(), "\n");
    }
  }
  std::filesystem::remove_all(folder);
  EXPECT_GE(rows, 20U);
  EXPECT_GE(100 * paid, 98 * rows) << unpaid;
}

}  // namespace
}  // namespace steptp::dataset
