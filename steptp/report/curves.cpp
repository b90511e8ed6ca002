#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "steptp/base/text.h"
#include "steptp/report/plots.h"
#include "steptp/report/report.h"

namespace steptp {

namespace {

constexpr double kWidth = 420;
constexpr double kHeight = 180;
constexpr double kLeft = 70;
constexpr double kBottom = 24;
constexpr double kTop = 8;
/// Colours of curves; the page may be read without the style of another one.
constexpr std::array<std::string_view, 7> kColours = {"#1f6fb2", "#c1541b", "#2b8a3e", "#8439a3",
                                                      "#a8283b", "#47707c", "#6b5b2a"};

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

/// Where things are drawn.
class Frame {
 public:
  explicit Frame(const CurvePlot& plot) : end_(std::max(1.0, plot.end)) {
    for (const StepCurve& curve : plot.curves) {
      for (const auto& [place, value] : curve.points) take(value);
    }
    if (plot.floor > 0) take(plot.floor);
    if (high_ <= low_) high_ = low_ * 2;
  }

  [[nodiscard]] double x(double place) const { return kLeft + (kWidth - kLeft - 8) * place / end_; }
  [[nodiscard]] double y(double value) const {
    const double share = std::log(high_ / value) / std::log(high_ / low_);
    return kTop + (kHeight - kTop - kBottom) * share;
  }
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  void take(double value) {
    if (value <= 0) return;
    low_ = low_ > 0 ? std::min(low_, value) : value;
    high_ = std::max(high_, value);
  }
  double end_;
  double low_ = 0;
  double high_ = 0;
};

std::string path_of(const StepCurve& curve, const Frame& frame, double end) {
  std::string out;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const auto& [place, value] = curve.points[i];
    if (value <= 0) continue;
    const double until = i + 1 < curve.points.size() ? curve.points[i + 1].first : std::max(end, place);
    append(out, out.empty() ? "M" : "L", number(frame.x(place)), " ", number(frame.y(value)), "H",
           number(frame.x(until)));
  }
  return out;
}

std::string text_at(double x, double y, std::string_view anchor, const std::string& words) {
  return concat("<text x=\"", number(x), "\" y=\"", number(y), "\" text-anchor=\"", anchor, "\" font-size=\"11\">",
                escape_html(words), "</text>");
}

std::string legend_of(const CurvePlot& plot) {
  std::string out = "<p>";
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    append(out, "<span style=\"color:", kColours[i % kColours.size()], "\">", escape_html(plot.curves[i].name),
           "</span> ");
  }
  return out + "</p>";
}

}  // namespace

std::string falling_curves(const CurvePlot& plot) {
  const Frame frame(plot);
  std::string out = concat("<figure><figcaption>", escape_html(plot.title), "</figcaption>", legend_of(plot));
  append(out, "<svg viewBox=\"0 0 ", number(kWidth), " ", number(kHeight), "\" width=\"", number(kWidth), "\">");
  if (frame.low() > 0) {
    append(out, text_at(kLeft - 4, frame.y(frame.high()) + 8, "end", plot.label(frame.high())));
    append(out, text_at(kLeft - 4, frame.y(frame.low()), "end", plot.label(frame.low())));
  }
  append(out, text_at(frame.x(plot.end), kHeight - 6, "end", concat(static_cast<std::int64_t>(plot.end), " samples")));
  if (plot.floor > 0) {
    append(out, "<path d=\"M", number(kLeft), " ", number(frame.y(plot.floor)), "H", number(frame.x(plot.end)),
           "\" fill=\"none\" stroke=\"#888\" stroke-dasharray=\"4 3\"><title>floor, ",
           escape_html(plot.label(plot.floor)), "</title></path>");
  }
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    const std::string path = path_of(plot.curves[i], frame, plot.end);
    if (path.empty()) continue;
    append(out, "<path d=\"", path, "\" fill=\"none\" stroke-width=\"1.6\" stroke=\"", kColours[i % kColours.size()],
           "\"><title>", escape_html(plot.curves[i].name), "</title></path>");
  }
  return out + "</svg></figure>";
}

}  // namespace steptp
