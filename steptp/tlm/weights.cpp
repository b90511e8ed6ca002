#include "steptp/tlm/weights.h"

#include <cstring>
#include <optional>

#include "steptp/base/file.h"
#include "steptp/base/sha256.h"
#include "steptp/base/text.h"

namespace steptp::tlm {

namespace {

constexpr std::string_view kFirstLine = "steptp-tlm-weights 1\n";
constexpr std::size_t kDigest = 64;
/// More than any model here will have; they keep products of sizes far from overflow.
constexpr std::int64_t kMostLayers = 64;
constexpr std::int64_t kMostWidth = 4096;
constexpr std::int64_t kMostPositions = 4096;
constexpr std::int64_t kMostTokens = 65536;

Diagnostic damaged(const std::string& name, std::string reason) {
  return make_error("weights", concat(name, ": ", reason),
                    "take the file again from where it came from; `steptp tlm train` writes such files");
}

/// Takes the numbers of a file one tensor after the other.
class Numbers {
 public:
  Numbers(Storage storage, std::string_view bytes) : storage_(storage), bytes_(bytes) {}

  std::span<const char> take(std::size_t count) {
    const std::size_t size = count * bytes_of_one();
    const std::span<const char> out(bytes_.data() + at_, size);
    at_ += size;
    return out;
  }

  std::vector<float> floats(std::size_t count) {
    const std::span<const char> from = take(count);
    std::vector<float> out(count);
    if (storage_ == Storage::f32) {
      std::memcpy(out.data(), from.data(), from.size());
      return out;
    }
    for (std::size_t i = 0; i < count; ++i) {
      std::uint16_t half = 0;
      std::memcpy(&half, from.data() + i * sizeof half, sizeof half);
      const std::uint32_t word = std::uint32_t{half} << 16;
      std::memcpy(&out[i], &word, sizeof word);
    }
    return out;
  }

  PackedMatrix matrix(std::size_t outer, std::size_t inner) { return {storage_, take(outer * inner), outer, inner}; }

  [[nodiscard]] std::size_t bytes_of_one() const { return storage_ == Storage::bf16 ? 2 : 4; }

 private:
  Storage storage_;
  std::string_view bytes_;
  std::size_t at_ = 0;
};

std::optional<std::size_t> size_in(const Json& header, std::string_view key, std::int64_t most) {
  const Json* value = header.find(key);
  const std::int64_t* number = value == nullptr ? nullptr : value->as_integer();
  if (number == nullptr || *number < 1 || *number > most) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

/// The sizes, or what is wrong with them.
Result<ModelShape, std::string> shape_in(const Json& header) {
  ModelShape shape;
  struct Row {
    std::string_view key;
    std::int64_t most;
    std::size_t ModelShape::*member;
  };
  constexpr Row kRows[] = {{"layers", kMostLayers, &ModelShape::layers},
                           {"width", kMostWidth, &ModelShape::width},
                           {"heads", kMostWidth, &ModelShape::heads},
                           {"positions", kMostPositions, &ModelShape::positions},
                           {"vocabulary", kMostTokens, &ModelShape::vocabulary}};
  for (const Row& row : kRows) {
    const auto size = size_in(header, row.key, row.most);
    if (!size) return concat("the header's \"", row.key, "\" is no number from 1 to ", row.most);
    shape.*row.member = *size;
  }
  if (shape.width % shape.heads != 0 || shape.head_width() % kPanel != 0) {
    return concat("a width of ", shape.width, " with ", shape.heads, " heads: each head needs a multiple of ", kPanel);
  }
  return shape;
}

std::string text_in(const Json& header, std::string_view key) {
  const Json* value = header.find(key);
  const std::string* text = value == nullptr ? nullptr : value->as_string();
  return text == nullptr ? std::string() : *text;
}

void take_numbers(Numbers numbers, Weights& out) {
  const std::size_t width = out.shape.width;
  const std::size_t tokens = out.shape.vocabulary;
  Numbers again = numbers;
  out.token_rows = numbers.floats(tokens * width);
  out.output = again.matrix(tokens, width);
  out.position_rows = numbers.floats(out.shape.positions * width);
  for (std::size_t i = 0; i < out.shape.layers; ++i) {
    LayerWeights layer;
    layer.attention_norm = numbers.floats(width);
    layer.attention = numbers.matrix(3 * width, width);
    layer.projection = numbers.matrix(width, width);
    layer.feed_norm = numbers.floats(width);
    layer.widen = numbers.matrix(4 * width, width);
    layer.narrow = numbers.matrix(width, 4 * width);
    out.layers.push_back(std::move(layer));
  }
  out.last_norm = numbers.floats(width);
}

}  // namespace

std::size_t ModelShape::parameters() const {
  return (vocabulary + positions) * width + layers * (12 * width * width + 2 * width) + width;
}

Result<Weights, Diagnostic> parse_weights(std::string_view bytes, const std::string& name) {
  if (!bytes.starts_with(kFirstLine)) return damaged(name, "this is no weights file of version 1");
  if (bytes.size() < kFirstLine.size() + kDigest + 1) return damaged(name, "the file is cut");
  const std::string_view content = bytes.substr(0, bytes.size() - kDigest - 1);
  if (bytes.back() != '\n' || sha256_hex(content) != bytes.substr(content.size(), kDigest)) {
    return damaged(name, "its SHA-256 is not the one at its end: the file is cut or damaged");
  }
  const std::size_t end = content.find('\n', kFirstLine.size());
  if (end == std::string_view::npos) return damaged(name, "the header has no end");
  const auto header = parse_json(content.substr(kFirstLine.size(), end - kFirstLine.size()));
  if (!header) return damaged(name, concat("the header: ", header.error().message));
  auto shape = shape_in(*header);
  if (!shape) return damaged(name, shape.error());

  Weights out;
  out.shape = *shape;
  out.vocabulary_sha256 = text_in(*header, "vocabulary_sha256");
  if (out.vocabulary_sha256.size() != kDigest) return damaged(name, "the header has no \"vocabulary_sha256\"");
  if (const Json* version = header->find("space_version")) {
    if (version->as_integer() == nullptr) return damaged(name, "the header's \"space_version\" is no number");
    out.space_version = *version->as_integer();
  }
  const std::string storage = text_in(*header, "storage");
  if (storage != "bf16" && storage != "f32") {
    return damaged(name, concat("the header's \"storage\" is '", storage, "' instead of bf16 or f32"));
  }
  out.storage = storage == "bf16" ? Storage::bf16 : Storage::f32;
  if (const Json* card = header->find("card")) out.card = *card;
  const Numbers numbers(out.storage, content.substr(end + 1));
  const std::size_t wanted = out.shape.parameters() * numbers.bytes_of_one();
  const std::size_t found = content.size() - end - 1;
  if (found != wanted) return damaged(name, concat("it has ", found, " bytes of numbers instead of ", wanted));
  take_numbers(numbers, out);
  return out;
}

Result<Weights, Diagnostic> read_weights(const std::string& path) {
  auto whole = read_file(path);
  if (whole) return parse_weights(*whole, path);
  std::string bytes;
  for (std::size_t part = 0;; ++part) {
    const auto piece = read_file(concat(path, ".", part));
    if (!piece && part == 0) return whole.error();
    if (!piece) return parse_weights(bytes, path);
    bytes += *piece;
  }
}

}  // namespace steptp::tlm
