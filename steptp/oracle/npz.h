#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "steptp/oracle/npy.h"

namespace steptp {

/// numpy's .npz: a zip archive with one `name.npy` per array (oracle/npy.h has the format and the types, and what
/// becomes of bf16).
///
/// Reading takes stored and deflated entries, zip64 and data descriptors (sizes come from the central directory), and
/// checks every CRC. All arrays together may hold at most `limit` bytes; memory grows with the data that is really
/// there, never with what a header claims, and entries may not share bytes of the file. Errors: id `npz` or `npy`.
inline constexpr std::uint64_t kNpzLimit = std::uint64_t{16} << 30;
[[nodiscard]] Result<std::map<std::string, Array>, Diagnostic> read_npz(const std::string& path,
                                                                        std::uint64_t limit = kNpzLimit);
[[nodiscard]] Result<std::map<std::string, Array>, Diagnostic> parse_npz(std::string_view content,
                                                                         std::uint64_t limit = kNpzLimit);

/// Entries are stored (as numpy.savez does) in the order of their names with a fixed date: the same arrays give the
/// same bytes. numpy.load reads them with allow_pickle=False.
[[nodiscard]] Result<bool, Diagnostic> write_npz(const std::string& path, const std::map<std::string, Array>& arrays);
[[nodiscard]] Result<std::string, Diagnostic> format_npz(const std::map<std::string, Array>& arrays);

}  // namespace steptp
