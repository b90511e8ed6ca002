#include "steptp/tokens/unicode.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <tuple>
#include <utility>

namespace steptp {

namespace {

namespace tables {
struct Range {
  std::uint32_t first, last;
};
struct ClassRange {
  std::uint32_t first, last;
  std::uint8_t combining_class;
};
struct Decomposition {
  std::uint32_t point;
  std::uint32_t parts[4];  // zero where there are fewer
};
struct Composition {
  std::uint32_t first, second, composed;
};
// Generated rows: clang would have braces around every pair in them.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wmissing-braces"
#endif
#include "steptp/tokens/unicode_tables.inc"
#ifdef __clang__
#pragma clang diagnostic pop
#endif
}  // namespace tables

constexpr std::uint32_t kPoints = 0x110000;

// Hangul syllables are composed by arithmetic (Unicode standard, section 3.12).
constexpr std::uint32_t kSyllables = 0xac00, kLeads = 0x1100, kVowels = 0x1161, kTrails = 0x11a7;
constexpr std::uint32_t kLeadCount = 19, kVowelCount = 21, kTrailCount = 28;
constexpr std::uint32_t kSyllableCount = kLeadCount * kVowelCount * kTrailCount;

/// The length of the code point at the start of the text, or minus the length of the longest start of one (at
/// least 1) where the bytes are not UTF-8.
int utf8_step(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const int length = first >= 0xc2 && first < 0xe0   ? 2
                     : first >= 0xe0 && first < 0xf0 ? 3
                     : first >= 0xf0 && first < 0xf5 ? 4
                                                     : 0;
  if (length == 0) return -1;
  // The second byte has a narrower range after some first bytes: overlong forms, surrogates, above U+10FFFF.
  const unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (text.size() < 2 || byte(1) < low || byte(1) > high) return -1;
  for (int i = 2; i < length; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (at >= text.size() || (byte(at) & 0xc0) != 0x80) return -i;
  }
  return length;
}

std::size_t ascii_prefix(std::string_view text) {
  std::size_t at = 0;
  for (std::uint64_t eight; at + 8 <= text.size(); at += 8) {
    std::memcpy(&eight, text.data() + at, 8);
    if ((eight & 0x8080808080808080ULL) != 0) break;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

}  // namespace

void append_point(std::string& out, std::uint32_t point) {
  const auto put = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xc0 | point >> 6);
    put(0x80 | (point & 0x3f));
  } else if (point < 0x10000) {
    put(0xe0 | point >> 12);
    put(0x80 | (point >> 6 & 0x3f));
    put(0x80 | (point & 0x3f));
  } else {
    put(0xf0 | point >> 18);
    put(0x80 | (point >> 12 & 0x3f));
    put(0x80 | (point >> 6 & 0x3f));
    put(0x80 | (point & 0x3f));
  }
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (true) {
    at += ascii_prefix(text.substr(at));
    // Scripts without ASCII come in runs; stay here until the next ASCII byte.
    while (at < text.size() && static_cast<unsigned char>(text[at]) >= 0x80) {
      const int step = utf8_step(text.substr(at));
      if (step < 0) return at;
      at += static_cast<std::size_t>(step);
    }
    if (at == text.size()) return std::nullopt;
  }
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const int step = utf8_step(text);
    if (step > 0) {
      out.append(text.substr(0, static_cast<std::size_t>(step)));
    } else {
      out.append("\xef\xbf\xbd");
    }
    text.remove_prefix(static_cast<std::size_t>(step > 0 ? step : -step));
  }
  return out;
}

const UnicodeTables& UnicodeTables::get() {
  static const UnicodeTables kInstance;
  return kInstance;
}

UnicodeTables::UnicodeTables() : classes_(kPoints, 0) {
  const auto mark = [this](const auto& ranges, CharacterClass flag) {
    for (const tables::Range& range : ranges) {
      for (std::uint32_t point = range.first; point <= range.last; ++point) {
        classes_[point] = static_cast<CharacterClass>(classes_[point] | flag);
      }
    }
  };
  mark(tables::kLetters, kLetter);
  mark(tables::kNumbers, kNumber);
  mark(tables::kSpaces, kSpace);
  mark(tables::kWordCharacters, kWordCharacter);
  mark(tables::kNormalizing, kNormalizing);
  for (const char newline : {'\r', '\n'}) {
    auto& of_newline = classes_[static_cast<std::size_t>(newline)];
    of_newline = static_cast<CharacterClass>(of_newline | kNewline);
  }
}

std::uint8_t UnicodeTables::combining_class(std::uint32_t point) const {
  if ((classes_[point] & kNormalizing) == 0) return 0;
  const auto* after = std::upper_bound(std::begin(tables::kCombiningClasses), std::end(tables::kCombiningClasses),
                                       point, [](std::uint32_t p, const auto& range) { return p < range.first; });
  if (after == std::begin(tables::kCombiningClasses)) return 0;
  const tables::ClassRange& range = *(after - 1);
  return point <= range.last ? range.combining_class : std::uint8_t{0};
}

