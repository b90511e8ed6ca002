#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"

namespace steptp {

/// Zip archives, as numpy and PyTorch write them. Reading takes stored and deflated entries, zip64 and data descriptors
/// (sizes come from the central directory), and checks every CRC. Memory grows with the data that is really there,
/// never with what a header claims. Errors: id `zip`.
struct ZipEntry {
  std::string name;
  std::uint64_t flags = 0;
  std::uint64_t method = 0;
  std::uint64_t crc = 0;
  std::uint64_t packed = 0;  ///< bytes in the archive
  std::uint64_t size = 0;    ///< bytes of its content
  std::uint64_t offset = 0;
};

/// Entries may name the same bytes: a reader that takes many of them adds up `packed` (see parse_npz).
[[nodiscard]] Result<std::vector<ZipEntry>, Diagnostic> read_zip_directory(std::string_view content);

/// The content of an entry: a part of `content` where it is stored, of `inflated` where it was compressed.
[[nodiscard]] Result<std::string_view, Diagnostic> read_zip_entry(std::string_view content, const ZipEntry& entry,
                                                                  std::string& inflated);

/// The diagnostic with the name of an entry, which comes from anywhere, in front.
[[nodiscard]] Diagnostic about_entry(std::string_view name, Diagnostic diagnostic);

/// Entries are stored, with a fixed date: the same entries in the same order give the same bytes.
class ZipWriter {
 public:
  /// Room for all data at once: growing a large archive by doubling would need it three times over.
  void reserve(std::size_t bytes) { out_.reserve(bytes); }
  [[nodiscard]] Result<bool, Diagnostic> add(std::string_view name, std::string_view data);
  [[nodiscard]] std::string finish();

 private:
  std::string out_;
  std::vector<ZipEntry> entries_;
};

}  // namespace steptp
