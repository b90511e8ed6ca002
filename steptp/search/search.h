#pragma once

// One search: a frontier, a proposer, a judge and a device walk from a root to faster programs. docs/search.md.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/search/frontier.h"
#include "steptp/search/journal.h"
#include "steptp/search/roles.h"
#include "steptp/text/document.h"

namespace steptp::search {

/// What a search may use; 0: no limit.
struct Budget {
  std::int64_t samples = 64;  ///< distinct programs sent to judge or device, the root and failures included
  double device_seconds = 0;
  std::int64_t tokens = 0;
};

struct Progress {
  std::int64_t samples = 0;
  double root_seconds = 0;
  double best_seconds = 0;
  std::string last;  ///< what was tried last, and what became of it
};

struct SearchSetup {
  Algorithm algorithm = Algorithm::mcts;
  bool published = false;
  std::uint64_t seed = 1;
  Budget budget;
  unsigned jobs = 1;  ///< candidates judged at a time
  std::string target;
  double floor_seconds = 0;            ///< no program with the root's work can be faster
  std::optional<double> root_seconds;  ///< known from elsewhere: then the root is not measured
  std::function<bool()> go_on;         ///< asked now and then
  std::function<void(const Progress&)> progress;
  bool with_clock = false;  ///< the journal keeps how long each session took
};

/// A point of the curve: after so many samples the best was this fast.
struct CurvePoint {
  std::int64_t sample = 0;
  double seconds = 0;
};

struct SearchResult {
  Tree tree;
  Stop stop = Stop::exhausted;
  std::string stop_reason;  ///< what a proposer, device or journal said
  std::int64_t samples = 0;
  std::int64_t asks = 0;
  std::int64_t scored = 0;
  std::int64_t measured = 0;
  std::int64_t tokens = 0;
  double device_seconds = 0;
  double clock_seconds = 0;  ///< of all sessions that came to their end
  std::vector<CurvePoint> curve;
  std::optional<std::size_t> winner;  ///< the fastest node whose judgement against the root held; the root itself else
  std::string verdict;                ///< of the winner against the root
  Json safe;
  std::vector<std::string> flags;
  std::optional<FinalTimes> final_times;

  [[nodiscard]] const Node& best() const { return tree.at(winner.value_or(0)); }
  [[nodiscard]] double root_seconds() const;
  [[nodiscard]] double best_seconds() const;
};

/// The header of a journal: what has to be the same for a search to go on.
[[nodiscard]] Json journal_header(const Document& root, const Json& settings);

/// Runs it, or goes on with what the journal has. With a journal that is only read it goes as far as the journal, and
/// asks and measures nothing.
[[nodiscard]] SearchResult run_search(const Document& root, const SearchSetup& setup, Proposer& proposer,
                                      CandidateJudge& judge, SearchDevice& device, Journal& journal);

/// The key of a program among those of its search.
[[nodiscard]] std::string program_key(const Program& program);

}  // namespace steptp::search
