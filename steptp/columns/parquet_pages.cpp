#include "steptp/columns/parquet_pages.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/columns/compression.h"
#include "steptp/columns/parquet_layout.h"
#include "steptp/columns/snappy.h"
#include "steptp/columns/thrift.h"

namespace steptp {

namespace {

using Problem = std::string;

/// Page types, codecs and encodings by the format's numbers.
constexpr std::int64_t kDataPage = 0, kDictionaryPage = 2, kDataPageV2 = 3;
constexpr std::int64_t kPlain = 0, kPlainDictionary = 2, kRuns = 3, kDictionary = 8;
constexpr std::int64_t kMostPage = std::int64_t{1} << 30;

template <typename Number>
std::optional<Number> take_number(std::string_view& bytes) {
  if (bytes.size() < sizeof(Number)) return std::nullopt;
  Number number;
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
  return number;
}

unsigned bits_for(unsigned most) {
  unsigned bits = 0;
  while (most >> bits != 0) ++bits;
  return bits;
}

/// `count` numbers of `bits` each, in runs of one value or packed eight by eight.
Result<std::vector<unsigned>, Problem> take_runs(std::string_view bytes, unsigned bits, std::uint64_t count) {
  std::vector<unsigned> out;
  if (bits > 32) return Problem("numbers of more than 32 bits");
  while (out.size() < count) {
    std::uint64_t head = 0;
    unsigned shift = 0;
    bool is_more = true;
    for (; is_more && !bytes.empty() && shift < 35; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes.front());
      bytes.remove_prefix(1);
      head |= std::uint64_t{byte & 0x7fU} << shift;
      is_more = byte >= 0x80;
    }
    if (is_more) return Problem("a run is cut short");
    const std::uint64_t left = count - out.size();
    if ((head & 1) == 0) {
      const std::size_t width = (bits + 7) / 8;
      if (bytes.size() < width || head >> 1 == 0) return Problem("a run is cut short");
      unsigned value = 0;
      for (std::size_t i = 0; i < width; ++i) value |= unsigned{static_cast<unsigned char>(bytes[i])} << (8 * i);
      bytes.remove_prefix(width);
      out.insert(out.end(), std::min(head >> 1, left), value);
      continue;
    }
    const std::uint64_t packed = (head >> 1) * 8;
    const std::uint64_t size = (head >> 1) * bits;
    if (size > bytes.size() || head >> 1 == 0) return Problem("packed numbers are cut short");
    for (std::uint64_t i = 0; i < std::min(packed, left); ++i) {
      unsigned value = 0;
      for (unsigned bit = 0; bit < bits; ++bit) {
        const std::uint64_t at = i * bits + bit;
        value |= (static_cast<unsigned char>(bytes[at / 8]) >> (at % 8) & 1U) << bit;
      }
      out.push_back(value);
    }
    bytes.remove_prefix(size);
  }
  return out;
}

std::optional<Json> take_plain(std::string_view& bytes, int type) {
  const auto as_json = [](auto number) { return number ? std::optional(Json(*number)) : std::nullopt; };
  switch (type) {
    case 1: {
      const auto number = take_number<std::int32_t>(bytes);
      return number ? std::optional(Json(std::int64_t{*number})) : std::nullopt;
    }
    case 2: return as_json(take_number<std::int64_t>(bytes));
    case 4: {
      const auto number = take_number<float>(bytes);
      return number ? std::optional(Json(double{*number})) : std::nullopt;
    }
    case 5: return as_json(take_number<double>(bytes));
    case 6: {
      const auto size = take_number<std::uint32_t>(bytes);
      if (!size || *size > bytes.size()) return std::nullopt;
      Json out(bytes.substr(0, *size));
      bytes.remove_prefix(*size);
      return out;
    }
    default: return std::nullopt;
  }
}

class ColumnReader {
 public:
  ColumnReader(const ParquetBytes& file, const Json& chunk, const ParquetColumn& column)
      : file_(file), about_(chunk.find("3")), column_(column) {}

