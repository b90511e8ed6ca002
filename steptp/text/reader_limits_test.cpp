// Long, deep and strange texts: each is answered rightly, and soon.
#include <gtest/gtest.h>

#include <ctime>
#include <map>

#include "steptp/base/text.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "steptp/text/reader.h"

namespace steptp {
namespace {

std::string repeated(std::string_view piece, std::size_t times) {
  std::string out;
  out.reserve(piece.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += piece;
  return out;
}

std::string around(std::string_view before, std::string_view middle, std::string_view after, std::size_t times) {
  return concat(repeated(before, times), middle, repeated(after, times));
}

/// Loose, and in time of this process: a wrong complexity shows as minutes, a busy machine does not show.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kSeconds = 100;
#else
constexpr double kSeconds = 10;
#endif

class ReaderLimits : public ::testing::Test {
 protected:
  void TearDown() override {
    EXPECT_LT(static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC, kSeconds) << "seconds";
  }

 private:
  std::clock_t start_ = std::clock();
};

std::string assigned(const std::string& value) { return concat("B^{4}_{tx=0}[D^{f32,g}_{tx}=", value, ";];"); }
std::string subscripted(const std::string& index) { return concat("B^{4}_{tx=0}[D^{f32,g}_{", index, "}=1;];"); }

TEST_F(ReaderLimits, DeepTextsAreTooDeep) {
  constexpr std::size_t kTimes = 10'000;
  const std::string texts[] = {
      assigned(around("(", "1", ")", kTimes)),
      assigned(around("-", "1", "", kTimes)),
      assigned(around("2**", "1", "", kTimes)),
      assigned(around("max(1,", "1", ")", kTimes)),
      assigned(around("if_then_else(1<2,1,", "1", ")", kTimes)),
      subscripted(around("(", "tx", ")", kTimes)),
      subscripted(around("A^{i32,g}_{", "tx", "}", kTimes)),
      around("L^{1}_{a=0}[", "D^{f32,g}=1;", "];", kTimes),
      around("L^{1}_{a=0}[D^{f32,g}=1;]", ";", "", kTimes),
      around("a1{", "D=1;", "}", kTimes),
      concat("a1 D=", around("(", "1", ")", kTimes), ";"),
      concat("a1 D+=", around("-", "1;", "", kTimes)),
      concat("a1 D max=", around("exp(", "1", ")", kTimes), ";"),
  };
  for (const std::string& text : texts) {
    const ReadText read = read_text(text);
    EXPECT_FALSE(read.ok);
    EXPECT_TRUE(read.nests.empty());
    std::size_t errors = 0;
    for (const ReadText::Finding& finding : read.findings) {
      if (finding.diagnostic.severity != Severity::error) continue;
      ++errors;
      EXPECT_EQ(finding.diagnostic.id, "too-deep") << text.substr(0, 60) << " " << finding.diagnostic.message;
    }
    EXPECT_LE(errors, 2u) << text.substr(0, 60);
  }
  // A division chain is cut by the limit of subscripts.
  const ReadText chain = read_text(subscripted(around("", "tx", "//2", kTimes)));
  ASSERT_FALSE(chain.findings.empty());
  EXPECT_EQ(chain.findings[0].diagnostic.id, "subscript");
}

TEST_F(ReaderLimits, JustBelowTheLimitIsRead) {
  EXPECT_TRUE(read_text(assigned(around("(", "1", ")", 240))).ok);
  EXPECT_TRUE(read_text(assigned(around("-", "1", "", 240))).ok);
  EXPECT_TRUE(read_text(around("L^{1}_{a=0}[", "D^{f32,g}=1;", "];", 240)).ok);
}

TEST_F(ReaderLimits, AMillionNests) {
  constexpr std::size_t kNests = 1'000'000;
  const std::string text = repeated("B^{4}_{tx=0}[D^{f32,g}_{tx}=1;];", kNests);
  const ReadText read = read_text(text);
  ASSERT_TRUE(read.ok);
  EXPECT_EQ(read.nests.size(), kNests);
  EXPECT_TRUE(equal(*read.nests.front(), *read.nests.back()));
}

TEST_F(ReaderLimits, TenMegabytesOfNestsRoundTrip) {
  const std::string piece =
      "B^{16}_{tx=0}L^{1024}_{a=0}[D^{f64,g}_{tx,a}=D^{f64,g}_{tx,a}+A^{f64,g}_{tx,a}*C^{f64,g}_{a,tx};];";
  const std::string text = repeated(piece, 10'000'000 / piece.size());
  const ReadText read = read_text(text);
  ASSERT_TRUE(read.ok);
  Program program;
  program.nests = read.nests;
  EXPECT_TRUE(print(program) == text);
}

/// A bare equation is printed in a nest, and what could be read has to be readable again.
TEST_F(ReaderLimits, ABareEquationIsAsDeepAsItsNest) {
  bool was_ok = true;
  for (std::size_t depth = 240; depth < 260; ++depth) {
    const std::string bare = around("D^{f32,g}=" + repeated("-", depth), "1;", "", 1);
    const ReadText read = read_text(bare);
    EXPECT_TRUE(was_ok || !read.ok) << depth;
    was_ok = read.ok;
    if (!read.ok) continue;
    Program program;
    program.nests = read.nests;
    EXPECT_TRUE(read_text(print(program)).ok) << depth;
  }
  EXPECT_FALSE(was_ok);
}

TEST_F(ReaderLimits, ASumOfTenMegabytesIsOneNode) {
  const std::size_t terms = 10'000'000 / 10;
  const std::string text = assigned(around("A^{f32,g}+", "1", "", terms));
  const ReadText read = read_text(text);
  ASSERT_TRUE(read.ok);
  const auto& equation = std::get<EquationPtr>(read.nests[0]->items[0]);
  EXPECT_EQ(child_count(*equation->right), terms + 1);
  Program program;
  program.nests = read.nests;
  EXPECT_TRUE(print(program) == text);
}

TEST_F(ReaderLimits, AMillionLoopsInOneHeader) {
  for (const std::string& text :
       {around("L^{1}_{a=0}", "[D^{f32,g}=1;];", "", 1'000'000), around("a1 ", "D=1;", "", 1'000'000)}) {
    const ReadText read = read_text(text);
    ASSERT_EQ(read.findings.size(), 1u);
    EXPECT_EQ(read.findings[0].diagnostic.id, "too-deep");
  }
  EXPECT_TRUE(read_text(around("a1 ", "D=1;", "", 1000)).ok);
  EXPECT_FALSE(read_text(around("a1 ", "D=1;", "", 1001)).ok);
}

TEST_F(ReaderLimits, LongSubscriptsAndNames) {
  std::string index = "tx";
  for (std::size_t i = 0; i < 5000; ++i) append(index, "+", repeated("a", 1 + i % 50), repeated("c", i / 50 + 1));
  const ReadText many = read_text(subscripted(index));
  ASSERT_FALSE(many.ok);
  EXPECT_EQ(many.findings[0].diagnostic.id, "subscript");
  // A long sum with repetitions and negative terms is the sum that its parts give.
  std::string longer = "tx";
  for (std::size_t i = 0; i < 300; ++i)
    append(longer, i % 3 == 0 ? "-" : "+", repeated("a", 1 + i % 100), "*", 1 + i % 7, "+", i);
  const ReadText sum = read_text(subscripted(longer));
  ASSERT_TRUE(sum.ok);
  const Index& subscript = std::get<EquationPtr>(sum.nests[0]->items[0])->left->subscripts[0];
  std::map<std::string, std::int64_t> expected = {{"tx", 1}};
  for (std::size_t i = 0; i < 300; ++i)
    expected[repeated("a", 1 + i % 100)] += (i % 3 == 0 ? -1 : 1) * static_cast<std::int64_t>(1 + i % 7);
  std::erase_if(expected, [](const auto& entry) { return entry.second == 0; });
  EXPECT_EQ(subscript.constant_term(), 299 * 300 / 2);
  ASSERT_EQ(subscript.terms().size(), expected.size());
  for (const IndexTerm& term : subscript.terms())
    EXPECT_EQ(term.coefficient, expected.at(std::get<LoopVariable>(term.factors[0]).name));
  EXPECT_TRUE(read_text(subscripted(around("", "tx", "+tx", 1'000'000))).ok);
  EXPECT_TRUE(read_text(concat("B^{4}_{tx=0}[D", repeated("d", 1'000'000), "^{f32,g}_{tx}=1;];")).ok);
}

TEST_F(ReaderLimits, AtMostTwentyErrors) {
  const ReadText read = read_text(repeated("L^{4}_{a=0}[D^{f32,g}=;];", 100'000));
  EXPECT_EQ(read.findings.size(), 20u);
  EXPECT_FALSE(read.ok);
}

TEST_F(ReaderLimits, ManyWarningsAreBounded) {
  const ReadText read = read_text(repeated("L^{1}_{a=0}[D^{f32,g}=1;]L^{1}_{a=0}[D^{f32,g}=1;];", 100'000));
  EXPECT_TRUE(read.ok);
  EXPECT_EQ(read.nests.size(), 100'000u);
  EXPECT_LE(read.findings.size(), 1001u);
}

TEST_F(ReaderLimits, HugeExtentsAreExact) {
  const std::string text = "L^{9223372036854775807}_{a=0}[D^{f32,g}_{a*9223372036854775807}=1;];";
  const ReadText read = read_text(text);
  ASSERT_TRUE(read.ok);
  EXPECT_EQ(read.nests[0]->loops[0].extent, INT64_MAX);
  Program program;
  program.nests = read.nests;
  EXPECT_EQ(print(program), text);
}

TEST_F(ReaderLimits, BytesThatAreNoText) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (const std::string& text :
       {all, std::string(3, '\0'), std::string("\xff\xfe\x00\x01", 4), std::string("\xc3("),
        std::string("L^{4}_{a=0}[D^{f32,g}=1;];\0", 27), std::string("L^{4}_{a=0}[\0D^{f32,g}=1;];", 28),
        concat("\xef\xbb\xbf", assigned("1"))}) {
    const Document document = read_program_text("bytes", text, {});
    EXPECT_FALSE(document.ok);
    ASSERT_FALSE(document.diagnostics.empty());
    const std::string shown = render(document.diagnostics, *document.source);
    for (const char c : shown) EXPECT_TRUE(c == '\n' || (c >= ' ' && c < 0x7f)) << static_cast<int>(c);
  }
  // In a comment everything goes.
  EXPECT_TRUE(read_text(concat("# \xff\x01 \xc3\n", assigned("1"))).ok);
}

}  // namespace
}  // namespace steptp
