#include "steptp/oracle/npy.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>

#include "steptp/base/text.h"
#include "steptp/ir/dtype_facts.h"

namespace steptp {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxRank = 64;  // numpy's own
constexpr std::size_t kMaxHeader = std::size_t{1} << 16;

Diagnostic npy_error(std::string message, std::string hint = {}) {
  return make_error("npy", std::move(message), std::move(hint));
}

/// Bytes of a foreign file in a message: what is not plain text becomes '?', and a long one is cut.
std::string shown(std::string_view text) {
  std::string out(text.substr(0, 40));
  for (char& c : out) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text.size() > 40 ? out + "..." : out;
}

struct Header {
  DType dtype = DType::f32;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// Reads the Python dict of a header: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }. Each step answers
/// whether it found what it wanted; `wanted` keeps what that was, for the message.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  Result<Header, Diagnostic> read() {
    if (!read_dict()) return npy_error(concat("the header is wrong at its byte ", position_, ": expected ", wanted_));
    if (!descr_ || !order_ || !shape_) return npy_error("the header lacks 'descr', 'fortran_order' or 'shape'");
    // One byte has no order; old numpy wrote '<' or '=' there too.
    std::string descr = *descr_;
    if (descr.size() == 3 && descr[2] == '1') descr[0] = '|';
    for (const DType dtype : kAllDTypes) {
      if (!descr.empty() && descr == facts_of(dtype).numpy) return Header{dtype, *order_, *shape_};
    }
    return npy_error(concat("element type '", shown(*descr_), "' is not read"),
                     "save float64, float32, float16, int64, int32, int16, int8, uint8 or bool in little endian; "
                     "bfloat16 as float32");
  }

 private:
  bool want(std::string_view what) {
    wanted_ = what;
    return false;
  }

  void skip_blanks() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n')) ++position_;
  }

  bool accept(std::string_view token) {
    skip_blanks();
    if (!text_.substr(position_).starts_with(token)) return false;
    position_ += token.size();
    return true;
  }

  bool read_string(std::string& out) {
    skip_blanks();
    const char quote = position_ < text_.size() ? text_[position_] : '\0';
    if (quote != '\'' && quote != '"') return want("a string");
    const std::size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) return want("the end of a string");
    out = text_.substr(position_ + 1, end - position_ - 1);
    position_ = end + 1;
    return true;
  }

  bool read_shape() {
    if (!accept("(")) return want("'('");
    std::vector<std::int64_t> shape;
    while (!accept(")")) {
      if (!shape.empty() && !accept(",")) return want("',' or ')'");
      if (accept(")")) break;
      std::int64_t extent = -1;
      skip_blanks();
      const char* const end = text_.data() + text_.size();
      const auto [next, status] = std::from_chars(text_.data() + position_, end, extent);
      if (status != std::errc{} || extent < 0) return want("an extent below 2^63");
      position_ = static_cast<std::size_t>(next - text_.data());
      if (shape.size() == kMaxRank) return want("at most 64 extents");
      shape.push_back(extent);
    }
    shape_ = std::move(shape);
    return true;
  }

  bool read_value(std::string_view key) {
    if (key == "descr" && !descr_) {
      descr_.emplace();
      return read_string(*descr_);
    }
    if (key == "fortran_order" && !order_) {
      if (accept("True")) order_ = true;
      if (!order_ && accept("False")) order_ = false;
      return order_.has_value() || want("True or False");
    }
    if (key == "shape" && !shape_) return read_shape();
    return want("each of the keys 'descr', 'fortran_order', 'shape' once");
  }

  bool read_dict() {
    if (!accept("{")) return want("a dict");
    bool first = true;
    while (!accept("}")) {
      if (!first && !accept(",")) return want("',' or '}'");
      first = false;
      if (accept("}")) break;
      std::string key;
      if (!read_string(key)) return false;
      if (!accept(":")) return want("':'");
      if (!read_value(key)) return false;
    }
    skip_blanks();
    return position_ == text_.size() || want("nothing after the dict");
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::string_view wanted_;
  std::optional<std::string> descr_;
  std::optional<bool> order_;
  std::optional<std::vector<std::int64_t>> shape_;
};

/// The number of bytes of a shape; none where it does not fit. An extent of 0 does not hide an absurd one beside it.
std::optional<std::size_t> byte_count(DType dtype, const std::vector<std::int64_t>& shape) {
  auto bytes = static_cast<std::uint64_t>(info(dtype).bytes);
  bool empty = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    empty = empty || extent == 0;
    const auto factor = static_cast<std::uint64_t>(extent == 0 ? 1 : extent);
    if (bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / factor) return std::nullopt;
    bytes *= factor;
  }
  return empty ? 0 : bytes;
}