std::uint32_t UnicodeTables::compose(std::uint32_t first, std::uint32_t second) const {
  if (first - kLeads < kLeadCount && second - kVowels < kVowelCount) {
    return kSyllables + ((first - kLeads) * kVowelCount + (second - kVowels)) * kTrailCount;
  }
  if (first - kSyllables < kSyllableCount && (first - kSyllables) % kTrailCount == 0 && second > kTrails &&
      second < kTrails + kTrailCount) {
    return first + (second - kTrails);
  }
  const std::pair wanted(first, second);
  const auto* found =
      std::lower_bound(std::begin(tables::kCompositions), std::end(tables::kCompositions), wanted,
                       [](const auto& pair, const auto& key) { return std::pair(pair.first, pair.second) < key; });
  if (found == std::end(tables::kCompositions) || found->first != first || found->second != second) return 0;
  return found->composed;
}

void UnicodeTables::decompose(std::uint32_t point, std::vector<std::uint32_t>& out) const {
  if (point < 0xc0) {
    out.push_back(point);
    return;
  }
  if (const std::uint32_t index = point - kSyllables; index < kSyllableCount) {
    out.push_back(kLeads + index / (kVowelCount * kTrailCount));
    out.push_back(kVowels + index % (kVowelCount * kTrailCount) / kTrailCount);
    if (index % kTrailCount != 0) out.push_back(kTrails + index % kTrailCount);
    return;
  }
  const auto* found = std::lower_bound(std::begin(tables::kDecompositions), std::end(tables::kDecompositions), point,
                                       [](const auto& entry, std::uint32_t key) { return entry.point < key; });
  if (found == std::end(tables::kDecompositions) || found->point != point) {
    out.push_back(point);
    return;
  }
  for (const std::uint32_t part : found->parts) {
    if (part != 0) out.push_back(part);
  }
}

/// Orders the marks of decomposed points, composes, and writes the result; `points` is used up.
void UnicodeTables::append_composed(std::vector<std::uint32_t>& points, std::string& out) const {
  std::vector<std::uint8_t> classes(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) classes[i] = combining_class(points[i]);
  // Each run of marks is ordered by class, equal classes in their old order.
  for (std::size_t i = 0; i < points.size();) {
    std::size_t end = i + 1;
    if (classes[i] != 0) {
      while (end < points.size() && classes[end] != 0) ++end;
      std::vector<std::pair<std::uint8_t, std::uint32_t>> run;
      for (std::size_t k = i; k < end; ++k) run.emplace_back(classes[k], points[k]);
      std::stable_sort(run.begin(), run.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      for (std::size_t k = i; k < end; ++k) std::tie(classes[k], points[k]) = run[k - i];
    }
    i = end;
  }
  // A mark joins the last starter unless something of its own class or a higher one stands between them.
  constexpr std::size_t kNone = SIZE_MAX;
  std::size_t starter = kNone, kept = 0;
  int last_class = -1;  // of the last point kept since the starter
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (starter != kNone && last_class < static_cast<int>(classes[i])) {
      if (const std::uint32_t composed = compose(points[starter], points[i]); composed != 0) {
        points[starter] = composed;
        continue;
      }
    }
    if (classes[i] == 0) {
      starter = kept;
      last_class = -1;
    } else {
      last_class = classes[i];
    }
    points[kept++] = points[i];
  }
  for (std::size_t i = 0; i < kept; ++i) append_point(out, points[i]);
  points.clear();
}

bool UnicodeTables::is_surely_nfc(std::string_view text) const {
  for (std::size_t at = ascii_prefix(text); at < text.size();) {
    const auto [point, length] = decode_point(text.data() + at);
    if ((classes_[point] & kNormalizing) != 0) return false;
    at += length;
  }
  return true;
}

void UnicodeTables::append_nfc(std::string_view text, std::string& out) const {
  // Nothing before a code point without the flag can change it, and it can change only by flagged ones after it; so
  // stretches from such a base up to the next one are rebuilt where they hold a flagged point, all else is copied.
  std::vector<std::uint32_t> points;
  std::size_t copied = 0, base = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto [point, length] = decode_point(text.data() + at);
    if ((classes_[point] & kNormalizing) == 0) {
      base = at;
      at += length;
      continue;
    }
    out.append(text.substr(copied, base - copied));
    for (at = base; at < text.size();) {
      const auto [part, part_length] = decode_point(text.data() + at);
      if (at != base && (classes_[part] & kNormalizing) == 0) break;
      decompose(part, points);
      at += part_length;
    }
    append_composed(points, out);
    copied = base = at;
  }
  out.append(text.substr(copied));
}

}  // namespace steptp
