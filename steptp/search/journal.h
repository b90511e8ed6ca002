#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"

namespace steptp::search {

/// All that a search was told, one line each, written before it is used: questions, answers, verdicts, times. Whoever
/// has the journal has the search: made again from its lines it is the same, and where they end it goes on. The first
/// line says which search it is. A line has a kind and a number, and nothing is written twice.
class Journal {
 public:
  enum class Mode : std::uint8_t {
    write,  ///< begins or goes on with it
    read,   ///< of a search that nothing is added to
  };
  /// Without a path nothing is kept. A last line without an end is dropped: nobody has acted on it. Errors: id
  /// `journal` for a file that is none, is damaged, or is of another search; id `write`.
  [[nodiscard]] static Result<Journal, Diagnostic> open(const std::string& path, const Json& header, Mode mode);
  Journal() = default;
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;
  ~Journal();

  /// What is known under a kind and a number; null where nothing is.
  [[nodiscard]] const Json* find(std::string_view kind, std::size_t number) const;
  /// Adds a line; from many threads at a time. False where it cannot be written: `problem` says why.
  [[nodiscard]] bool append(std::string_view kind, std::size_t number, Json value);
  [[nodiscard]] const std::optional<Diagnostic>& problem() const { return problem_; }
  [[nodiscard]] Mode mode() const { return mode_; }

 private:
  [[nodiscard]] std::optional<Diagnostic> read(std::string_view content, const Json& header);

  int file_ = -1;
  std::string path_;
  Mode mode_ = Mode::write;
  std::map<std::pair<std::string, std::size_t>, Json, std::less<>> known_;
  mutable std::mutex mutex_;
  std::optional<Diagnostic> problem_;
};

inline constexpr std::string_view kJournalFormat = "search-journal-1";

}  // namespace steptp::search