  Result<ParquetValues, Problem> read() {
    const std::int64_t first = parquet_integer(about_, "9");
    const std::int64_t dictionary = parquet_integer(about_, "11");
    const auto bytes = file_.at(dictionary > 0 ? std::min(first, dictionary) : first, parquet_integer(about_, "7"));
    if (!bytes) return told("lies outside the file");
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(0, parquet_integer(about_, "5")));
    std::string_view rest = *bytes;
    while (out_.definitions.size() < count) {
      std::size_t used = 0;
      const auto header = read_thrift(rest, &used);
      if (!header) return told(header.error());
      rest.remove_prefix(used);
      const std::int64_t size = parquet_integer(&*header, "3");
      if (size < 0 || static_cast<std::uint64_t>(size) > rest.size()) return told("has a page that is cut short");
      if (const Problem problem = read_page(*header, rest.substr(0, static_cast<std::size_t>(size)));
          !problem.empty()) {
        return told(problem);
      }
      rest.remove_prefix(static_cast<std::size_t>(size));
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] Problem told(std::string_view what) const { return concat("column ", column_.name, " ", what); }

  /// The content of a page; nothing after a problem, which is kept.
  std::optional<std::string> unpacked(std::string_view page, std::int64_t size) {
    problem_ = "has a damaged page";
    if (size < 0 || size > kMostPage) return std::nullopt;
    const auto limit = static_cast<std::size_t>(size);
    const std::int64_t codec = parquet_integer(about_, "4");
    switch (codec) {
      case 0: return std::string(page);
      case 1: return snappy_decompress(page, limit);
      case 2:
      case 6: {
        auto content = codec == 2 ? gunzip(page, limit) : zstd_decompress(page, limit);
        return content ? std::optional(std::move(content).value()) : std::nullopt;
      }
      default:
        problem_ = concat("is compressed by codec ", codec, "; uncompressed, snappy, gzip and zstd can be read");
        return std::nullopt;
    }
  }

  Problem read_page(const Json& header, std::string_view page) {
    const std::int64_t size = parquet_integer(&header, "2");
    switch (parquet_integer(&header, "1")) {
      case kDictionaryPage: {
        const auto content = unpacked(page, size);
        return content ? read_dictionary(*content, parquet_integer(header.find("7"), "1")) : problem_;
      }
      case kDataPage: {
        const auto content = unpacked(page, size);
        const Json* about = header.find("5");
        if (!content) return problem_;
        return read_data(*content, parquet_integer(about, "1"), parquet_integer(about, "2"));
      }
      case kDataPageV2: return read_second_version(header, page, size);
      default: return {};  // indices of pages hold no values
    }
  }

  Problem read_dictionary(std::string_view bytes, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      auto value = take_plain(bytes, column_.type);
      if (!value) return "has a dictionary that is cut short";
      dictionary_.push_back(*std::move(value));
    }
    return {};
  }

  Problem add_levels(std::string_view bytes, unsigned most, std::int64_t count, std::vector<unsigned>& into) {
    if (most == 0) {
      into.insert(into.end(), static_cast<std::size_t>(count), 0U);
      return {};
    }
    const auto levels = take_runs(bytes, bits_for(most), static_cast<std::uint64_t>(count));
    if (!levels) return levels.error();
    for (const unsigned level : *levels) {
      if (level > most) return "has a level that is too high";
    }
    into.insert(into.end(), levels->begin(), levels->end());
    return {};
  }

  Problem read_data(std::string_view page, std::int64_t count, std::int64_t encoding) {
    if (count < 0 || count > kMostPage) return "has a page without a number of values";
    const std::size_t begin = out_.definitions.size();
    for (const auto& [most, into] :
         {std::pair(column_.max_repetition, &out_.repetitions), std::pair(column_.max_definition, &out_.definitions)}) {
      // A level that can only be 0 is not written.
      if (most == 0) {
        if (Problem problem = add_levels({}, most, count, *into); !problem.empty()) return problem;
        continue;
      }
      const auto size = take_number<std::uint32_t>(page);
      if (!size || *size > page.size()) return "has levels that are cut short";
      if (Problem problem = add_levels(page.substr(0, *size), most, count, *into); !problem.empty()) return problem;
      page.remove_prefix(*size);
    }
    return read_values(page, encoding, begin);
  }

