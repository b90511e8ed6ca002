#pragma once

// Small plots as SVG, without scripts or fonts from elsewhere. Colours are classes (s0, s1, ...) of the page's style.

#include <string>
#include <vector>

namespace steptp {

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

}  // namespace steptp
