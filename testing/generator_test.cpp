#include "testing/generator.h"

#include <gtest/gtest.h>

#include <map>

#include "steptp/text/printer.h"
#include "testing/features.h"
#include "testing/soak.h"
#include "testing/tracer.h"

namespace steptp::testing {
namespace {

Program generated(std::uint64_t seed, const GeneratorOptions& options) {
  Random random(seed);
  return generate_program(random, options);
}

const GeneratorOptions kAllOptions[] = {
    {}, {.affine_only = true}, {.published_only = true}, {.affine_only = true, .published_only = true}};

TEST(Generator, WellFormed) {
  for (const GeneratorOptions& options : kAllOptions) {
    for (std::uint64_t seed = 0; seed < soaked(400); ++seed) {
      const Program program = generated(seed, options);
      const std::string violation = trace(program, seed);
      ASSERT_EQ(violation, "") << "seed " << seed << "\n" << print(program);
      ASSERT_LE(operation_count(program), options.max_operations);
    }
  }
}

TEST(Generator, SameSeedSameBytes) {
  for (std::uint64_t seed = 0; seed < soaked(200); ++seed) {
    const Program first = generated(seed, {});
    const Program second = generated(seed, {});
    ASSERT_EQ(print(first), print(second));
    ASSERT_TRUE(equal(first, second));
    ASSERT_EQ(hash_of(first), hash_of(second));
  }
}

std::map<std::string, std::size_t> statistics(const GeneratorOptions& options, std::uint64_t seeds) {
  std::map<std::string, std::size_t> counts;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    for (const std::string& feature : features_of(generated(seed, options))) ++counts[feature];
  }
  return counts;
}

TEST(Generator, EveryFeatureOccurs) {
  auto counts = statistics({}, 2000);
  for (const auto& list : {plain_features(), extended_features(), indirect_features()}) {
    for (const std::string& feature : list) {
      EXPECT_GE(counts[feature], 5u) << feature;
      RecordProperty(feature, static_cast<int>(counts[feature]));
    }
  }
}

TEST(Generator, OptionsAreKept) {
  auto affine = statistics({.affine_only = true}, 2000);
  for (const std::string& feature : plain_features()) EXPECT_GE(affine[feature], 5u) << feature;
  for (const std::string& feature : indirect_features()) EXPECT_EQ(affine[feature], 0u) << feature;
  auto published = statistics({.published_only = true}, 2000);
  for (const std::string& feature : plain_features()) EXPECT_GE(published[feature], 5u) << feature;
  for (const std::string& feature : extended_features()) EXPECT_EQ(published[feature], 0u) << feature;
  for (std::uint64_t seed = 0; seed < 200; ++seed) EXPECT_FALSE(is_extended(generated(seed, {.published_only = true})));
}

}  // namespace
}  // namespace steptp::testing
