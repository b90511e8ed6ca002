#pragma once

// Neighbouring expressions of a program as a program of their own: plans are chosen for each by itself.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "steptp/ir/program.h"
#include "steptp/strategies/view.h"

namespace steptp {

/// Cuts sections out of one program.
class Sections {
 public:
  /// The view outlives it.
  explicit Sections(View& view);

  /// The expressions from `first` on. What they read from outside are inputs, what is read behind them or is an output
  /// of the program are outputs. Nothing where a tensor that they write is also written before them, or where data in
  /// `s` or `l` crosses the border: such a section means nothing by itself.
  [[nodiscard]] std::optional<Program> section(std::uint32_t first, std::uint32_t count);

 private:
  /// In which expressions a tensor is written and read.
  struct Uses {
    std::set<std::uint32_t> writes;
    std::set<std::uint32_t> reads;
  };
  [[nodiscard]] std::optional<Variable> variable_of(const std::string& tensor, std::uint32_t first, std::uint32_t end,
                                                    bool& crosses);

  View& view_;
  std::map<std::string, Uses> uses_;
};

}  // namespace steptp
