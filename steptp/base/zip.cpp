#include "steptp/base/zip.h"

#include <zlib.h>

#include <algorithm>
#include <initializer_list>

#include "steptp/base/text.h"

namespace steptp {

namespace {

// The zip format (PKWARE APPNOTE 6.3.10): section numbers are given where a layout is used.
constexpr std::uint32_t kLocalHeader = 0x04034b50;    // 4.3.7
constexpr std::uint32_t kCentralHeader = 0x02014b50;  // 4.3.12
constexpr std::uint32_t kEnd = 0x06054b50;            // 4.3.16
constexpr std::uint32_t kEnd64 = 0x06064b50;          // 4.3.14
constexpr std::uint32_t kEnd64Locator = 0x07064b50;   // 4.3.15
constexpr std::size_t kLocalSize = 30;
constexpr std::size_t kCentralSize = 46;
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kEnd64Size = 56;
constexpr std::size_t kLocatorSize = 20;
constexpr std::uint64_t kMax32 = 0xffffffff;
constexpr std::uint64_t kMax16 = 0xffff;
constexpr std::uint16_t kDate = 1 << 5 | 1;  // 1 January 1980, where the format's calendar begins

Diagnostic zip_error(std::string message) { return make_error("zip", std::move(message)); }

/// Little-endian fields; the caller has checked that they lie inside.
std::uint64_t field(std::string_view content, std::size_t offset, int bytes) {
  std::uint64_t value = 0;
  for (int i = bytes; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(content[offset + static_cast<std::size_t>(i)]);
  }
  return value;
}

void append_number(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 255));
}

bool fits(std::string_view content, std::uint64_t offset, std::uint64_t size) {
  return offset <= content.size() && size <= content.size() - offset;
}

std::uint32_t checksum(std::string_view content) {
  return static_cast<std::uint32_t>(
      crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(content.data()), content.size()));
}

struct Directory {
  std::uint64_t count = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
};

Result<Directory, Diagnostic> find_directory(std::string_view content) {
  if (content.size() < kEndSize) return zip_error("too short for a zip archive");
  if (!content.starts_with("PK")) return zip_error("not a zip archive: it does not begin with PK");
  // The end record is followed by a comment of at most 65535 bytes; a match counts only if its comment fits exactly.
  const std::size_t last = content.size() - kEndSize;
  const std::size_t first = last > kMax16 ? last - kMax16 : 0;
  for (std::size_t end = last + 1; end-- > first;) {
    if (field(content, end, 4) != kEnd || field(content, end + 20, 2) != content.size() - end - kEndSize) continue;
    Directory directory{field(content, end + 10, 2), field(content, end + 12, 4), field(content, end + 16, 4)};
    if (end < kLocatorSize || field(content, end - kLocatorSize, 4) != kEnd64Locator) return directory;
    const std::uint64_t wide = field(content, end - kLocatorSize + 8, 8);
    if (!fits(content, wide, kEnd64Size) || field(content, wide, 4) != kEnd64) {
      return zip_error("the zip64 end record is not where its locator says");
    }
    return Directory{field(content, wide + 32, 8), field(content, wide + 40, 8), field(content, wide + 48, 8)};
  }
  return zip_error("no end of central directory: the archive is cut off or damaged");
}

/// Fields that hold 0xffffffff are in the zip64 extra field instead, in this order (4.5.3).
bool read_zip64(std::string_view extra, ZipEntry& entry) {
  while (extra.size() >= 4) {
    const std::uint64_t size = field(extra, 2, 2);
    if (size > extra.size() - 4) return false;
    if (field(extra, 0, 2) == 1) {
      std::string_view rest = extra.substr(4, size);
      for (std::uint64_t* value : {&entry.size, &entry.packed, &entry.offset}) {
        if (*value != kMax32) continue;
        if (rest.size() < 8) return false;
        *value = field(rest, 0, 8);
        rest.remove_prefix(8);
      }
      return true;
    }
    extra.remove_prefix(4 + size);
  }
  return entry.size != kMax32 && entry.packed != kMax32 && entry.offset != kMax32;
}

