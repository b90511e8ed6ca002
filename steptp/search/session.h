#pragma once

// A search of one program with everything that its settings name: what the command line, Python and `optimize` call.

#include <functional>
#include <string>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/endpoint/chat.h"
#include "steptp/measure/candidate_pool.h"
#include "steptp/search/measurements.h"
#include "steptp/search/settings.h"

namespace steptp::search {

/// What a search needs of the process that it runs in.
struct SearchMachinery {
  std::vector<std::string> judge_command;  ///< of a process that judges; empty: in this one
  CandidateOptions candidates;
  unsigned jobs = 1;
  unsigned compilers = 0;                       ///< processes that compile what is judged before it is measured
  double measuring_seconds = 0.2;               ///< for the repetitions of one program
  std::uint64_t check_operations = 30'000'000;  ///< for the certified values that programs are compared with
  std::function<bool()> go_on;
  std::function<void(const Progress&)> progress;
  ChatEndpoint* endpoint = nullptr;  ///< of the proposer `model`
  Proposer* proposer = nullptr;      ///< in place of the one that the settings name
  std::optional<double> root_seconds;
};

/// Runs a search, goes on with it, or makes it again from its journal alone. The journal is none where its path is
/// empty. Errors: a journal or a recording that cannot be used.
[[nodiscard]] Result<SearchResult, Diagnostic> search_program(const Document& root, const SearchSettings& settings,
                                                              const SearchMachinery& machinery,
                                                              const std::string& journal, Journal::Mode mode);

/// Measures plans of a program on the device of the settings: those that are given, or drawn ones. Of `order` the root
/// and the target are filled in. Errors: as above. False where it ended before all were measured.
[[nodiscard]] Result<bool, Diagnostic> measure_plans_of(const Document& root, const SearchSettings& settings,
                                                        const SearchMachinery& machinery, MeasurementOrder order,
                                                        const std::vector<DrawnProgram>* drawn = nullptr);

}  // namespace steptp::search
