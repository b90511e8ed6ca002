// Reads one JSON string a line and writes its ids as a JSON array a line; with --decode, reads arrays and writes
// strings. The tests compare both with the Python package.
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/text.h"
#include "steptp/tokens/tokenizer.h"

namespace {

using namespace steptp;

int fail(std::size_t line, const std::string& message) {
  std::cerr << "tokens_cat: line " << line << ": " << message << "\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bool decoding = argc == 3 && std::string_view(argv[2]) == "--decode";
  if (argc != 2 && !decoding) {
    std::cerr << "usage: tokens_cat TOKENIZER.json[.gz] [--decode]\n";
    return 2;
  }
  const auto tokenizer = Tokenizer::load(argv[1]);
  if (!tokenizer) {
    std::cerr << "tokens_cat: " << tokenizer.error().message << "\n";
    return 1;
  }
  std::ios::sync_with_stdio(false);
  WordCache cache;
  std::string line;
  for (std::size_t number = 1; std::getline(std::cin, line); ++number) {
    const auto json = parse_json(line);
    if (!json) return fail(number, json.error().message);
    if (decoding) {
      std::vector<std::uint32_t> ids;
      if (json->as_array() == nullptr) return fail(number, "expected an array of ids");
      for (const Json& id : *json->as_array()) {
        if (id.as_integer() == nullptr) return fail(number, "expected an array of ids");
        ids.push_back(static_cast<std::uint32_t>(*id.as_integer()));
      }
      std::cout << quote_json(tokenizer->decode(ids)) << "\n";
      continue;
    }
    if (json->as_string() == nullptr) return fail(number, "expected a string");
    const auto ids = tokenizer->encode(*json->as_string(), cache);
    if (!ids) return fail(number, ids.error().message);
    std::cout << "[" << join(*ids, ",", [](std::uint32_t id) { return std::to_string(id); }) << "]\n";
  }
  return 0;
}