Result<std::string, Diagnostic> inflate_entry(std::string_view packed, std::uint64_t size) {
  z_stream stream{};
  // Negative window bits: deflate without a zlib header, as zip has it.
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return zip_error("cannot start zlib");
  std::string out;
  std::vector<char> buffer(std::size_t{1} << 16);
  int status = Z_OK;
  while (status == Z_OK && out.size() <= size) {
    if (stream.avail_in == 0) {
      const std::size_t piece = std::min<std::size_t>(packed.size(), std::size_t{1} << 30);
      // zlib's interface predates const.
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
      stream.avail_in = static_cast<uInt>(piece);
      packed.remove_prefix(piece);
    }
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (out.size() > size) return zip_error(concat("it holds more than the ", size, " bytes announced"));
  if (status != Z_STREAM_END) return zip_error("the compressed data is damaged or cut off");
  if (out.size() != size) return zip_error(concat("it holds ", out.size(), " bytes, ", size, " were announced"));
  return out;
}

/// What the local and the central header have in common, from "version needed" to the length of the extra field.
void put_common(std::string& out, const ZipEntry& entry, std::size_t extra) {
  append_number(out, extra != 0 ? 45 : 20, 2);
  append_number(out, 1 << 11, 2);  // the name is UTF-8
  append_number(out, 0, 2);        // stored
  append_number(out, 0, 2);
  append_number(out, kDate, 2);
  append_number(out, entry.crc, 4);
  append_number(out, std::min(entry.size, kMax32), 4);
  append_number(out, std::min(entry.size, kMax32), 4);
  append_number(out, entry.name.size(), 2);
  append_number(out, extra, 2);
}

/// The zip64 extra field with the values that do not fit; empty where all do.
std::string zip64_extra(std::initializer_list<std::uint64_t> values) {
  std::string fields;
  for (const std::uint64_t value : values) {
    if (value >= kMax32) append_number(fields, value, 8);
  }
  if (fields.empty()) return fields;
  std::string out;
  append_number(out, 1, 2);
  append_number(out, fields.size(), 2);
  return out + fields;
}

void put_central(std::string& out, const ZipEntry& entry) {
  const std::string extra = zip64_extra({entry.size, entry.size, entry.offset});
  append_number(out, kCentralHeader, 4);
  append_number(out, 45, 2);  // made by
  put_common(out, entry, extra.size());
  append_number(out, 0, 2);  // comment
  append_number(out, 0, 2);  // disk
  append_number(out, 0, 2);  // internal attributes
  append_number(out, 0, 4);  // external attributes
  append_number(out, std::min(entry.offset, kMax32), 4);
  append(out, entry.name, extra);
}

void put_end(std::string& out, std::uint64_t count, std::uint64_t offset) {
  const std::uint64_t size = out.size() - offset;
  if (count >= kMax16 || size >= kMax32 || offset >= kMax32) {
    const std::uint64_t wide = out.size();
    append_number(out, kEnd64, 4);
    append_number(out, kEnd64Size - 12, 8);
    append_number(out, 45, 2);
    append_number(out, 45, 2);
    append_number(out, 0, 8);  // both disk numbers
    append_number(out, count, 8);
    append_number(out, count, 8);
    append_number(out, size, 8);
    append_number(out, offset, 8);
    append_number(out, kEnd64Locator, 4);
    append_number(out, 0, 4);
    append_number(out, wide, 8);
    append_number(out, 1, 4);
  }
  append_number(out, kEnd, 4);
  append_number(out, 0, 4);  // both disk numbers
  append_number(out, std::min(count, kMax16), 2);
  append_number(out, std::min(count, kMax16), 2);
  append_number(out, std::min(size, kMax32), 4);
  append_number(out, std::min(offset, kMax32), 4);
  append_number(out, 0, 2);
}

}  // namespace

Diagnostic about_entry(std::string_view name, Diagnostic diagnostic) {
  std::string shown(name.substr(0, 80));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  diagnostic.message = concat("'", shown, "': ", diagnostic.message);
  return diagnostic;
}

