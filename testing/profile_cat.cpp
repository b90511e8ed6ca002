// profile_cat: reads program texts, each a JSON string on its own line, and prints for each line the canonical texts
// as JSON, ["paper","compact"], or null where the reader refuses the text (or only reads it with a warning).
#include <iostream>
#include <string>

#include "steptp/base/json.h"
#include "steptp/text/printer.h"
#include "steptp/text/reader.h"

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto json = steptp::parse_json(line);
    const std::string* text = json.ok() ? json.value().as_string() : nullptr;
    if (!text) {
      std::cerr << "profile_cat: not a JSON string: " << line << '\n';
      return 2;
    }
    steptp::ReadText read = steptp::read_text(*text);
    if (!read.ok || !read.findings.empty()) {
      std::cout << "null\n";
      continue;
    }
    steptp::Program program;
    program.nests = std::move(read.nests);
    std::cout << steptp::Json(steptp::Json::Array{steptp::print(program, steptp::Profile::paper),
                                                  steptp::print(program, steptp::Profile::compact)})
                     .dump()
              << '\n';
  }
  return 0;
}
