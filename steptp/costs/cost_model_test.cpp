#include "steptp/costs/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/costs/evaluation.h"
#include "steptp/text/document.h"

namespace steptp::testing {
namespace {

using costs::CostModel;
using costs::KernelCase;
using costs::MeasuredCase;
using costs::ProgramCase;
using costs::TrainingOptions;

/// A kernel whose analytic time is wrong by a factor that two of its features decide together.
KernelCase drawn_kernel(Random& random) {
  KernelCase out;
  for (float& feature : out.features) feature = static_cast<float>(random.below(1000)) / 1000;
  out.expected = 1e-6 * static_cast<double>(1 + random.below(50));
  return out;
}

double truth(const KernelCase& kernel) {
  const double factor = (kernel.features[3] > 0.5F ? 2 : 1) * (1 + static_cast<double>(kernel.features[7]));
  return kernel.expected * factor;
}

/// Programs of one to three kernels, of which only the sum is measured.
std::vector<MeasuredCase> drawn_cases(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<MeasuredCase> out;
  for (std::size_t i = 0; i < count; ++i) {
    MeasuredCase one;
    one.program.besides = 3e-6;
    one.seconds = one.program.besides;
    for (std::uint64_t k = 0; k <= random.below(3); ++k) {
      one.program.kernels.push_back(drawn_kernel(random));
      one.seconds += truth(one.program.kernels.back());
    }
    one.group = i % 20;
    out.push_back(std::move(one));
  }
  return out;
}

/// The share of the variance of log(seconds / expected) that a model leaves.
double left_over(const CostModel& model, const std::vector<MeasuredCase>& cases) {
  double with = 0;
  double without = 0;
  double mean = 0;
  for (const MeasuredCase& one : cases) mean += std::log(one.seconds / one.program.expected());
  mean /= static_cast<double>(cases.size());
  for (const MeasuredCase& one : cases) {
    with += std::pow(std::log(model.seconds(one.program) / one.seconds), 2);
    without += std::pow(std::log(one.seconds / one.program.expected()) - mean, 2);
  }
  return with / without;
}

TrainingOptions quick() {
  TrainingOptions out;
  out.trees = 120;
  out.depth = 4;
  out.level = 1;
  return out;
}

TEST(CostModel, TreesFindWhatKernelsTakeFromSumsOverPrograms) {
  CostModel model;
  costs::add_trees(model, drawn_cases(2000, 1), quick());
  EXPECT_LT(left_over(model, drawn_cases(500, 2)), 0.05);
  EXPECT_GT(left_over(CostModel(), drawn_cases(500, 2)), 1.0);
}

TEST(CostModel, TrainingIsDeterministicAndTheFileKeepsEveryBit) {
  CostModel first;
  CostModel second;
  costs::add_trees(first, drawn_cases(300, 3), quick());
  costs::add_trees(second, drawn_cases(300, 3), quick());
  EXPECT_EQ(costs::to_json(first).dump(), costs::to_json(second).dump());
  const auto parsed = parse_json(costs::to_json(first).dump());
  const auto read = costs::cost_model_from_json(*parsed);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->trees, first.trees);
}

TEST(CostModel, WithoutTreesItIsTheAnalyticModel) {
  const auto rates = find_rates("nvidia-h200");
  const Document document = read_document("softmax.leir", *read_file(STEPTP_SOURCE_DIR "/examples/row_softmax.leir"));
  const auto analytic = estimate(document.program, *rates);
  const CostModel empty;
  const auto expected = costs::expected_seconds(document.program, *rates, &empty);
  EXPECT_NEAR(*expected / analytic->seconds, 1, 1e-12);
  EXPECT_EQ(*costs::expected_seconds(document.program, *rates, nullptr), analytic->seconds);
}

TEST(CostModel, EveryFeatureHasAnotherNameAndIsFiniteOnAProgram) {
  std::set<std::string_view> names(costs::feature_names().begin(), costs::feature_names().end());
  EXPECT_EQ(names.size(), costs::kFeatures);
  const auto rates = find_rates("nvidia-h200");
  const Document document = read_document("m", *read_file(STEPTP_SOURCE_DIR "/examples/tiled_matmul.leir"));
  const ProgramCase made = costs::case_of(*estimation::summary_of(document.program), *rates);
  ASSERT_FALSE(made.kernels.empty());
  for (const KernelCase& kernel : made.kernels) {
    std::size_t said = 0;
    for (const float feature : kernel.features) {
      EXPECT_TRUE(std::isfinite(feature));
      said += feature != 0 ? 1 : 0;
    }
    EXPECT_GT(said, costs::kFeatures / 3);
  }
}

TEST(CostModel, DamagedFilesAreRefused) {
  CostModel model;
  costs::add_trees(model, drawn_cases(100, 4), quick());
  const std::string whole = costs::to_json(model).dump();
  const auto refused = [](std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) return std::string("nothing to damage");
    text.replace(at, from.size(), to);
    const auto read = costs::cost_model_from_json(*parse_json(text));
    return read ? std::string() : read.error();
  };
  EXPECT_NE(refused(whole, "\"version\":1", "\"version\":2"), "");
  EXPECT_NE(refused(whole, "\"blocks\"", "\"other\""), "");
  EXPECT_NE(refused(whole, "\"trees\":[[[", "\"trees\":[[[9"), "");
  EXPECT_NE(refused(whole, "\"trees\":[[[", "\"trees\":[[],[["), "");
  EXPECT_NE(refused(whole, "\"device\"", "\"machine\""), "");
}

