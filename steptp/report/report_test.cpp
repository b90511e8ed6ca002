#include "steptp/report/report.h"

#include <gtest/gtest.h>

#include "steptp/report/plots.h"

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

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Plots, BarsAreAsLongAsTheirValues) {
  const Plot plot{"Counts", {"a<b", "c"}, {{"all", {10, 5}}, {"some", {0, 2.5}}}, "%"};
  const std::string lying = lying_bars(plot);
  for (const char* part : {"a&lt;b", "width:82%", "width:41%", "width:20.5%", "width:0%", ">10%<", ">2.5%<"}) {
    EXPECT_NE(lying.find(part), lying.npos) << part << "\n" << lying;
  }
  const std::string upright = upright_bars(plot);
  EXPECT_EQ(count_of(upright, "<rect"), 4U);
  // Lines at 0, 2, 4, 6, 8 and 10.
  EXPECT_EQ(count_of(upright, "class=\"grid\""), 6U);
  EXPECT_NE(upright.find(">8%<"), upright.npos);
  EXPECT_EQ(count_of(upright_bars({"One", {"x"}, {{"all", {29}}}, ""}), "class=\"grid\""), 4U) << "0, 10, 20 and 30";
  EXPECT_EQ(count_of(upright_bars({"None", {"x"}, {{"all", {0}}}, ""}), "<rect"), 1U);
}

TEST(Plots, StandBeforeTheTablesOfAPage) {
  Report report = sample();
  report.figures = {lying_bars({"Counts", {"a"}, {{"all", {1}}}, ""})};
  const std::string page = to_html(report);
  EXPECT_LT(page.find("<figure>"), page.find("<table>"));
  EXPECT_NE(page.find("prefers-color-scheme:dark"), page.npos);
  EXPECT_NE(page.find("width=device-width"), page.npos);
}

TEST(Report, NothingThatATerminalObeys) { EXPECT_EQ(to_text({"\x1b[31mred\xff", {}, {}}), " [31mred?\n"); }

}  // namespace
}  // namespace steptp
