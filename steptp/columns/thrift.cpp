#include "steptp/columns/thrift.h"

#include "steptp/base/text.h"

namespace steptp {

void ThriftWriter::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>((value & 0x7f) | 0x80));
  bytes_.push_back(static_cast<char>(value));
}

void ThriftWriter::zigzag(std::int64_t value) {
  varint((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
}

void ThriftWriter::header(int field, ThriftType type) {
  const int step = field - last_field_.back();
  last_field_.back() = field;
  if (step > 0 && step < 16) {
    bytes_.push_back(static_cast<char>(step << 4 | static_cast<int>(type)));
    return;
  }
  bytes_.push_back(static_cast<char>(type));
  zigzag(field);
}

void ThriftWriter::integer(int field, ThriftType type, std::int64_t value) {
  header(field, type);
  zigzag(value);
}

void ThriftWriter::element_text(std::string_view value) {
  varint(value.size());
  bytes_.append(value);
}

void ThriftWriter::text(int field, std::string_view value) {
  header(field, ThriftType::text);
  element_text(value);
}

void ThriftWriter::list(int field, ThriftType element, std::size_t size) {
  header(field, ThriftType::list);
  const auto type = static_cast<unsigned>(element);
  if (size < 15) {
    bytes_.push_back(static_cast<char>(static_cast<unsigned>(size) << 4 | type));
    return;
  }
  bytes_.push_back(static_cast<char>(0xf0U | type));
  varint(size);
}

void ThriftWriter::structure(int field) {
  header(field, ThriftType::structure);
  open();
}

void ThriftWriter::close() {
  bytes_.push_back('\0');
  last_field_.pop_back();
}

namespace {

/// Anything unexpected ends the reading; the caller sees `failed`.
class ThriftReader {
 public:
  explicit ThriftReader(std::string_view bytes) : bytes_(bytes) {}

  Json structure(int depth) {
    Json out{Json::Object{}};
    int field = 0;
    while (!failed) {
      const unsigned head = byte();
      if (head == 0 || failed) break;
      const auto step = static_cast<int>(head >> 4);
      field = step != 0 ? field + step : static_cast<int>(zigzag());
      out.set(std::to_string(field), value(head & 0xf, depth));
    }
    return out;
  }

  std::size_t at = 0;
  bool failed = false;

 private:
  static constexpr int kMaxDepth = 16;

  unsigned byte() {
    if (at < bytes_.size()) return static_cast<unsigned char>(bytes_[at++]);
    failed = true;
    return 0;
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const unsigned next = byte();
      value |= std::uint64_t{next & 0x7f} << shift;
      if (next < 0x80) return value;
    }
    failed = true;
    return 0;
  }

  std::int64_t zigzag() {
    const std::uint64_t value = varint();
    return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
  }

  Json text() {
    const std::uint64_t size = varint();
    if (size > bytes_.size() - at) {
      failed = true;
      return {};
    }
    at += size;
    return Json(bytes_.substr(at - size, size));
  }

  Json list(int depth) {
    const unsigned head = byte();
    const std::uint64_t size = head >> 4 == 15 ? varint() : head >> 4;
    Json::Array items;
    for (std::uint64_t i = 0; i < size && !failed; ++i) items.push_back(value(head & 0xf, depth));
    return items;
  }

  Json value(unsigned type, int depth) {
    if (depth > kMaxDepth) failed = true;
    if (failed) return {};
    switch (type) {
      case 1: return true;
      case 2: return false;
      case 3: return static_cast<int>(static_cast<signed char>(byte()));
      case 4:
      case 5:
      case 6: return zigzag();
      case 8: return text();
      case 9: return list(depth + 1);
      case 12: return structure(depth + 1);
      default: failed = true; return {};
    }
  }

  std::string_view bytes_;
};

}  // namespace

Result<Json, std::string> read_thrift(std::string_view bytes, std::size_t* used) {
  ThriftReader reader(bytes);
  Json out = reader.structure(0);
  if (reader.failed) return concat("no Thrift structure, or one cut short, at byte ", reader.at);
  if (used != nullptr) *used = reader.at;
  return out;
}

}  // namespace steptp
