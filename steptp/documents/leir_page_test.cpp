// The page that teaches a model the language: every program on it is one.
#include <gtest/gtest.h>

#include <string>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/safety/check.h"
#include "steptp/text/document.h"

namespace steptp {
namespace {

TEST(LeirPage, EveryProgramReadsAndChecks) {
  const auto page = read_file(concat(STEPTP_SOURCE_DIR, "/docs/leir_in_a_page.md"));
  ASSERT_TRUE(page.ok());
  constexpr std::string_view kOpen = "```leir\n";
  int programs = 0;
  for (std::size_t at = page->find(kOpen); at != std::string::npos; at = page->find(kOpen, at)) {
    at += kOpen.size();
    const std::string text = page->substr(at, page->find("```", at) - at);
    const Document document = read_document("page", text);
    ASSERT_TRUE(document.ok) << text << (document.diagnostics.empty() ? "" : document.diagnostics.front().message);
    const CheckReport report = check_program(document.program);
    EXPECT_EQ(report.verdict, CheckReport::Verdict::ok)
        << text << (report.diagnostics.empty() ? "" : report.diagnostics.front().message);
    ++programs;
  }
  EXPECT_GE(programs, 6);
  EXPECT_LE(page->size(), 6000U) << "a page";
}

}  // namespace
}  // namespace steptp
