// Every dtype is in every table: whoever adds one and forgets a list is told here which.
#include "steptp/ir/dtype_facts.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"

namespace steptp::testing {
namespace {

/// Lists outside of C++, or in text that is compiled elsewhere: no compiler holds them complete.
struct List {
  std::string_view file;
  std::string_view before;  ///< what stands before and behind the name of a dtype there
  std::string_view behind;
  bool of_torch_names;
};
constexpr List kLists[] = {
    {"/python/steptp/_arrays.py", "\"", "\"", false},
    {"/python/steptp/capture.py", "\"", "\":", true},
    {"/fuzz/leir.dict", "\n\"", "\"\n", false},
    {"/docs/language.md", "\"", "\"", false},
    {"/steptp/cuda/main_function.cpp", "\"", "\"", false},
};
/// Read by cuda/main_function.cpp as the one byte that they are, without their names.
bool is_a_byte_there(const List& list, DType dtype) {
  return list.file.ends_with("main_function.cpp") && (dtype == DType::u8 || dtype == DType::boolean);
}

TEST(DTypeFacts, ListsOutsideOfTheCompilersReachAreComplete) {
  for (const List& list : kLists) {
    const auto text = read_file(concat(STEPTP_SOURCE_DIR, list.file));
    ASSERT_TRUE(text.ok()) << list.file;
    for (const DType dtype : kAllDTypes) {
      if (is_a_byte_there(list, dtype)) continue;
      const std::string_view name = list.of_torch_names ? info(dtype).torch_name : code(dtype);
      EXPECT_NE(text->find(concat(list.before, name, list.behind)), std::string::npos)
          << list.file.substr(1) << " lacks the dtype " << name << " (docs/architecture.md, \"A new dtype\")";
    }
    EXPECT_EQ(text->find(concat(list.before, "f8e4", list.behind)), std::string::npos) << "the test can fail";
  }
}

TEST(DTypeFacts, NoTwoDTypesShareASpelling) {
  std::set<std::string_view> numpy;
  std::set<int> torch_codes;
  std::set<std::string_view> english;
  for (const DType dtype : kAllDTypes) {
    const DTypeFacts& facts = facts_of(dtype);
    EXPECT_EQ(facts.dtype, dtype);
    if (!facts.numpy.empty()) {
      EXPECT_TRUE(numpy.insert(facts.numpy).second) << code(dtype);
      EXPECT_EQ(facts.numpy.back() - '0', info(dtype).bytes) << code(dtype);
    }
    EXPECT_TRUE(torch_codes.insert(facts.torch_code).second) << code(dtype);
    EXPECT_TRUE(english.insert(facts.english).second) << code(dtype);
    EXPECT_NE(concat(" ", dtype_codes(), " ").find(concat(" ", code(dtype), " ")), std::string::npos) << code(dtype);
  }
}

TEST(DTypeFacts, GreatestFiniteValues) {
  EXPECT_EQ(greatest_finite(DType::f64), std::numeric_limits<double>::max());
  EXPECT_EQ(greatest_finite(DType::f32), static_cast<double>(std::numeric_limits<float>::max()));
  EXPECT_EQ(greatest_finite(DType::f16), 65504);
  EXPECT_EQ(greatest_finite(DType::bf16), 0x1.fep127);
  for (const DType dtype : kAllDTypes) {
    if (!is_float(dtype)) continue;
    EXPECT_EQ(held_by(dtype, greatest_finite(dtype)), greatest_finite(dtype)) << code(dtype);
    EXPECT_EQ(is_narrow_float(dtype), info(dtype).precision < 24) << code(dtype);
  }
}

/// The common type of two dtypes of one family holds every value of both.
TEST(DTypeFacts, PromotionLosesNoValueOfItsFamily) {
  for (const DType left : kAllDTypes) {
    for (const DType right : kAllDTypes) {
      const DTypeInfo& joined = info(promote(left, right));
      for (const DTypeInfo* part : {&info(left), &info(right)}) {
        if (part->family != joined.family) continue;
        EXPECT_GE(joined.precision, part->precision) << code(left) << " " << code(right);
        EXPECT_GE(joined.max_exponent, part->max_exponent) << code(left) << " " << code(right);
        EXPECT_LE(joined.least, part->least) << code(left) << " " << code(right);
        EXPECT_GE(joined.greatest, part->greatest) << code(left) << " " << code(right);
      }
    }
  }
}

}  // namespace
}  // namespace steptp::testing
