// Statistics as one page of HTML: nothing is loaded from elsewhere, nothing runs.
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/exports/statistics.h"
#include "steptp/exports/statistics_tables.h"
#include "steptp/report/plots.h"

namespace steptp::dataset {

namespace {

constexpr std::string_view kStyle = R"(
:root{--ink:#1c2430;--soft:#5d6b7d;--line:#dfe4ea;--page:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#e6eaf0;--soft:#9aa7b8;--line:#333d4a;--page:#161b22}}
body{margin:0 auto;max-width:1000px;padding:2rem 1.5rem 4rem;font:15px/1.5 system-ui,sans-serif;color:var(--ink);
background:var(--page)}
h1{font-size:1.7rem;margin:0 0 .3rem}h2{font-size:1.15rem;margin:2.4rem 0 .6rem}p{color:var(--soft);margin:.3rem 0}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.8rem;margin:1.4rem 0}
.facts div{border:1px solid var(--line);border-radius:8px;padding:.6rem 1rem}
.facts b{display:block;font-size:1.35rem}.facts span{color:var(--soft);font-size:.85rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .8rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}
th:first-child,td:first-child,.words{text-align:left}
th{color:var(--soft);font-weight:600;white-space:normal;vertical-align:bottom}
@media(max-width:70rem){body{padding:1rem .6rem 2rem}table{font-size:.8rem}th,td{padding:.2rem .35rem}}
@media(max-width:40rem){table{font-size:.72rem}td{white-space:normal;overflow-wrap:anywhere}}
)";

std::string number(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string fact(std::uint64_t value, std::string_view words) {
  return concat("<div><b>", number(value), "</b><span>", words, "</span></div>");
}

bool is_number(const std::string& cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.% -") == cell.npos;
}

std::string table_html(const ReportTable& table) {
  std::string out = concat("<h2>", escape_html(table.title), "</h2><div class=\"scroll\"><table><tr>");
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool is_words = !table.rows.empty() && !is_number(table.rows.front()[i]);
    append(out, is_words ? "<th class=\"words\">" : "<th>", escape_html(table.columns[i]), "</th>");
  }
  append(out, "</tr>\n");
  for (const auto& row : table.rows) {
    append(out, "<tr>");
    for (const std::string& cell : row) {
      append(out, is_number(cell) ? "<td>" : "<td class=\"words\">", escape_html(cell), "</td>");
    }
    append(out, "</tr>\n");
  }
  return out + "</table></div>\n";
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

/// Shares before and after the filter, in the given order; what is not there is 0.
Plot share_plot(std::string title, const std::map<std::string, Occurrences>& counts, std::vector<std::string> order) {
  Plot plot{std::move(title), std::move(order), {{"raw entries", {}}, {"after filtering", {}}}, "%"};
  std::uint64_t raw = 0;
  std::uint64_t filtered = 0;
  for (const auto& [name, count] : counts) {
    raw += count.raw;
    filtered += count.filtered();
  }
  for (const std::string& label : plot.labels) {
    const auto found = counts.find(label);
    const Occurrences count = found == counts.end() ? Occurrences() : found->second;
    plot.series[0].values.push_back(share(count.raw, raw));
    plot.series[1].values.push_back(share(count.filtered(), filtered));
  }
  return plot;
}

std::string short_count(std::uint32_t count) {
  return count >= 1024 ? concat(count / 1024, "k") : std::to_string(count);
}

/// One plot for each form: four colours side by side in thirteen bins cannot be told apart. Bins that no form reaches
/// are left out at both ends, the same ones everywhere.
std::string token_plots(std::string_view title, const std::vector<TokenCounts>& series) {
  std::size_t first = TokenCounts::kEdges.size();
  std::size_t last = 0;
  for (const TokenCounts& form : series) {
    const auto counts = form.histogram();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      first = std::min(first, i);
      last = std::max(last, i);
    }
  }
  std::string out;
  for (const TokenCounts& form : series) {
    Plot plot{concat(title, ", ", form.form), {}, {{form.form, {}}}, "%"};
    const auto counts = form.histogram();
    for (std::size_t i = first; i <= last && i < counts.size(); ++i) {
      plot.labels.push_back(concat(short_count(TokenCounts::kEdges[i]), "+"));
      plot.series[0].values.push_back(share(counts[i], form.counts.size()));
    }
    out += upright_bars(plot);
  }
  return out;
}

Plot strategy_plot(const Statistics& statistics) {
  std::vector<std::pair<std::uint64_t, std::string>> order;
  for (const auto& [name, strategy] : statistics.strategies) order.emplace_back(strategy.count.raw, name);
  std::sort(order.begin(), order.end(), [](const auto& left, const auto& right) {
    return left.first != right.first ? left.first > right.first : left.second < right.second;
  });
  Plot plot{"Strategies: raw entries, and occurrences after filtering (train)",
            {},
            {{"raw entries", {}}, {"after filtering", {}}},
            ""};
  for (const auto& [raw, name] : order) {
    const StrategyOccurrences& strategy = statistics.strategies.at(name);
    plot.labels.push_back(concat(name, " (", strategy.difficulty, ")"));
    plot.series[0].values.push_back(static_cast<double>(raw));
    plot.series[1].values.push_back(static_cast<double>(strategy.count.filtered()));
  }
  return plot;
}

std::string facts_html(const Statistics& statistics) {
  std::uint64_t programs = 0;
  std::uint64_t entries = 0;
  std::uint64_t rows = 0;
  for (const SplitCounts& split : statistics.splits) {
    programs += split.programs;
    entries += split.entries + split.deep_entries;
    rows += split.single + split.multi + split.deep_rows;
  }
  const SplitCounts& train = statistics.of(Split::train);
  return concat("<div class=\"facts\">", fact(programs, "programs"), fact(entries, "verified entries"),
                fact(rows, "rows after filtering"), fact(train.single, "single-answer rows to train on"),
                fact(train.multi, "multi-answer rows to train on"), fact(statistics.strategies.size(), "strategies"),
                "</div>\n");
}

}  // namespace

std::string html_report(const Statistics& statistics) {
  std::string out = concat(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>Dataset report</title><style>",
      kStyle, plot_style(), "</style></head><body>\n<h1>Dataset report</h1>\n",
      "<p>Verified steps on tensor programs. \"Raw\" is everything that was verified; \"after filtering\" counts how "
      "often an entry stands in rows that are trained on. Tokens are Qwen3's.</p>\n",
      facts_html(statistics));
  append(out, "<div class=\"pair\">",
         upright_bars(share_plot("Difficulty", statistics.difficulties, {"easy", "medium", "difficult"})),
         upright_bars(share_plot("Level", statistics.levels, {"graph", "operator", "memory", "math"})),
         upright_bars(share_plot("Grade of equality", statistics.grades, {"proved", "exact"})),
         upright_bars(share_plot("What safety rests on", statistics.safe_by, {"proof", "search"})),
         "</div>\n<div class=\"pair\">", token_plots("Tokens of original programs", statistics.program_tokens),
         token_plots("Tokens of transformed programs", statistics.result_tokens), "</div>\n");
  if (!statistics.strategies.empty()) append(out, lying_bars(strategy_plot(statistics)));
  for (const ReportTable& table : tables_of(statistics)) {
    if (!table.rows.empty()) append(out, table_html(table));
  }
  return out + "</body></html>\n";
}

}  // namespace steptp::dataset
