#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/verb.h"
#include "steptp/search/folder.h"
#include "steptp/search/settings.h"

namespace steptp::cli {

/// What `steptp search` was called with.
struct SearchOptions {
  std::vector<std::string> words;  ///< FILE, or what to do and folders
  std::string file;
  std::vector<std::string> folders;
  search::SearchSettings settings;
  std::string device = "analytic";
  std::string target;
  std::string journal;
  std::string baseline;
  std::string claims;
  std::string output;
  std::string python = "python3";
  bool has_samples = false;
  bool json = false;
  unsigned jobs = 0;
  WorkerOptions workers;
};

/// Each of them is one of the things that the verb does.
[[nodiscard]] Status start_search(SearchOptions& options);
[[nodiscard]] Status resume_search(SearchOptions& options);
[[nodiscard]] Status show_search(const SearchOptions& options);
[[nodiscard]] Status search_stats(const SearchOptions& options);
[[nodiscard]] Status best_of_search(const SearchOptions& options);
[[nodiscard]] Status measure_for_cost_model(const SearchOptions& options);
[[nodiscard]] Status train_cost_model(const SearchOptions& options);
[[nodiscard]] Status report_searches(const SearchOptions& options);

/// The programs of the file; nothing after a message.
[[nodiscard]] std::optional<std::vector<search::SearchProgram>> read_search_programs(const SearchOptions& options);
/// Prints what is wrong with the call.
[[nodiscard]] Status bad_search(const std::string& message);

}  // namespace steptp::cli
