#include "steptp/dataset/store.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <utility>

#include "steptp/base/file.h"
#include "steptp/base/sha256.h"
#include "steptp/base/text.h"
#include "steptp/columns/compression.h"

namespace steptp::dataset {

namespace {

/// Of the last line of a part.
constexpr std::string_view kSumKey = "sha256";
constexpr int kLevel = 6;  ///< a tenth of the text in a hundredth of the time that making it takes
constexpr std::size_t kMostPartBytes = std::size_t{1} << 32;

Diagnostic damaged(const std::string& path, std::string_view what) {
  return make_error("dataset", concat("'", path, "': ", what),
                    "remove the file and run the same build again: it makes what is missing");
}

/// Calls `visit` with every line that is not empty, until it answers false.
template <typename Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!line.empty() && !visit(line)) return;
    if (end == text.npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string part_bytes(std::string_view records) {
  Json sum;
  sum.set(std::string(kSumKey), sha256_hex(records));
  return zstd_compress(concat(records, sum.dump(), "\n"), {kLevel, true});
}

std::string part_path(const std::string& folder, std::uint64_t part) {
  std::array<char, 32> name{};
  std::snprintf(name.data(), name.size(), "part-%05llu", static_cast<unsigned long long>(part));
  return concat(folder, "/raw/", std::string(name.data()), ".jsonl.zst");
}
std::string build_path(const std::string& folder) { return concat(folder, "/build.json"); }
std::string selection_path(const std::string& folder) { return concat(folder, "/selection.jsonl"); }

std::string compiled_path(const std::string& folder) { return concat(folder, "/compiled.jsonl"); }

Result<Json, Diagnostic> read_build(const std::string& folder) {
  const std::string path = build_path(folder);
  const auto text = read_file(path);
  if (!text) {
    return make_error("dataset", concat("'", folder, "' is not a dataset: ", text.error().message),
                      "steptp dataset build --out makes one");
  }
  auto json = parse_json(*text);
  if (!json) return make_error("dataset", concat("'", path, "' is not JSON: ", json.error().message));
  const Json* format = json->find("format");
  if (!format || !format->as_integer() || *format->as_integer() != kStoreFormat) {
    return make_error("dataset", concat("'", path, "' is of no format that this version reads"));
  }
  return std::move(json).value();
}

void Quota::apply(ProgramRecord& record) {
  const auto left = left_.find(record.program.split);
  if (!record.excluded.empty() || left == left_.end()) return;
  if (left->second > 0) {
    --left->second;
    return;
  }
  record.entries.clear();
  record.unsafe_entries.clear();
  record.dropped.clear();
  record.excluded = "not needed";
}

namespace {

/// The lines before the checksum, where it is theirs.
std::optional<std::string_view> summed_records(std::string_view text) {
  if (!text.ends_with('\n')) return std::nullopt;
  const std::size_t last = text.substr(0, text.size() - 1).rfind('\n');
  const std::string_view records = text.substr(0, last == text.npos ? 0 : last + 1);
  const auto json = parse_json(text.substr(records.size()));
  const Json* sum = json ? json->find(kSumKey) : nullptr;
  if (!sum || !sum->as_string() || *sum->as_string() != sha256_hex(records)) return std::nullopt;
  return records;
}

}  // namespace

std::optional<Diagnostic> check_sums(const std::string& folder, const Json& build) {
  const Json* sums = build.find("sums");
  for (const std::string& path : {selection_path(folder), compiled_path(folder)}) {
    const Json* sum = sums ? sums->find(path.substr(folder.size() + 1)) : nullptr;
    const auto text = read_file(path);
    if (!text) return text.error();
    if (!sum || !sum->as_string() || *sum->as_string() != sha256_hex(*text)) {
      return make_error("dataset", concat("'", path, "' is not what the build has written: it was changed"),
                        "remove selection.jsonl and run the same build again: it selects the same rows");
    }
  }
  return std::nullopt;
}

Result<std::vector<ProgramRecord>, Diagnostic> read_part(const std::string& folder, std::uint64_t part) {
  const std::string path = part_path(folder, part);
  const auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  if (bytes->empty()) return damaged(path, "the file is empty");
  const auto text = zstd_decompress(*bytes, kMostPartBytes);
  if (!text) return damaged(path, text.error().message);
  const auto records = summed_records(*text);
  if (!records) return damaged(path, "its records are not those of its checksum");
  std::vector<ProgramRecord> out;
  std::optional<Diagnostic> problem;
  for_each_line(*records, [&](std::string_view line) {
    const auto json = parse_json(line);
    auto record = json ? record_from_json(*json) : Result<ProgramRecord, std::string>(json.error().message);
    if (record) {
      out.push_back(std::move(record).value());
    } else {
      problem = damaged(path, concat("line ", out.size() + 1, ": ", record.error()));
    }
    return !problem;
  });
  if (problem) return *problem;
  return out;
}

namespace {

/// Compilers by the id of the entry; a dataset that is not complete has none.
using Compilers = std::map<std::string, std::vector<std::string>>;

Result<Compilers, Diagnostic> read_compiled(const std::string& folder) {
  Compilers out;
  const std::string path = compiled_path(folder);
  const auto text = read_file(path);
  if (!text) return out;
  bool is_good = true;
  for_each_line(*text, [&](std::string_view line) {
    const auto json = parse_json(line);
    const Json* id = json ? json->find("id") : nullptr;
    const Json* by = json ? json->find("by") : nullptr;
    is_good = id && id->as_string() && by && by->as_array();
    if (!is_good) return false;
    std::vector<std::string>& compilers = out[*id->as_string()];
    for (const Json& name : *by->as_array()) {
      is_good = is_good && name.as_string();
      if (is_good) compilers.push_back(*name.as_string());
    }
    return is_good;
  });
  if (!is_good) return damaged(path, "a line says not which row was compiled by what");
  return out;
}

/// The one that says most of a program for a GPU.
std::string first_compiler(const std::vector<std::string>& compilers) {
  for (const char* name : {"nvrtc", "tvm", "llvm"}) {
    if (std::find(compilers.begin(), compilers.end(), name) != compilers.end()) return name;
  }
  return "none";
}

}  // namespace

namespace {

Quota quota_of(const Json& build) {
  std::map<Split, std::uint64_t> wanted;
  const Json* json = build.find("wanted");
  for (const Split split : kAllSplits) {
    const Json* count = json ? json->find(name_of(split)) : nullptr;
    if (count && count->as_integer()) wanted[split] = static_cast<std::uint64_t>(*count->as_integer());
  }
  return Quota(std::move(wanted));
}

}  // namespace

std::optional<Diagnostic> for_each_record(const std::string& folder,
                                          const std::function<bool(ProgramRecord&&)>& visit) {
  const auto build = read_build(folder);
  if (!build) return build.error();
  const Json* parts = build->find("parts");
  if (!parts || !parts->as_integer()) return damaged(build_path(folder), "no number of parts");
  const auto compiled = read_compiled(folder);
  if (!compiled) return compiled.error();
  Quota quota = quota_of(*build);
  for (std::int64_t part = 0; part < *parts->as_integer(); ++part) {
    auto records = read_part(folder, static_cast<std::uint64_t>(part));
    if (!records) return records.error();
    for (ProgramRecord& record : *records) {
      quota.apply(record);
      for (Entry& entry : record.entries) {
        const auto found = compiled->find(entry.id);
        if (found == compiled->end()) continue;
        entry.compilers = found->second;
        entry.compiled = first_compiler(entry.compilers);
      }
      if (!visit(std::move(record))) return std::nullopt;
    }
  }
  return std::nullopt;
}

Result<std::vector<SelectedRow>, Diagnostic> read_selection(const std::string& folder) {
  const std::string path = selection_path(folder);
  const auto text = read_file(path);
  if (!text) return text.error();
  std::vector<SelectedRow> out;
  std::optional<Diagnostic> problem;
  for_each_line(*text, [&](std::string_view line) {
    const auto json = parse_json(line);
    auto row = json ? selected_row_from_json(*json) : Result<SelectedRow, std::string>(json.error().message);
    if (row) {
      out.push_back(std::move(row).value());
    } else {
      problem = damaged(path, concat("line ", out.size() + 1, ": ", row.error()));
    }
    return !problem;
  });
  if (problem) return *problem;
  return out;
}

}  // namespace steptp::dataset
