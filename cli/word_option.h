#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/checks.h"
#include "steptp/base/words.h"

namespace steptp::cli {

/// An option that takes one of the words of an enum, and refuses any other. --help lists them in the order of `values`,
/// or in that of the enum.
template <class Enum>
CLI::Option* add_word_option(CLI::App& verb, const std::string& name, Enum& value, const std::string& text,
                             const std::vector<Enum>& values = {}) {
  std::vector<std::string> words;
  for (const Enum one : values) words.emplace_back(word_of(one));
  if (values.empty()) words.assign(kWords<Enum>.begin(), kWords<Enum>.end());
  CLI::Option* option = verb.add_option_function<std::string>(
      name, [&value](const std::string& word) { value = read_word<Enum>(word).value(); }, text);
  return option->check(one_of(words))->default_str(std::string(word_of(value)));
}

}  // namespace steptp::cli