Result<std::vector<ZipEntry>, Diagnostic> read_zip_directory(std::string_view content) {
  const Result<Directory, Diagnostic> directory = find_directory(content);
  if (!directory) return directory.error();
  if (!fits(content, directory->offset, directory->size) || directory->count > directory->size / kCentralSize) {
    return zip_error("the central directory does not fit into the file");
  }
  std::string_view rest = content.substr(directory->offset, directory->size);
  std::vector<ZipEntry> entries;
  for (std::uint64_t i = 0; i < directory->count; ++i) {
    if (rest.size() < kCentralSize || field(rest, 0, 4) != kCentralHeader) {
      return zip_error(concat("entry ", i, " of the central directory is damaged"));
    }
    const std::uint64_t name = field(rest, 28, 2);
    const std::uint64_t extra = field(rest, 30, 2);
    const std::uint64_t all = kCentralSize + name + extra + field(rest, 32, 2);
    if (all > rest.size()) return zip_error(concat("entry ", i, " of the central directory is cut off"));
    ZipEntry entry{std::string(rest.substr(kCentralSize, name)),
                   field(rest, 8, 2),
                   field(rest, 10, 2),
                   field(rest, 16, 4),
                   field(rest, 20, 4),
                   field(rest, 24, 4),
                   field(rest, 42, 4)};
    if (!read_zip64(rest.substr(kCentralSize + name, extra), entry)) {
      return about_entry(entry.name, zip_error("its zip64 sizes are missing"));
    }
    entries.push_back(std::move(entry));
    rest.remove_prefix(all);
  }
  if (!rest.empty())
    return zip_error(concat("the central directory holds more than its ", directory->count, " entries"));
  return entries;
}

Result<std::string_view, Diagnostic> read_zip_entry(std::string_view content, const ZipEntry& entry,
                                                    std::string& inflated) {
  if ((entry.flags & 1) != 0) return zip_error("it is encrypted");
  if (!fits(content, entry.offset, kLocalSize) || field(content, entry.offset, 4) != kLocalHeader) {
    return zip_error("its local header is not where the directory says");
  }
  // Sizes in the local header may be missing (a data descriptor follows the data); only its own length is needed.
  const std::uint64_t name = field(content, entry.offset + 26, 2);
  if (content.substr(entry.offset + kLocalSize, name) != entry.name)
    return zip_error("its local header has another name");
  const std::uint64_t begin = entry.offset + kLocalSize + name + field(content, entry.offset + 28, 2);
  if (!fits(content, begin, entry.packed)) return zip_error("its data goes beyond the end of the file");
  std::string_view data = content.substr(begin, entry.packed);
  if (entry.method == 8) {
    Result<std::string, Diagnostic> result = inflate_entry(data, entry.size);
    if (!result) return result.error();
    inflated = std::move(*result);
    data = inflated;
  } else if (entry.method != 0) {
    return zip_error(concat("compression method ", entry.method, " is not read; stored (0) and deflated (8) are"));
  }
  if (data.size() != entry.size) return zip_error("stored with two different sizes");
  if (checksum(data) != entry.crc) return zip_error("its CRC does not match: the data is damaged");
  return data;
}

Result<bool, Diagnostic> ZipWriter::add(std::string_view name, std::string_view data) {
  if (name.size() > kMax16) return about_entry(name, zip_error("the name is longer than a zip archive allows"));
  ZipEntry entry{std::string(name), 0, 0, checksum(data), data.size(), data.size(), out_.size()};
  const std::string extra = zip64_extra({entry.size, entry.size});
  append_number(out_, kLocalHeader, 4);
  put_common(out_, entry, extra.size());
  append(out_, entry.name, extra, data);
  entries_.push_back(std::move(entry));
  return true;
}

std::string ZipWriter::finish() {
  const std::uint64_t offset = out_.size();
  for (const ZipEntry& entry : entries_) put_central(out_, entry);
  put_end(out_, entries_.size(), offset);
  return std::move(out_);
}

}  // namespace steptp