TEST(CostModel, RankCorrelation) {
  EXPECT_DOUBLE_EQ(costs::spearman({1, 2, 3}, {10, 20, 30}), 1);
  EXPECT_DOUBLE_EQ(costs::spearman({1, 2, 3}, {3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(costs::spearman({1, 1, 1}, {3, 2, 1}), 0);
  // Ranks 1.5 1.5 3 4 and 1 2 3 4.
  EXPECT_NEAR(costs::spearman({5, 5, 6, 7}, {1, 2, 3, 4}), 0.9486832980505138, 1e-12);
}

TEST(CostModel, TablesWithoutTheirProgramsAreRefused) {
  const auto rates = find_rates("nvidia-h200");
  const std::string orphan = R"({"key":"a","number":0,"outcome":"new","leir":"x","seconds":1})";
  const auto read = costs::read_measured_table("rows", orphan, *rates);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("rows:1: its program does not come before it"), std::string::npos);
  EXPECT_FALSE(costs::read_measured_table("rows", "{\"key\":", *rates));
}

/// What the shipped model was trained on; reading it takes seconds, so it is read once.
const costs::MeasuredTable& stored_table() {
  static const costs::MeasuredTable stored = [] {
    const std::string path = STEPTP_SOURCE_DIR "/data/cost_measurements.jsonl.gz";
    const auto bytes = read_file(path);
    EXPECT_TRUE(bytes.ok());
    auto table = costs::read_measured_table(path, *bytes, *find_rates("nvidia-h200"));
    EXPECT_TRUE(table.ok()) << table.error().message;
    return std::move(table).value();
  }();
  return stored;
}

TEST(StoredMeasurements, NoneIsOfAPublishedWorkloadOrItsType) {
  std::set<std::string> published;
  std::ifstream lines(STEPTP_SOURCE_DIR "/data/workloads.txt");
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#")) published.insert(line.substr(0, line.find(' ')));
  }
  ASSERT_EQ(published.size(), 100U);
  const costs::MeasuredTable& table = stored_table();
  ASSERT_GE(table.groups.size(), 30U);
  for (const costs::MeasuredGroup& group : table.groups) EXPECT_FALSE(published.contains(group.type)) << group.type;
}

TEST(StoredMeasurements, TypesThatItNeverSawAreOrderedBetterThanByTheAnalyticModelAlone) {
  const costs::Quality quality = costs::cross_validate(stored_table(), TrainingOptions(), 10, 2);
  EXPECT_GE(quality.groups.size(), 20U);
  EXPECT_GE(quality.median_spearman, 0.75);
  EXPECT_GT(quality.median_spearman, quality.analytic_median_spearman);
  EXPECT_GE(quality.share_close, 0.8);
  EXPECT_GE(quality.share_close, quality.analytic_share_close);
  EXPECT_LT(quality.mean_best, quality.analytic_mean_best);
  EXPECT_LT(quality.median_error, quality.analytic_median_error);
}

TEST(StoredMeasurements, TheShippedModelIsWhatTheyMake) {
  const CostModel* shipped = costs::shipped_cost_model("nvidia-h200");
  ASSERT_NE(shipped, nullptr) << "data/cost_model.json does not fit this program";
  EXPECT_EQ(costs::shipped_cost_model("nvidia-a100"), nullptr);
  const costs::MeasuredTable& table = stored_table();
  CostModel trained;
  costs::add_trees(trained, table.cases, TrainingOptions());
  double distance = 0;
  for (const MeasuredCase& one : table.cases)
    distance += std::fabs(std::log(trained.seconds(one.program) / shipped->seconds(one.program)));
  EXPECT_LT(distance / static_cast<double>(table.cases.size()), 0.02)
      << "estimates have changed: steptp search train data/cost_measurements.jsonl.gz --target nvidia-h200 -o "
         "data/cost_model.json";
}

}  // namespace
}  // namespace steptp::testing
