#pragma once

// The raw store: DIR/raw/part-00000.jsonl.zst and so on, each with the records (entry.h) of the same number of planned
// programs, in order; DIR/build.json with the configuration; DIR/selection.jsonl with the rows that exports are made
// of; DIR/compiled.jsonl with the rows that were compiled, and by what. A file is there as a whole or not at all.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/dataset/entry.h"

namespace steptp::dataset {

/// The content of a part as it is stored: its records and a last line with their checksum, in one zstd frame; always
/// the same bytes for the same records.
[[nodiscard]] std::string part_bytes(std::string_view records);

/// Names of files in a dataset.
[[nodiscard]] std::string part_path(const std::string& folder, std::uint64_t part);
[[nodiscard]] std::string build_path(const std::string& folder);
[[nodiscard]] std::string selection_path(const std::string& folder);
[[nodiscard]] std::string compiled_path(const std::string& folder);

/// Of build.json and of the records: 2 since entries that are equal and not safe are kept apart, 3 since parts, rows
/// and what was compiled have checksums.
inline constexpr std::int64_t kStoreFormat = 3;

/// What DIR/build.json says: {"format":3,"configuration":{...},"parts":N,"programs":N,"wanted":{"train":N,...},
/// "summary":{...},"sums":{"selection.jsonl":"...","compiled.jsonl":"..."}}. Summary and sums are there once the build
/// is complete.
[[nodiscard]] Result<Json, Diagnostic> read_build(const std::string& folder);

/// Programs that are wanted of each split. A plan has some to spare, because what nothing can be made of is known only
/// once it is tried: those that are not needed are left out, in the order of the store, so that it does not matter who
/// made which. A split that is not named has no limit.
class Quota {
 public:
  explicit Quota(std::map<Split, std::uint64_t> wanted) : left_(std::move(wanted)) {}
  /// Empties the record of a program that is not needed, and says so in `excluded`.
  void apply(ProgramRecord& record);

 private:
  std::map<Split, std::uint64_t> left_;
};

/// The records of one part, those to spare as well. Diagnostic `dataset`: a part that is not there, damaged, or no
/// part, or with records that are not those of its checksum.
[[nodiscard]] Result<std::vector<ProgramRecord>, Diagnostic> read_part(const std::string& folder, std::uint64_t part);

/// Whether selection.jsonl and compiled.jsonl are what the build has written; whole parts say so themselves.
[[nodiscard]] std::optional<Diagnostic> check_sums(const std::string& folder, const Json& build);

/// Every record of a complete dataset in order, one part in memory at a time, with what compiled.jsonl says of entries.
/// `visit` answers false to stop.
[[nodiscard]] std::optional<Diagnostic> for_each_record(const std::string& folder,
                                                        const std::function<bool(ProgramRecord&&)>& visit);

/// The rows of DIR/selection.jsonl: splits in order, single before multi, programs in the order of the store.
[[nodiscard]] Result<std::vector<SelectedRow>, Diagnostic> read_selection(const std::string& folder);

}  // namespace steptp::dataset
