#pragma once

// The folder of a search: search.json with what was asked, and a journal for each program.

#include <string>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/search/row.h"
#include "steptp/search/session.h"
#include "steptp/text/document.h"

namespace steptp::search {

struct SearchProgram {
  Document root;
  RowContext context;
};

struct SearchFolder {
  std::string path;  ///< empty: nothing is kept
  SearchSettings settings;
  std::vector<SearchProgram> programs;

  [[nodiscard]] std::string journal_of(std::size_t program) const;
};

/// Makes the folder, or finds that it is there for the same search, which may go on with another budget. Errors: ids
/// `write`, `journal`.
[[nodiscard]] Result<bool, Diagnostic> begin_folder(const SearchFolder& folder);
/// Errors: ids `file`, `journal`.
[[nodiscard]] Result<SearchFolder, Diagnostic> read_folder(const std::string& path);

/// A program's search and its row.
struct SearchedProgram {
  SearchResult result;
  Json row;
};
/// Runs or goes on with the search of one of the programs, or makes it again from its journal.
[[nodiscard]] Result<SearchedProgram, Diagnostic> search_in(const SearchFolder& folder, std::size_t program,
                                                            const SearchMachinery& machinery, Journal::Mode mode);

/// The line of a file of baselines for a program, as a row has it: by "id", else by name. Times in microseconds become
/// seconds.
[[nodiscard]] Result<std::vector<Json>, Diagnostic> read_baselines(const std::string& path);
[[nodiscard]] RowContext context_of(const Document& root, const std::string& id, const std::vector<Json>& baselines);

}  // namespace steptp::search
