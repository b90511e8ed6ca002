#include "cli/checks.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <sstream>
#include <utility>

#include "steptp/base/text.h"

namespace steptp::cli {

namespace {

std::string short_text(double number) {
  std::ostringstream out;
  out << number;
  return out.str();
}

/// A number for which `wanted` is the plain word of the condition; the help shows `type`.
template <typename Condition>
CLI::Validator number_check(std::string wanted, std::string type, Condition condition) {
  const auto check = [wanted = std::move(wanted), condition](const std::string& text) {
    double number = std::numeric_limits<double>::quiet_NaN();
    const bool is_number = CLI::detail::lexical_cast(text, number);
    return is_number && condition(number) ? std::string() : concat("'", text, "' is not ", wanted);
  };
  return CLI::Validator(check, std::move(type));
}

}  // namespace

CLI::Validator one_of(std::vector<std::string> words) {
  const auto plain = [](const std::string& word) { return word; };
  std::string type = concat("{", join(words, ",", plain), "}");
  const auto check = [words = std::move(words), plain](const std::string& text) {
    if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
    const std::string wanted = words.size() == 1 ? words.front() : concat("one of ", join(words, ", ", plain));
    return concat("'", text, "' is not ", wanted);
  };
  return CLI::Validator(check, std::move(type));
}

CLI::Validator positive() {
  return number_check("a number above 0", "POSITIVE", [](double number) { return number > 0; });
}

CLI::Validator not_negative() {
  return number_check("a number, 0 or above", "NONNEGATIVE", [](double number) { return number >= 0; });
}

CLI::Validator between(double low, double high) {
  const std::string range = concat(short_text(low), " to ", short_text(high));
  return number_check(concat("a number from ", range), range,
                      [low, high](double number) { return number >= low && number <= high; });
}

void refuse_negative_counts(CLI::App& verb) {
  const auto check = [](const std::string& text) {
    return text.starts_with('-') ? concat("'", text, "' is not a number, 0 or above") : std::string();
  };
  for (CLI::Option* option : verb.get_options()) {
    if (option->get_type_name() == "UINT") option->check(CLI::Validator(check, ""));
  }
  for (CLI::App* below : verb.get_subcommands([](CLI::App*) { return true; })) refuse_negative_counts(*below);
}

}  // namespace steptp::cli
