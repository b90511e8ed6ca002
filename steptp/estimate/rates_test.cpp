#include "steptp/estimate/rates.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace steptp {
namespace {

/// A folder of its own for what a user's configuration would hold.
class KeptRates : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("steptp_rates_" + std::to_string(getpid()));
    setenv("STEPTP_CONFIG", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("STEPTP_CONFIG");
    std::filesystem::remove_all(folder_);
  }
  void write(const std::string& text) const {
    std::filesystem::create_directories(folder_);
    std::ofstream(rates_file(DeviceKind::cpu)) << text;
  }
  std::filesystem::path folder_;
};

TEST(Rates, EveryShippedTableIsWholeAndReadsBack) {
  for (const DeviceRates& rates : shipped_rates()) {
    const auto again = rates_of_json(to_json(rates));
    ASSERT_TRUE(again.ok()) << rates.name << ": " << again.error();
    for (const RateRow& row : rate_rows()) EXPECT_EQ((*again).*row.member, rates.*row.member) << row.name;
    EXPECT_EQ(again->name, rates.name);
    EXPECT_EQ(again->kind, rates.kind);
  }
}

TEST(Rates, RefusesWhatIsNoTable) {
  const Json good = to_json(shipped_rates()[0]);
  EXPECT_FALSE(rates_of_json(Json("text")).ok());
  EXPECT_FALSE(rates_of_json(Json().set("device", "x")).ok());
  const auto changed = [&](std::string_view key, Json value) {
    Json rows{Json::Object{}};
    for (const auto& [name, old] : *good.find("rates")->as_object()) rows.set(name, name == key ? value : old);
    return Json().set("device", "x").set("kind", "cuda").set("source", "y").set("rates", std::move(rows));
  };
  EXPECT_EQ(rates_of_json(changed("clock", Json(0))).error(), "the rate 'clock' is to be a number above 0");
  EXPECT_EQ(rates_of_json(changed("clock", Json(-1.5))).error(), "the rate 'clock' is to be a number above 0");
  EXPECT_EQ(rates_of_json(changed("clock", Json("fast"))).error(), "the rate 'clock' is to be a number above 0");
  Json extra = *changed("clock", Json(1e9)).find("rates");
  extra.set("speed", 1);
  EXPECT_EQ(
      rates_of_json(Json().set("device", "x").set("kind", "cuda").set("source", "y").set("rates", std::move(extra)))
          .error(),
      "there is no rate 'speed'");
  EXPECT_EQ(rates_of_json(Json()
                              .set("device", "x")
                              .set("kind", "cuda")
                              .set("source", "y")
                              .set("rates", Json(Json::Object{{"clock", Json(1e9)}})))
                .error(),
            "the rate 'processors' is missing");
}

TEST(Rates, KnowsNamesOfTheTableOnly) {
  EXPECT_EQ(find_rates("nvidia-h200")->name, "nvidia-h200");
  EXPECT_EQ(find_rates("toaster").error(),
            "there is no device 'toaster' with rates; there are: nvidia-h200 nvidia-a100 plain-cpu cpu cuda");
}

TEST_F(KeptRates, OfThisMachineAreReadBack) {
  EXPECT_NE(find_rates("cpu")->source.find("not measured"), std::string::npos);
  EXPECT_FALSE(find_rates("cuda").ok());
  DeviceRates own = *find_rates("plain-cpu");
  own.name = "cpu";
  own.clock = 4.25e9;
  ASSERT_TRUE(keep_rates(own).ok());
  EXPECT_EQ(find_rates("cpu")->clock, 4.25e9);
}

TEST_F(KeptRates, ThatAreDamagedAreRefusedAndNotReplaced) {
  write("{\"device\":");
  ASSERT_FALSE(find_rates("cpu").ok());
  EXPECT_NE(find_rates("cpu").error().find("`steptp device` writes it anew"), std::string::npos);
  write(to_json(shipped_rates()[0]).dump());
  EXPECT_NE(find_rates("cpu").error().find("of the kind cuda"), std::string::npos);
}

}  // namespace
}  // namespace steptp
