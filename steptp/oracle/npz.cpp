#include "steptp/oracle/npz.h"

#include <optional>
#include <vector>

#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/base/zip.h"

namespace steptp {

namespace {

Diagnostic npz_error(std::string message) { return make_error("npz", std::move(message)); }

/// What is wrong with the archive is, for whoever reads an .npz, wrong with the .npz.
Diagnostic as_npz(Diagnostic diagnostic) {
  if (diagnostic.id == "zip") diagnostic.id = "npz";
  return diagnostic;
}

Result<Array, Diagnostic> read_array(std::string_view content, const ZipEntry& entry) {
  std::string inflated;
  const auto data = read_zip_entry(content, entry, inflated);
  return data ? parse_npy(*data) : as_npz(data.error());
}

}  // namespace

Result<std::map<std::string, Array>, Diagnostic> parse_npz(std::string_view content, std::uint64_t limit) {
  const auto entries = read_zip_directory(content);
  if (!entries) return as_npz(entries.error());
  std::map<std::string, Array> arrays;
  std::uint64_t room = limit;
  std::uint64_t unread = content.size();
  for (const ZipEntry& entry : *entries) {
    if (!entry.name.ends_with(".npy")) return about_entry(entry.name, npz_error("not an array: its name lacks .npy"));
    if (entry.size > room) {
      return about_entry(entry.name,
                         npz_error(concat("with its ", entry.size, " bytes the arrays exceed the limit of ", limit)));
    }
    room -= entry.size;
    // A small file can only grow large by naming the same bytes many times.
    if (entry.packed > unread) return about_entry(entry.name, npz_error("the entries overlap"));
    unread -= entry.packed;
    Result<Array, Diagnostic> array = read_array(content, entry);
    if (!array) return about_entry(entry.name, std::move(array).error());
    const std::string name = entry.name.substr(0, entry.name.size() - 4);
    if (!arrays.emplace(name, std::move(*array)).second) return about_entry(name, npz_error("it occurs twice"));
  }
  return arrays;
}

Result<std::map<std::string, Array>, Diagnostic> read_npz(const std::string& path, std::uint64_t limit) {
  const Result<std::string, Diagnostic> content = read_file(path);
  if (!content) return content.error();
  Result<std::map<std::string, Array>, Diagnostic> arrays = parse_npz(*content, limit);
  if (arrays) return arrays;
  Diagnostic diagnostic = std::move(arrays).error();
  diagnostic.message = concat(path, ": ", diagnostic.message);
  return diagnostic;
}

Result<std::string, Diagnostic> format_npz(const std::map<std::string, Array>& arrays) {
  ZipWriter zip;
  std::size_t room = 0;
  for (const auto& [name, array] : arrays) room += 2 * name.size() + 512 + array.data.size();
  zip.reserve(room);
  for (const auto& [name, array] : arrays) {
    if (!is_consistent(array)) return about_entry(name, npz_error("its shape does not agree with its data"));
    const auto added = zip.add(name + ".npy", format_npy(array));
    if (!added) return as_npz(added.error());
  }
  return zip.finish();
}

Result<bool, Diagnostic> write_npz(const std::string& path, const std::map<std::string, Array>& arrays) {
  const Result<std::string, Diagnostic> content = format_npz(arrays);
  if (!content) return content.error();
  return write_file(path, *content);
}

}  // namespace steptp
