#include "steptp/report/report.h"

#include <gtest/gtest.h>

namespace steptp {
namespace {

TEST(Report, ColumnsAreAsWideAsTheirWidestCell) {
  EXPECT_EQ(aligned({{"name", "n"}, {"a", "100"}, {"longer"}}, 1, {"> ", " | "}),
            "> name   |   n\n> a      | 100\n> longer\n");
  EXPECT_EQ(aligned({{"a", "b"}, {"cc", "d"}}, 2, {}), "a   b\ncc  d\n");
  EXPECT_EQ(aligned({}, 1, {}), "");
}

Report sample() {
  Report out{"Title", {"a line"}, {{"Table", "a note", {"what", "number"}, {{"x|<y>\n", "1"}}, 1}}};
  return out;
}

TEST(Report, IsTheSameInEveryForm) {
  EXPECT_EQ(to_text(sample()), "Title\na line\n\nTable\n  what    number\n  x|<y>        1\n");
  EXPECT_EQ(to_markdown(sample()),
            "# Title\n\na line\n\n## Table\n\na note\n\n| what | number |\n|---|---:|\n| x\\|\\<y>  | 1 |\n\n");
  const std::string page = to_html(sample());
  EXPECT_NE(page.find("<td>x|&lt;y&gt; </td><td class=\"n\">1</td>"), page.npos) << page;
}

TEST(Report, NothingThatATerminalObeys) { EXPECT_EQ(to_text({"\x1b[31mred\xff", {}, {}}), " [31mred?\n"); }

}  // namespace
}  // namespace steptp