/// Fortran order (first index fastest) to C order (last index fastest).
std::vector<std::byte> to_c_order(const std::byte* from, std::size_t bytes, const Header& header) {
  const auto width = static_cast<std::size_t>(info(header.dtype).bytes);
  const std::size_t rank = header.shape.size();
  std::vector<std::size_t> stride(rank);
  std::size_t next = width;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    stride[axis] = next;
    next *= static_cast<std::size_t>(header.shape[axis]);
  }
  std::vector<std::byte> out(bytes);
  std::vector<std::int64_t> index(rank, 0);
  std::size_t offset = 0;
  for (std::size_t to = 0; to < bytes; to += width) {
    std::memcpy(out.data() + to, from + offset, width);
    for (std::size_t axis = rank; axis-- > 0;) {
      offset += stride[axis];
      if (++index[axis] < header.shape[axis]) break;
      offset -= stride[axis] * static_cast<std::size_t>(header.shape[axis]);
      index[axis] = 0;
    }
  }
  return out;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string out = "(";
  for (const std::int64_t extent : shape) append(out, extent, shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1) out.resize(out.size() - 2);
  return out + ")";
}

}  // namespace

Result<Array, Diagnostic> parse_npy(std::string_view content) {
  if (!content.starts_with(kMagic)) return npy_error("not a .npy array: it does not begin with \\x93NUMPY");
  if (content.size() < 12) return npy_error("cut off inside the header");
  const auto byte_at = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(content[i])); };
  const std::size_t version = byte_at(6);
  if (version < 1 || version > 3) return npy_error(concat(".npy version ", version, " is not read; 1, 2 and 3 are"));
  const std::size_t begin = version == 1 ? 10 : 12;
  std::size_t length = byte_at(8) | byte_at(9) << 8;
  if (version > 1) length |= byte_at(10) << 16 | byte_at(11) << 24;
  if (length > kMaxHeader)
    return npy_error(concat("a header of ", length, " bytes; at most ", kMaxHeader, " are read"));
  if (length > content.size() - begin) return npy_error("cut off inside the header");

  const Result<Header, Diagnostic> header = HeaderReader(content.substr(begin, length)).read();
  if (!header) return header.error();
  const std::optional<std::size_t> bytes = byte_count(header->dtype, header->shape);
  const std::size_t present = content.size() - begin - length;
  if (!bytes) return npy_error(concat("the shape ", shape_text(header->shape), " is too large for any memory"));
  if (*bytes != present) {
    return npy_error(concat("the shape ", shape_text(header->shape), " of ", code(header->dtype), " needs ", *bytes,
                            " bytes, ", present, " are there"));
  }
  Array array{header->dtype, header->shape, {}};
  const auto* from = reinterpret_cast<const std::byte*>(content.data() + begin + length);
  if (header->fortran_order && header->shape.size() > 1) {
    array.data = to_c_order(from, *bytes, *header);
  } else {
    array.data.assign(from, from + *bytes);
  }
  if (array.dtype == DType::boolean) {
    for (std::byte& value : array.data) value = value == std::byte{0} ? std::byte{0} : std::byte{1};
  }
  return array;
}

bool is_consistent(const Array& array) { return byte_count(array.dtype, array.shape) == array.data.size(); }

std::string format_npy(const Array& array) {
  // What numpy has no type for is bf16, which is kept as f32.
  const std::string_view own = facts_of(array.dtype).numpy;
  const std::string_view descr = own.empty() ? facts_of(DType::f32).numpy : own;
  std::string header =
      concat("{'descr': '", descr, "', 'fortran_order': False, 'shape': ", shape_text(array.shape), ", }");
  // numpy pads with blanks so that the data begins at a multiple of 64 bytes, and ends the header with a newline.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header.push_back('\n');
  std::string out = concat(kMagic, '\x01', '\x00', static_cast<char>(header.size() & 255),
                           static_cast<char>(header.size() >> 8), header);
  if (array.dtype != DType::bf16) {
    out.append(reinterpret_cast<const char*>(array.data.data()), array.data.size());
    return out;
  }
  for (std::size_t i = 0; i + 1 < array.data.size(); i += 2) {
    out.append(2, '\0');
    out.append(reinterpret_cast<const char*>(array.data.data() + i), 2);
  }
  return out;
}

Result<Array, Diagnostic> as_dtype(Array array, DType wanted) {
  if (array.dtype == wanted) return array;
  if (array.dtype != DType::f32 || wanted != DType::bf16) {
    return npy_error(concat("the array is ", code(array.dtype), ", ", code(wanted), " is wanted"),
                     wanted == DType::bf16 ? "store bf16 values as float32" : "");
  }
  Array out{wanted, array.shape, {}};
  out.data.reserve(array.data.size() / 2);
  for (std::size_t i = 0; i + 3 < array.data.size(); i += 4) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, array.data.data() + i, 4);
    // Any NaN is fine: there is only one in the language.
    const bool nan = (bits & 0x7fffffffU) > 0x7f800000U;
    if (nan) bits = 0x7fc00000U;
    if ((bits & 0xffffU) != 0) {
      return npy_error(concat("element ", i / 4, " is an f32 that no bf16 equals"), "round it to bf16 before saving");
    }
    const auto half = static_cast<std::uint16_t>(bits >> 16);
    out.data.push_back(static_cast<std::byte>(half & 255));
    out.data.push_back(static_cast<std::byte>(half >> 8));
  }
  return out;
}

}  // namespace steptp
