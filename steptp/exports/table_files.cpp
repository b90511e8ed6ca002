#include "steptp/exports/table_files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "steptp/base/file.h"
#include "steptp/base/sha256.h"
#include "steptp/base/text.h"

namespace steptp::dataset {

namespace {

// Many tables grow at the same time, so groups of rows are small.
constexpr std::uint64_t kGroupBytes = std::uint64_t{8} << 20;

std::optional<Diagnostic> make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return std::nullopt;
  return make_error("write", concat("cannot create the folder '", folder.string(), "': ", error.message()));
}

}  // namespace

std::string to_text(const Checksums& checksums) {
  std::string out;
  for (const auto& [name, sum] : checksums) append(out, sum, "  ", name, "\n");
  return out;
}

Result<Checksums, Diagnostic> read_checksums(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  Checksums out;
  std::string_view rest = *text;
  constexpr std::size_t kSum = 64;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    const bool is_good = end != rest.npos && line.size() > kSum + 2 && line.substr(kSum, 2) == "  ";
    if (!is_good || !out.emplace(line.substr(kSum + 2), line.substr(0, kSum)).second) {
      return make_error("dataset",
                        concat("'", path, "': line ", number, " is not a checksum and name, or names twice"));
    }
    rest.remove_prefix(end + 1);
  }
  return out;
}

Result<TableFiles::Files*, Diagnostic> TableFiles::files_for(const Table& table, Split split) {
  const auto found = files_.find({&table, split});
  if (found != files_.end()) return &found->second;
  if (auto problem = make_folder(std::filesystem::path(folder_) / "data" / table.name)) return *std::move(problem);
  auto parquet =
      ParquetWriter::create(concat(folder_, "/", parquet_name(table.name, split)), table.schema, kGroupBytes);
  if (!parquet) return std::move(parquet).error();
  auto jsonl = JsonlWriter::create(concat(folder_, "/", jsonl_name(table.name, split)));
  if (!jsonl) return std::move(jsonl).error();
  const auto made =
      files_.emplace(std::pair(&table, split), Files{std::move(parquet).value(), std::move(jsonl).value()});
  return &made.first->second;
}

std::optional<Diagnostic> TableFiles::add(const Table& table, Split split, const Json& row) {
  const auto files = files_for(table, split);
  if (!files) return files.error();
  if (auto problem = (*files)->parquet.add(row)) return problem;
  return (*files)->jsonl.add(row);
}

std::optional<Diagnostic> TableFiles::finish(Manifest& manifest, Checksums& checksums) {
  // In the order of the list of tables, which does not depend on where they lie in memory.
  for (const Table& table : all_tables()) {
    ExportedTable exported{table.name, {}};
    for (const Split split : kAllSplits) {
      const auto found = files_.find({&table, split});
      if (found == files_.end()) continue;
      Files& files = found->second;
      const auto parquet = files.parquet.finish();
      if (!parquet) return parquet.error();
      const auto jsonl = files.jsonl.finish();
      if (!jsonl) return jsonl.error();
      checksums[parquet_name(table.name, split)] = parquet->sha256;
      checksums[jsonl_name(table.name, split)] = jsonl->sha256;
      exported.splits.push_back({split, files.parquet.rows(), files.parquet.raw_bytes(), parquet->bytes, 0});
    }
    if (!exported.splits.empty()) manifest.tables.push_back(std::move(exported));
  }
  files_.clear();
  return std::nullopt;
}

std::optional<Diagnostic> write_listed(const std::string& folder, const std::string& name, const std::string& content,
                                       Checksums& checksums) {
  const auto written = write_file(concat(folder, "/", name), content);
  if (!written) return written.error();
  checksums[name] = sha256_hex(content);
  return std::nullopt;
}

Result<std::string, Diagnostic> checksum_of(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (!file)
    return Result<std::string, Diagnostic>(
        make_error("file", concat("cannot open '", path, "': ", std::string_view(std::strerror(errno)))));
  Sha256 sum;
  std::string buffer(std::size_t{1} << 20, '\0');
  std::size_t got = 0;
  while ((got = std::fread(buffer.data(), 1, buffer.size(), file.get())) > 0) sum.add({buffer.data(), got});
  if (std::ferror(file.get()) != 0) return make_error("file", concat("cannot read '", path, "'"));
  return sum.hex();
}

}  // namespace steptp::dataset
