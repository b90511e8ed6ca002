#pragma once

// What a dataset consists of, before and after the filter: counted from the raw store and the selection.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/dataset/entry.h"

namespace steptp::dataset {

/// How often something occurs: in raw entries of the split `train`, and in rows that were selected from them.
struct Occurrences {
  std::uint64_t raw = 0;
  std::uint64_t single = 0;
  std::uint64_t multi = 0;

  [[nodiscard]] std::uint64_t filtered() const { return single + multi; }
};

struct StrategyOccurrences {
  std::string level;
  std::string difficulty;
  Occurrences count;
  std::uint64_t equal_unsafe = 0;  ///< entries of `train` beside them that are equal and not shown safe
};

/// Token counts of many programs in one form.
struct TokenCounts {
  std::string form;  ///< "LEIR paper", "LEIR compact", "TIR", "CUDA"
  std::vector<std::uint32_t> counts;

  struct Summary {
    double mean = 0;
    std::uint32_t median = 0;
    std::uint32_t p99 = 0;
    std::uint32_t max = 0;
  };
  /// Of sorted counts.
  [[nodiscard]] Summary summary() const;
  /// How many lie in [edges[i], edges[i+1]); edges double from 16 on.
  static constexpr std::array<std::uint32_t, 13> kEdges = {0,    16,   32,   64,   128,   256,  512,
                                                           1024, 2048, 4096, 8192, 16384, 32768};
  [[nodiscard]] std::vector<std::uint64_t> histogram() const;
};

/// Rows and entries of one split.
struct SplitCounts {
  std::uint64_t programs = 0;
  std::uint64_t entries = 0;
  std::uint64_t deep_entries = 0;
  std::uint64_t single = 0;
  std::uint64_t multi = 0;
  std::uint64_t deep_rows = 0;
  std::uint64_t unfiltered = 0;
  std::uint64_t equal_unsafe = 0;
};

using NamedCounts = std::map<std::string, std::uint64_t>;

struct Statistics {
  std::array<SplitCounts, 4> splits;  ///< in the order of kAllSplits
  NamedCounts origins;                ///< programs by the first word of their origin
  std::map<std::string, StrategyOccurrences> strategies;
  std::map<std::string, Occurrences> difficulties;
  std::map<std::string, Occurrences> levels;
  std::map<std::string, Occurrences> grades;
  std::map<std::string, Occurrences> safe_by;           ///< "proof", "search"
  NamedCounts compiled;                                 ///< raw entries by compiler
  NamedCounts dropped;                                  ///< candidates by reason
  NamedCounts excluded;                                 ///< programs by reason
  std::map<std::uint64_t, std::uint64_t> subset_sizes;  ///< multi-answer rows of `train` by answers
  std::vector<TokenCounts> program_tokens;              ///< of programs that entries start from
  std::vector<TokenCounts> result_tokens;               ///< of transformed programs
  /// Entries whose transformed program is, up to renaming, that of an earlier entry.
  std::uint64_t duplicates_within = 0;  ///< of the same split
  std::uint64_t duplicates_across = 0;  ///< of another split
  /// Seconds of processor time by stage of the build, where timings.jsonl is there; no part of the dataset.
  std::map<std::string, double> stage_seconds;
  Json build_summary;  ///< what the build says of itself; null where it is not complete

  [[nodiscard]] const SplitCounts& of(Split split) const { return splits[static_cast<std::size_t>(split)]; }
};

[[nodiscard]] Result<Statistics, Diagnostic> collect_statistics(
    const std::string& folder, const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

/// Tables for people.
[[nodiscard]] std::string to_text(const Statistics& statistics);
[[nodiscard]] Json to_json(const Statistics& statistics);
/// One HTML page with tables and SVG plots, complete in itself.
[[nodiscard]] std::string html_report(const Statistics& statistics);

/// "12.3 %" of a whole; "-" where that is nothing.
[[nodiscard]] std::string percent(std::uint64_t part, std::uint64_t whole);
/// One digit behind the point.
[[nodiscard]] std::string one_digit(double number);

}  // namespace steptp::dataset
