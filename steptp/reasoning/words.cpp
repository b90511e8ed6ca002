#include "steptp/reasoning/words.h"

#include <map>
#include <stdexcept>

#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// What is wrong with a phrase: places that do not close.
std::string_view problem_of(std::string_view phrase) {
  bool is_open = false;
  for (const char c : phrase) {
    if (c == '{' && is_open) return "a '{' inside another";
    if (c == '}' && !is_open) return "a '}' without its '{'";
    if (c == '{' || c == '}') is_open = c == '{';
  }
  return is_open ? "a '{' without its '}'" : "";
}

}  // namespace

Result<Words, std::string> parse_words(std::string_view text) {
  Words out;
  std::string_view slot;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::string_view content = trimmed(line);
    if (content.empty() || content.front() == '#') continue;
    if (line.front() != ' ' && line.front() != '\t') {
      if (content.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != content.npos) {
        return concat("line ", number, ": '", content, "' is not a slot; phrases are indented");
      }
      slot = content;
      continue;
    }
    if (slot.empty()) return concat("line ", number, ": a phrase before the first slot");
    if (const std::string_view problem = problem_of(content); !problem.empty()) {
      return concat("line ", number, ": ", problem);
    }
    if (slot == "general") {
      out.general.push_back(content);
    } else {
      out.phrases.push_back({slot, content});
    }
  }
  return out;
}

namespace {

const std::map<std::string_view, Words>& all_words() {
  static const std::map<std::string_view, Words> all = [] {
    std::map<std::string_view, Words> out;
    for (const WordsFile& file : words_files()) {
      auto words = parse_words(file.text);
      if (!words) throw std::logic_error(concat(file.strategy, ".words, ", words.error()));
      out.emplace(file.strategy, std::move(words).value());
    }
    return out;
  }();
  return all;
}

}  // namespace

const Words* words_of(std::string_view strategy) {
  const auto found = all_words().find(strategy);
  return strategy.empty() || found == all_words().end() ? nullptr : &found->second;
}

const Words& shared_words() { return all_words().at(""); }

}  // namespace steptp
