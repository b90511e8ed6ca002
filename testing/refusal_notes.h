#pragma once

// What tests of strategies and tests of moves have in common: how they speak, and that each reason for a refusal that
// is declared has refused something by the end of the run.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/strategies/strategy.h"

namespace steptp::testing {

/// All that was refused while the tests of this program ran, as "name/reason".
class RefusalNotes : public ::testing::Environment {
 public:
  /// `declared` lists, as "name/reason", what has to be refused by the end; it is asked then.
  explicit RefusalNotes(std::function<std::vector<std::string>()> declared) : declared_(std::move(declared)) {}

  static std::string note(std::string_view name, std::string_view reason) { return concat(name, "/", reason); }
  void add(std::string_view name, const Refusal& refusal) {
    EXPECT_FALSE(refusal.message.empty()) << name << " [" << refusal.precondition->id << "]";
    refused_.insert(note(name, refusal.precondition->id));
  }

  /// After the last test. A run of some of the tests says nothing.
  void TearDown() override {
    if (::testing::GTEST_FLAG(filter) != "*") return;
    for (const std::string& wanted : declared_()) {
      EXPECT_TRUE(refused_.contains(wanted)) << "no test has seen the refusal " << wanted;
    }
  }

 private:
  std::function<std::vector<std::string>()> declared_;
  std::set<std::string> refused_;
};

/// A choice as tests write it; one that cannot be read stops the test, because the test is wrong.
inline Choice choice_of(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) throw std::runtime_error(concat("not JSON: ", text));
  const auto choice = choice_from_json(*json);
  if (!choice) throw std::runtime_error(choice.error());
  return *choice;
}

/// The lines of a signature, which begin with @, of a program in shorthand.
inline std::string header_of(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line = text.substr(at, end - at);
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string_view::npos && line[first] == '@') append(out, line);
    at = end;
  }
  return out;
}

}  // namespace steptp::testing
