#include "steptp/report/report.h"

#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/base/utf8.h"
#include "steptp/report/plots.h"

namespace steptp {

namespace {

constexpr std::size_t kWidestCell = 72;

/// Reasons quote what a model wrote: one line of it, and nothing that a terminal would obey.
std::string plain(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out += '?';
    } else if (length == 1) {
      const auto byte = static_cast<unsigned char>(text.front());
      out += byte < 0x20 || byte == 0x7f ? ' ' : text.front();
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out;
}

std::string cell_of(const std::string& text) {
  std::string out = plain(text);
  if (out.size() <= kWidestCell) return out;
  std::size_t end = kWidestCell - 3;
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xc0U) == 0x80U) --end;
  return out.substr(0, end) + "...";
}

std::string text_table(const ReportTable& table) {
  std::vector<std::vector<std::string>> rows = {table.columns};
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (const std::string& cell : row) cells.push_back(cell_of(cell));
    rows.push_back(std::move(cells));
  }
  return concat("\n", table.title, "\n", aligned(rows, table.numbers_from, {"  ", "  "}));
}

std::string markdown_cell(const std::string& text) {
  std::string out;
  for (const char c : plain(text)) {
    if (c == '|' || c == '\\' || c == '`' || c == '<' || c == '*' || c == '_') out += '\\';
    out += c;
  }
  return out;
}

std::string escaped(const std::string& text) { return escape_html(plain(text)); }

constexpr std::string_view kStyle =
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:100em;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:.5em 0 2em}th,td{padding:.2em .8em;border-bottom:1px solid #ddd;"
    "text-align:left;vertical-align:top}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}"
    "th{border-bottom:2px solid #888}.scroll{overflow-x:auto;max-width:100%}p.note{color:#808080;margin:0}"
    "@media(max-width:100em){table{font-size:.85em}th,td{padding:.2em .4em}}"
    "@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}th,td{border-color:#444}}";

void append_row(std::string& out, const std::vector<std::string>& cells, std::size_t numbers_from,
                std::string_view tag) {
  out += "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    append(out, "<", tag, i >= numbers_from ? " class=\"n\">" : ">", escaped(cells[i]), "</", tag, ">");
  }
  out += "</tr>\n";
}

}  // namespace

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t numbers_from,
                    const Spacing& spacing) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line(spacing.before);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - row[i].size(), ' ');
      const bool is_right = i >= numbers_from;
      append(line, i == 0 ? std::string_view() : spacing.between, is_right ? blanks : row[i],
             is_right ? row[i] : blanks);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    append(out, line, "\n");
  }
  return out;
}

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string to_text(const Report& report) {
  std::string out = concat(plain(report.title), "\n");
  for (const std::string& line : report.lines) append(out, line, "\n");
  for (const ReportTable& table : report.tables) out += text_table(table);
  return out;
}

std::string to_markdown(const Report& report) {
  std::string out = concat("# ", markdown_cell(report.title), "\n\n");
  for (const std::string& line : report.lines) append(out, line, "\n\n");
  for (const ReportTable& table : report.tables) {
    append(out, "## ", table.title, "\n\n");
    if (!table.note.empty()) append(out, table.note, "\n\n");
    const auto add = [&out](const std::vector<std::string>& cells) {
      append(out, "| ", join(cells, " | ", markdown_cell), " |\n");
    };
    add(table.columns);
    for (std::size_t i = 0; i < table.columns.size(); ++i) out += i >= table.numbers_from ? "|---:" : "|---";
    out += "|\n";
    for (const auto& row : table.rows) add(row);
    out += "\n";
  }
  return out;
}

std::string to_html(const Report& report) {
  std::string out = concat(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>",
      escaped(report.title), "</title><style>", kStyle, plot_style(), "</style></head><body>\n<h1>",
      escaped(report.title), "</h1>\n");
  for (const std::string& line : report.lines) append(out, "<p>", escaped(line), "</p>\n");
  if (!report.figures.empty()) {
    append(out, "<div class=\"pair\">", join(report.figures, "\n", [](const std::string& figure) { return figure; }),
           "</div>\n");
  }
  for (const ReportTable& table : report.tables) {
    append(out, "<h2>", escaped(table.title), "</h2>\n");
    if (!table.note.empty()) append(out, "<p class=\"note\">", escaped(table.note), "</p>\n");
    out += "<div class=\"scroll\"><table><thead>";
    append_row(out, table.columns, table.numbers_from, "th");
    out += "</thead><tbody>\n";
    for (const auto& row : table.rows) append_row(out, row, table.numbers_from, "td");
    out += "</tbody></table></div>\n";
  }
  return out + "</body></html>\n";
}

}  // namespace steptp
