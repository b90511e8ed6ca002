#include "steptp/ir/names.h"

#include <string_view>

namespace steptp {

namespace {

/// The word with this number: first all words of one letter, then of two, ... in the order of the letters. The first
/// letter comes from `first`, the others from `rest`.
std::string word(std::uint64_t number, std::string_view first, std::string_view rest) {
  std::uint64_t length = 1;
  std::uint64_t count = first.size();
  while (number >= count) {
    number -= count;
    count *= rest.size();
    ++length;
  }
  std::string out(length, ' ');
  for (std::uint64_t i = length; i-- > 1;) {
    out[i] = rest[number % rest.size()];
    number /= rest.size();
  }
  out[0] = first[number];
  return out;
}

constexpr std::string_view kTensorLetters = "ACDEFGHIJKMNOQRSWXYZ";
constexpr std::string_view kTensorTails = "acdefghijkmnoqrswxyz";
constexpr std::string_view kIndexLetters = "acdfghijklmnopqrsuw";

/// Where a word stands in the sequence of all index words.
constexpr std::uint64_t position_of(std::string_view text) {
  std::uint64_t shorter = 0;
  std::uint64_t count = 1;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i > 0) shorter += (count *= kIndexLetters.size());
    value = value * kIndexLetters.size() + kIndexLetters.find(text[i]);
  }
  return shorter + value;
}

/// Reserved words spelt with index letters, in the order of the sequence.
constexpr std::uint64_t kReserved[] = {position_of("cos"),  position_of("inf"), position_of("log"),
                                       position_of("min"),  position_of("sin"), position_of("floor"),
                                       position_of("round")};

}  // namespace

std::string tensor_name(std::uint64_t number) { return word(number, kTensorLetters, kTensorTails); }

std::string index_name(std::uint64_t number) {
  for (const std::uint64_t reserved : kReserved) {
    if (reserved <= number) ++number;
  }
  return word(number, kIndexLetters, kIndexLetters);
}

std::string NameSource::next() {
  while (true) {
    std::string name = name_(number_++);
    if (taken_.insert(name).second) return name;
  }
}

}  // namespace steptp