  /// Here levels are not compressed, and their sizes stand in the header.
  Problem read_second_version(const Json& header, std::string_view page, std::int64_t size) {
    const Json* about = header.find("8");
    const std::int64_t count = parquet_integer(about, "1");
    const std::int64_t definitions = parquet_integer(about, "5");
    const std::int64_t repetitions = parquet_integer(about, "6");
    if (count < 0 || count > kMostPage || definitions < 0 || repetitions < 0 ||
        static_cast<std::uint64_t>(definitions + repetitions) > page.size()) {
      return "has levels that are cut short";
    }
    const std::size_t begin = out_.definitions.size();
    for (const auto& [bytes, most, into] : {std::tuple(repetitions, column_.max_repetition, &out_.repetitions),
                                            std::tuple(definitions, column_.max_definition, &out_.definitions)}) {
      const std::string_view levels = page.substr(0, static_cast<std::size_t>(bytes));
      if (Problem problem = add_levels(levels, most, count, *into); !problem.empty()) return problem;
      page.remove_prefix(levels.size());
    }
    const Json* is_compressed = about->find("7");
    if (is_compressed && is_compressed->as_bool() && !*is_compressed->as_bool()) {
      return read_values(page, parquet_integer(about, "4"), begin);
    }
    const auto content = unpacked(page, size - definitions - repetitions);
    return content ? read_values(*content, parquet_integer(about, "4"), begin) : problem_;
  }

  /// The values of the places from `begin` on that have one.
  Problem read_values(std::string_view bytes, std::int64_t encoding, std::size_t begin) {
    std::uint64_t wanted = 0;
    for (std::size_t i = begin; i < out_.definitions.size(); ++i)
      wanted += out_.definitions[i] == column_.max_definition;
    if (wanted == 0) return {};
    switch (encoding) {
      case kPlain:
        if (column_.type == 0) return read_bits(bytes, wanted);
        for (std::uint64_t i = 0; i < wanted; ++i) {
          auto value = take_plain(bytes, column_.type);
          if (!value) return "has values that are cut short";
          out_.values.push_back(*std::move(value));
        }
        return {};
      case kPlainDictionary:
      case kDictionary: return read_numbers(bytes, wanted);
      case kRuns: {
        if (column_.type != 0 || bytes.size() < 4) return "has values in runs";
        const auto bits = take_runs(bytes.substr(4), 1, wanted);
        if (!bits) return bits.error();
        for (const unsigned bit : *bits) out_.values.emplace_back(bit != 0);
        return {};
      }
      default: return concat("is encoded in way ", encoding, "; plain values and dictionaries can be read");
    }
  }

  Problem read_bits(std::string_view bytes, std::uint64_t count) {
    if ((count + 7) / 8 > bytes.size()) return "has values that are cut short";
    for (std::uint64_t i = 0; i < count; ++i) {
      out_.values.emplace_back((static_cast<unsigned char>(bytes[i / 8]) >> (i % 8) & 1U) != 0);
    }
    return {};
  }

  Problem read_numbers(std::string_view bytes, std::uint64_t count) {
    if (bytes.empty()) return "has values that are cut short";
    const auto numbers = take_runs(bytes.substr(1), static_cast<unsigned char>(bytes[0]), count);
    if (!numbers) return numbers.error();
    for (const unsigned number : *numbers) {
      if (number >= dictionary_.size()) return "names a value that its dictionary does not have";
      out_.values.push_back(dictionary_[number]);
    }
    return {};
  }

  const ParquetBytes& file_;
  const Json* about_;
  const ParquetColumn& column_;
  std::vector<Json> dictionary_;
  Problem problem_;
  ParquetValues out_;
};

}  // namespace

Result<ParquetValues, std::string> read_parquet_column(const ParquetBytes& file, const Json& chunk,
                                                       const ParquetColumn& column) {
  const Json* about = chunk.as_object() ? chunk.find("3") : nullptr;
  if (!about || !about->as_object()) return std::string("a column is not described");
  return ColumnReader(file, chunk, column).read();
}

}  // namespace steptp
