#include "steptp/report/plots.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "steptp/base/text.h"
#include "steptp/report/report.h"

namespace steptp {

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

/// A round number not below the largest value: where the axis ends.
double axis_end(double value) {
  double step = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0, 10.0}) {
    if (factor * step >= value) return factor * step;
  }
  return value;
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

std::string begin(const Plot& plot, double width, double height) {
  std::string out = concat("<figure><figcaption>", escape_html(plot.title), "</figcaption>");
  if (plot.series.size() > 1) {
    append(out, "<p class=\"legend\">");
    for (std::size_t i = 0; i < plot.series.size(); ++i) {
      append(out, "<span><i class=\"s", i, "\"></i>", escape_html(plot.series[i].name), "</span>");
    }
    append(out, "</p>");
  }
  return concat(out, "<svg viewBox=\"0 0 ", short_number(width), " ", short_number(height),
                "\" role=\"img\" aria-label=\"", escape_html(plot.title), "\">");
}

}  // namespace

std::string upright_bars(const Plot& plot) {
  constexpr double kWidth = 640, kHeight = 260, kLeft = 56, kTop = 12, kBottom = 34;
  const double end = axis_end(largest(plot));
  const double floor = kHeight - kBottom;
  const double room = (kWidth - kLeft) / static_cast<double>(std::max<std::size_t>(1, plot.labels.size()));
  const double bar_width = std::min(60.0, room * 0.8 / static_cast<double>(plot.series.size()));
  std::string out = begin(plot, kWidth, kHeight);
  for (int i = 0; i <= 4; ++i) {
    const double y = floor - (floor - kTop) * i / 4;
    append(out, "<line class=\"grid\" x1=\"", short_number(kLeft), "\" x2=\"", short_number(kWidth), "\" y1=\"",
           short_number(y), "\" y2=\"", short_number(y), "\"/>");
    text(out, kLeft - 6, y + 4, "end", short_number(end * i / 4) + plot.unit);
  }
  for (std::size_t i = 0; i < plot.labels.size(); ++i) {
    const double middle = kLeft + room * (static_cast<double>(i) + 0.5);
    text(out, middle, kHeight - 12, "middle", plot.labels[i]);
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
  constexpr double kWidth = 900, kLeft = 420, kRight = 70, kBar = 11;
  const double row = kBar * static_cast<double>(plot.series.size()) + 8;
  const double height = row * static_cast<double>(plot.labels.size()) + 4;
  const double end = largest(plot);
  std::string out = begin(plot, kWidth, height);
  for (std::size_t i = 0; i < plot.labels.size(); ++i) {
    const double top = row * static_cast<double>(i) + 4;
    text(out, kLeft - 8, top + row / 2, "end", plot.labels[i]);
    for (std::size_t s = 0; s < plot.series.size(); ++s) {
      const double value = plot.series[s].values[i];
      const double width = (kWidth - kLeft - kRight) * value / end;
      const double y = top + kBar * static_cast<double>(s);
      bar(out, kLeft, y, std::max(width, 0.5), kBar - 1, s,
          concat(plot.labels[i], ", ", plot.series[s].name, ": ", short_number(value), plot.unit));
      text(out, kLeft + width + 5, y + kBar - 2, "start", short_number(value) + plot.unit);
    }
  }
  return out + "</svg></figure>\n";
}

}  // namespace steptp
