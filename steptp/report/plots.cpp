#include "steptp/report/plots.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "steptp/base/text.h"
#include "steptp/report/report.h"

namespace steptp {

std::string_view plot_style() {
  return R"(
:root{--plot-words:#4d5a6b;--plot-line:#dfe4ea;--s0:#9db4cf;--s1:#2f6db5}
@media(prefers-color-scheme:dark){:root{--plot-words:#a9b5c4;--plot-line:#333d4a;--s0:#5b708c;--s1:#6ea8e8}
figure path,figure p>span{filter:brightness(1.6)}figure .legend>span{filter:none}}
figure{margin:1.2rem 0;min-width:0}figcaption{font-weight:600}
svg{display:block;width:100%;max-width:520px;height:auto;font:11px system-ui,sans-serif}
svg text{fill:var(--plot-words)}.grid{stroke:var(--plot-line)}
.s0{fill:var(--s0);background:var(--s0)}.s1{fill:var(--s1);background:var(--s1)}
.legend{margin:.2rem 0;font-size:.85rem}.legend span{margin-right:1.2rem}
.legend i{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.4em}
.bars{display:grid;grid-template-columns:fit-content(55%) minmax(0,1fr);gap:.3rem .8rem;font-size:.8rem;
line-height:1.25;color:var(--plot-words);margin-top:.4rem}
.bars .label{text-align:right;overflow-wrap:anywhere;align-self:center}
.bar{display:flex;align-items:center;gap:.4em;white-space:nowrap;font-variant-numeric:tabular-nums}
.bar i{flex:none;height:.75em;min-width:1px;border-radius:2px}
@media(max-width:600px){.bars{grid-template-columns:minmax(0,1fr);gap:.1rem}.bars .label{text-align:left;margin-top:.4rem}}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,380px),1fr));gap:0 2rem}
)";
}

namespace {

/// At most two digits behind the point, and none that say nothing.
std::string short_number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f", std::abs(value - std::round(value)) < 0.005 ? 0 : 1, value);
  return text.data();
}

double largest(const Plot& plot) {
  double out = 0;
  for (const PlotSeries& series : plot.series) {
    for (const double value : series.values) out = std::max(out, value);
  }
  return out > 0 ? out : 1;
}

/// The distance of the lines of an axis: a round number of which at most five reach the largest value.
double line_distance(double value) {
  double step = std::pow(10.0, std::floor(std::log10(value)) - 1);
  while (true) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * step * 5 >= value) return factor * step;
    }
    step *= 10;
  }
}

void text(std::string& out, double x, double y, std::string_view anchor, const std::string& words) {
  append(out, "<text x=\"", short_number(x), "\" y=\"", short_number(y), "\" text-anchor=\"", anchor, "\">",
         escape_html(words), "</text>");
}

void bar(std::string& out, double x, double y, double width, double height, std::size_t series,
         const std::string& words) {
  append(out, "<rect class=\"s", series, "\" x=\"", short_number(x), "\" y=\"", short_number(y), "\" width=\"",
         short_number(width), "\" height=\"", short_number(height), "\" rx=\"1.5\"><title>", escape_html(words),
         "</title></rect>");
}

std::string caption(const Plot& plot) {
  std::string out = concat("<figure><figcaption>", escape_html(plot.title), "</figcaption>");
  if (plot.series.size() > 1) {
    append(out, "<p class=\"legend\">");
    for (std::size_t i = 0; i < plot.series.size(); ++i) {
      append(out, "<span><i class=\"s", i, "\"></i>", escape_html(plot.series[i].name), "</span>");
    }
    append(out, "</p>");
  }
  return out;
}

std::string begin(const Plot& plot, double width, double height) {
  return concat(caption(plot), "<svg viewBox=\"0 0 ", short_number(width), " ", short_number(height),
                "\" role=\"img\" aria-label=\"", escape_html(plot.title), "\">");
}

}  // namespace

std::string upright_bars(const Plot& plot) {
  constexpr double kWidth = 400, kHeight = 200, kLeft = 44, kTop = 12, kBottom = 26;
  const double distance = line_distance(largest(plot));
  const int lines = static_cast<int>(std::ceil(largest(plot) / distance - 1e-9));
  const double end = distance * lines;
  const double floor = kHeight - kBottom;
  const double room = (kWidth - kLeft) / static_cast<double>(std::max<std::size_t>(1, plot.labels.size()));
  const double bar_width = std::min(60.0, room * 0.8 / static_cast<double>(plot.series.size()));
  std::string out = begin(plot, kWidth, kHeight);
  for (int i = 0; i <= lines; ++i) {
    const double y = floor - (floor - kTop) * i / lines;
    append(out, "<line class=\"grid\" x1=\"", short_number(kLeft), "\" x2=\"", short_number(kWidth), "\" y1=\"",
           short_number(y), "\" y2=\"", short_number(y), "\"/>");
    text(out, kLeft - 6, y + 4, "end", short_number(distance * i) + plot.unit);
  }
  for (std::size_t i = 0; i < plot.labels.size(); ++i) {
    const double middle = kLeft + room * (static_cast<double>(i) + 0.5);
    text(out, middle, kHeight - 8, "middle", plot.labels[i]);
    for (std::size_t s = 0; s < plot.series.size(); ++s) {
      const double value = plot.series[s].values[i];
      const double height = (floor - kTop) * value / end;
      const double x = middle + bar_width * (static_cast<double>(s) - static_cast<double>(plot.series.size()) / 2);
      bar(out, x, floor - height, bar_width * 0.92, height, s,
          concat(plot.series[s].name, ", ", plot.labels[i], ": ", short_number(value), plot.unit));
    }
  }
  return out + "</svg></figure>\n";
}

std::string lying_bars(const Plot& plot) {
  // The number stands behind the bar, so that the longest bar leaves room for it.
  constexpr double kMostPercent = 82;
  const double end = largest(plot);
  std::string out =
      concat(caption(plot), "<div class=\"bars\" role=\"img\" aria-label=\"", escape_html(plot.title), "\">");
  for (std::size_t i = 0; i < plot.labels.size(); ++i) {
    append(out, "\n<span class=\"label\">", escape_html(plot.labels[i]), "</span><span>");
    for (std::size_t s = 0; s < plot.series.size(); ++s) {
      const double value = plot.series[s].values[i];
      append(out, "<span class=\"bar\" title=\"", escape_html(plot.series[s].name), "\"><i class=\"s", s,
             "\" style=\"width:", short_number(kMostPercent * value / end), "%\"></i>", short_number(value), plot.unit,
             "</span>");
    }
    append(out, "</span>");
  }
  return out + "</div></figure>\n";
}

}  // namespace steptp
