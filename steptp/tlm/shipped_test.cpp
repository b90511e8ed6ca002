#include "steptp/tlm/shipped.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "steptp/tlm/generate.h"

namespace steptp::tlm {
namespace {

namespace fs = std::filesystem;

/// A folder of weights that the environment names.
class Folder {
 public:
  Folder() : path_(fs::path(::testing::TempDir()) / ("weights_" + std::to_string(getpid()))) {
    fs::create_directories(path_);
    setenv("STEPTP_TLM_WEIGHTS", path_.c_str(), 1);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    unsetenv("STEPTP_TLM_WEIGHTS");
    fs::remove_all(path_);
  }
  void put(const std::string& name, const std::string& content) const { std::ofstream(path_ / name) << content; }

 private:
  fs::path path_;
};

TEST(ShippedWeights, AreFoundByTheNameOfTheDevice) {
  const Folder folder;
  folder.put("nvidia-h200.weights", "x");
  folder.put("nvidia-h200.card.json", "{}");
  const auto found = shipped_weights("nvidia-h200");
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->ends_with("/nvidia-h200.weights")) << *found;
  const auto missing = shipped_weights("cpu");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("there are some for nvidia-h200"), std::string::npos)
      << missing.error().message;
}

TEST(ShippedWeights, AnEmptyFolderAndADamagedFileAreErrors) {
  const Folder folder;
  const auto missing = shipped_weights("nvidia-h200");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("there are none at all"), std::string::npos) << missing.error().message;
  folder.put("nvidia-h200.weights", "no weights");
  const auto damaged = usable_weights("", "nvidia-h200");
  ASSERT_FALSE(damaged.ok());
  EXPECT_EQ(damaged.error().id, "weights");
  EXPECT_FALSE(usable_weights("/no/such/file", "nvidia-h200").ok());
}

TEST(ShippedWeights, TheCardSaysWhichQualityIsAskedFor) {
  EXPECT_EQ(quality_for(Json()), std::nullopt);
  EXPECT_EQ(quality_for(Json().set("quality", false).set("measurements", 5)), std::nullopt);
  EXPECT_EQ(quality_for(Json().set("quality", true)), cursor::kNoQuality);
  EXPECT_EQ(quality_for(Json().set("quality", true).set("measurements", 5)), 0);
}

}  // namespace
}  // namespace steptp::tlm
