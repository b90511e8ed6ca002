// grammar_cat PROFILE TARGET [published]: prints a grammar. `published` leaves the extensions out.
#include <iostream>
#include <string_view>

#include "steptp/text/grammar.h"
#include "steptp/text/strategy_names.h"

int main(int argc, char** argv) {
  const auto argument = [&](int number) { return number < argc ? std::string_view(argv[number]) : std::string_view(); };
  const auto profile = steptp::parse_profile(argument(1));
  const auto target = steptp::parse_grammar_target(argument(2));
  if (!profile || !target || argc > 4 || (argc == 4 && argument(3) != "published")) {
    std::cerr << "usage: grammar_cat paper|compact program|answer|answers [published]\n";
    return 2;
  }
  std::cout << steptp::gbnf(*profile, *target, steptp::strategy_names(), argc < 4);
  return 0;
}
