#pragma once

// Small plots as SVG and HTML, without scripts or fonts from elsewhere. A page needs `plot_style`, which knows dark
// screens and narrow ones.

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace steptp {

/// Style sheet of all plots; of bars there are at most two series. Plots inside <div class="pair"> stand side by side.
[[nodiscard]] std::string_view plot_style();

struct PlotSeries {
  std::string name;
  std::vector<double> values;  ///< one per label
};

struct Plot {
  std::string title;
  std::vector<std::string> labels;
  std::vector<PlotSeries> series;
  std::string unit;  ///< "%"
};

/// Groups of upright bars: a few labels, or a histogram.
[[nodiscard]] std::string upright_bars(const Plot& plot);
/// Bars from left to right with their labels beside them: many labels.
[[nodiscard]] std::string lying_bars(const Plot& plot);

/// A value that falls in steps: places in rising order with the value from there on.
struct StepCurve {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

/// Falling curves over the same places, up to `end`, on a logarithmic scale; a broken line where `floor` is, if that is
/// above 0. Curves without points are left out. `label` says what a value is, for people.
struct CurvePlot {
  std::string title;
  std::vector<StepCurve> curves;
  double end = 0;
  double floor = 0;
  std::function<std::string(double)> label;
};
[[nodiscard]] std::string falling_curves(const CurvePlot& plot);

}  // namespace steptp
