#include "steptp/certify/witness.h"

#include <algorithm>
#include <utility>

namespace steptp::certify {

Witness::Witness(const std::vector<InputRead>& reads) {
  constexpr std::size_t kMost = 6;
  std::map<std::pair<std::size_t, std::string>, std::size_t> equals;
  for (const InputRead& read : reads) ++equals[{read.input, to_text(read.value)}];
  const auto likes = [&](const InputRead& read) { return equals.at({read.input, to_text(read.value)}); };
  std::vector<InputRead> sorted = reads;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const InputRead& a, const InputRead& b) { return likes(a) < likes(b); });
  for (const InputRead& read : sorted) {
    if (named.size() < kMost && (likes(read) <= kMost || reads.size() <= kMost)) {
      named.push_back(read);
      continue;
    }
    Rest& others = rest[read.input];
    const std::string value = to_text(read.value);
    if (others.count++ == 0) {
      others.value = value;
    } else if (others.value != value) {
      others.value.reset();
    }
  }
  for (const InputRead& read : named) {
    if (const auto others = rest.find(read.input); others != rest.end()) others->second.is_all = false;
  }
}

}  // namespace steptp::certify
